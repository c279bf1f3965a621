#include "compiler/passes/fusion_group.h"

#include <algorithm>

namespace swage::passes {
namespace {

using ir::Instruction;
using ir::Opcode;

bool SameIndex(const Instruction& user) {
  return ir::IsElementwise(user.opcode()) || user.opcode() == Opcode::kCopy ||
         user.opcode() == Opcode::kBitcastConvert;
}

// How the body computes `value`, which the instructions of `body` read. Elementwise readers that
// are indexed alike share one computation; every other reader asks for elements of its own.
BodyValue UseIn(const SmallMap<Instruction*, BodyValue>& body, const Instruction* value,
                const cost::DeviceDescription& device) {
  BodyValue shared{0, 0, false}, use{0, 0, false};
  bool all_identity = true;
  const auto count = [&](const Instruction& user, const BodyValue& at) {
    if (SameIndex(user)) {
      shared.utilisation = std::max(shared.utilisation, at.utilisation);
      shared.maps = std::max(shared.maps, at.maps);
      all_identity = all_identity && at.identity;
      return;
    }
    // A bitcast keeps the order of elements, so an epilogue can still follow it.
    all_identity = all_identity && at.identity && IsFreeView(user);
    for (int i = 0; i < user.operand_count(); ++i) {
      if (user.operand(i) != value) continue;
      use.utilisation += at.utilisation * cost::Utilisation(user, i, device);
      use.maps += at.maps;
    }
  };
  // Whichever are fewer: some values have very many users, some bodies are large.
  if (value->users().size() <= body.size()) {
    for (Instruction* user : value->users()) {
      if (const BodyValue* at = body.Find(user)) count(*user, *at);
    }
  } else {
    for (const auto& [user, at] : body) {
      const auto& operands = user->operands();
      if (std::find(operands.begin(), operands.end(), value) != operands.end()) count(*user, at);
    }
  }
  use.utilisation += shared.utilisation;
  use.maps += shared.maps;
  use.identity = all_identity;
  return use;
}

bool IsHero(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kReduce || instruction.opcode() == Opcode::kDot;
}

bool IsExpensive(const Instruction& instruction) {
  const ir::CostClass cost = ir::InfoOf(instruction.opcode()).cost;
  return cost == ir::CostClass::kTranscendental || cost == ir::CostClass::kReduce ||
         cost == ir::CostClass::kDot;
}

}  // namespace

bool IsInlineConstant(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kConstant && instruction.shape().is_scalar();
}

bool IsFreeView(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kBitcast || instruction.opcode() == Opcode::kReshape;
}

bool IsFusible(const Instruction& instruction) {
  if (!instruction.shape().is_array()) return instruction.opcode() == Opcode::kReduce;
  if (!ir::InfoOf(instruction.opcode()).emitted) return false;
  if (ir::IsElementwise(instruction.opcode())) return true;
  switch (instruction.opcode()) {
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kCopy:
    case Opcode::kDot:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kGather:
    case Opcode::kIota:
    case Opcode::kPad:
    case Opcode::kReduce:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
      return true;
    default:
      return false;
  }
}

int64_t IrOpsOf(const Instruction& instruction) {
  switch (ir::InfoOf(instruction.opcode()).cost) {
    case ir::CostClass::kFree:
    case ir::CostClass::kCall:
      return 0;
    case ir::CostClass::kCheap:
    case ir::CostClass::kDivision:
      return ir::IsSmallFloat(instruction.shape().is_array() ? instruction.shape().dtype()
                                                             : ir::DType::kF32)
                 ? 12
                 : 2;
    case ir::CostClass::kTranscendental:
      return 40;
    case ir::CostClass::kMemory:
      return 8 + 4 * instruction.operand_count();
    case ir::CostClass::kReduce:
    case ir::CostClass::kDot:
      return 100;
  }
  return 1;
}

void Readers::Count(const Edge& edge, int sign) {
  sum_.unfused += sign * edge.unfused;
  sum_.fused += sign * edge.fused;
  vetoes_ += sign * static_cast<int>(edge.vetoed);
  sum_.vetoed = vetoes_ > 0;
}

void Readers::Set(Group* reader, const Edge& edge) {
  Edge* known = edges_.Find(reader);
  Count(*known, -1);
  *known = edge;
  Count(edge, 1);
}

void Readers::Remove(Group* reader) {
  Count(*edges_.Find(reader), -1);
  edges_.Erase(reader);
}

FusionGroups::FusionGroups(ir::Computation* computation, const cost::DeviceDescription& device,
                           cost::LibraryDots library_dots)
    : device_(device), order_(computation->PostOrder()), rows_(computation->slot_count()) {
  groups_.reserve(order_.size());
  for (size_t i = 0; i < order_.size(); ++i) {
    Instruction* instruction = order_[i];
    Row& row = rows_[instruction->slot()];
    row.position = static_cast<int64_t>(i);
    row.bytes = static_cast<double>(cost::BytesClass(instruction->shape()));
    if (!IsFusible(*instruction)) continue;
    Group& group = groups_.emplace_back();
    group.root = instruction;
    group.body.Insert(instruction, BodyValue{1, 1, true});
    group.cycles = cost::WorkOf(*instruction, device_).cycles;
    group.ir_ops = IrOpsOf(*instruction);
    group.expensive = IsExpensive(*instruction);
    group.library = cost::IsLibraryDot(*instruction, device_);
    if (device_.dot_library && instruction->opcode() == Opcode::kDot) {
      if (const auto sizes = cost::SizesOf(*instruction)) {
        group.library_saving =
            std::max<cost::Picoseconds>(0, cost::LibrarySaving(*sizes, device_, library_dots));
      }
    }
    if (IsHero(*instruction)) group.hero = instruction;
    row.group = &group;
  }
  for (Group& group : groups_) {
    for (int i = 0; i < group.root->operand_count(); ++i) {
      Instruction* operand = group.root->operand(i);
      if (IsInlineConstant(*operand)) continue;
      AddRead(group, operand, cost::Utilisation(*group.root, i, device_));
    }
    Retime(group);
  }
}

void FusionGroups::AddRead(Group& group, Instruction* value, double utilisation) {
  const auto [total, is_new] = group.reads.Insert(value, 0.0);
  const double bytes = BytesOf(value);
  group.distinct_bytes -= std::min(1.0, *total) * bytes;
  *total += utilisation;
  group.distinct_bytes += std::min(1.0, *total) * bytes;
  group.total_bytes += utilisation * bytes;
  if (is_new) ReadersOf(value).Add(&group);
}

void FusionGroups::Retime(Group& group) const {
  group.time = cost::ExecutionTime(group.cycles, {group.distinct_bytes, group.total_bytes},
                                   BytesOf(group.root), device_,
                                   cost::ParallelElements(*group.root, group.hero));
}

FusionGroups::Merged FusionGroups::Try(const Group& producer, const Group& consumer) const {
  Merged merged;
  merged.producer = UseIn(consumer.body, producer.root, device_);
  const double times = merged.producer.utilisation;
  const double stored = *consumer.reads.Find(producer.root);
  const double producer_bytes = BytesOf(producer.root);
  merged.cycles = consumer.cycles + times * producer.cycles;
  merged.distinct_bytes = consumer.distinct_bytes - std::min(1.0, stored) * producer_bytes;
  merged.total_bytes =
      consumer.total_bytes - stored * producer_bytes + times * producer.total_bytes;
  merged.operands = static_cast<int64_t>(consumer.reads.size()) - 1;
  for (const auto& [value, utilisation] : producer.reads) {
    const double* before = consumer.reads.Find(value);
    const double known = before == nullptr ? 0.0 : *before;
    merged.distinct_bytes +=
        (std::min(1.0, known + times * utilisation) - std::min(1.0, known)) * BytesOf(value);
    if (before == nullptr) ++merged.operands;
  }
  merged.ir_ops = consumer.ir_ops + merged.producer.maps * producer.ir_ops;
  merged.instructions = static_cast<int64_t>(consumer.body.size() + producer.body.size());
  const Instruction* hero = producer.hero != nullptr ? producer.hero : consumer.hero;
  merged.time = cost::ExecutionTime(merged.cycles, {merged.distinct_bytes, merged.total_bytes},
                                    BytesOf(consumer.root), device_,
                                    cost::ParallelElements(*consumer.root, hero));
  return merged;
}

void FusionGroups::Merge(Group* producer) {
  Instruction* const root = producer->root;
  const double bytes = BytesOf(root);
  for (const auto& [consumer, edge] : ReadersOf(root).edges()) {
    const BodyValue use = UseIn(consumer->body, root, device_);
    const double stored = *consumer->reads.Find(root);
    consumer->distinct_bytes -= std::min(1.0, stored) * bytes;
    consumer->total_bytes -= stored * bytes;
    consumer->reads.Erase(root);
    consumer->cycles += use.utilisation * producer->cycles;
    consumer->ir_ops += use.maps * producer->ir_ops;
    consumer->expensive |= producer->expensive;
    if (producer->hero != nullptr) consumer->hero = producer->hero;
    for (const auto& [value, at] : producer->body) {
      BodyValue& into = *consumer->body.Insert(value, BodyValue{0, 0, true}).first;
      into.utilisation += use.utilisation * at.utilisation;
      into.maps += use.maps * at.maps;
      into.identity = into.identity && use.identity && at.identity;
    }
    for (const auto& [value, utilisation] : producer->reads) {
      AddRead(*consumer, value, use.utilisation * utilisation);
    }
    Retime(*consumer);
  }
  for (const auto& [value, utilisation] : producer->reads) ReadersOf(value).Remove(producer);
  rows_[root->slot()].group = nullptr;
  ReadersOf(root) = Readers();
  *producer = Group();
}

std::vector<Group*> FusionGroups::Kernels() const {
  std::vector<Group*> kernels;
  for (const Instruction* instruction : order_) {
    if (Group* group = GroupOf(instruction)) kernels.push_back(group);
  }
  return kernels;
}

std::vector<Instruction*> FusionGroups::BodyOf(const Group& group) const {
  std::vector<Instruction*> body;
  for (const auto& [value, at] : group.body) body.push_back(value);
  std::sort(body.begin(), body.end(), [&](const Instruction* a, const Instruction* b) {
    return rows_[a->slot()].position < rows_[b->slot()].position;
  });
  return body;
}

}  // namespace swage::passes
