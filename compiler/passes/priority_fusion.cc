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
#include "compiler/passes/row_tiles.h"

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
        cost::LibraryDots library_dots, std::vector<FusionDecision>* decisions)
      : launch_(cost::LaunchTime(device)),
        tiles_(FindRowTiles(*computation, device)),
        groups_(computation, device, library_dots),
        states_(computation->slot_count()),
        decisions_(decisions) {}

  void Decide();
  StatusOr<bool> Build();

 private:
  // Of a producer, by slot.
  struct State {
    bool allowed = false;  // by CheckProducer, which no fusion changes
    int64_t version = 0;   // of its entry in the queue that counts; 0: none does
  };
  // A decision as it is made; it is put into words at the end.
  struct Made {
    const Instruction* producer;
    const Instruction* consumer;  // the only one; null: several
    Edge times;
    Picoseconds priority;
    bool fused;
  };
  struct Entry {
    Picoseconds priority;
    int64_t id;
    int64_t version;
    Instruction* producer;
    bool operator<(const Entry& other) const {
      return std::tie(priority, id) < std::tie(other.priority, other.id);
    }
  };

  State& StateOf(const Instruction* producer) { return states_[producer->slot()]; }
  // What fusing a producer into all of its readers would bring.
  Edge TimesOf(const Group& producer) const;
  static Picoseconds PriorityOf(const Group& producer, const Edge& times);

  // Both kernels of the edge are as they are now.
  void UpdateEdge(const Group& producer, Group* reader);
  // Puts the producer into the queue at its present priority; where it was queued before is void.
  void Requeue(Instruction* producer);
  void Accept(Instruction* producer);

  FusionDecision Describe(const Made& made) const;
  // Adds the veto in words, with the consumer that it is about.
  void DescribeVeto(const Group& producer, FusionDecision* decision) const;

  Picoseconds launch_;
  std::vector<std::vector<Instruction*>> tiles_;
  FusionGroups groups_;
  std::vector<State> states_;
  std::vector<FusionDecision>* decisions_;
  std::priority_queue<Entry> queue_;
  int64_t next_version_ = 0;
  std::vector<Made> made_;
};

Edge Fuser::TimesOf(const Group& producer) const {
  Edge times = groups_.ReadersOf(producer.root).sum();
  times.unfused += launch_ + producer.time;
  // Once for all readers: fused, it is no dot of the library's any more.
  times.fused += producer.library_saving;
  return times;
}

Picoseconds Fuser::PriorityOf(const Group& producer, const Edge& times) {
  return IsFree(producer) ? kInfinite : times.unfused - times.fused;
}

void Fuser::UpdateEdge(const Group& producer, Group* reader) {
  const FusionGroups::Merged merged = groups_.Try(producer, *reader);
  groups_.ReadersOf(producer.root)
      .Set(reader, {launch_ + reader->time, launch_ + merged.time,
                    CheckPair(producer, *reader, merged, /*explain=*/false).has_value()});
}

void Fuser::Requeue(Instruction* producer) {
  const Group* group = groups_.GroupOf(producer);
  if (group == nullptr) return;
  const Readers& readers = groups_.ReadersOf(producer);
  State& state = StateOf(producer);
  state.version = 0;
  if (!state.allowed || readers.size() == 0 || readers.sum().vetoed) return;
  if (CheckCopies(*group, readers.size(), /*explain=*/false).has_value()) return;
  const Picoseconds priority = PriorityOf(*group, TimesOf(*group));
  if (priority <= 0) return;
  state.version = ++next_version_;
  queue_.push({priority, producer->id(), state.version, producer});
}

void Fuser::Accept(Instruction* producer) {
  Group* group = groups_.GroupOf(producer);
  std::vector<Group*> readers;
  for (const auto& [reader, edge] : groups_.ReadersOf(producer).edges()) readers.push_back(reader);
  const Edge times = TimesOf(*group);
  made_.push_back({producer, readers.size() == 1 ? readers[0]->root : nullptr, times,
                   PriorityOf(*group, times), /*fused=*/true});
  StateOf(producer).version = 0;
  groups_.Merge(group);

  // Every edge at a changed kernel is new: from what it reads, and to what reads it.
  std::vector<Instruction*> again;
  for (Group* reader : readers) {
    again.push_back(reader->root);
    for (const auto& [value, utilisation] : reader->reads) {
      const Group* feeder = groups_.GroupOf(value);
      if (feeder == nullptr) continue;
      UpdateEdge(*feeder, reader);
      again.push_back(value);
    }
    std::vector<Group*> next;
    for (const auto& [to, edge] : groups_.ReadersOf(reader->root).edges()) next.push_back(to);
    for (Group* to : next) UpdateEdge(*reader, to);
  }
  std::sort(again.begin(), again.end(),
            [](const Instruction* a, const Instruction* b) { return a->id() < b->id(); });
  again.erase(std::unique(again.begin(), again.end()), again.end());
  for (Instruction* value : again) Requeue(value);
}

void Fuser::Decide() {
  for (Group* reader : groups_.Kernels()) {
    for (const auto& [value, utilisation] : reader->reads) {
      if (const Group* producer = groups_.GroupOf(value)) UpdateEdge(*producer, reader);
    }
  }
  // A tile is one kernel from the start: half of it would be slower than none.
  for (const std::vector<Instruction*>& tile : tiles_) {
    for (size_t i = tile.size() - 1; i-- > 0;) Accept(tile[i]);
  }
  for (const Group* group : groups_.Kernels()) {
    StateOf(group->root).allowed = !CheckProducer(*group, /*explain=*/false).has_value();
    Requeue(group->root);
  }
  while (!queue_.empty()) {
    const Entry best = queue_.top();
    queue_.pop();
    if (StateOf(best.producer).version == best.version) Accept(best.producer);
  }
  for (const Group* group : groups_.Kernels()) {
    const Edge times = TimesOf(*group);
    made_.push_back({group->root, nullptr, times, PriorityOf(*group, times), /*fused=*/false});
  }
  std::sort(made_.begin(), made_.end(),
            [](const Made& a, const Made& b) { return a.producer->id() < b.producer->id(); });
  decisions_->reserve(decisions_->size() + made_.size());
  for (const Made& made : made_) decisions_->push_back(Describe(made));
}

FusionDecision Fuser::Describe(const Made& made) const {
  FusionDecision decision{"priority-fusion", made.producer->name(),
                          made.consumer == nullptr ? "" : made.consumer->name()};
  decision.fused = made.fused;
  if (!made.fused) {
    DescribeVeto(*groups_.GroupOf(made.producer), &decision);
    if (!decision.rule.empty()) return decision;
    decision.reason = groups_.GroupOf(made.producer)->library_saving > 0
                          ? "not profitable: a library computes it faster"
                          : "not profitable";
  }
  decision.time_unfused = made.times.unfused;
  decision.time_fused = made.times.fused;
  decision.priority = made.priority;
  return decision;
}

void Fuser::DescribeVeto(const Group& producer, FusionDecision* decision) const {
  const Readers& readers = groups_.ReadersOf(producer.root);
  std::optional<Veto> veto = CheckProducer(producer, /*explain=*/true);
  if (!veto.has_value()) veto = CheckCopies(producer, readers.size(), /*explain=*/true);
  if (!veto.has_value() && readers.size() == 0) veto = Veto{"no-consumer", "no kernel reads it"};
  for (const auto& [reader, edge] : readers.edges()) {
    if (veto.has_value()) break;
    if (edge.vetoed || readers.size() == 1) decision->consumer = reader->root->name();
    if (edge.vetoed) veto = CheckPair(producer, *reader, groups_.Try(producer, *reader), true);
  }
  if (!veto.has_value()) return;
  decision->rule = veto->rule;
  decision->reason = std::move(veto->reason);
}

StatusOr<bool> Fuser::Build() {
  // What is fused moves to other slots, so the bodies are listed before.
  std::vector<std::vector<Instruction*>> bodies;
  for (const Group* group : groups_.Kernels()) {
    if (group->body.size() > 1) bodies.push_back(groups_.BodyOf(*group));
  }
  // Operands first: each reads the fusions that were made before.
  for (const std::vector<Instruction*>& body : bodies) SWAGE_RETURN_IF_ERROR(Fuse(body).status());
  return !bodies.empty();
}

}  // namespace

StatusOr<bool> PriorityFusion::Run(ir::Module& module, PassContext& context) {
  SWAGE_RET_CHECK(context.device() != nullptr, "priority-fusion needs a device description");
  bool changed = false;
  for (ir::Computation* computation : module.ExecutedComputations()) {
    Fuser fuser(computation, *context.device(), context.options().library_dots,
                context.fusion_decisions());
    fuser.Decide();
    SWAGE_ASSIGN_OR_RETURN(bool built, fuser.Build());
    changed = changed || built;
  }
  return changed;
}

}  // namespace swage::passes
