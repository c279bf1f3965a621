"""What the peers of the recompilation benchmark share: streams, inputs, timing, one JSON line of results.

The counterpart of bench/recompile_bench.cc: the same functions over the same numbers, one call after the
other, timed from the call to the ready result. Inputs are numpy arrays made before; a peer that needs its
own kind of array converts it before the clock starts, a peer that pads does so while it runs. Importing,
and a compile of x + 1 that starts the peer's compiler, are not timed; Swage starts its own on the clock.

    measure(peer="jax 0.10", policy="exact", make=lambda function: (call, compiles), ...)
"""
import argparse
import json
import math
import time

import numpy as np

WIDTH = 64


def read_stream(path):
    """[(first, second), ...] as in bench/streams.h."""
    entries = []
    with open(path) as lines:
        for line in lines:
            sizes = [int(word) for word in line.split("#")[0].replace(",", " ").split()]
            if sizes:
                entries.append((sizes[0], sizes[-1]))
    return entries


def numbers(operand, shape, scale=1.0):
    """Numbers in [-1, 1) times `scale`: those of bench/workloads.cc."""
    out = np.empty(math.prod(shape), np.float32)
    for start in range(0, out.size, 1 << 20):  # pieces, so that large arrays do not need many times their size
        i = np.arange(start, min(start + (1 << 20), out.size), dtype=np.uint32)
        mixed = (i + np.uint32(1 + 7919 * operand)) * np.uint32(2654435761)
        out[start:start + i.size] = (mixed.astype(np.float64) / 2.0**31 - 1) * scale
    return out.reshape(shape)


def inputs_of(function, entry):
    first, second = entry
    if function == "block":
        return [numbers(0, (first, second, WIDTH))]
    return [numbers(0, (first, WIDTH)), numbers(1, (second, WIDTH)), numbers(2, (second, WIDTH))]


def block_weights():
    shapes = [(WIDTH, WIDTH)] * 4 + [(WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH)]
    return [numbers(1 + i, shape, 0.1) for i, shape in enumerate(shapes)]


def bucket(size):
    """The buckets that people write by hand: powers of two from 16."""
    return max(16, 1 << (size - 1).bit_length())


def padded(function, entry):
    """The sizes that an entry is padded to. Single tokens and small batches are not padded to 16."""
    first, second = entry
    if function == "block":
        return 1 << (first - 1).bit_length(), bucket(second)
    return (1 if first == 1 < second else bucket(first)), bucket(second)


def resident_mb():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096 / 2**20


def percentile(values, share):
    ordered = sorted(values)
    return ordered[max(1, math.ceil(share * len(ordered))) - 1]


def replay(call, entries, inputs):
    microseconds, checksum = [], 0.0
    for entry in entries:
        start = time.perf_counter()
        result = call(entry, inputs[entry])
        microseconds.append((time.perf_counter() - start) * 1e6)
        checksum += float(np.abs(np.asarray(result), dtype=np.float64).sum())
    return microseconds, checksum


def measure(peer, policies, prepare=lambda array: array):
    """policies: {name: make}, make(function) -> (call(entry, inputs) -> result, compiles() -> int)."""
    flags = argparse.ArgumentParser()
    flags.add_argument("--policy", required=True, choices=sorted(policies))
    flags.add_argument("--stream", required=True, help="function.name.txt, as --write_streams makes it")
    options = flags.parse_args()
    function, name = options.stream.rsplit("/", 1)[-1].split(".")[:2]
    entries = read_stream(options.stream)
    inputs = {entry: [prepare(array) for array in inputs_of(function, entry)] for entry in set(entries)}
    call, compiles = policies[options.policy](function)
    cold, checksum = replay(call, entries, inputs)
    made = compiles()
    warm, _ = replay(call, entries, inputs)
    sizes = [padded(function, entry) if options.policy == "pow2" else entry for entry in entries]
    computed = sum(first * second for first, second in sizes)
    out = dict(peer=peer, policy=options.policy, function=function, stream=name, calls=len(entries),
               distinct=len(set(entries)), compiles=made, total_ms=sum(cold) / 1e3, warm_ms=sum(warm) / 1e3,
               p50_us=percentile(cold, 0.5), p99_us=percentile(cold, 0.99), max_us=max(cold),
               waste=1 - sum(first * second for first, second in entries) / computed,
               rss_mb=resident_mb(), checksum=checksum)
    if len(cold) <= 4:
        out.update({f"first{i + 1}_us": us for i, us in enumerate(cold)})
    print(json.dumps(out))
