#include "codegen/gpu/kernels.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "codegen/emit/generalise.h"
#include "codegen/emit/schedule.h"
#include "codegen/gpu/kernel_key.h"
#include "compiler/ir/computation.h"

namespace swage::gpu {
namespace {

using Codes = absl::flat_hash_map<std::string, std::shared_ptr<const EmittedPtx>>;

StatusOr<GpuKernel> Compile(const ir::Instruction& fusion, const GpuTarget& target,
                            const KernelOptions& options, Codes* codes) {
  SWAGE_ASSIGN_OR_RETURN(const emit::GeneralisedFusion generalised,
                         emit::Generalise(*fusion.fused_computation(), options.baked_dims));
  SWAGE_ASSIGN_OR_RETURN(const emit::KernelPlan plan,
                         emit::PlanKernel(*generalised.fusion, options.emit));
  GpuKernel kernel;
  kernel.fusion = &fusion;
  kernel.key = KernelKey(target, options.emit, *generalised.fusion).Serialise();
  kernel.plan = plan.ToString();
  kernel.sizes = emit::RunTimeSizesOf(generalised, plan);
  std::shared_ptr<const EmittedPtx>& code = (*codes)[kernel.key];
  if (code == nullptr) {
    SWAGE_ASSIGN_OR_RETURN(EmittedPtx emitted, EmitPtxOf(plan, target, options.keep_ir));
    code = std::make_shared<const EmittedPtx>(std::move(emitted));
  }
  kernel.code = code;
  return kernel;
}

StatusOr<GpuKernel> Named(StatusOr<GpuKernel> kernel, const ir::Instruction& fusion) {
  if (kernel.ok()) return kernel;
  return Annotate(kernel.status(), absl::StrCat(" (kernel of ", fusion.name(), ")"));
}

}  // namespace

StatusOr<GpuKernel> CompileKernel(const ir::Instruction& fusion, const GpuTarget& target,
                                  const KernelOptions& options) {
  Codes codes;
  return Named(Compile(fusion, target, options, &codes), fusion);
}

StatusOr<std::vector<GpuKernel>> CompileKernels(const ir::Module& module, const GpuTarget& target,
                                                const KernelOptions& options) {
  Codes codes;
  std::vector<GpuKernel> kernels;
  for (const ir::Computation* computation : module.ExecutedComputations()) {
    for (const ir::Instruction* op : computation->Instructions()) {
      if (op->opcode() != ir::Opcode::kFusion) continue;
      SWAGE_ASSIGN_OR_RETURN(GpuKernel kernel, Named(Compile(*op, target, options, &codes), *op));
      kernels.push_back(std::move(kernel));
    }
  }
  return kernels;
}

}  // namespace swage::gpu
