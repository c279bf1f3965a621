"""torch.compile on the CPU with dynamic shapes, from an empty cache of compiled code."""
import os
import tempfile

import torch
import torch._dynamo

import replay

WEIGHTS = [torch.from_numpy(weight) for weight in replay.block_weights()]


def attention(q, k, v):
    scores = q @ k.transpose(-1, -2) / replay.WIDTH**0.5
    return torch.softmax(scores, -1) @ v


def block(x):
    wq, wk, wv, wo, w1, w2 = WEIGHTS
    h = torch.nn.functional.layer_norm(x, (replay.WIDTH,))
    y = x + attention(h @ wq, h @ wk, h @ wv) @ wo
    return y + torch.nn.functional.gelu(torch.nn.functional.layer_norm(y, (replay.WIDTH,)) @ w1) @ w2


def dynamic(function):
    torch._dynamo.config.recompile_limit = 1000
    f = torch.compile(block if function == "block" else attention, dynamic=True)
    torch.compile(lambda x: x + 1)(torch.ones(8))  # starts the C++ compiler, which takes long once
    torch._dynamo.utils.counters.clear()
    call = torch.no_grad()(lambda entry, inputs: f(*inputs))
    return call, lambda: int(torch._dynamo.utils.counters["stats"]["unique_graphs"])


with tempfile.TemporaryDirectory() as folder:
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
    replay.measure(f"torch {torch.__version__.split('+')[0]}", {"dynamic": dynamic}, torch.from_numpy)
