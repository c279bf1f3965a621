#include "runtime/cuda_backend.h"

#include "cache/tiers.h"
#include "codegen/gpu/compile.h"
#include "runtime/cpu_backend.h"

namespace swage::runtime {

StatusOr<std::shared_ptr<codegen::Executable>> CompileForCuda(
    const Backend& backend, std::unique_ptr<ir::Module> module,
    const passes::CompilerOptions& options, Effort) {
  codegen::CompileOptions compile_options;
  compile_options.compiler = options;
  compile_options.kernels.baked_dims = baked_dims();
  compile_options.kernels.store = cache::Tiers::Global();
  const std::string name = module->name();
  std::vector<passes::Message> messages;
  auto executable = gpu::Compile(std::move(module), backend.ordinal, compile_options, &messages);
  LogMessages(name, messages);
  return executable;
}

StatusOr<codegen::MemorySpace*> CudaMemory(const Backend& backend) {
  SWAGE_RETURN_IF_ERROR(gpu::CheckDevice(backend.ordinal));
  return gpu::MemoryOf(backend.ordinal);
}

}  // namespace swage::runtime
