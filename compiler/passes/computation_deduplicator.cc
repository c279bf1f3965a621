#include "compiler/passes/computation_deduplicator.h"

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "compiler/analysis/same_operation.h"

namespace swage::passes {
namespace {

using ir::Computation;
using ir::Instruction;

struct ComputationHash {
  size_t operator()(const Computation* computation) const {
    return analysis::HashComputation(*computation);
  }
};
struct ComputationEqual {
  bool operator()(const Computation* a, const Computation* b) const {
    return analysis::SameComputation(*a, *b);
  }
};

}  // namespace

StatusOr<bool> ComputationDeduplicator::Run(ir::Module& module, PassContext& context) {
  absl::flat_hash_set<Computation*, ComputationHash, ComputationEqual> seen;
  absl::flat_hash_map<Computation*, Computation*> twins;
  const std::vector<Computation*> order = module.ComputationPostOrder();
  for (Computation* computation : order) {
    // Callees were met before, so equal callers have the very same ones by now.
    for (Instruction* instruction : computation->Instructions()) {
      for (int i = 0; i < static_cast<int>(instruction->called().size()); ++i) {
        auto twin = twins.find(instruction->called(i));
        if (twin != twins.end()) instruction->set_called(i, twin->second);
      }
    }
    if (computation == module.entry() || computation->IsFusion()) continue;
    const auto [first, is_new] = seen.insert(computation);
    if (!is_new) twins[computation] = *first;
  }
  // Callers first, as RemoveComputation wants it.
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    if (twins.contains(*it)) SWAGE_RETURN_IF_ERROR(module.RemoveComputation(*it));
  }
  return !twins.empty();
}

}  // namespace swage::passes
