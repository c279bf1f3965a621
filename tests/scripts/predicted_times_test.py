"""The table of predicted times in docs/gpu.md: what is read, and how it is shown."""
import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).parents[2]
loader = importlib.machinery.SourceFileLoader("predicted_times", str(ROOT / "scripts" / "predicted_times"))
predicted_times = importlib.util.module_from_spec(importlib.util.spec_from_loader("predicted_times", loader))
loader.exec_module(predicted_times)

PRINTED = """Predicted for h200, not measured; without the launch (2.5 us).
kernel                                  bytes        flops      time us  bound    schedule
fusion                              268566528    201326592      115.902  memory   row-reduction width=1 hero=s by=team
fusion.1                                 4096            0        1.960  latency  loop width=4 axes=[d0] by=thread
"""


class PredictedTimesTest(unittest.TestCase):
    def test_kernels_are_read_from_what_opt_prints(self):
        self.assertEqual(predicted_times.kernels(PRINTED), [(268566528, 201326592, "row-reduction", 115.902, "memory"),
                                                            (4096, 0, "loop", 1.96, "latency")])

    def test_a_kernel_that_all_cards_have_is_one_row(self):
        kernel = (2000000, 10**9, "loop", 5.0, "memory")
        by_card = {card: [kernel] for card in predicted_times.CARDS}
        self.assertEqual(predicted_times.program_rows("p", by_card),
                         [["**p**", "loop", "2", "1", *["5 (memory)"] * 4]])

    def test_cards_that_decide_differently_have_rows_of_their_own(self):
        one, other = (2000000, 0, "loop", 5.0, "memory"), (4000000, 0, "loop", 9.0, "memory")
        by_card = {"a100": [one, one], "h100": [other], "h200": [other], "b200": [other]}
        rows = predicted_times.program_rows("p", by_card)
        self.assertEqual(rows[0], ["**p**", "2 kernels", "", "", "10", "9", "9", "9"])
        self.assertEqual([row[4:] for row in rows[1:]], [["5 (memory)", "-", "-", "-"], ["5 (memory)", "-", "-", "-"],
                                                         ["-", *["9 (memory)"] * 3]])

    def test_the_page_has_the_place_and_says_predicted(self):
        text = predicted_times.PAGE.read_text()
        filled = predicted_times.page.fill(text, "predicted", predicted_times.section(
            {"p": {card: [(1, 1, "loop", 1.0, "memory")] for card in predicted_times.CARDS}}))
        self.assertIn("Predicted, not measured.", filled)

    def test_what_cannot_be_asked_or_filled_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            bare = pathlib.Path(folder) / "page.md"
            bare.write_text("no mark\n")
            for page, why in [(predicted_times.PAGE, "card_bundle"), (bare, "expected one '<!-- predicted:begin -->'")]:
                errors = io.StringIO()
                with mock.patch("sys.argv", ["predicted_times", "--check", "--no-build", "--build", folder]), \
                        mock.patch.object(predicted_times, "PAGE", page), \
                        contextlib.redirect_stderr(errors), self.assertRaises(SystemExit) as ended:
                    predicted_times.main()
                self.assertEqual(ended.exception.code, 2)
                self.assertIn(why, errors.getvalue())
                self.assertEqual(errors.getvalue().count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
