"""The functions of bench/compare as ONNX graphs, for ONNX Runtime and OpenVINO: graph(work) -> model.

Weights (of mlp and gpt, the places of gather) are constants, as in exported models; `inputs` says how many
of the work's inputs are left.
"""
import numpy as np
from onnx import TensorProto
from onnx import helper
from onnx import numpy_helper

import worker

HEADS = 4


class Graph:
    """op(type, inputs..., attributes) adds a node and returns its result's name; arrays become constants."""

    def __init__(self):
        self.nodes, self.inputs, self.constants = [], [], []

    def op(self, kind, *operands, results=1, **attributes):
        names = [f"t{len(self.nodes)}_{i}" for i in range(results)]
        self.nodes.append(helper.make_node(kind, [self.name_of(x) for x in operands], names, **attributes))
        return names[0] if results == 1 else names

    def name_of(self, operand):
        if isinstance(operand, str):
            return operand
        array = operand if isinstance(operand, np.ndarray) else np.asarray(operand, np.float32)
        self.constants.append(numpy_helper.from_array(array, f"c{len(self.constants)}"))
        return self.constants[-1].name

    def input(self, array):
        kind = TensorProto.INT32 if array.dtype == np.int32 else TensorProto.FLOAT
        self.inputs.append(helper.make_tensor_value_info(f"x{len(self.inputs)}", kind, array.shape))
        return self.inputs[-1].name

    def model(self, result, kind=TensorProto.FLOAT):
        graph = helper.make_graph(self.nodes, "work", self.inputs,
                                  [helper.make_tensor_value_info(result, kind, None)], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def ints(*values):
    return np.array(values, np.int64)


def chain(g, ops, x):
    t = x
    for _ in range(ops // 10):
        t = g.op("Sub", g.op("Mul", g.op("Tanh", g.op("Add", g.op("Mul", t, 1.1), 0.3)), x), 0.5)
        t = g.op("Max", g.op("Add", g.op("Exp", t), x), 0.0)
        t = g.op("Sub", g.op("Mul", t, 0.7), x)
    return t


def attend(g, width, q, k, v):
    scores = g.op("Mul", g.op("MatMul", q, g.op("Transpose", k, perm=[1, 0])), width**-0.5)
    return g.op("MatMul", g.op("Softmax", scores, axis=-1), v)


def layernorm(g, x, scale, bias):
    return g.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-5)


def mlp(g, x, w1, b1, w2, b2):
    inner = g.op("Gelu", g.op("Add", g.op("MatMul", x, w1), b1), approximate="tanh")
    return g.op("Add", g.op("MatMul", inner, w2), b2)


def gpt(g, shape, x, weights):
    length, width = shape
    head = width // HEADS
    mask = np.where(np.tril(np.ones(shape[:1] * 2)) > 0, 0, -1e30).astype(np.float32)
    heads = lambda t, perm: g.op("Transpose", g.op("Reshape", t, ints(length, HEADS, head)), perm=perm)
    for i in range(0, len(weights), 12):
        scale1, bias1, wqkv, bqkv, wo, bo, scale2, bias2, w1, b1, w2, b2 = weights[i:i + 12]
        qkv = g.op("Add", g.op("MatMul", layernorm(g, x, scale1, bias1), wqkv), bqkv)
        q, k, v = g.op("Split", qkv, ints(width, width, width), results=3, axis=-1)
        products = g.op("MatMul", heads(q, [1, 0, 2]), heads(k, [1, 2, 0]))
        scores = g.op("Add", g.op("Mul", products, head**-0.5), mask)
        mixed = g.op("Transpose", g.op("MatMul", g.op("Softmax", scores, axis=-1), heads(v, [1, 0, 2])), perm=[1, 0, 2])
        x = g.op("Add", x, g.op("Add", g.op("MatMul", g.op("Reshape", mixed, ints(length, width)), wo), bo))
        x = g.op("Add", x, mlp(g, layernorm(g, x, scale2, bias2), w1, b1, w2, b2))
    return x


SIMPLE = {
    "add": lambda g, x: g.op("Add", x, 1.0),
    "colsum": lambda g, x: g.op("ReduceSum", x, ints(0), keepdims=0),
    "cumsum": lambda g, x: g.op("CumSum", x, ints(1)),
    "dot": lambda g, x, y: g.op("MatMul", x, y),
    "dot_t": lambda g, x, y: g.op("MatMul", x, g.op("Transpose", y, perm=[1, 0])),
    "exp": lambda g, x: g.op("Exp", x),
    "first": lambda g, *xs: g.op("Add", xs[0], 1.0),
    "layernorm": layernorm,
    "muladd": lambda g, x, y, z: g.op("Add", x, g.op("Mul", y, z)),
    "rowsum": lambda g, x: g.op("ReduceSum", x, ints(1), keepdims=0),
    "softmax": lambda g, x: g.op("Softmax", x, axis=-1),
    "transpose": lambda g, x: g.op("Transpose", x, perm=[1, 0]),
    "triad": lambda g, x, y: g.op("Add", g.op("Mul", x, 3.0), y),
}


def graph(work):
    """(serialized model, its inputs)"""
    g, inputs = Graph(), work.inputs
    if work.function in ("gpt", "mlp", "gather"):
        x = g.input(inputs[0])
        if work.function == "gather":
            result = g.op("Gather", x, inputs[1])
        elif work.function == "mlp":
            result = mlp(g, x, *inputs[1:])
        else:
            result = gpt(g, inputs[0].shape, x, inputs[1:])
        return g.model(result).SerializeToString(), inputs[:1]
    names = [g.input(array) for array in inputs]
    if work.function == "argmax":
        return g.model(g.op("ArgMax", names[0], axis=1, keepdims=0), TensorProto.INT64).SerializeToString(), inputs
    if work.function == "chain":
        result = chain(g, int(work.detail), *names)
    elif work.function == "attend":
        result = attend(g, inputs[0].shape[1], *names)
    elif work.function in SIMPLE:
        result = SIMPLE[work.function](g, *names)
    else:
        raise worker.Missing(f"no {work.function}")
    return g.model(result).SerializeToString(), inputs
