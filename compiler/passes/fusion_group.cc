#include "compiler/passes/fusion_group.h"

#include <algorithm>

namespace swage::passes {
namespace {

using ir::Instruction;
using ir::Opcode;

double BytesOf(const Instruction* value) {
  return static_cast<double>(cost::BytesClass(value->shape()));
}

bool SameIndex(const Instruction& user) {
  return ir::IsElementwise(user.opcode()) || user.opcode() == Opcode::kCopy ||
         user.opcode() == Opcode::kBitcastConvert;
}

// How the body computes `value`, which the instructions of `body` read. Elementwise readers that are
// indexed alike share one computation; every other reader asks for elements of its own.
BodyValue UseIn(const absl::flat_hash_map<Instruction*, BodyValue>& body, const Instruction* value) {
  BodyValue shared{0, 0, false}, use{0, 0, false};
  bool all_identity = true;
  for (Instruction* user : value->users()) {
    auto it = body.find(user);
    if (it == body.end()) continue;
    const BodyValue& at = it->second;
    if (SameIndex(*user)) {
      shared.utilisation = std::max(shared.utilisation, at.utilisation);
      shared.maps = std::max(shared.maps, at.maps);
      all_identity = all_identity && at.identity;
      continue;
    }
    // A bitcast keeps the order of elements, so an epilogue can still follow it.
    all_identity = all_identity && at.identity && IsFreeView(*user);
    for (int index : value->OperandIndices(user)) {
      use.utilisation += at.utilisation * cost::Utilisation(*user, index);
      use.maps += at.maps;
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

FusionGroups::FusionGroups(ir::Computation* computation, const cost::DeviceDescription& device)
    : device_(device), order_(computation->PostOrder()) {
  if (order_.empty()) return;
  int64_t last_id = order_.front()->id();
  first_id_ = last_id;
  for (const Instruction* instruction : order_) {
    first_id_ = std::min(first_id_, instruction->id());
    last_id = std::max(last_id, instruction->id());
  }
  rows_.resize(last_id - first_id_ + 1);
  for (Instruction* instruction : order_) {
    if (!IsFusible(*instruction)) continue;
    auto group = std::make_unique<Group>();
    group->root = instruction;
    group->body[instruction] = BodyValue{1, 1, true};
    group->cycles = cost::WorkOf(*instruction, device_).cycles;
    group->ir_ops = IrOpsOf(*instruction);
    if (IsHero(*instruction)) group->hero = instruction;
    RowOf(instruction).group = std::move(group);
  }
  for (Instruction* instruction : order_) {
    Group* group = GroupOf(instruction);
    if (group == nullptr) continue;
    for (int i = 0; i < instruction->operand_count(); ++i) {
      Instruction* operand = instruction->operand(i);
      if (IsInlineConstant(*operand)) continue;
      AddRead(*group, operand, cost::Utilisation(*instruction, i));
    }
    Retime(*group);
  }
}

Group* FusionGroups::GroupOf(const Instruction* instruction) const {
  return RowOf(instruction).group.get();
}

const std::vector<Group*>& FusionGroups::Readers(const Instruction* producer) const {
  return RowOf(producer).readers;
}

void FusionGroups::AddRead(Group& group, Instruction* value, double utilisation) {
  auto [it, fresh] = group.reads.try_emplace(value, 0.0);
  const double bytes = BytesOf(value);
  group.distinct_bytes -= std::min(1.0, it->second) * bytes;
  it->second += utilisation;
  group.distinct_bytes += std::min(1.0, it->second) * bytes;
  group.total_bytes += utilisation * bytes;
  if (fresh) RowOf(value).readers.push_back(&group);
}

void FusionGroups::Retime(Group& group) const {
  group.time = cost::ExecutionTime(group.cycles, {group.distinct_bytes, group.total_bytes},
                                   BytesOf(group.root), device_);
}

FusionGroups::Merged FusionGroups::Try(const Group& producer, const Group& consumer) const {
  Merged merged;
  merged.producer = UseIn(consumer.body, producer.root);
  const double times = merged.producer.utilisation;
  const double stored = consumer.reads.at(producer.root);
  const double producer_bytes = BytesOf(producer.root);
  merged.cycles = consumer.cycles + times * producer.cycles;
  merged.distinct_bytes = consumer.distinct_bytes - std::min(1.0, stored) * producer_bytes;
  merged.total_bytes = consumer.total_bytes - stored * producer_bytes + times * producer.total_bytes;
  merged.operands = static_cast<int64_t>(consumer.reads.size()) - 1;
  for (const auto& [value, utilisation] : producer.reads) {
    auto it = consumer.reads.find(value);
    const double before = it == consumer.reads.end() ? 0.0 : it->second;
    merged.distinct_bytes +=
        (std::min(1.0, before + times * utilisation) - std::min(1.0, before)) * BytesOf(value);
    if (it == consumer.reads.end()) ++merged.operands;
  }
  merged.ir_ops = consumer.ir_ops + merged.producer.maps * producer.ir_ops;
  merged.instructions = static_cast<int64_t>(consumer.body.size() + producer.body.size());
  merged.time = cost::ExecutionTime(merged.cycles, {merged.distinct_bytes, merged.total_bytes},
                                    BytesOf(consumer.root), device_);
  return merged;
}

void FusionGroups::Merge(Group* producer) {
  Instruction* const root = producer->root;
  const std::vector<Group*> readers = Readers(root);
  for (Group* consumer : readers) {
    const BodyValue use = UseIn(consumer->body, root);
    const double bytes = BytesOf(root);
    const double stored = consumer->reads.at(root);
    consumer->distinct_bytes -= std::min(1.0, stored) * bytes;
    consumer->total_bytes -= stored * bytes;
    consumer->reads.erase(root);
    consumer->cycles += use.utilisation * producer->cycles;
    consumer->ir_ops += use.maps * producer->ir_ops;
    if (producer->hero != nullptr) consumer->hero = producer->hero;
    for (const auto& [value, at] : producer->body) {
      BodyValue& into = consumer->body.try_emplace(value, BodyValue{0, 0, true}).first->second;
      into.utilisation += use.utilisation * at.utilisation;
      into.maps += use.maps * at.maps;
      into.identity = into.identity && use.identity && at.identity;
    }
    for (const auto& [value, utilisation] : producer->reads) {
      AddRead(*consumer, value, use.utilisation * utilisation);
    }
    Retime(*consumer);
  }
  for (const auto& [value, utilisation] : producer->reads) {
    auto& of_value = RowOf(value).readers;
    of_value.erase(std::remove(of_value.begin(), of_value.end(), producer), of_value.end());
  }
  RowOf(root) = Row();
}

std::vector<Group*> FusionGroups::Kernels() const {
  std::vector<Group*> kernels;
  for (Instruction* instruction : order_) {
    if (Group* group = GroupOf(instruction)) kernels.push_back(group);
  }
  return kernels;
}

}  // namespace swage::passes
