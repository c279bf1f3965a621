"""What a Python side of bench/compare is made of: lines in, JSON out, as bench/line_worker.h says it.

    worker.serve("JAX 0.10", open_work, prepare)

open_work(work) -> Task, with work.function, .detail, .inputs (numpy arrays of f32 or s32; bf16 ones are f32
whose numbers are bf16's), .dtypes, .first. It raises Missing(why) for what its system does not have.
"""
import collections
import gc
import json
import re
import sys
import time

import numpy as np

import replay

SAMPLES = 4096       # of a digest
BATCH = 2e-4         # seconds of calls that are timed together
MOST_READINGS = 400  # of one `run`


class Missing(Exception):
    pass


# call: one call, ready when it returns. results: a list of numpy arrays, of a call that it makes.
# forget: of the mode first, what runs before each call.
Task = collections.namedtuple("Task", "call results forget", defaults=[None])
Work = collections.namedtuple("Work", "function detail inputs dtypes first")


def bf16(array):
    """The f32 numbers rounded to those of bf16, to nearest even."""
    bits = array.view(np.uint32)
    return ((bits + np.uint32(0x7fff) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xffff0000)).view(np.float32)


def make_input(text, operand):
    """(array, dtype) of f32[2,3], f32[2,3]*0.5, f32[2]=1, bf16[2,3], s32[4]%100."""
    dtype, sizes, kind, value = re.fullmatch(r"(\w+)\[([\d,]*)\](?:([*=%])(.*))?", text).groups()
    shape = tuple(int(size) for size in sizes.split(",") if size)
    if kind == "=":
        return np.full(shape, float(value), np.float32), dtype
    if kind == "%":
        i = np.arange(np.prod(shape, dtype=int), dtype=np.uint32)
        mixed = (i + np.uint32(1 + 7919 * operand)) * np.uint32(2654435761)
        return (mixed.astype(np.float64) / 2**32 * float(value)).astype(np.int32).reshape(shape), dtype
    array = replay.numbers(operand, shape, float(value or 1))
    return (bf16(array) if dtype == "bf16" else array), dtype


def digest(results):
    count, total, samples = 0, 0.0, []
    for array in results:
        flat = np.asarray(array).reshape(-1)
        n, taken = flat.size, min(flat.size, SAMPLES // len(results))
        count += n
        for start in range(0, n, 1 << 22):
            total += float(np.abs(flat[start:start + (1 << 22)].astype(np.float64)).sum())
        places = np.arange(taken, dtype=np.uint64)
        if taken != n:
            places = places * np.uint64(2654435761) % np.uint64(n)
        samples += [float(x) if np.isfinite(x) else None for x in flat[places.astype(np.int64)].astype(np.float64)]
    return dict(count=count, sum=total if np.isfinite(total) else None, samples=samples)


def timed(call, times):
    start = time.perf_counter()
    for _ in range(times):
        call()
    return time.perf_counter() - start


def run(task, seconds):
    """Milliseconds per call."""
    gc.collect()
    gc.disable()
    end, out, batch = time.perf_counter() + seconds, [], 1
    if task.forget is None:
        once = timed(task.call, 1)  # other processes ran in between
        while time.perf_counter() < end - 0.9 * seconds:
            once = timed(task.call, 1)
        batch = min(max(int(BATCH / max(once, 1e-9)), 1), 10000)
    while not out or (len(out) < MOST_READINGS and time.perf_counter() < end):
        if task.forget is not None:
            task.forget()
        out.append(timed(task.call, batch) / batch * 1e3)
    gc.enable()
    return out


def open_line(words, open_work):
    mode, function, *inputs = words
    if mode not in ("warm", "first"):
        raise Missing(f"no mode {mode}")
    function, _, detail = function.partition(":")
    made = [make_input(text, operand) for operand, text in enumerate(inputs)]
    return open_work(Work(function, detail, [array for array, _ in made], [dtype for _, dtype in made], mode == "first"))


def serve(name, open_work):
    answers, task = sys.stdout, None
    answer = lambda **fields: print(json.dumps(fields), file=answers, flush=True)
    sys.stdout = sys.stderr  # what a library prints is no answer
    answer(name=name)
    for line in sys.stdin:
        command, *words = line.split()
        try:
            if command == "open":
                task = None
                gc.collect()
                task = open_line(words, open_work)
                answer(ready=True, digest=digest(task.results()))
            elif command == "run":
                answer(ms=run(task, float(words[0])))
            else:
                task = None
                gc.collect()
                answer(closed=True)
        except Missing as missing:
            answer(missing=str(missing))
        except Exception as error:  # whatever the system raises: the other rows go on
            task = None
            answer(error=f"{type(error).__name__}: {error}"[:500])
