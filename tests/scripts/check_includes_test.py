"""scripts/check_includes finds what it says it finds; each test is one broken tree."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts" / "check_includes"


def header(path, *includes):
    guard = "SWAGE_" + path.replace("/", "_").replace(".", "_").upper() + "_"
    body = "".join(f"#include {i}\n" for i in includes)
    return f"// File: {path}\n#ifndef {guard}\n#define {guard}\n{body}#endif\n"


class CheckIncludesTest(unittest.TestCase):
    def check(self, files):
        """The lines that the script prints for a tree of these files (its summary left out)."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True)
            lines = done.stdout.splitlines()[:-1]
            self.assertEqual(done.returncode, 1 if lines else 0, done.stderr)
            return lines

    def assert_problem(self, files, *words):
        lines = self.check(files)
        self.assertEqual(len(lines), 1, lines)
        for word in words:
            self.assertIn(word, lines[0])

    def header_problem(self, path, include, *words):
        self.assert_problem({path: header(path, include)}, path, *words)

    def test_downward_includes_are_fine(self):
        self.assertEqual(self.check({
            "runtime/a.h": header("runtime/a.h", '"cache/a.h"', '"base/a.h"', "<vector>"),
            "compiler/passes/a.h": header("compiler/passes/a.h", '"compiler/cost/a.h"', '"compiler/ir/a.h"'),
            "codegen/cpu/a.h": header("codegen/cpu/a.h", '"codegen/emit/a.h"', '"llvm/IR/Module.h"'),
        }), [])

    def test_upward_include_between_folders(self):
        self.header_problem("base/a.h", '"compiler/ir/a.h"', ":4:", "base/ may not include compiler/")
        self.header_problem("codegen/cpu/a.h", '"runtime/a.h"', "codegen/ may not include runtime/")

    def test_upward_include_inside_compiler_and_codegen(self):
        self.header_problem("compiler/ir/a.h", '"compiler/passes/a.h"', "compiler/ir/ may not include")
        self.header_problem("compiler/cost/a.h", '"compiler/pipelines/a.h"', "compiler/cost/ may not include")
        self.header_problem("codegen/emit/a.h", '"codegen/cpu/a.h"', "codegen/emit/ may not include")

    def test_library_that_includes_a_test_or_a_tool(self):
        self.header_problem("base/a.h", '"tests/a.h"', "only tools, samples, bench and tests")

    def test_unknown_folder_in_compiler(self):
        self.header_problem("compiler/misc/a.h", "<vector>", "has only the folders")

    def test_llvm_outside_codegen(self):
        self.header_problem("compiler/ir/a.h", '"llvm/IR/Module.h"', "belong to codegen/")
        self.header_problem("tests/runtime/a.h", "<llvm/IR/Module.h>", "belong to codegen/")
        self.assertEqual(self.check({"tests/codegen/a.h": header("tests/codegen/a.h", "<llvm/IR/Module.h>")}), [])

    def test_jit_in_the_neutral_emitter(self):
        self.header_problem("codegen/emit/a.h", '"llvm/ExecutionEngine/Orc/LLJIT.h"', "does not know the JIT")

    def test_cuda_header(self):
        self.header_problem("codegen/gpu/a.h", "<cuda.h>", "nothing of CUDA")

    def test_installed_header_with_a_foreign_include(self):
        lists = "swage_shared_library(HEADERS a.h b.h)\n"
        for include in ('"absl/status/status.h"', "<spdlog/spdlog.h>", '"base/status.h"', '"runtime/c.h"'):
            self.assert_problem({
                "runtime/CMakeLists.txt": lists,
                "runtime/a.h": header("runtime/a.h", '"runtime/b.h"', "<vector>", include),
                "runtime/b.h": header("runtime/b.h", "<cstdint>"),
            }, "runtime/a.h:6", "not installed")

    def test_installed_header_that_does_not_exist(self):
        self.assert_problem({"runtime/CMakeLists.txt": "swage_shared_library(HEADERS a.h)\n"}, "does not exist")

    def test_sample_that_looks_inside(self):
        files = {"samples/CMakeLists.txt": "swage_sample(a)\n"}
        self.assertEqual(self.check({**files, "samples/a/a.cc": "#include <swage/swage.h>\n"}), [])
        self.assert_problem({**files, "samples/a/a.cc": '#include "runtime/tensor.h"\n'}, "only <swage/...>")

    def test_header_without_banner_or_guard(self):
        self.assert_problem({"base/a.h": header("base/a.h").replace("// File: ", "// ")}, "does not open with")
        self.assert_problem({"base/a.h": header("base/a.h").replace("_H_", "_H")}, "SWAGE_BASE_A_H_")

    def test_unsorted_list(self):
        self.assert_problem({
            "base/CMakeLists.txt": "swage_library(base\n  SRCS b.cc\n       a.cc\n  DEPS a b)\n",
            "base/a.cc": "", "base/b.cc": "",
        }, "base/CMakeLists.txt:3", "a.cc comes before b.cc")

    def test_source_in_no_list_and_list_without_source(self):
        self.assert_problem({"base/CMakeLists.txt": "", "base/a.cc": ""}, "base/a.cc", "in no list")
        self.assert_problem({"base/CMakeLists.txt": "swage_library(base SRCS a.cc)"}, "does not exist")


if __name__ == "__main__":
    unittest.main()
