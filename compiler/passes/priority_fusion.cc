#include "compiler/passes/priority_fusion.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "compiler/cost/device_description.h"
#include "compiler/passes/fusion_builder.h"
#include "compiler/passes/fusion_group.h"
#include "compiler/passes/fusion_rules.h"

namespace swage::passes {
namespace {

using cost::Picoseconds;
using ir::Instruction;

constexpr Picoseconds kInfinite = std::numeric_limits<Picoseconds>::max();

// The queue and the decisions of one computation.
class Fuser {
 public:
  Fuser(ir::Computation* computation, const cost::DeviceDescription& device,
        std::vector<FusionDecision>* decisions)
      : computation_(computation),
        launch_(cost::LaunchTime(device)),
        groups_(computation, device),
        decisions_(decisions) {}

  void Decide() {
    for (Group* group : groups_.Kernels()) Update(group->root);
    while (!queue_.empty()) {
      auto best = std::prev(queue_.end());
      Instruction* producer = best->second.second;
      queue_.erase(best);
      Accept(producer);
    }
    for (auto& [producer, state] : states_) pending_.push_back({producer->id(), state.decision});
    std::sort(pending_.begin(), pending_.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [id, decision] : pending_) decisions_->push_back(std::move(decision));
  }

  StatusOr<bool> Build();

 private:
  using Key = std::pair<Picoseconds, std::pair<int64_t, Instruction*>>;
  struct State {
    bool queued = false;
    Picoseconds priority = 0;
    FusionDecision decision;  // the last one about this producer
  };

  // Computes the producer's priority or its veto again.
  void Update(Instruction* producer);
  void Accept(Instruction* producer);

  ir::Computation* computation_;
  Picoseconds launch_;
  FusionGroups groups_;
  std::vector<FusionDecision>* decisions_;
  std::set<Key> queue_;
  absl::flat_hash_map<Instruction*, State> states_;
  std::vector<std::pair<int64_t, FusionDecision>> pending_;
};

void Fuser::Update(Instruction* producer) {
  Group* group = groups_.GroupOf(producer);
  if (group == nullptr) return;
  const std::vector<Group*>& readers = groups_.Readers(producer);
  State& state = states_[producer];
  if (state.queued) queue_.erase({state.priority, {producer->id(), producer}});
  state.queued = false;
  state.decision = FusionDecision{"priority-fusion", producer->name(), ""};
  FusionDecision& decision = state.decision;

  auto refuse = [&](const Veto& veto, std::string consumer) {
    decision.consumer = std::move(consumer);
    decision.rule = veto.rule;
    decision.reason = veto.reason;
  };
  if (auto veto = CheckProducer(*group, readers.size())) return refuse(*veto, "");
  if (readers.empty()) return refuse({"no-consumer", "nothing reads it"}, "");
  if (readers.size() == 1) decision.consumer = readers[0]->root->name();
  Picoseconds unfused = launch_ + group->time, fused = 0;
  for (const Group* reader : readers) {
    const FusionGroups::Merged merged = groups_.Try(*group, *reader);
    if (auto veto = CheckPair(*group, *reader, merged)) return refuse(*veto, reader->root->name());
    unfused += launch_ + reader->time;
    fused += launch_ + merged.time;
  }
  decision.time_unfused = unfused;
  decision.time_fused = fused;
  decision.priority = IsFreeView(*producer) ? kInfinite : unfused - fused;
  if (decision.priority <= 0) {
    decision.reason = "not profitable";
    return;
  }
  state.queued = true;
  state.priority = decision.priority;
  queue_.insert({state.priority, {producer->id(), producer}});
}

void Fuser::Accept(Instruction* producer) {
  State state = std::move(states_[producer]);
  states_.erase(producer);
  state.decision.fused = true;
  pending_.push_back({producer->id(), std::move(state.decision)});

  // Whoever feeds a changed kernel, and the changed kernels themselves, are looked at again.
  std::set<std::pair<int64_t, Instruction*>> again;
  const std::vector<Group*> readers = groups_.Readers(producer);
  groups_.Merge(groups_.GroupOf(producer));
  for (const Group* reader : readers) {
    again.insert({reader->root->id(), reader->root});
    for (const auto& [value, utilisation] : reader->reads) again.insert({value->id(), value});
  }
  for (const auto& [id, value] : again) Update(value);
}

StatusOr<bool> Fuser::Build() {
  absl::flat_hash_map<const Instruction*, int64_t> position;
  int64_t next = 0;
  for (Instruction* instruction : computation_->PostOrder()) position[instruction] = next++;

  std::vector<std::pair<Instruction*, Instruction*>> built;  // old root, fusion
  for (const Group* group : groups_.Kernels()) {
    if (group->body.size() == 1) continue;
    std::vector<Instruction*> body;
    for (const auto& [value, at] : group->body) body.push_back(value);
    std::sort(body.begin(), body.end(), [&](const Instruction* a, const Instruction* b) {
      return position[a] < position[b];
    });
    built.emplace_back(group->root, BuildFusion(body));
  }
  // All fusions read old values until here; now each takes the place of its root, users first, so
  // that what it made dead goes with it.
  for (auto it = built.rbegin(); it != built.rend(); ++it) {
    SWAGE_RETURN_IF_ERROR(computation_->Replace(it->first, it->second));
  }
  return !built.empty();
}

}  // namespace

StatusOr<bool> PriorityFusion::Run(ir::Module& module, PassContext& context) {
  SWAGE_RET_CHECK(context.device() != nullptr, "priority-fusion needs a device description");
  bool changed = false;
  for (ir::Computation* computation : module.ExecutedComputations()) {
    Fuser fuser(computation, *context.device(), context.fusion_decisions());
    fuser.Decide();
    SWAGE_ASSIGN_OR_RETURN(bool built, fuser.Build());
    changed = changed || built;
  }
  return changed;
}

}  // namespace swage::passes
