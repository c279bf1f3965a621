"""Whole processes of `swage run`: what a cache on disk saves whoever starts anew."""
import os
import pathlib
import re
import subprocess
import tempfile
import time

import page

ONE_OP = "HloModule one_op\nENTRY main {\n  x = f32[8] parameter(0)\n  ROOT y = f32[8] negate(x)\n}\n"


def programs():
    """{name: HLO text}"""
    corpus = lambda name: (page.ROOT / "tests/corpus/program" / name / "module.hlo").read_text()
    return {
        "one op, f32[8]": ONE_OP,
        "attention, f32[64,64]": corpus("attend_64"),
        "attention, f32[2048,128]": resized(corpus("attend_len31"), {"31": "2048", "16": "128"}),
        "a transformer block, f32[24,32]": corpus("gpt_block"),
        "12 layers, f32[16,32]": corpus("gpt_12_layers"),
    }


def resized(text, extents):
    """The text with other extents in its shapes."""
    shape = lambda match: "[" + re.sub(r"\d+", lambda n: extents.get(n[0], n[0]), match[1]) + "]"
    return re.sub(r"(?<=[a-z0-9])\[([\d,]+)\]", shape, text)


def reading(binary, path, cache, runs):
    """Milliseconds of a process that runs the program `runs` times after its first: {process, compile, run}."""
    environment = {**os.environ, "SWAGE_CACHE_DIR": str(cache)}
    environment.pop("SWAGE_CONFIG", None)
    start = time.perf_counter()
    done = subprocess.run([binary, "run", path, "--random", "--cache", "--bench", str(runs)], env=environment,
                          capture_output=True, text=True, check=True)
    process = (time.perf_counter() - start) * 1e3
    compile_ms, run = re.match(r"compile ([\d.]+) ms, median ([\d.]+) ms", done.stdout).groups()
    return {"process": process, "compile": float(compile_ms), "run": float(run)}


def section(binary, repeat):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        cache = pathlib.Path(folder) / "cache"
        for number, (name, text) in enumerate(programs().items()):
            path = pathlib.Path(folder) / f"{number}.hlo"
            path.write_text(text)
            reading(binary, path, cache, 1)  # fills the cache
            cold, warm = [], []
            for _ in range(repeat):
                cold.append(reading(binary, path, "off", 1))
                warm.append(reading(binary, path, cache, 1))
            median = lambda runs, key: page.number(page.spread([run[key] for run in runs])[0])
            _, low, high = page.spread([run["process"] for run in warm])
            rows.append([name, median(cold, "process"), median(cold, "compile"), median(warm, "process"),
                         f"{page.number(low)} to {page.number(high)}", median(warm, "compile"),
                         page.number(reading(binary, path, cache, 50)["run"] or None).replace("-", "< 0.001")])
    return page.table(["", "no cache: process, ms", "compile, ms", "warm disk: process, ms", "from, to", "compile, ms",
                       "one more run, ms"], rows)
