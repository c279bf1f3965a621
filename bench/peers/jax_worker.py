"""JAX's side of bench/compare, and XLA's on HLO text."""
import jax
import jax.numpy as jnp
import numpy as np

import worker

HEADS = 4


def chain(ops):
    def f(x):
        t = x
        for _ in range(ops // 10):
            t = jnp.tanh(t * 1.1 + 0.3) * x - 0.5
            t = jnp.maximum(jnp.exp(t) + x, 0) * 0.7 - x
        return t
    return f


def layernorm(x, scale, bias):
    centered = x - x.mean(-1, keepdims=True)
    return centered / jnp.sqrt((centered * centered).mean(-1, keepdims=True) + 1e-5) * scale + bias


def attend(q, k, v):
    scores = (q @ k.T).astype(jnp.float32) / q.shape[-1]**0.5
    return jax.nn.softmax(scores, -1).astype(q.dtype) @ v


def mlp(x, w1, b1, w2, b2):
    return jax.nn.gelu(x @ w1 + b1, approximate=True) @ w2 + b2


def gpt(x, *weights):
    length, width = x.shape
    heads = lambda t: t.reshape(length, HEADS, width // HEADS).transpose(1, 0, 2)
    seen = jnp.tril(jnp.ones((length, length), bool))
    for i in range(0, len(weights), 12):
        scale1, bias1, wqkv, bqkv, wo, bo, scale2, bias2, w1, b1, w2, b2 = weights[i:i + 12]
        q, k, v = map(heads, jnp.split(layernorm(x, scale1, bias1) @ wqkv + bqkv, 3, -1))
        scores = jnp.where(seen, q @ k.transpose(0, 2, 1) / (width // HEADS)**0.5, -1e30)
        mixed = (jax.nn.softmax(scores, -1) @ v).transpose(1, 0, 2).reshape(length, width)
        x = x + mixed @ wo + bo
        x = x + mlp(layernorm(x, scale2, bias2), w1, b1, w2, b2)
    return x


FUNCTIONS = {
    "add": lambda x: x + 1,
    "argmax": lambda x: jnp.argmax(x, 1),
    "attend": attend,
    "colsum": lambda x: x.sum(0),
    "cumsum": lambda x: jnp.cumsum(x, 1),
    "dot": lambda x, y: x @ y,
    "dot_t": lambda x, y: x @ y.T,
    "exp": jnp.exp,
    "first": lambda *xs: xs[0] + 1,
    "gather": lambda x, places: x[places],
    "gpt": gpt,
    "layernorm": layernorm,
    "mlp": mlp,
    "muladd": lambda x, y, z: x + y * z,
    "rowsum": lambda x: x.sum(1),
    "softmax": lambda x: jax.nn.softmax(x, -1),
    "transpose": lambda x: x.T,
    "triad": lambda x, y: 3 * x + y,
}


def to_numpy(array):
    return np.asarray(array.astype(jnp.float32) if array.dtype == jnp.bfloat16 else array)


def compiled_hlo(path):
    """A function of arrays that runs the module, compiled by XLA as it is."""
    from jax._src import xla_bridge
    from jax._src.lib import xla_client
    from jaxlib import _hlo
    with open(path) as text:
        module = _hlo.hlo_module_from_text(text.read())
    computation = xla_client.XlaComputation(module.as_serialized_hlo_module_proto())
    backend = xla_bridge.get_backend("cpu")
    devices = xla_client.DeviceList(tuple(backend.devices()[:1]))
    program = backend.compile_and_load(xla_client._xla.mlir.xla_computation_to_mlir_module(computation), devices,
                                       xla_client.CompileOptions())
    return lambda *xs: [out[0] for out in program.execute_sharded(xs).disassemble_into_single_device_arrays()]


def open_work(work):
    inputs = [jnp.asarray(array, jnp.bfloat16 if dtype == "bf16" else array.dtype)
              for array, dtype in zip(work.inputs, work.dtypes)]
    if work.function == "hlo":
        program = compiled_hlo(work.detail)
        return worker.Task(lambda: jax.block_until_ready(program(*inputs)),
                           lambda: [to_numpy(out) for out in program(*inputs)])
    if work.function != "chain" and work.function not in FUNCTIONS:
        raise worker.Missing(f"no {work.function}")
    function = chain(int(work.detail)) if work.function == "chain" else FUNCTIONS[work.function]
    jitted = jax.jit(function, keep_unused=True)
    results = lambda: [to_numpy(jitted(*inputs))]
    if not work.first:
        return worker.Task(lambda: jitted(*inputs).block_until_ready(), results)
    return worker.Task(lambda: jax.jit(lambda *xs: function(*xs))(*inputs).block_until_ready(), results,
                       jax.clear_caches)


worker.serve(f"JAX {jax.__version__}", open_work)
