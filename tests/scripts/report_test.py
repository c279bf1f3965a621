"""The scripts that fill docs/performance.md: tables, the plot, and what they refuse."""
import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).parents[2]


def load(name):
    """A script without an ending, as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


recompile_report = load("recompile_report")
bench_report = load("bench_report")
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

    def test_other_extents_are_put_into_shapes_alone(self):
        text = "f32[31,16]{1,0} dot(a31), dimensions={1,0}, x[] constant(16)"
        self.assertEqual(bench_report.processes.resized(text, {"31": "2048", "16": "128"}),
                         "f32[2048,128]{1,0} dot(a31), dimensions={1,0}, x[] constant(16)")

    def test_every_program_has_a_place_in_the_page(self):
        text = page.PAGE.read_text()
        for name in ["recompile", bench_report.PROCESSES, *bench_report.BENCHES]:
            page.fill(text, name, "x")


if __name__ == "__main__":
    unittest.main()
