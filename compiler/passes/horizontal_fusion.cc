#include "compiler/passes/horizontal_fusion.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "compiler/passes/kernel_groups.h"

namespace swage::passes {
namespace {

// Equal for kernels whose loops are the same.
std::string KindOf(const KernelGroup& kernel) {
  std::string kind;
  for (ir::Dim dim : kernel.figures.space) absl::StrAppend(&kind, dim.ToString(), ",");
  const ir::Instruction* reduce = kernel.figures.reduce;
  if (reduce == nullptr) return kind;
  absl::StrAppend(&kind, "/", ToAbsl(reduce->operand(0)->shape().ToString(false)));
  for (int64_t d : reduce->dimensions()) absl::StrAppend(&kind, ",", d);
  return kind;
}

bool MergeAll(KernelGroups& groups) {
  bool changed = false;
  absl::flat_hash_map<std::string, std::vector<KernelGroup*>> open;
  for (KernelGroup* kernel : groups.Groups()) {
    if (*kernel->figures.apart != '\0') continue;
    changed |= groups.OfferTo(&open[KindOf(*kernel)], kernel, MergeGain::kLaunch);
  }
  return changed;
}

}  // namespace

StatusOr<bool> HorizontalFusion::Run(ir::Module& module, PassContext& context) {
  steps_ = 0;
  return MergeInRounds(module, context, name(), MergeAll, &steps_);
}

}  // namespace swage::passes
