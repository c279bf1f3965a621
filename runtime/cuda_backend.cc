#include "runtime/cuda_backend.h"

#include <utility>

#include "codegen/gpu/compile.h"
#include "runtime/compile_options.h"

namespace swage::runtime {

StatusOr<std::shared_ptr<codegen::Executable>> CompileForCuda(
    const Backend& backend, std::unique_ptr<ir::Module> module,
    const passes::CompilerOptions& options, Effort effort) {
  const auto compile = [&](std::unique_ptr<ir::Module> whole, const codegen::CompileOptions& how,
                           std::vector<passes::Message>* messages) {
    return gpu::Compile(std::move(whole), backend.ordinal, how, messages);
  };
  return CompileAndTell(std::move(module), options, effort, compile);
}

StatusOr<codegen::MemorySpace*> CudaMemory(const Backend& backend) {
  return gpu::MemoryOf(backend.ordinal);
}

}  // namespace swage::runtime
