"""OpenVINO's side of bench/compare. bf16 is its own way: f32 in and out, computed in bf16."""
import openvino

import onnx_graphs
import worker

core = openvino.Core()


def open_work(work):
    model, inputs = onnx_graphs.graph(work)
    precision = "bf16" if "bf16" in work.dtypes else "f32"
    feed = dict(enumerate(inputs))

    def load():
        config = {"INFERENCE_PRECISION_HINT": precision, "PERFORMANCE_HINT": "LATENCY"}
        return core.compile_model(core.read_model(model), "CPU", config).create_infer_request()

    request = load()
    call = lambda: request.infer(feed, share_inputs=True, share_outputs=True)
    results = lambda: [array.copy() for array in call().values()]
    if not work.first:
        return worker.Task(call, results)
    return worker.Task(lambda: load().infer(feed, share_inputs=True, share_outputs=True), results, lambda: None)


worker.serve(f"OpenVINO {openvino.__version__.split('-')[0]}", open_work)
