#include "compiler/passes/multi_output_fusion.h"

#include "compiler/cost/device_description.h"
#include "compiler/passes/kernel_groups.h"

namespace swage::passes {
namespace {

using ir::Instruction;

// Kernels that a reader of the same value is offered to, newest first.
constexpr size_t kMaxOffers = 4;

// A merge may make another one possible; the last rounds seldom find any.
constexpr int kMaxRounds = 8;

// A kernel and those that it reads.
bool MergeProducers(KernelGroups& groups) {
  bool changed = false;
  for (KernelGroup* kernel : groups.Groups()) {
    if (kernel->is_merged_away) continue;
    std::vector<KernelGroup*> makers;
    for (const auto& [value, read] : kernel->reads) {
      if (KernelGroup* maker = groups.MakerOf(value)) makers.push_back(maker);
    }
    for (KernelGroup* maker : makers) {
      if (maker->is_merged_away || maker == kernel) continue;
      // The earlier of the two stays.
      if (!groups.TryMerge(maker, kernel, MergeGain::kTraffic)) continue;
      changed = true;
      if (kernel->is_merged_away) kernel = maker;
    }
  }
  return changed;
}

// The readers of one value.
bool MergeReaders(const Instruction* value, KernelGroups& groups) {
  bool changed = false;
  std::vector<KernelGroup*> open;
  for (KernelGroup* reader : groups.ReadersOf(value)) {
    bool taken = false;
    const size_t first = open.size() > kMaxOffers ? open.size() - kMaxOffers : 0;
    for (size_t i = open.size(); i-- > first && !taken;) {
      KernelGroup* other = open[i];
      if (reader->is_merged_away || other->is_merged_away) continue;
      taken = groups.TryMerge(other, reader, MergeGain::kTraffic);
      if (taken && other->is_merged_away) open[i] = reader;
    }
    if (!taken && !reader->is_merged_away) open.push_back(reader);
    changed |= taken;
  }
  return changed;
}

bool MergeAll(absl::Span<Instruction* const> order, KernelGroups& groups) {
  bool changed = MergeProducers(groups);
  for (const Instruction* value : order) {
    if (value->users().size() > 1 && value->shape().is_array() && !value->shape().is_scalar()) {
      changed |= MergeReaders(value, groups);
    }
  }
  return changed;
}

}  // namespace

StatusOr<bool> MultiOutputFusion::Run(ir::Module& module, PassContext& context) {
  SWAGE_RET_CHECK(context.device() != nullptr, "multi-output-fusion needs a device description");
  bool changed = false;
  steps_ = 0;
  for (ir::Computation* computation : module.ExecutedComputations()) {
    KernelGroups groups(computation, *context.device(), name(), context.fusion_decisions());
    const std::vector<Instruction*> order = computation->PostOrder();
    for (int round = 0; round < kMaxRounds; ++round) {
      groups.ForgetRefusals();
      if (!MergeAll(order, groups)) break;
    }
    steps_ += groups.steps();
    SWAGE_ASSIGN_OR_RETURN(const bool built, groups.Build());
    changed |= built;
  }
  return changed;
}

}  // namespace swage::passes
