"""The table of growth_bench: what the first compile of a form takes, and how it grows per doubling."""
import page

MOST = 2.3  # what a doubling may cost
PHASES = ["trace", "passes", "fusion", "plan", "llvm", "link", "kernels", "llvm_runs"]


def median(runs, key):
    return page.spread([run[key] for run in runs])[0]


def readings(groups):
    """[(form, operations, runs)] of {"BM_chain/1000/...": runs}, smaller programs first."""
    rows = []
    for name, runs in groups.items():
        form, ops = name.removeprefix("BM_").split("/")[:2]
        rows.append((form, int(ops), runs))
    order = {form: place for place, (form, _, _) in reversed(list(enumerate(rows)))}
    return sorted(rows, key=lambda row: (order[row[0]], row[1]))


def growth(rows, key):
    """{(form, operations): the median over that of half the operations}"""
    medians = {(form, ops): median(runs, key) for form, ops, runs in rows}
    return {(form, ops): value / medians[form, ops // 2] for (form, ops), value in medians.items()
            if (form, ops // 2) in medians}


def section(groups):
    rows = readings(groups)
    time, cpu = growth(rows, "real_time"), growth(rows, "cpu_time")
    factor = lambda factors, key: f"{factors[key]:.2f}" if key in factors else ""
    lines = []
    for form, ops, runs in rows:
        _, low, high = page.spread([run["real_time"] for run in runs])
        lines.append([form, page.number(ops), page.number(median(runs, "real_time")),
                      f"{page.number(low)} to {page.number(high)}", factor(time, (form, ops)),
                      page.number(median(runs, "cpu_time")), factor(cpu, (form, ops)),
                      *(page.number(median(runs, phase)) for phase in PHASES)])
    header = ["form", "operations", "ms", "from, to", "growth", "CPU ms", "growth", *PHASES]
    return page.table(header, lines) + "\n" + verdict(time, "time") + verdict(cpu, "CPU time")


def verdict(factors, what):
    if not factors:
        return ""
    (form, ops), worst = max(factors.items(), key=lambda item: item[1])
    return (f"Most growth of {what} per doubling: {worst:.2f} ({form}, {page.number(ops // 2)} to {page.number(ops)}), "
            f"{'within' if worst <= MOST else 'beyond'} {MOST}.\n")
