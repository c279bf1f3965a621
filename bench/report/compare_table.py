"""The section that bench/compare writes: for each row Swage, the best peer, the targets; then every side."""
import statistics

import compare_rows
import page

TITLES = {
    "first": "First call, compile included",
    "arrays": "Large arrays",
    "products": "Products of matrices",
    "networks": "Attention and networks",
    "models": "Whole models, as HLO text",
    "calls": "Small calls and many callers",
}
COLUMNS = {  # of the second table
    "swage": "Swage", "background": "Swage, stand-ins", "one": "Swage, one caller", "cpp": "C++", "streaming": "C++ streaming", "onednn": "oneDNN",
    "jax": "JAX", "jax-heap": "JAX, heap", "torch-eager": "torch", "torch-eager-heap": "torch, heap",
    "torch-compile": "torch.compile", "torch-compile-heap": "torch.compile, heap", "ort": "ONNX Runtime",
    "openvino": "OpenVINO", "drjit": "Dr.Jit", "numpy": "numpy",
}


def measured(entry):
    """{key: reading} of the sides that have times."""
    return {key: reading for key, reading in entry["readings"].items() if reading["ms"] and "failed" not in reading}


def times(reading):
    return [ms for turn in reading["ms"] for ms in turn]


def median(reading):
    return statistics.median(times(reading))


def deciles(reading):
    ordered = sorted(times(reading))
    return ordered[len(ordered) // 10], ordered[-1 - len(ordered) // 10]


def peers_of(entry):
    """{key: median} of the measured sides beside Swage's own."""
    return {key: median(reading) for key, reading in measured(entry).items() if key not in ("swage", "background")}


def best_peer(entry):
    peers = peers_of(entry)
    return min(peers, key=peers.get) if peers else None


def ratio(entry, peer):
    """Swage's time over a peer's: (the median, the smallest, the largest) of the rounds that both have."""
    turns = zip(entry["readings"]["swage"]["ms"], entry["readings"][peer]["ms"])
    return page.spread([statistics.median(ours) / statistics.median(theirs) for ours, theirs in turns])


def ratio_text(spread):
    middle, low, high = (f"{x:.2f}" if x >= 0.1 else f"{x:.2g}" for x in spread)
    return f"{middle} [{low}-{high}]"


def duration(ms):
    """Milliseconds with three digits; small ones as microseconds."""
    return f"{page.number(ms * 1000)} us" if ms < 0.1 else f"{page.number(ms)} ms"


def targets_text(targets):
    """As "0.714 of Dr.Jit"."""
    peer = lambda key: "the best peer" if key == compare_rows.BEST else COLUMNS[key]
    return ", ".join(f"{limit:.3g} of {peer(key)}" for key, limit in map(tuple, targets))


def verdict(entry):
    """Whether the targets are met: "yes", "no", or what is not there to say it."""
    verdicts = set()
    for key, limit in map(tuple, entry["row"]["targets"]):
        peer = best_peer(entry) if key == compare_rows.BEST else key
        there = peer in measured(entry) and "swage" in measured(entry)
        verdicts.add("not measured" if not there else "yes" if ratio(entry, peer)[0] <= limit else "no")
    return next((word for word in ("no", "not measured", "yes") if word in verdicts), "")


def row_cells(entry):
    own = entry["readings"]["swage"]
    name, targets = entry["row"]["name"], targets_text(entry["row"]["targets"])
    if "swage" not in measured(entry):
        return [name, own.get("failed", own.get("missing", "not measured")), "", "", targets, ""]
    low, high = deciles(own)
    best = best_peer(entry)
    others = [key for key, _ in map(tuple, entry["row"]["targets"]) if key not in (best, compare_rows.BEST)]
    ratios = "; ".join(f"{ratio_text(ratio(entry, key))} of {COLUMNS[key]}"
                       for key in ([best] if best else []) + others if key in measured(entry))
    return [name, f"{duration(median(own))} [{duration(low)}-{duration(high)}]",
            f"{COLUMNS[best]}, {duration(peers_of(entry)[best])}" if best else "none", ratios, targets, verdict(entry)]


def line(entry):
    """What is printed when a row is done."""
    return " | ".join(row_cells(entry))


def all_sides_table(entries):
    keys = [key for key in COLUMNS if any(key in measured(entry) for entry in entries)]
    cell = lambda entry, key: duration(median(measured(entry)[key])) if key in measured(entry) else "-"
    return page.table(["", *(COLUMNS[key] for key in keys)],
                      [[entry["row"]["name"], *(cell(entry, key) for key in keys)] for entry in entries])


def section(raw):
    names = {key: reading["name"] for entry in raw["rows"] for key, reading in entry["readings"].items()
             if "heap" not in key and key not in ("one", "background", "cpp", "streaming")}
    parts = [f"{page.machine_text(raw['machine'])} Rounds: {raw['rounds']}. {', '.join(dict.fromkeys(names.values()))}.\n"]
    if raw["absent"]:
        parts.append(f"Not installed and so left out: {', '.join(COLUMNS[key] for key in raw['absent'])}.\n")
    for group, title in TITLES.items():
        entries = [entry for entry in raw["rows"] if entry["row"]["group"] == group]
        if not entries:
            continue
        header = ["", "Swage, median [p10-p90]", "best peer", "ratio [of rounds]", "at most", "met"]
        parts.append(f"### {title}\n\n{page.table(header, map(row_cells, entries))}")
        parts.append(f"Medians of every side:\n\n{all_sides_table(entries)}")
    problems = failures(raw)
    if problems:
        parts.append("Left out, since something went wrong:\n\n" + "".join(f"- {problem}\n" for problem in problems))
    return "\n".join(parts)


def failures(raw):
    return [f"{entry['row']['name']}, {COLUMNS[key]}: {reading['failed']}"
            for entry in raw["rows"] for key, reading in entry["readings"].items() if "failed" in reading]
