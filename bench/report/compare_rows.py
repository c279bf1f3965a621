"""The rows of bench/compare: what is measured, on which inputs, and what Swage has to reach.

A row is one piece of work that every side does on the same numbers; bench/compare_functions.h says what the
functions are and bench/line_worker.h how inputs are written. A target is a ratio of medians of one run,
Swage's over a peer's, that Swage's may not exceed.
"""
import collections
import json
import pathlib

BEST = "best"  # of all peers

# peer: the key of a side, or BEST. limit: the largest ratio.
Target = collections.namedtuple("Target", "peer limit")
# group: rows of a table. mode: of line_worker.h. tolerance: of results, relative to their largest.
Row = collections.namedtuple("Row", "name group mode function inputs tolerance targets")

F32, BF16 = 2e-5, 2e-2
SUMS = 1e-3  # of 8,192 numbers that cancel; some add them one after the other
CHAIN = "f32[16777216]"
GPT_LAYER = ["f32[128]=1", "f32[128]*0.035", "f32[128,384]*0.035", "f32[384]*0.035", "f32[128,128]*0.035",
             "f32[128]*0.035", "f32[128]=1", "f32[128]*0.035", "f32[128,512]*0.035", "f32[512]*0.035",
             "f32[512,128]*0.035", "f32[128]*0.035"]
GPT = ["f32[64,128]", *12 * GPT_LAYER]
MLP = ["f32[64,512]", "f32[512,2048]*0.09", "f32[2048]*0.09", "f32[2048,512]*0.09", "f32[512]*0.09"]


def square(extent):
    return f"f32[{extent},{extent}]"


def attend(length, width, dtype="f32"):
    return [f"{dtype}[{length},{width}]"] * 3


def first_calls():
    row = lambda name, function, inputs, *targets: Row(name, "first", "first", function, inputs, F32, targets)
    return [
        row("chain of 10 ops", "chain:10", [square(1024)], Target("jax", 5 / 43), Target("drjit", 5 / 7)),
        row("attention, 64 x 64", "attend", attend(64, 64), Target("jax", 12 / 35)),
        row("12 transformer layers", "gpt", GPT, Target("jax", 100 / 1348))._replace(tolerance=2e-4),
        row("chain of 1,000 ops", "chain:1000", [square(1024)], Target("jax", 150 / 595),
            Target("drjit", 150 / 636))._replace(tolerance=1e-3),
    ]


def large_arrays():
    best = (Target(BEST, 1),)
    row = lambda name, function, *inputs: Row(name, "arrays", "warm", function, list(inputs), F32, best)
    return [
        row("chain of 10 ops, 16M", "chain:10", CHAIN)._replace(targets=(Target("cpp", 1), Target("streaming", 1))),
        row("exp, 16M", "exp", CHAIN)._replace(targets=(Target("drjit", 1),)),
        row("3 x + y, 64M", "triad", "f32[67108864]", "f32[67108864]")._replace(targets=(Target("streaming", 1),)),
        row("softmax, 4096 x 4096", "softmax", square(4096)),
        row("layer norm, 8192 x 1024", "layernorm", "f32[8192,1024]", "f32[1024]", "f32[1024]"),
        row("row sums, 8192 x 8192", "rowsum", square(8192))._replace(tolerance=SUMS),
        row("column sums, 8192 x 8192", "colsum", square(8192))._replace(tolerance=SUMS),
        row("transpose, 4096 x 4096", "transpose", square(4096)),
        row("cumulative sums, 1024 x 4096", "cumsum", "f32[1024,4096]"),
        row("argmax, 1024 x 4096", "argmax", "f32[1024,4096]"),
        row("gather, 8192 rows of 256", "gather", "f32[50000,256]", "s32[8192]%50000"),
    ]


def products():
    rows = []
    for dtype, tolerance in (("f32", F32), ("bf16", BF16)):
        for length in (16, 32, 64, 128, 256, 512):
            for function, right, text in (("dot", f"[64,{length}]", "x y"), ("dot_t", f"[{length},64]", "x yT")):
                rows.append(Row(f"{text}, {dtype}, {length} x {length} x 64", "products", "warm", function,
                                [f"{dtype}[{length},64]", dtype + right], tolerance, (Target("onednn", 1),)))
        for function, text in (("dot", "any sizes"), ("dot:fixed", "these sizes")):
            rows.append(Row(f"x y, {dtype}, 1024 x 1024 x 1024, {text}", "products", "warm", function,
                            [f"{dtype}[1024,1024]"] * 2, tolerance, (Target("onednn", 1.05),)))
    return rows


def networks():
    best = (Target(BEST, 1),)
    row = lambda name, function, inputs: Row(name, "networks", "warm", function, inputs, 1e-4, best)
    return [
        row("attention, 64 x 64", "attend", attend(64, 64)),
        row("attention, 2048 x 128", "attend", attend(2048, 128)),
        row("attention, bf16, 2048 x 128", "attend", attend(2048, 128, "bf16"))._replace(tolerance=5e-2),
        row("MLP with GELU, 64 x 512 x 2048", "mlp", MLP),
        row("12 transformer layers", "gpt", GPT)._replace(tolerance=2e-4),
    ]


def models(folder):
    """Whole models as HLO text; one that the folder lacks has no row."""
    rows = []
    for name, directory, limit in (("GPT-2 small, 128 tokens", "gpt2_small_b1_s128", 0.85),
                                   ("GPT-2, a token after 1,024", "gpt2_decode_step_kv1024", 0.4)):
        module = pathlib.Path(folder).resolve() / directory / "module.hlo"
        if module.exists():
            rows.append(Row(name, "models", "warm", f"hlo:{module}", inputs_of_case(module.parent / "case.json"),
                            1e-3, (Target("jax", limit),)))
    return rows


def inputs_of_case(path):
    """Integers from 0 to 99, weights with a deviation of 0.02, ones for all that has one dimension."""
    inputs = []
    for parameter in json.loads(path.read_text())["inputs"]:
        dtype, shape = parameter["dtype"], parameter["shape"]
        kind = "%100" if dtype == "s32" else "*0.035" if len(shape) > 1 else "=1"
        inputs.append(f"{dtype}[{','.join(map(str, shape))}]{kind}")
    return inputs


def calls():
    """What a call costs beside its work, and whether callers disturb one another."""
    row = lambda name, function, *inputs: Row(name, "calls", "warm", function, list(inputs), F32, ())
    crowd = lambda name, function, inputs: Row(f"16 callers: {name}", "calls", "callers:16", function, inputs, F32,
                                               (Target("one", 1 / 0.8),))
    return [
        row("x + 1, f32[8]", "add", "f32[8]"),
        row("x + y z, f32[8]", "muladd", *["f32[8]"] * 3),
        row("x0 + 1 of 145 arguments", "first", *["f32[8]"] * 145),
        crowd("x + 1, f32[8]", "add", ["f32[8]"]),
        crowd("attention, 64 x 64", "attend", attend(64, 64)),
        crowd("layer norm, 1024 x 1024", "layernorm", [square(1024), "f32[1024]", "f32[1024]"]),
    ]


def rows(model_folder):
    return first_calls() + large_arrays() + products() + networks() + models(model_folder) + calls()
