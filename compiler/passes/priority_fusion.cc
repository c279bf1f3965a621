#include "compiler/passes/priority_fusion.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <queue>
#include <tuple>
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

// Costs nothing where it is read: a view of memory, or a number spread over an array.
bool IsFree(const Group& producer) {
  if (IsFreeView(*producer.root)) return true;
  return producer.root->opcode() == ir::Opcode::kBroadcast && producer.reads.empty();
}

// The queue and the decisions of one computation.
class Fuser {
 public:
  Fuser(ir::Computation* computation, const cost::DeviceDescription& device,
        std::vector<FusionDecision>* decisions)
      : computation_(computation),
        launch_(cost::LaunchTime(device)),
        groups_(computation, device),
        decisions_(decisions) {}

  void Decide();
  StatusOr<bool> Build();

 private:
  // What fusing a producer into all of its consumers would bring.
  struct Gain {
    Picoseconds unfused = 0, fused = 0;
    Picoseconds priority = 0;             // not positive: leave it
    const Instruction* consumer = nullptr;  // the only one, or the one that a veto is about
    std::optional<Veto> veto;
  };
  Gain GainOf(const Group& producer, bool explain) const;
  FusionDecision DecisionOf(const Instruction& producer, const Gain& gain, bool fused) const;

  // Puts the producer into the queue at its present gain; what it was queued at before is void.
  void Update(Instruction* producer);
  void Accept(Instruction* producer);

  struct Entry {
    Picoseconds priority;
    int64_t id;
    int64_t version;
    Instruction* producer;
    bool operator<(const Entry& other) const {
      return std::tie(priority, id) < std::tie(other.priority, other.id);
    }
  };

  ir::Computation* computation_;
  Picoseconds launch_;
  FusionGroups groups_;
  std::vector<FusionDecision>* decisions_;
  std::priority_queue<Entry> queue_;
  absl::flat_hash_map<const Instruction*, int64_t> versions_;  // of the entry that counts
  int64_t next_version_ = 0;
  std::vector<std::pair<int64_t, FusionDecision>> made_;       // by the producer's id
};

Fuser::Gain Fuser::GainOf(const Group& producer, bool explain) const {
  Gain gain;
  const std::vector<Group*>& readers = groups_.Readers(producer.root);
  gain.veto = CheckProducer(producer, readers.size(), explain);
  if (!gain.veto.has_value() && readers.empty()) {
    gain.veto = Veto{"no-consumer", explain ? "no kernel reads it" : ""};
  }
  if (gain.veto.has_value()) return gain;
  gain.unfused = launch_ + producer.time;
  for (const Group* reader : readers) {
    const FusionGroups::Merged merged = groups_.Try(producer, *reader);
    gain.consumer = reader->root;
    gain.veto = CheckPair(producer, *reader, merged, explain);
    if (gain.veto.has_value()) return gain;
    gain.unfused += launch_ + reader->time;
    gain.fused += launch_ + merged.time;
  }
  if (readers.size() > 1) gain.consumer = nullptr;
  gain.priority = IsFree(producer) ? kInfinite : gain.unfused - gain.fused;
  return gain;
}

FusionDecision Fuser::DecisionOf(const Instruction& producer, const Gain& gain, bool fused) const {
  FusionDecision decision{"priority-fusion", producer.name(),
                          gain.consumer == nullptr ? "" : gain.consumer->name()};
  decision.fused = fused;
  if (gain.veto.has_value()) {
    decision.rule = gain.veto->rule;
    decision.reason = gain.veto->reason;
    return decision;
  }
  decision.time_unfused = gain.unfused;
  decision.time_fused = gain.fused;
  decision.priority = gain.priority;
  if (!fused) decision.reason = "not profitable";
  return decision;
}

void Fuser::Decide() {
  for (const Group* group : groups_.Kernels()) Update(group->root);
  while (!queue_.empty()) {
    const Entry best = queue_.top();
    queue_.pop();
    auto it = versions_.find(best.producer);
    if (it != versions_.end() && it->second == best.version) Accept(best.producer);
  }
  for (const Group* group : groups_.Kernels()) {
    made_.push_back({group->root->id(), DecisionOf(*group->root, GainOf(*group, true), false)});
  }
  std::sort(made_.begin(), made_.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [id, decision] : made_) decisions_->push_back(std::move(decision));
}

void Fuser::Update(Instruction* producer) {
  const Group* group = groups_.GroupOf(producer);
  if (group == nullptr) return;
  const Gain gain = GainOf(*group, false);
  if (gain.veto.has_value() || gain.priority <= 0) {
    versions_.erase(producer);
    return;
  }
  versions_[producer] = ++next_version_;
  queue_.push({gain.priority, producer->id(), next_version_, producer});
}

void Fuser::Accept(Instruction* producer) {
  Group* group = groups_.GroupOf(producer);
  made_.push_back({producer->id(), DecisionOf(*producer, GainOf(*group, false), true)});
  versions_.erase(producer);

  // Whoever feeds a changed kernel, and the changed kernels themselves, are looked at again.
  const std::vector<Group*> readers = groups_.Readers(producer);
  groups_.Merge(group);
  std::vector<Instruction*> again;
  for (const Group* reader : readers) {
    again.push_back(reader->root);
    for (const auto& [value, utilisation] : reader->reads) again.push_back(value);
  }
  std::sort(again.begin(), again.end(),
            [](const Instruction* a, const Instruction* b) { return a->id() < b->id(); });
  again.erase(std::unique(again.begin(), again.end()), again.end());
  for (Instruction* value : again) Update(value);
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
