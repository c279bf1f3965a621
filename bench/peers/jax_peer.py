"""JAX on the CPU: a compile per shape (exact), and powers of two by hand (pow2): inputs padded, keys masked,
results sliced, by numpy outside of the compiled function."""
import jax
import jax.numpy as jnp
import numpy as np

import replay

WEIGHTS = [jnp.asarray(weight) for weight in replay.block_weights()]
compiled = [0]


def count(event, *_, **__):
    compiled[0] += event == "/jax/core/compile/backend_compile_duration"


jax.monitoring.register_event_duration_secs_listener(count)


def attention(q, k, v, keys):
    """`keys`: how many keys are real; None: all."""
    scores = q @ jnp.swapaxes(k, -1, -2) / np.float32(np.sqrt(replay.WIDTH))
    if keys is not None:
        scores = jnp.where(jnp.arange(k.shape[-2]) < keys, scores, -jnp.inf)
    return jax.nn.softmax(scores, axis=-1) @ v


def layer_norm(x):
    centered = x - x.mean(-1, keepdims=True)
    return centered / jnp.sqrt((centered * centered).mean(-1, keepdims=True) + 1e-5)


def block(x, keys=None):
    wq, wk, wv, wo, w1, w2 = WEIGHTS
    h = layer_norm(x)
    y = x + attention(h @ wq, h @ wk, h @ wv, keys) @ wo
    return y + jax.nn.gelu(layer_norm(y) @ w1, approximate=False) @ w2


def attend(q, k, v, keys=None):
    return attention(q, k, v, keys)


def compiles():
    return compiled[0]


def exact(function):
    f = jax.jit(block if function == "block" else attend)
    return lambda entry, inputs: jax.block_until_ready(f(*inputs)), compiles


def pow2(function):
    f = jax.jit(block if function == "block" else attend)

    def call(entry, inputs):
        first, second = replay.padded(function, entry)
        if function == "block":
            shapes = [(first, second, replay.WIDTH)]
        else:
            shapes = [(first, replay.WIDTH), (second, replay.WIDTH), (second, replay.WIDTH)]
        wide = []
        for array, shape in zip(inputs, shapes):
            zeros = np.zeros(shape, np.float32)
            zeros[tuple(slice(0, extent) for extent in array.shape)] = array
            wide.append(zeros)
        result = np.asarray(f(*wide, np.int32(entry[1])))
        return result[:entry[0], :entry[1]] if function == "block" else result[:entry[0]]

    return call, compiles


jax.block_until_ready(jax.jit(lambda x: x + 1)(jnp.ones(8)))  # starts LLVM
compiled[0] = 0
replay.measure(f"JAX {jax.__version__}", {"exact": exact, "pow2": pow2})
