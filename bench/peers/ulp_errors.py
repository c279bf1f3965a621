"""The arguments and exact values of bench/peers/ulp_table, and errors in units in the last place.

Exact values are float64 ones of glibc and numpy, whose own error is below 2^-26 units of an f32.
"""
import math

import numpy as np

UNARY_STEP = 251      # every so-manieth bit pattern: odd, so that all low bits occur
PAIRS = 3 << 21       # arguments of functions of two, without the edges
CHUNK = 1 << 20
SMALLEST = 2.0**-126  # normal number

# By the text of the op table. rsqrt and logistic in float64 are good to two units there.
EXACT = {
    "atan2": np.arctan2,
    "cbrt": np.cbrt,
    "cosine": np.cos,
    "erf": lambda x: np.fromiter(map(math.erf, x), np.float64, len(x)),
    "exponential": np.exp,
    "exponential-minus-one": np.expm1,
    "log": np.log,
    "log-plus-one": np.log1p,
    "logistic": lambda x: np.where(x >= 0, 1 / (1 + np.exp(-np.abs(x))), np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x)))),
    "power": np.power,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sine": np.sin,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
}
BINARY = ("atan2", "power")


def edges():
    """Where functions begin, end, overflow and cross zero, with the neighbours of each."""
    tiny, most = 2.0**-149, float(np.finfo(np.float32).max)
    points = [0, tiny, 2 * tiny, SMALLEST - tiny, SMALLEST, 2 * SMALLEST, 2.0**-24, 2.0**-12, 0.5, 1, 2, 3, 4,
              math.e, math.log(2), 2.0**23, 2.0**24, 2.0**31, 2.0**63, most / 2, most,
              88.72284, 87.33655, 103.97208, 103.27893, 16.635532, 17.32868, 9.010913, 3.919206, 5.0]
    points += [k * math.pi / 4 for k in (1, 2, 3, 4, 5, 6, 8, 100, 101, 4096, 65537, 2**22 + 1)]
    near = np.array(points, np.float32)
    with np.errstate(all="ignore"):
        for end in (np.inf, -np.inf) * 3:
            near = np.unique(np.concatenate([near, np.nextafter(near, np.float32(end))]))
    return np.concatenate([near, -near, np.array([np.inf, -np.inf, np.nan], np.float32)])


def arguments(function):
    """A list of f32 arrays."""
    if function not in BINARY:
        patterns = np.arange(0, 1 << 32, UNARY_STEP, dtype=np.uint64).astype(np.uint32).view(np.float32)
        return [np.concatenate([patterns, edges()])]
    random = np.random.default_rng(1)
    part = PAIRS // 3
    patterns = lambda: random.integers(0, 1 << 32, part, dtype=np.uint32).view(np.float32)
    scaled = lambda: (random.uniform(0.5, 1, part) * 2.0**random.integers(-24, 24, part)).astype(np.float32)
    signed = lambda x: x * random.choice(np.array([-1, 1], np.float32), part)
    if function == "power":  # near one, and exponents for which the result just fits
        base = (1 + random.uniform(-1, 1, part) * 2.0**random.integers(-23, 1, part)).astype(np.float32)
        with np.errstate(all="ignore"):
            close = (random.uniform(-104, 89, part) / np.log(base.astype(np.float64))).astype(np.float32)
        x = [patterns(), scaled(), base]
        y = [patterns(), random.uniform(-20, 20, part).astype(np.float32), close]
    else:
        x = [patterns(), signed(scaled()), signed(scaled())]
        y = [patterns(), signed(scaled()), (x[2] * (1 + random.uniform(-1, 1, part) * 2.0**-12)).astype(np.float32)]
    a, b = np.meshgrid(edges(), edges())
    return [np.concatenate([*x, a.ravel()]), np.concatenate([*y, b.ravel()])]


def ulps(got, exact):
    """|got - exact| in units in the last place of the exact value; inf where only one of them is a NaN or infinite."""
    with np.errstate(all="ignore"):
        last = np.maximum(np.frexp(exact)[1] - 24, -149)
        error = np.ldexp(np.abs(got.astype(np.float64) - exact), -last)
        overflows = np.abs(exact) >= 2.0**128 * (1 - 2.0**-25)
        error = np.where(overflows | np.isinf(got),
                         np.where(overflows & np.isinf(got) & (np.signbit(got) == np.signbit(exact)), 0, np.inf), error)
        error = np.where(exact == 0, np.where(got == 0, 0, np.inf), error)
        return np.where(np.isnan(exact) | np.isnan(got), np.where(np.isnan(exact) & np.isnan(got), 0, np.inf), error)


def worst(function, inputs, got):
    """{"normal": the largest error where arguments and exact value are normal numbers (or arguments 0), "all": of all,
    "at": the arguments of the latter}"""
    result = {"normal": 0.0, "all": 0.0, "at": []}
    for start in range(0, len(got), CHUNK):
        part = [x[start:start + CHUNK] for x in inputs]
        with np.errstate(all="ignore"):
            exact = EXACT[function](*(x.astype(np.float64) for x in part))
        error = ulps(got[start:start + CHUNK], exact)
        normal = (np.abs(exact) >= SMALLEST) & (np.abs(exact) < 2.0**128 * (1 - 2.0**-25))
        for x in part:
            normal &= (x == 0) | ((np.abs(x) >= SMALLEST) & np.isfinite(x))
        result["normal"] = max(result["normal"], float(error[normal].max(initial=0)))
        place = int(error.argmax())
        if error[place] > result["all"]:
            result["all"], result["at"] = float(error[place]), [float(x[place]).hex() for x in part]
    return result
