"""Pieces of docs/performance.md: sections that a script fills, tables, the machine in words."""
import datetime
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "performance.md"


def build(folder, *targets):
    """Builds targets of a build folder, and configures it with tests and benchmarks if it is not."""
    if subprocess.run([ROOT / "scripts" / "build", folder, *targets]).returncode != 0:
        sys.exit(f"{folder}: {', '.join(targets)} cannot be built; the reason is above")


def fill(text, name, body):
    """`text` with the lines between <!-- name:begin --> and <!-- name:end --> replaced by `body`."""
    begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise ValueError(f"expected one '{begin.strip()}' and after it one '{end}'")
    before, rest = text.split(begin)
    return before + begin + body.rstrip("\n") + "\n" + end + rest.split(end)[1]


def table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def number(value):
    """Three digits, as a person would write them: 8,482  91.8  0.024."""
    if value is None:
        return "-"
    if value == round(value) or abs(value) >= 100:
        return f"{round(value):,}"
    digits = max(0, 2 - _exponent(value))
    return f"{value:.{digits}f}"


def _exponent(value):
    return int(f"{value:e}".split("e")[1])


def spread(values):
    """(median, smallest, largest)."""
    return statistics.median(values), min(values), max(values)


def machine():
    """{"cpu": ..., "cores": ..., "load": ..., "date": ...} of the machine that this runs on."""
    cpu = "unknown CPU"
    with open("/proc/cpuinfo") as lines:
        for line in lines:
            if line.startswith("model name"):
                cpu = line.split(":", 1)[1].strip()
                break
    return {"cpu": cpu, "cores": len(os.sched_getaffinity(0)), "load": round(os.getloadavg()[0], 1),
            "date": datetime.date.today().isoformat()}


def machine_text(machine):
    load = f"the load of the minute before was {machine['load']}"
    if machine["load"] > 1.5 * machine["cores"]:
        load += ", so other work disturbed it"
    return f"{machine['date']}, {machine['cores']} cores of {machine['cpu']}; {load}."
