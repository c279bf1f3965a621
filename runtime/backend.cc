#include "runtime/backend.h"

#include <array>
#include <string>
#include <vector>

#include "base/nearest.h"
#include "compiler/pipelines/cpu.h"
#include "compiler/pipelines/gpu.h"
#include "runtime/cpu_backend.h"
#include "runtime/cuda_backend.h"
#include "runtime/device_name.h"
#include "runtime/evaluator_executable.h"

namespace swage::runtime {
namespace {

StatusOr<codegen::MemorySpace*> HostMemory(const Backend&) { return nullptr; }

constexpr Backend kCpu{.name = "cpu",
                       .compile = CompileForCpu,
                       .check_filters = pipelines::CheckCpuFilters,
                       .memory = HostMemory};
// Programs with filters are compiled by other devices too.
constexpr Backend kEvaluator{.name = "evaluator",
                             .compile = CompileForEvaluator,
                             .check_filters = pipelines::CheckCpuFilters,
                             .memory = HostMemory};

// Of cuda:0 and up.
const Backend& CudaBackend(int ordinal) {
  static const auto* const backends = [] {
    auto* all = new std::array<Backend, kMaxCudaDevices>;
    for (int i = 0; i < kMaxCudaDevices; ++i) {
      // Never freed: names are kept by pointer.
      const auto* const name = new std::string("cuda:" + std::to_string(i));
      (*all)[i] = {.name = *name,
                   .ordinal = i,
                   .compile = CompileForCuda,
                   .check_filters = pipelines::CheckGpuFilters,
                   .memory = CudaMemory};
    }
    return all;
  }();
  return (*backends)[ordinal];
}

}  // namespace

StatusOr<const Backend*> FindBackend(std::string_view name) {
  for (const Backend* backend : {&kCpu, &kEvaluator}) {
    if (backend->name == name) return backend;
  }
  const auto [kind, ordinal] = SplitDevice(name);
  if (kind != "cuda") {
    return NotFound("[device] got '", ToAbsl(name), "', expected ", ToAbsl(kDeviceNames),
                    DidYouMean(name, std::vector<std::string_view>{"cpu", "cuda:0", "evaluator"}));
  }
  const Backend& backend = CudaBackend(ordinal);
  SWAGE_RETURN_IF_ERROR(backend.memory(backend).status());
  return &backend;
}

}  // namespace swage::runtime
