"""The scripts that fill docs/performance.md: tables, the plot, and what they refuse."""
import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).parents[2]


def load(name, folder="scripts"):
    """A script without an ending, as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / folder / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


recompile_report = load("recompile_report")
bench_report = load("bench_report")
compare = load("compare", "bench")
ulp_table = load("ulp_table", "bench/peers")
page = recompile_report.page

MACHINE = {"cpu": "Some CPU", "cores": 2, "load": 0.3, "date": "2026-01-31"}


def reading(system, policy, total_ms, stream="attend/uniform", **more):
    return {"stream": stream, "system": system, "policy": policy, "calls": 200, "distinct": 164, "compiles": 164,
            "total_ms": total_ms, "warm_ms": 50.0, "p50_us": 500.0, "p99_us": 6000.0, "max_us": 90000.0,
            "waste": 0.0, "rss_mb": 120.5, "checksum": 1000.0, **more}


class PageTest(unittest.TestCase):
    def test_numbers_have_three_digits(self):
        for value, text in ((8482.66, "8,483"), (91.76, "91.8"), (5.968, "5.97"), (0.02364, "0.0236"), (0, "0"),
                            (3.0, "3"), (1064585.2, "1,064,585"), (None, "-")):
            self.assertEqual(page.number(value), text)

    def test_a_section_is_replaced_and_the_rest_stays(self):
        text = "a\n<!-- x:begin -->\nold\n<!-- x:end -->\nb\n"
        once = page.fill(text, "x", "new\n")
        self.assertEqual(once, "a\n<!-- x:begin -->\nnew\n<!-- x:end -->\nb\n")
        self.assertEqual(page.fill(once, "x", "new"), once)

    def test_a_page_without_the_marks_is_refused(self):
        for text in ("", "<!-- x:begin -->\n", "<!-- x:end -->\n<!-- x:begin -->\n"):
            with self.assertRaises(ValueError):
                page.fill(text, "x", "new")

    def test_load_is_told(self):
        self.assertNotIn("disturbed", page.machine_text(MACHINE))
        self.assertIn("disturbed", page.machine_text({**MACHINE, "load": 8.0}))


class RecompileReportTest(unittest.TestCase):
    def pages(self, readings):
        """(performance.md, recompile.svg or None, what differs) of these readings."""
        with tempfile.TemporaryDirectory() as folder:
            docs = pathlib.Path(folder)
            (docs / "performance.md").write_text("<!-- recompile:begin -->\n<!-- recompile:end -->\n")
            problems = recompile_report.write_pages({"machine": MACHINE, "passes": 3, "readings": readings}, docs)
            picture = docs / "recompile.svg"
            return ((docs / "performance.md").read_text(), picture.read_text() if picture.exists() else None, problems)

    def test_a_row_has_medians_and_the_range(self):
        text, _, problems = self.pages([reading("Swage", "exact", ms, llvm_runs=979, cache_mb=79.2)
                                        for ms in (9000.0, 8000.0, 8500.0)])
        self.assertIn("| Swage, exact | 8,500 | 8,000 to 9,000 | 50 | 164 | 979 | 500 | 6,000 | 90 | 0 % | 120 | 79.2 |", text)
        self.assertIn("### attend/uniform: 200 calls, 164 shapes", text)
        self.assertIn("Some CPU", text)
        self.assertEqual(problems, [])

    def test_peers_come_behind_with_their_version_and_padding(self):
        text, _, _ = self.pages([reading("jax", "pow2", 551.0, peer="JAX 0.10", waste=0.409),
                                 reading("Swage", "kernel-reuse", 290.0)])
        self.assertLess(text.index("Swage, kernel-reuse"), text.index("JAX 0.10, pow2"))
        self.assertIn("| 41 % |", text)

    def test_short_streams_show_each_call(self):
        calls = {"first1_us": 90000.0, "first2_us": 817.0, "first3_us": 577.6}
        text, picture, _ = self.pages([reading("Swage", "exact", 92.0, "attend/neighbours", **calls)])
        self.assertIn("| Swage, exact | 90 | 0.817 | 0.578 |", text)
        self.assertIsNone(picture)

    def test_what_is_missing_or_failed_is_said(self):
        text, _, _ = self.pages([reading("Swage", "exact", 1.0),
                                 {"stream": "attend/uniform", "system": "Swage", "policy": "symbolic", "skipped": "skipped: no"},
                                 {"stream": "attend/uniform", "system": "torch", "policy": "dynamic", "failed": "no compiler"}])
        self.assertIn("left out: symbolic.", text)
        self.assertIn("- attend/uniform torch dynamic: no compiler", text)

    def test_different_results_are_reported(self):
        _, _, problems = self.pages([reading("Swage", "exact", 1.0), reading("jax", "exact", 1.0, checksum=1000.05),
                                     reading("ort", "dynamic", 1.0, checksum=1001.0)])
        self.assertEqual(len(problems), 1)
        self.assertIn("ort, dynamic", problems[0])
        _, _, problems = self.pages([reading("Swage", "exact", 1.0), reading("jax", "exact", 1.0, checksum=float("nan"))])
        self.assertEqual(len(problems), 1)

    def test_the_plot_is_svg_with_a_longer_bar_for_more_time(self):
        _, picture, _ = self.pages([reading("Swage", "exact", 8000.0), reading("jax", "a < b & c", 300.0)])
        root = xml.etree.ElementTree.fromstring(picture)
        bars = {rect.get("class"): float(rect.get("width")) for rect in root.iter("{http://www.w3.org/2000/svg}rect")
                if float(rect.get("width").rstrip("%")) not in (3, 12, 100)}
        self.assertGreater(bars["own"], bars["peer"])
        texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("jax, a < b & c", texts)
        self.assertIn("attend/uniform: 164 shapes", texts)
        self.assertIn("10000 ms", texts)


class BenchReportTest(unittest.TestCase):
    def test_a_row_has_the_median_of_repetitions_and_counters(self):
        def result(ms, **more):
            return {"name": "BM_Dot/f32/512/real_time", "run_name": "BM_Dot/f32/512/real_time", "run_type": "iteration",
                    "family_index": 0, "per_family_instance_index": 0,
                    "real_time": ms, "cpu_time": ms, "time_unit": "us", "iterations": 10, **more}
        text = bench_report.section(MACHINE, [result(3.0, ratio=1.01), result(1.0, ratio=1.03), result(2.0, ratio=1.02)])
        self.assertIn("|  | time | from, to | CPU time | ratio |", text)
        self.assertIn("| `Dot/f32/512` | 2 us | 1 to 3 | 2 us | 1.02 |", text)
        self.assertIn("| `Dot/f32/512` | 1.01 |", bench_report.section(MACHINE, [result(3.0, ratio=1.01)], times=False))

    def test_growth_is_that_per_doubling_of_a_form(self):
        def result(form, ops, ms):
            name = f"BM_{form}/{ops}/iterations:1/real_time"
            phases = {phase: 0.5 for phase in bench_report.growth.PHASES}
            return {"name": name, "run_name": name, "run_type": "iteration", "family_index": 0,
                    "per_family_instance_index": ops, "real_time": ms, "cpu_time": 3 * ms, **phases}
        results = [result("wide", 2000, 25.0), result("wide", 1000, 10.0), result("wide", 1000, 9.0),
                   result("wide", 1000, 11.0), result("chain", 4000, 7.0)]
        text = bench_report.growth.section(bench_report.repetitions(results))
        self.assertIn("| wide | 1,000 | 10 | 9 to 11 |  | 30 |  | 0.500 |", text)
        self.assertIn("| wide | 2,000 | 25 | 25 to 25 | 2.50 | 75 | 2.50 |", text)
        self.assertIn("| chain | 4,000 | 7 | 7 to 7 |  | 21 |  |", text)
        self.assertIn("Most growth of time per doubling: 2.50 (wide, 1,000 to 2,000), beyond 2.3.", text)
        self.assertIn("within 2.3", bench_report.growth.verdict({("wide", 2000): 2.3}, "time"))

    def test_other_extents_are_put_into_shapes_alone(self):
        text = "f32[31,16]{1,0} dot(a31), dimensions={1,0}, x[] constant(16)"
        self.assertEqual(bench_report.processes.resized(text, {"31": "2048", "16": "128"}),
                         "f32[2048,128]{1,0} dot(a31), dimensions={1,0}, x[] constant(16)")

    def test_every_program_has_a_place_in_the_page(self):
        text = page.PAGE.read_text()
        for name in ["compare", "recompile", bench_report.PROCESSES, *bench_report.BENCHES]:
            page.fill(text, name, "x")


class FakeSide:
    """Answers as a worker does, and writes into `turns` when it is its turn to run."""

    def __init__(self, key, ms, turns, samples=(1.0, 2.0), missing=None, fails=False):
        self.key, self.name, self.ms, self.turns = key, key.upper(), ms, turns
        self.samples, self.missing, self.fails = list(samples), missing, fails

    def ask(self, line, timeout):
        command = line.split()[0]
        if command == "open" and self.missing:
            return {"missing": self.missing}
        if command == "open":
            return {"ready": True, "digest": {"count": 2, "sum": sum(map(abs, self.samples)), "samples": self.samples}}
        if command == "run":
            self.turns.append(self.key)
            if self.fails:
                raise compare.sides.Failure("no answer")
            return {"ms": [self.ms, self.ms * 2, self.ms]}
        return {"closed": True}


class CompareTest(unittest.TestCase):
    def entry(self, *targets, rounds=2, mode="warm", **sides):
        """(the row's entry, the order of the turns); sides: key -> what FakeSide takes."""
        row = compare.compare_rows.Row("a row", "arrays", mode, "exp", ["f32[2]"], 1e-5, targets)
        turns = []
        all_sides = {key: FakeSide(key, turns=turns, **values) for key, values in sides.items()}
        readings = compare.measure_row(row, all_sides, rounds, 0.1)
        return {"row": row._asdict(), "readings": readings}, turns

    def section(self, *entries, absent=()):
        return compare.compare_table.section({"machine": MACHINE, "rounds": 2, "absent": list(absent), "rows": list(entries)})

    def test_sides_take_turns_and_every_other_round_is_reversed(self):
        _, turns = self.entry(rounds=3, swage={"ms": 1.0}, jax={"ms": 2.0}, ort={"ms": 3.0})
        self.assertEqual(turns, ["swage", "jax", "ort", "ort", "jax", "swage", "swage", "jax", "ort"])

    def test_a_row_has_the_best_peer_the_ratio_and_the_verdict(self):
        Target = compare.compare_rows.Target
        sides = {"swage": {"ms": 1.0}, "jax": {"ms": 4.0}, "ort": {"ms": 2.0}}
        for targets, verdict in (([Target("best", 1)], "yes"), ([Target("jax", 0.2)], "no"), ([Target("jax", 0.25)], "yes"),
                                 ([Target("best", 1), Target("jax", 0.2)], "no"), ([Target("drjit", 1)], "not measured"),
                                 ([], "")):
            text = self.section(self.entry(*targets, **sides)[0])
            self.assertIn("| a row | 1 ms [1 ms-2 ms] | ONNX Runtime, 2 ms | 0.50 [0.50-0.50] of ONNX Runtime", text)
            self.assertIn(f"| {verdict} |\n", text)
        self.assertIn("| a row | 1 ms | 4 ms | 2 ms |", text)

    def test_different_results_are_not_timed_but_reported(self):
        entry, turns = self.entry(swage={"ms": 1.0}, jax={"ms": 1.0, "samples": (1.0, 2.1)},
                                  ort={"ms": 1.0, "samples": (1.0, float("nan"))}, numpy={"ms": 1.0, "samples": (1.0, 2.000001)})
        self.assertEqual(set(turns), {"swage", "numpy"})
        problems = compare.compare_table.failures({"rows": [entry]})
        self.assertEqual(len(problems), 2)
        self.assertIn("a row, JAX: its results are 0.05 from Swage's, more than 1e-05", problems)

    def test_a_side_that_lacks_the_work_has_no_cell(self):
        text = self.section(self.entry(swage={"ms": 1.0}, drjit={"ms": 1.0, "missing": "no exp"}, ort={"ms": 2.0})[0],
                            absent=["openvino"])
        self.assertNotIn("Dr.Jit |", text)
        self.assertIn("Not installed and so left out: OpenVINO.", text)
        self.assertNotIn("went wrong", text)

    def test_a_row_that_swage_lacks_is_not_measured(self):
        entry, turns = self.entry(swage={"ms": 1.0, "missing": "Swage has no exp"}, ort={"ms": 2.0})
        self.assertEqual(turns, [])
        self.assertIn("| a row | Swage has no exp |", self.section(entry))

    def test_a_side_that_fails_has_no_further_turn(self):
        entry, turns = self.entry(swage={"ms": 1.0}, jax={"ms": 1.0, "fails": True})
        self.assertEqual(turns, ["swage", "jax", "swage"])
        self.assertIn("- a row, JAX: no answer", self.section(entry))

    def test_a_side_that_takes_seconds_has_one_turn(self):
        _, turns = self.entry(swage={"ms": 1.0}, jax={"ms": 6000.0})
        self.assertEqual(turns, ["swage", "jax", "swage"])

    def test_many_callers_are_measured_beside_one(self):
        entry, turns = self.entry(compare.compare_rows.Target("one", 1.25), mode="callers:16", swage={"ms": 1.1},
                                  one={"ms": 1.0}, jax={"ms": 1.0})
        self.assertEqual(set(turns), {"swage", "one"})
        self.assertEqual(compare.compare_table.verdict(entry), "yes")
        self.assertNotIn("one", self.entry(swage={"ms": 1.0}, one={"ms": 1.0})[1])

    def test_rows_have_names_of_their_own_and_sides_that_exist(self):
        rows = compare.compare_rows.rows(ROOT / "tests/models")
        names = [(row.group, row.name) for row in rows]
        self.assertEqual(len(names), len(set(names)))
        self.assertIn(("models", "GPT-2 small, 128 tokens"), names)
        for row in rows:
            self.assertIn(row.group, compare.compare_table.TITLES)
            for target in row.targets:
                self.assertIn(target.peer, [compare.compare_rows.BEST, *compare.compare_table.COLUMNS])
        self.assertEqual(compare.compare_rows.models("/nonexistent"), [])


class UlpTableTest(unittest.TestCase):
    def test_every_bound_of_the_op_table_has_a_row(self):
        table = (ROOT / "compiler/ir/opcodes.def").read_text()
        stated = {line.split('"')[1] for line in table.splitlines()
                  if line.startswith("SWAGE_OP(") and line.split(", ")[10] != "0"}
        limits = ulp_table.bounds(table)
        self.assertEqual(set(limits), stated | {"sqrt"})
        self.assertEqual((limits["tan"], limits["tanh"], limits["sqrt"]), (2, 1, 0.5))

    def test_errors_are_rounded_up(self):
        for error, text in ((0.5, "0.50"), (0.5000068, "0.51"), (12.33, "12.4"), (8388608.0, "8e6"), (float("inf"), "wrong")):
            self.assertEqual(ulp_table.cell(error), text)

    def test_what_a_system_lacks_has_no_number_and_what_is_beyond_its_bound_is_told(self):
        reading = lambda ulps: {"normal": ulps, "all": ulps, "at": ["0x1p+0"]}
        readings = {"tan": {"swage": reading(1.5), "torch": reading(3.0)}, "erf": {"swage": reading(1.2)}}
        limits = {"tan": 2.0, "erf": 1.0}
        text = ulp_table.section({"swage": "Swage 1", "torch": "torch 2"}, readings, limits)
        self.assertIn("| tan | 2 | 1.50 | 3.00 |", text)
        self.assertIn("| erf | 1 | 1.20 | - |", text)
        self.assertEqual(ulp_table.beyond(readings, limits), ["erf(0x1p+0): 1.2 units, at most 1"])

    def test_its_tables_have_a_place(self):
        page.fill((ROOT / "docs/semantics.md").read_text(), "ulp", "x")


if __name__ == "__main__":
    unittest.main()
