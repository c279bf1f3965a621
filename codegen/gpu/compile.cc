#include "codegen/gpu/compile.h"

#include <utility>

#include "codegen/gpu/cuda_executable.h"
#include "codegen/gpu/cuda_queue.h"
#include "codegen/gpu/cuda_target.h"

namespace swage::gpu {
namespace {

StatusOr<std::shared_ptr<const CudaTarget>> TargetOf(int ordinal) {
  SWAGE_ASSIGN_OR_RETURN(CudaQueue * queue, CudaQueue::Get(ordinal));
  SWAGE_RETURN_IF_ERROR(queue->device().Usable());
  return CudaTarget::Create(*queue);
}

}  // namespace

StatusOr<std::shared_ptr<codegen::Executable>> Compile(std::unique_ptr<ir::Module> module,
                                                       int ordinal,
                                                       const codegen::CompileOptions& options,
                                                       std::vector<passes::Message>* messages) {
  SWAGE_ASSIGN_OR_RETURN(auto target, TargetOf(ordinal));
  return codegen::Compile(std::move(module), std::move(target), options, messages);
}

Status CheckEnvironment() { return UsesGraphs().status(); }

Status CheckDevice(int ordinal) {
  SWAGE_RETURN_IF_ERROR(CheckEnvironment());
  return TargetOf(ordinal).status();
}

StatusOr<codegen::MemorySpace*> MemoryOf(int ordinal) {
  SWAGE_ASSIGN_OR_RETURN(CudaQueue * queue, CudaQueue::Get(ordinal));
  return queue;
}

void Trim() { CudaQueue::TrimAll(); }

}  // namespace swage::gpu
