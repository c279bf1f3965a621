"""scripts/build and the scripts that lean on it, with a cmake that only writes down what it was asked."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
# `cmake --build F --target help` lists the targets of F/targets; a configure writes all of them there.
CMAKE = """#!/usr/bin/env bash
echo "cmake $*" >>"$LOG"
if [[ $1 == --build ]]; then
  if [[ $4 == help ]]; then sed 's/$/: phony/' "$2/targets"; exit; fi
  for target in "${@:4}"; do grep -qx "$target" "$2/targets" || exit 1; done
else
  mkdir -p "$4" && printf '%s\\n' card_bundle card_check emulated_cublaslt emulated_libcuda >"$4/targets"
fi
"""
CARD = """#!/usr/bin/env bash
echo '{"case":"summary"}'
exit "${CARD_CODE:-0}"
"""


class BuildTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "scripts").mkdir()
        for name in ("build", "card_check"):
            shutil.copy(ROOT / "scripts" / name, self.root / "scripts" / name)
        self.write("scripts/deps", '#!/bin/sh\necho deps >>"$LOG"\n')
        self.write("bin/cmake", CMAKE)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def run_script(self, *args, **variables):
        environment = {**os.environ, "PATH": f"{self.root}/bin:{os.environ['PATH']}", "LOG": f"{self.root}/log",
                       **variables}
        return subprocess.run([self.root / "scripts" / args[0], *args[1:]], env=environment, capture_output=True, text=True)

    def log(self):
        path = self.root / "log"
        lines = path.read_text().splitlines() if path.exists() else []
        return [line for line in lines if "--target help" not in line]

    def after_demo(self):
        """A build folder as scripts/demo leaves it: it does not know the targets of tests."""
        self.write("build/targets", "swage_demo\n")

    def programs(self):
        self.write("build/tests/card_check/card_bundle", '#!/bin/sh\necho bundle >"$1"\n')
        self.write("build/tests/card_check/card_check", CARD)

    def test_a_folder_of_the_demo_is_configured_with_tests_first(self):
        self.after_demo()
        done = self.run_script("build", "build", "card_bundle")
        self.assertEqual(done.returncode, 0, done.stderr)
        deps, configure, build = self.log()
        self.assertEqual(deps, "deps")
        self.assertIn("-S . -B build", configure)
        self.assertIn("-DSWAGE_BUILD_TESTS=ON -DSWAGE_BUILD_BENCH=ON", configure)
        self.assertEqual(build, "cmake --build build --target card_bundle")

    def test_a_folder_that_knows_the_target_keeps_its_choices(self):
        self.write("build/targets", "card_bundle\nswage_tool\n")
        self.run_script("build", "build", "swage_tool", "card_bundle")
        self.assertEqual(self.log(), ["cmake --build build --target swage_tool card_bundle"])

    def test_the_card_check_runs_after_the_demo(self):
        self.after_demo()
        self.programs()
        done = self.run_script("card_check")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.root / "build/card_check/card.jsonl").read_text(), '{"case":"summary"}\n')

    def test_lines_of_a_card_outlive_a_run_without_one(self):
        self.after_demo()
        self.programs()
        out = self.root / "build/card_check"
        out.mkdir()
        (out / "card.jsonl").write_text("of a card\n")
        self.assertEqual(self.run_script("card_check", CARD_CODE="2").returncode, 2)
        self.assertEqual((out / "card.jsonl").read_text(), "of a card\n")
        self.assertEqual(self.run_script("card_check", CARD_CODE="1").returncode, 1)
        self.assertEqual((out / "card.jsonl.before").read_text(), "of a card\n")
        self.assertEqual((out / "card.jsonl").read_text(), '{"case":"summary"}\n')

    def test_scripts_explain_themselves_and_do_nothing(self):
        for name in ("build", "card_check"):
            for flag in ("--help", "-h"):
                done = self.run_script(name, flag)
                self.assertEqual(done.returncode, 0)
                self.assertIn(f"scripts/{name}", done.stdout)
        for name in ("demo", "deps", "test"):
            done = subprocess.run([ROOT / "scripts" / name, "--help"], capture_output=True, text=True, cwd="/")
            self.assertEqual(done.returncode, 0)
            self.assertIn(f"scripts/{name}", done.stdout)
        self.assertEqual(self.log(), [])


if __name__ == "__main__":
    unittest.main()
