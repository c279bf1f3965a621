#!/usr/bin/env python3
"""Computes the polynomial coefficients of compiler/math.

Each entry of FITS asks for the polynomial P of a given degree that minimises the largest value of
|weight(x) * (target(x) - P(t(x)))| over an interval, found by Lawson's reweighted least squares on
Chebyshev nodes in 60-digit arithmetic.
Coefficients are rounded to float or double one at a time, lowest order first, and the rest is fitted
again after each rounding, so that the rounding of one is absorbed by the others.

Usage: scripts/minimax.py [NAME ...]     prints C++ initialisers and the bits of weighted error
"""
import struct
import sys

from mpmath import atan, cos, erf, erfc, exp, log, log1p, lu_solve, matrix, mp, mpf, pi, sqrt, tan, tanh

mp.dps = 60


def round_to(value, kind):
    if kind == "float":
        as_double = float(value)
        return mpf(struct.unpack("f", struct.pack("f", as_double))[0])
    return mpf(float(value))


def minimax(target, weight, t, lo, hi, powers, rounds=12):
    """Coefficients for t(x)**powers that nearly minimise the largest weighted error on [lo, hi]."""
    n = len(powers)
    count = 8 * n + 8
    points = [(lo + hi) / 2 - (hi - lo) / 2 * cos(pi * (2 * k + 1) / (2 * count))
              for k in range(count)]
    values = [target(x) for x in points]
    weights = [weight(x) for x in points]
    bases = [[t(x)**p for p in powers] for x in points]
    lawson = [mpf(1)] * count
    best, best_worst = None, None
    for _ in range(rounds):
        left, right = matrix(n, n), matrix(n, 1)
        for f, w, basis, l in zip(values, weights, bases, lawson):
            ww = w * w * l
            for i in range(n):
                wb = ww * basis[i]
                right[i] += wb * f
                for j in range(i + 1):
                    left[i, j] += wb * basis[j]
        for i in range(n):
            for j in range(i):
                left[j, i] = left[i, j]
        solution = lu_solve(left, right)
        coefficients = [solution[j] for j in range(n)]
        errors = [abs(w * (f - sum(c * b for c, b in zip(coefficients, basis))))
                  for f, w, basis in zip(values, weights, bases)]
        worst = max(errors)
        if best is None or worst < best_worst:
            best, best_worst = coefficients, worst
        lawson = [l * e / worst for l, e in zip(lawson, errors)]
        scale = sum(lawson) / count
        lawson = [l / scale + mpf(10)**-20 for l in lawson]
    return best


def fit(target, weight, t, lo, hi, degree, kind, fixed=()):
    """Coefficients c0..c_degree rounded to `kind`; `fixed` gives leading ones."""
    done = [mpf(c) for c in fixed]
    lo, hi = mpf(lo), mpf(hi)
    while len(done) <= degree:
        rest = list(range(len(done), degree + 1))
        residual = lambda x: target(x) - sum(c * t(x)**k for k, c in enumerate(done))
        coefficients = minimax(residual, weight, t, lo, hi, rest)
        # Refit after each of the leading coefficients; the tail matters less than its rounding.
        take = 1 if len(done) < 6 else len(coefficients)
        done += [round_to(c, kind) for c in coefficients[:take]]
    steps = 1000
    worst = mpf(0)
    for k in range(steps + 1):
        x = lo + (hi - lo) * k / steps
        worst = max(worst, abs(weight(x) * (target(x) - sum(c * t(x)**i for i, c in enumerate(done)))))
    return done, worst


def identity(x):
    return x


def square(x):
    return x * x


def one(_):
    return mpf(1)


# The Taylor tail sum_{k >= first} x^(k - first) / k!, also near 0.
def exp_tail(x, first):
    total, term, k = mpf(0), mpf(1), first
    for i in range(1, first + 1):
        term /= i
    while True:
        total += term
        k += 1
        term *= x / k
        if abs(term) < mpf(10)**-55:
            return total


def series(coefficient, x, limit=400):
    total, power = mpf(0), mpf(1)
    for k in range(limit):
        term = coefficient(k) * power
        total += term
        power *= x
        if k > 3 and abs(power) < mpf(10)**-56:
            break
    return total


LN2_HALF = log(mpf(2)) / 2
QUARTER_PI = pi / 4
TINY = mpf(10)**-12


def log1p_tail(f):  # (log(1+f) - f + f^2/2) / f^3
    if abs(f) < mpf("0.01"):
        return series(lambda k: (-1)**k / mpf(k + 3), f)
    return (log1p(f) - f + f * f / 2) / f**3


def atanh_tail(z):  # z = s*s: (2 atanh(s)/s - 2) / z
    return series(lambda k: 2 / mpf(2 * k + 3), z)


def sin_tail(z):  # (sin(x)/x - 1)/z
    return series(lambda k: (-1)**(k + 1) / mp.factorial(2 * k + 3), z)


def cos_tail(z):  # (cos(x) - 1 + z/2)/z^2
    return series(lambda k: (-1)**k / mp.factorial(2 * k + 4), z)


def tan_tail(z):  # (tan(x)/x - 1)/z
    if z < TINY:
        return mpf(1) / 3 + 2 * z / 15
    x = sqrt(z)
    return (tan(x) / x - 1) / z


def tanh_tail(z):
    if z < TINY:
        return -mpf(1) / 3 + 2 * z / 15
    x = sqrt(z)
    return (tanh(x) / x - 1) / z


def atan_tail(z):
    if z < TINY:
        return -mpf(1) / 3 + z / 5
    x = sqrt(z)
    return (atan(x) / x - 1) / z


def erf_ratio(z):
    if z < TINY:
        return 2 / sqrt(pi) * (1 - z / 3)
    x = sqrt(z)
    return erf(x) / x


# name: (target, weight, t, lo, hi, degree, kind[, fixed])
# Targets of even functions are given in z = x^2, so t is the identity on z.
FITS = {
    # exp(r) = 1 + r + r^2 P(r) on |r| <= ln2/2 (a little wider, for the rounding of n).
    "exp_f32": (lambda r: exp_tail(r, 2), lambda r: r * r, identity, -0.3468, 0.3468, 4, "float"),
    "exp_f64": (lambda r: exp_tail(r, 2), lambda r: r * r, identity, -0.3468, 0.3468, 9, "double"),
    # The same to more bits, for expm1.
    "expm1_f32": (lambda r: exp_tail(r, 2), lambda r: r * r, identity, -0.3468, 0.3468, 5, "float"),
    "expm1_f64": (lambda r: exp_tail(r, 2), lambda r: r * r, identity, -0.3468, 0.3468, 10,
                  "double"),
    # exp2(r) = 1 + r P(r) on |r| <= 1/2, to 2^-40: for pow in f32, computed in f64.
    "exp2_fast": (lambda r: series(lambda k: log(mpf(2))**(k + 1) / mp.factorial(k + 1), r),
                  lambda r: r, identity, -0.5001, 0.5001, 7, "double"),
    # log(1+f) = f - f^2/2 + f^3 P(f).
    "log_f32": (log1p_tail, lambda f: f * f * mpf(1), identity, 1 / sqrt(mpf(2)) - 1 - mpf("1e-4"),
                sqrt(mpf(2)) - 1 + mpf("1e-4"), 8, "float"),
    # log1p's range: 1+f in [3/4, 3/2].
    "log1p_f32": (log1p_tail, lambda f: f * f, identity, -0.2501, 0.5001, 8, "float"),
    # log(m) = 2 atanh(s) = 2s + s^3 P(s^2), s = (m-1)/(m+1).
    "log_f64": (atanh_tail, one, identity, 0, 0.02945, 6, "double"),
    # 2 atanh(s) = 2s + s^3 (2/3 + s^2 P(s^2)), for pow in f64.
    "log_pow": (lambda z: series(lambda k: 2 / mpf(2 * k + 5), z), lambda z: z * z, identity, 0,
                0.02945, 7, "double"),
    "log_fast": (atanh_tail, lambda z: z, identity, 0, 0.02945, 5, "double"),
    "sin_f32": (sin_tail, lambda z: z, identity, 0, 0.6171, 2, "float"),
    "cos_f32": (cos_tail, lambda z: z * z, identity, 0, 0.6171, 2, "float"),
    "sin_f64": (sin_tail, lambda z: z, identity, 0, 0.6171, 5, "double"),
    "cos_f64": (cos_tail, lambda z: z * z, identity, 0, 0.6171, 5, "double"),
    "tan_f32": (tan_tail, lambda z: z, identity, 0, 0.6171, 6, "float"),
    "tanh_f32": (tanh_tail, lambda z: z, identity, 0, 1.001, 8, "float"),
    "tanh_f64": (tanh_tail, lambda z: z, identity, 0, 0.3026, 11, "double"),
    "atan_f32": (atan_tail, lambda z: z, identity, 0, 1.0001, 8, "float"),
    "atan_f64": (atan_tail, lambda z: z, identity, 0, 1.0001, 20, "double"),
    "atan_fast": (atan_tail, lambda z: z, identity, 0, 1.0001, 13, "double"),
    # erf(x) = x + x P(x^2).
    "erf_f32": (lambda z: erf_ratio(z) - 1, one, identity, 0, 1.01, 7, "float"),
    "erf_f64": (lambda z: erf_ratio(z) - 1, one, identity, 0, 1.0001, 12, "double"),
    # erfc(x) = exp(P(x)); the error counts as much as erfc.
    "erfc_f32": (lambda x: log(erfc(x)), erfc, identity, 0.999, 4.0, 7, "float"),
    # erfc(x) = exp(-x^2) P((x - 2) / (x + 2)).
    "erfcx_f64": (lambda x: exp(x * x) * erfc(x), lambda x: exp(-x * x),
                  lambda x: (x - 2) / (x + 2), 0.9999, 6, 14, "double"),
    # cbrt(m) on [1/2, 4]: a start for Newton's steps.
    "cbrt_start": (lambda m: m**(mpf(1) / 3), lambda m: m**(-mpf(1) / 3), identity, 0.5, 4, 4, "double"),
}


def main():
    names = sys.argv[1:] or list(FITS)
    for name in names:
        target, weight, t, lo, hi, degree, kind, *fixed = FITS[name]
        coefficients, worst = fit(target, weight, t, lo, hi, degree, kind, *fixed)
        suffix = "f" if kind == "float" else ""
        print(f"{name}: degree {degree}, error 2^{float(log(worst, 2)):.1f}")
        print("  " + ", ".join(float(c).hex() + suffix for c in coefficients))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
