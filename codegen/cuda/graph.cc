#include "codegen/cuda/graph.h"

#include <utility>

namespace swage::cuda {

StatusOr<Graph> Graph::Record(const Stream& stream, FunctionRef<Status()> launches) {
  Device& device = stream.device();
  const Driver& driver = device.driver();
  if (!driver.has_graphs()) {
    return Unimplemented("[cuda] the driver '", driver.path(), "' has no graphs");
  }
  SWAGE_RETURN_IF_ERROR(
      device.Check(driver.cuStreamBeginCapture(stream.get(), CaptureMode::kThreadLocal),
                   "cuStreamBeginCapture"));
  const Status recorded = launches();
  CUgraph graph = nullptr;
  // Whatever happened, or the stream would stay in this state.
  const Status ended =
      device.Check(driver.cuStreamEndCapture(stream.get(), &graph), "cuStreamEndCapture");
  CUgraphExec exec = nullptr;
  Status made = recorded.ok() ? ended : recorded;
  if (made.ok()) {
    made = device.Check(driver.cuGraphInstantiateWithFlags(&exec, graph, 0),
                        "cuGraphInstantiateWithFlags");
  }
  if (graph != nullptr) driver.cuGraphDestroy(graph);
  SWAGE_RETURN_IF_ERROR(made);
  return Graph(device, exec);
}

Graph::Graph(Graph&& other) noexcept
    : device_(other.device_), exec_(std::exchange(other.exec_, nullptr)) {}

Graph::~Graph() {
  if (exec_ != nullptr && !InForkedChild()) device_->driver().cuGraphExecDestroy(exec_);
}

Status Graph::Launch(const Stream& stream) const {
  return device_->Check(device_->driver().cuGraphLaunch(exec_, stream.get()), "cuGraphLaunch");
}

}  // namespace swage::cuda
