"""Lowers a block of a GPT at two sizes for gpt_sizes.cc, and writes what JAX gives at a third one.

Needs JAX; the files it writes are kept beside it, so only a change of the block wants it again.
"""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np

D, H, M = 32, 4, 128  # width, heads, width of the MLP
SHAPES = [(D, 3 * D), (D, D), (D, M), (M, D), (D,), (D,), (D,), (D,)]


def wave(shape, k):
    n = int(np.prod(shape))
    return jnp.reshape(jnp.sin(jnp.arange(n, dtype=jnp.float32) * jnp.float32(0.1 * k)), shape)


def norm(x, g, b):
    m = x.mean(-1, keepdims=True)
    v = ((x - m) ** 2).mean(-1, keepdims=True)
    return (x - m) * jax.lax.rsqrt(v + 1e-5) * g + b


def block(x, qkv, proj, up, down, g1, b1, g2, b2):
    b, s, _ = x.shape
    y = norm(x, g1, b1) @ qkv
    q, k, v = [t.reshape(b, s, H, D // H).transpose(0, 2, 1, 3) for t in jnp.split(y, 3, -1)]
    a = jnp.einsum("bhqd,bhkd->bhqk", q, k) / np.float32(np.sqrt(D // H))
    a = jnp.where(jnp.tril(jnp.ones((s, s), bool)), a, -jnp.inf)
    y = jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(a, -1), v)
    x = x + y.transpose(0, 2, 1, 3).reshape(b, s, D) @ proj
    return x + jax.nn.gelu(norm(x, g2, b2) @ up) @ down


here = pathlib.Path(__file__).parent
weights = [wave(shape, k + 2) * jnp.float32(0.2) for k, shape in enumerate(SHAPES)]
for batch, seq in ((2, 7), (3, 12)):
    lowered = jax.jit(block).lower(jnp.zeros((batch, seq, D)), *weights)
    text = lowered.compiler_ir("hlo").as_hlo_text(print_large_constants=True)
    (here / f"b{batch}_s{seq}.hlo").write_text(text)
np.save(here / "out_b5_s33.npy", np.asarray(jax.jit(block)(wave((5, 33, D), 1), *weights)))
