#include "compiler/passes/horizontal_fusion.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "compiler/cost/device_description.h"
#include "compiler/passes/kernel_groups.h"

namespace swage::passes {
namespace {

// Kernels of one kind that another is offered to, newest first.
constexpr size_t kMaxOffers = 4;

// A merge may make another one possible; the last rounds seldom find any.
constexpr int kMaxRounds = 8;

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
    std::vector<KernelGroup*>& others = open[KindOf(*kernel)];
    bool taken = false;
    const size_t first = others.size() > kMaxOffers ? others.size() - kMaxOffers : 0;
    for (size_t i = others.size(); i-- > first && !taken;) {
      taken = groups.TryMerge(others[i], kernel, MergeGain::kLaunch);
    }
    if (!taken) others.push_back(kernel);
    changed |= taken;
  }
  return changed;
}

}  // namespace

StatusOr<bool> HorizontalFusion::Run(ir::Module& module, PassContext& context) {
  SWAGE_RET_CHECK(context.device() != nullptr, "horizontal-fusion needs a device description");
  bool changed = false;
  steps_ = 0;
  for (ir::Computation* computation : module.ExecutedComputations()) {
    KernelGroups groups(computation, *context.device(), name(), context.fusion_decisions());
    for (int round = 0; round < kMaxRounds; ++round) {
      groups.ForgetRefusals();
      if (!MergeAll(groups)) break;
    }
    steps_ += groups.steps();
    SWAGE_ASSIGN_OR_RETURN(const bool built, groups.Build());
    changed |= built;
  }
  return changed;
}

}  // namespace swage::passes
