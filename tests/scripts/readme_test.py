"""Builds the example of README.md against the built library and compares what it prints.

Usage: readme_test.py BUILD_FOLDER CXX
Numbers may differ by a rounding: the order of a dot's sum is not fixed.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

NUMBER = re.compile(r"-?\d+\.\d*(?:e[-+]\d+)?")


def main():
    build, cxx = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    readme = (pathlib.Path(__file__).parents[2] / "README.md").read_text()
    code, want = re.search(r"```cpp\n(.*?)```\n\nprints\n\n```\n(.*?)```", readme, re.S).groups()
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "readme.cc"), pathlib.Path(folder, "readme")
        source.write_text(code)
        library = build / "runtime"
        subprocess.run(
            [cxx, "-std=c++20", "-Wall", "-Werror", f"-I{build}/include", source, "-o", program]
            + [f"-L{library}", "-lswage", f"-Wl,-rpath,{library}"],
            check=True,
        )
        got = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    if NUMBER.sub("#", got) != NUMBER.sub("#", want):
        sys.exit(f"README.md promises\n{want}\nbut its example prints\n{got}")
    for a, b in zip(NUMBER.findall(got), NUMBER.findall(want)):
        if abs(float(a) - float(b)) > 1e-6:
            sys.exit(f"README.md promises {b}, its example prints {a}")


if __name__ == "__main__":
    main()
