"""f32 functions as other systems compute them, for bench/peers/ulp_table.

    python ulp_worker.py SYSTEM FOLDER FUNCTION...

FOLDER has FUNCTION.0.npy and, for functions of two, FUNCTION.1.npy; it gets FUNCTION.SYSTEM.npy. What the system
does not have is left out. Prints the name of the system with its version.
"""
import ctypes
import pathlib
import platform
import sys

import numpy as np


def glibc():
    library = ctypes.CDLL("libm.so.6")
    names = {"atan2": "atan2f", "cbrt": "cbrtf", "cosine": "cosf", "erf": "erff", "exponential": "expf",
             "exponential-minus-one": "expm1f", "log": "logf", "log-plus-one": "log1pf", "power": "powf", "sine": "sinf",
             "sqrt": "sqrtf", "tan": "tanf", "tanh": "tanhf"}

    def function(name):
        call = getattr(library, name)
        call.restype = ctypes.c_float

        def run(*inputs):
            call.argtypes = [ctypes.c_float] * len(inputs)
            return np.fromiter(map(call, *inputs), np.float32, len(inputs[0]))
        return run
    return " ".join(platform.libc_ver()), {key: function(name) for key, name in names.items()}


def numpy():
    return f"numpy {np.__version__}", {
        "atan2": np.arctan2, "cbrt": np.cbrt, "cosine": np.cos, "exponential": np.exp, "exponential-minus-one": np.expm1,
        "log": np.log, "log-plus-one": np.log1p, "power": np.power, "sine": np.sin, "sqrt": np.sqrt, "tan": np.tan,
        "tanh": np.tanh}


def jax():
    import jax as system
    lax = system.lax
    functions = {
        "atan2": lax.atan2, "cbrt": lax.cbrt, "cosine": lax.cos, "erf": lax.erf, "exponential": lax.exp,
        "exponential-minus-one": lax.expm1, "log": lax.log, "log-plus-one": lax.log1p, "logistic": lax.logistic,
        "power": lax.pow, "rsqrt": lax.rsqrt, "sine": lax.sin, "sqrt": lax.sqrt, "tan": lax.tan, "tanh": lax.tanh}
    jitted = lambda function: lambda *inputs: np.asarray(system.jit(function)(*inputs))
    return f"JAX {system.__version__}", {key: jitted(function) for key, function in functions.items()}


def torch():
    import torch as system
    functions = {
        "atan2": system.atan2, "cosine": system.cos, "erf": system.erf, "exponential": system.exp,
        "exponential-minus-one": system.expm1, "log": system.log, "log-plus-one": system.log1p,
        "logistic": system.sigmoid, "power": system.pow, "rsqrt": system.rsqrt, "sine": system.sin,
        "sqrt": system.sqrt, "tan": system.tan, "tanh": system.tanh}
    eager = lambda function: lambda *inputs: function(*map(system.from_numpy, inputs)).numpy()
    return f"torch {system.__version__.split('+')[0]}", {key: eager(function) for key, function in functions.items()}


def main():
    system, folder, wanted = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    name, functions = {"glibc": glibc, "jax": jax, "numpy": numpy, "torch": torch}[system]()
    for key in wanted:
        if key not in functions:
            continue
        inputs = [np.load(path) for path in sorted(folder.glob(f"{key}.[01].npy"))]
        with np.errstate(all="ignore"):
            result = functions[key](*inputs)
        np.save(folder / f"{key}.{system}.npy", result)
    print(name)


if __name__ == "__main__":
    main()
