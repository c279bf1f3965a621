// File: codegen/cuda/graph.h
//
// CUDA graphs: launches that were recorded once and are begun with one call, for programs of many
// small kernels. A ContextScope of the device must be open in the thread.
//
//   SWAGE_ASSIGN_OR_RETURN(const Graph graph, Graph::Record(stream, [&] { return LaunchAll(); }));
//   SWAGE_RETURN_IF_ERROR(graph.Launch(stream));
#ifndef SWAGE_CODEGEN_CUDA_GRAPH_H_
#define SWAGE_CODEGEN_CUDA_GRAPH_H_

#include "base/function_ref.h"
#include "base/status.h"
#include "codegen/cuda/stream.h"

namespace swage::cuda {

class Graph {
 public:
  // Runs `launches`, which only records what it puts into `stream`: pointers and numbers are kept
  // as they are now. Unimplemented where the driver has no graphs.
  static StatusOr<Graph> Record(const Stream& stream, FunctionRef<Status()> launches);
  ~Graph();
  Graph(Graph&& other) noexcept;
  Graph& operator=(Graph&&) = delete;

  Status Launch(const Stream& stream) const;

 private:
  Graph(Device& device, CUgraphExec exec) : device_(&device), exec_(exec) {}
  Device* device_;
  CUgraphExec exec_;
};

}  // namespace swage::cuda

#endif  // SWAGE_CODEGEN_CUDA_GRAPH_H_
