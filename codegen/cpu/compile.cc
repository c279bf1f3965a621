#include "codegen/cpu/compile.h"

#include <utility>

#include "base/check_mode.h"
#include "codegen/cpu/cpu_target.h"

namespace swage::cpu {

StatusOr<std::shared_ptr<codegen::Executable>> Compile(std::unique_ptr<ir::Module> module,
                                                       const CompileOptions& options,
                                                       std::vector<passes::Message>* messages,
                                                       const Specialisation* specialise) {
  // Baked kernels are special already; a memory check knows the buffers of each kernel.
  if (codegen::IsLookedAt(options) || options.kernels.baked_dims || CheckMode::Get().memory) {
    specialise = nullptr;
  }
  SWAGE_ASSIGN_OR_RETURN(auto target, CpuTarget::Create(specialise, options.compiler.library_dots));
  return codegen::Compile(std::move(module), std::move(target), options, messages);
}

StatusOr<std::shared_ptr<codegen::PaddingCheck>> MakePaddingCheck(
    const ir::Module& module, const CompileOptions& options,
    std::vector<passes::Message>* messages) {
  SWAGE_ASSIGN_OR_RETURN(auto target, CpuTarget::Create(nullptr, options.compiler.library_dots));
  return codegen::PaddingCheck::Make(module, std::move(target), options, messages);
}

}  // namespace swage::cpu
