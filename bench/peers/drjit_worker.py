"""Dr.Jit's side of bench/compare, on its LLVM backend. It has no products of matrices."""
import os
import pathlib
import tempfile

# It keeps compiled code in the home folder, and looks for LLVM by a name that only some systems have.
folder = tempfile.TemporaryDirectory()
os.environ["HOME"] = folder.name
for library in ("/usr/lib/x86_64-linux-gnu/libLLVM-19.so", "/usr/lib/llvm-19/lib/libLLVM.so"):
    if os.path.exists(library):
        os.environ.setdefault("DRJIT_LIBLLVM_PATH", library)

import drjit as dr  # noqa: E402
import numpy as np  # noqa: E402
from drjit.llvm import Float, TensorXf, UInt  # noqa: E402

import worker  # noqa: E402


def chain(ops):
    def f(x):
        t = x
        for _ in range(ops // 10):
            t = dr.tanh(t * 1.1 + 0.3) * x - 0.5
            t = dr.maximum(dr.exp(t) + x, 0) * 0.7 - x
        return t
    return f


def softmax(x):
    e = dr.exp(x - dr.max(x, axis=1)[:, None])
    return e / dr.sum(e, axis=1)[:, None]


def layernorm(x, scale, bias):
    count = x.shape[1]
    centered = x - (dr.sum(x, axis=1) / count)[:, None]
    variance = dr.sum(centered * centered, axis=1) / count
    return centered * dr.rsqrt(variance + 1e-5)[:, None] * scale[None, :] + bias[None, :]


def transpose(x):
    rows, columns = x.shape
    i = dr.arange(UInt, rows * columns)
    return TensorXf(dr.gather(Float, x.array, i % rows * columns + i // rows), (columns, rows))


def gather(x, places):
    columns = x.shape[1]
    i = dr.arange(UInt, len(places) * columns)
    return dr.gather(Float, x.array, dr.gather(UInt, places, i // columns) * columns + i % columns)


FUNCTIONS = {
    "add": lambda x: x + 1,
    "colsum": lambda x: dr.sum(x, axis=0),
    "cumsum": lambda x: dr.cumsum(x, axis=1),
    "exp": dr.exp,
    "gather": gather,
    "layernorm": layernorm,
    "muladd": lambda x, y, z: x + y * z,
    "rowsum": lambda x: dr.sum(x, axis=1),
    "softmax": softmax,
    "transpose": transpose,
    "triad": lambda x, y: dr.fma(x, 3, y),
}


def to_array(array, like):
    """An array of one dimension is a tensor only beside one of two."""
    if array.dtype == np.int32:
        return UInt(array.astype(np.uint32))
    return Float(array) if like.ndim == 1 else TensorXf(array)


def finished(result):
    dr.eval(result)
    dr.sync_thread()
    return result


def forget():
    dr.sync_thread()
    dr.flush_kernel_cache()
    for file in pathlib.Path(folder.name, ".drjit").glob("*"):
        file.unlink()


def open_work(work):
    if "bf16" in work.dtypes:
        raise worker.Missing("no bf16")
    if work.function != "chain" and work.function not in FUNCTIONS:
        raise worker.Missing(f"no {work.function}")
    inputs = [to_array(array, work.inputs[0]) for array in work.inputs]
    dr.eval(*inputs)
    function = chain(int(work.detail)) if work.function == "chain" else FUNCTIONS[work.function]
    call = lambda: finished(function(*inputs))
    return worker.Task(call, lambda: [np.asarray(call())], forget if work.first else None)


worker.serve(f"Dr.Jit {dr.__version__}", open_work)
