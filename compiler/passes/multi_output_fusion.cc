#include "compiler/passes/multi_output_fusion.h"

#include "compiler/passes/kernel_groups.h"

namespace swage::passes {
namespace {

using ir::Instruction;

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
    changed |= groups.OfferTo(&open, reader, MergeGain::kTraffic);
  }
  return changed;
}

bool MergeAll(KernelGroups& groups) {
  bool changed = MergeProducers(groups);
  for (const Instruction* value : groups.post_order()) {
    if (value->users().size() > 1 && value->shape().is_array() && !value->shape().is_scalar()) {
      changed |= MergeReaders(value, groups);
    }
  }
  return changed;
}

}  // namespace

StatusOr<bool> MultiOutputFusion::Run(ir::Module& module, PassContext& context) {
  steps_ = 0;
  return MergeInRounds(module, context, name(), MergeAll, &steps_);
}

}  // namespace swage::passes
