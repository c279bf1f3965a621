"""ONNX Runtime's side of bench/compare."""
import onnxruntime

import onnx_graphs
import worker

onnxruntime.set_default_logger_severity(4)


def open_work(work):
    if "bf16" in work.dtypes:
        raise worker.Missing("no bf16")
    model, inputs = onnx_graphs.graph(work)
    feed = {f"x{i}": array for i, array in enumerate(inputs)}

    def load():
        return onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])

    session = load()
    results = lambda: session.run(None, feed)
    if not work.first:
        return worker.Task(results, results)
    return worker.Task(lambda: load().run(None, feed), results, lambda: None)


worker.serve(f"ONNX Runtime {onnxruntime.__version__}", open_work)
