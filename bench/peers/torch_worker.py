"""torch's sides of bench/compare: --eager, or --compile (Inductor)."""
import contextlib
import os
import sys
import tempfile

# Compiled code of other processes would be found: a folder of this process's own, also for warm calls.
folder = tempfile.TemporaryDirectory()
os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder.name

import torch  # noqa: E402
import torch._dynamo  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch._inductor.utils import fresh_cache  # noqa: E402

import worker  # noqa: E402

COMPILE = sys.argv[1:] == ["--compile"]
HEADS = 4
torch.set_grad_enabled(False)


def chain(ops):
    def f(x):
        t = x
        for _ in range(ops // 10):
            t = torch.tanh(t * 1.1 + 0.3) * x - 0.5
            t = torch.clamp_min(torch.exp(t) + x, 0) * 0.7 - x
        return t
    return f


def layernorm(x, scale, bias):
    return F.layer_norm(x, x.shape[-1:], scale, bias, 1e-5)


def attend(q, k, v):
    scores = (q @ k.T).float() / q.shape[-1]**0.5
    return torch.softmax(scores, -1).to(q.dtype) @ v


def mlp(x, w1, b1, w2, b2):
    return F.gelu(x @ w1 + b1, approximate="tanh") @ w2 + b2


def gpt(x, *weights):
    length, width = x.shape
    heads = lambda t: t.reshape(length, HEADS, width // HEADS).transpose(0, 1)
    seen = torch.tril(torch.ones(length, length, dtype=torch.bool))
    for i in range(0, len(weights), 12):
        scale1, bias1, wqkv, bqkv, wo, bo, scale2, bias2, w1, b1, w2, b2 = weights[i:i + 12]
        q, k, v = map(heads, (layernorm(x, scale1, bias1) @ wqkv + bqkv).chunk(3, -1))
        scores = torch.where(seen, q @ k.transpose(1, 2) / (width // HEADS)**0.5, -1e30)
        x = x + (torch.softmax(scores, -1) @ v).transpose(0, 1).reshape(length, width) @ wo + bo
        x = x + mlp(layernorm(x, scale2, bias2), w1, b1, w2, b2)
    return x


FUNCTIONS = {
    "add": lambda x: x + 1,
    "argmax": lambda x: torch.argmax(x, 1),
    "attend": attend,
    "colsum": lambda x: x.sum(0),
    "cumsum": lambda x: torch.cumsum(x, 1),
    "dot": lambda x, y: x @ y,
    "dot_t": lambda x, y: x @ y.T,
    "exp": torch.exp,
    "first": lambda *xs: xs[0] + 1,
    "gather": lambda x, places: x[places],
    "gpt": gpt,
    "layernorm": layernorm,
    "mlp": mlp,
    "muladd": lambda x, y, z: x + y * z,
    "rowsum": lambda x: x.sum(1),
    "softmax": lambda x: torch.softmax(x, -1),
    "transpose": lambda x: x.T.contiguous(),
    "triad": lambda x, y: 3 * x + y,
}
LIBRARY_CALLS = {"dot", "dot_t"}  # torch.compile calls what eager calls


caches = contextlib.ExitStack()


def forget():
    torch._dynamo.reset()
    caches.close()
    caches.enter_context(fresh_cache())


def open_work(work):
    if work.function != "chain" and work.function not in FUNCTIONS:
        raise worker.Missing(f"no {work.function}")
    if work.first and not COMPILE or COMPILE and work.function in LIBRARY_CALLS:
        raise worker.Missing("the same as the other torch")
    inputs = [torch.from_numpy(array) for array in work.inputs]
    inputs = [x.to(torch.bfloat16) if dtype == "bf16" else x for x, dtype in zip(inputs, work.dtypes)]
    function = chain(int(work.detail)) if work.function == "chain" else FUNCTIONS[work.function]
    torch._dynamo.reset()
    f = torch.compile(function, dynamic=False) if COMPILE else function
    results = lambda: [f(*inputs).float().numpy()]
    if not work.first:
        return worker.Task(lambda: f(*inputs), results)
    return worker.Task(lambda: torch.compile(function, dynamic=False)(*inputs), results, forget)


if COMPILE:
    torch.compile(lambda x: x * 2 - 1)(torch.ones(8))  # starts the C++ compiler, which takes long once
worker.serve(f"torch {torch.__version__.split('+')[0]} {'compile' if COMPILE else 'eager'}", open_work)
