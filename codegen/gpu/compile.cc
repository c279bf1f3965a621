#include "codegen/gpu/compile.h"

#include <map>
#include <mutex>
#include <utility>

#include "codegen/gpu/cuda_executable.h"
#include "codegen/gpu/cuda_queue.h"
#include "codegen/gpu/cuda_target.h"

namespace swage::gpu {
namespace {

// The target of a device, made once.
StatusOr<std::shared_ptr<const CudaTarget>> TargetOf(int ordinal) {
  static auto* const mutex = new std::mutex;
  static auto* const targets = new std::map<int, std::shared_ptr<const CudaTarget>>;
  SWAGE_ASSIGN_OR_RETURN(CudaQueue * queue, CudaQueue::Get(ordinal));
  SWAGE_RETURN_IF_ERROR(queue->device().Usable());
  const std::lock_guard<std::mutex> lock(*mutex);
  std::shared_ptr<const CudaTarget>& target = (*targets)[ordinal];
  if (target == nullptr) {
    SWAGE_ASSIGN_OR_RETURN(target, CudaTarget::Create(*queue));
  }
  return target;
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

StatusOr<codegen::MemorySpace*> MemoryOf(int ordinal) {
  SWAGE_RETURN_IF_ERROR(CheckEnvironment());
  SWAGE_RETURN_IF_ERROR(TargetOf(ordinal).status());
  SWAGE_ASSIGN_OR_RETURN(CudaQueue * queue, CudaQueue::Get(ordinal));
  return queue;
}

Status CheckDevice(int ordinal) { return MemoryOf(ordinal).status(); }

void Trim() { CudaQueue::TrimAll(); }

}  // namespace swage::gpu
