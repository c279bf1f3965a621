#include "codegen/cpu/compile.h"

#include <utility>

#include "base/check_mode.h"
#include "codegen/cpu/cpu_target.h"

namespace swage::cpu {
namespace {

codegen::CompileOptions Common(const CompileOptions& options) {
  return {.compiler = options.compiler, .kernels = options.kernels};
}

StatusOr<std::shared_ptr<const CpuTarget>> TargetFor(const CompileOptions& options) {
  // Baked kernels are special already; a memory check knows the buffers of each kernel.
  const bool may_specialise = !codegen::IsLookedAt(Common(options)) &&
                              !options.kernels.baked_dims && !CheckMode::Get().memory;
  return CpuTarget::Create(may_specialise ? options.specialise : nullptr);
}

}  // namespace

StatusOr<std::shared_ptr<codegen::Executable>> Compile(std::unique_ptr<ir::Module> module,
                                                       const CompileOptions& options,
                                                       std::vector<passes::Message>* messages) {
  SWAGE_ASSIGN_OR_RETURN(auto target, TargetFor(options));
  return codegen::Compile(std::move(module), std::move(target), Common(options), messages);
}

StatusOr<std::shared_ptr<codegen::PaddingCheck>> MakePaddingCheck(
    const ir::Module& module, const CompileOptions& options,
    std::vector<passes::Message>* messages) {
  SWAGE_ASSIGN_OR_RETURN(auto target, TargetFor(options));
  return codegen::PaddingCheck::Make(module, std::move(target), Common(options), messages);
}

}  // namespace swage::cpu
