"""The sides of bench/compare: long-lived processes that measure when they are asked to.

A side's process is stopped (SIGSTOP) whenever another one's turn is on, so that thread pools that spin
while they wait disturb nobody.
"""
import json
import os
import pathlib
import select
import signal
import subprocess
import tempfile
import time

import page

# Large blocks come from a heap of huge pages that is never given back, so that results are recycled.
HEAP = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(64 << 30),
        "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}

START_SECONDS = 900  # at most: torch imports, and starts a C++ compiler


class Failure(Exception):
    """A side that does not answer, or says that something went wrong."""


class Side:
    """One process; `environment` is added to that of this process."""

    def __init__(self, key, command, environment=None):
        self.key, self.command, self.environment = key, command, environment or {}
        self.process, self.name, self.log = None, key, None

    def start(self):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("OPENBLAS_", "SWAGE_"))}
        environment.update(self.environment)
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log,
                                        env=environment, cwd=page.ROOT, bufsize=0)
        self.received = b""
        self.name = self.read(START_SECONDS)["name"]
        self.pause()

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def ask(self, line, timeout):
        """The answer to a line; a Failure ends the process, and the next question starts another."""
        if self.process is None:
            self.start()
        self.process.send_signal(signal.SIGCONT)
        try:
            self.process.stdin.write(line.encode() + b"\n")
            answer = self.read(timeout)
        except BrokenPipeError:
            raise self.ended("its process has ended") from None
        self.pause()
        if "error" in answer:
            raise Failure(answer["error"])
        return answer

    def read(self, timeout):
        end = time.monotonic() + timeout
        while b"\n" not in self.received:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise self.ended(f"no answer in {timeout:.0f} s")
            piece = self.process.stdout.read(1 << 16)
            if not piece:
                raise self.ended("its process has ended")
            self.received += piece
        line, self.received = self.received.split(b"\n", 1)
        return json.loads(line)

    def ended(self, why):
        self.stop()
        self.log.seek(0)
        lines = self.log.read().strip().splitlines()
        return Failure(f"{why}: {lines[-1]}" if lines else why)

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def sides(build, peers):
    """({key: Side}, {what is not there: why}), Swage first."""
    python = lambda environment, script, *flags: [
        str(pathlib.Path(peers or "/nonexistent").resolve() / environment / "bin" / "python"),
        str(page.ROOT / "bench" / "peers" / script), *flags]
    worker = str(build / "bench" / "compare_worker")
    loops = str(build / "bench" / "peers" / "cpp" / "peer_worker")
    own = {"SWAGE_CACHE_DIR": "off"}
    candidates = [
        Side("swage", [worker], own),
        Side("one", [worker], own),
        Side("background", [worker], {**own, "SWAGE_ON_MISS": "background"}),
        Side("cpp", [loops, "cpp"]),
        Side("streaming", [loops, "streaming"]),
        Side("onednn", [loops, "onednn"]),
        Side("jax", python("jax", "jax_worker.py")),
        Side("jax-heap", python("jax", "jax_worker.py"), HEAP),
        Side("torch-eager", python("torch", "torch_worker.py", "--eager")),
        Side("torch-eager-heap", python("torch", "torch_worker.py", "--eager"), HEAP),
        Side("torch-compile", python("torch", "torch_worker.py", "--compile")),
        Side("torch-compile-heap", python("torch", "torch_worker.py", "--compile"), HEAP),
        Side("ort", python("ort", "ort_worker.py")),
        Side("openvino", python("openvino", "openvino_worker.py")),
        Side("drjit", python("drjit", "drjit_worker.py")),
        Side("numpy", python("numpy", "numpy_worker.py")),
    ]
    there = {side.key: side for side in candidates if pathlib.Path(side.command[0]).exists()}
    return there, [side.key for side in candidates if side.key not in there]


def taking_part(row, all_sides):
    """The keys of the sides that do a row.

    Of many callers only Swage itself, with one caller beside it; first calls with stand-ins, too.
    """
    crowd = row.mode.startswith("callers:")
    own = {"swage": True, "one": crowd, "background": row.mode == "first"}
    return [key for key in all_sides if own.get(key, not crowd)]
