#include "compiler/analysis/live_ranges.h"

#include <algorithm>
#include <utility>

#include "compiler/ir/bind_symbols.h"
#include "compiler/ir/decision_extent.h"

namespace swage::analysis {

using ir::Instruction;
using ir::Opcode;
using ir::Shape;
using ir::ShapeIndex;

bool IsAlias(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  return opcode == Opcode::kBitcast || opcode == Opcode::kReshape || opcode == Opcode::kTuple ||
         opcode == Opcode::kGetTupleElement || opcode == Opcode::kOptimizationBarrier;
}

StatusOr<LiveRanges> LiveRanges::Compute(const ir::Computation& computation,
                                         absl::Span<Instruction* const> order,
                                         const ir::SymbolBinding* sizes) {
  LiveRanges ranges;
  ranges.length_ = static_cast<int64_t>(order.size());
  ranges.of_.reserve(order.size());
  for (int64_t time = 0; time < ranges.length_; ++time) {
    const Instruction* instruction = order[time];
    const size_t known = ranges.values_.size();
    SWAGE_RETURN_IF_ERROR(ranges.Add(order[time], sizes));
    const bool is_given =
        instruction->opcode() == Opcode::kParameter || instruction->opcode() == Opcode::kConstant;
    for (size_t i = known; i < ranges.values_.size(); ++i) {
      ranges.values_[i].begin = is_given ? -1 : time;
      ranges.values_[i].end = ranges.values_[i].begin;
    }
    ranges.AddUses(instruction, time);
  }
  SWAGE_RET_CHECK(ranges.of_.contains(computation.root()), computation.name());
  for (ValueId id : ranges.ValuesOf(computation.root())) {
    ranges.values_[id].is_output = true;
    ranges.values_[id].end = ranges.length_;
  }
  return ranges;
}

Status LiveRanges::Add(Instruction* instruction, const ir::SymbolBinding* sizes) {
  for (const Instruction* operand : instruction->operands()) {
    SWAGE_RET_CHECK(of_.contains(operand), instruction->name(), " comes before its operand ",
                    operand->name());
  }
  Leaves leaves = {.first = static_cast<int64_t>(leaves_.size())};
  if (!IsAlias(*instruction)) {
    SWAGE_RETURN_IF_ERROR(AddValues(instruction, sizes));
  } else if (instruction->opcode() == Opcode::kTuple) {
    for (const Instruction* operand : instruction->operands()) {
      const Leaves from = of_.at(operand);
      for (int64_t i = 0; i < from.count; ++i) leaves_.push_back(leaves_[from.first + i]);
    }
  } else if (instruction->opcode() == Opcode::kGetTupleElement) {
    leaves.first = FirstLeaf(instruction->operand(0), instruction->tuple_index());
  } else {
    leaves.first = of_.at(instruction->operand(0)).first;
  }
  leaves.count = ir::LeafCount(instruction->shape());
  if (instruction->shape().is_tuple()) {
    leaves.offsets = static_cast<int64_t>(offsets_.size());
    int64_t offset = 0;
    for (const Shape& element : instruction->shape().tuple_shapes()) {
      offsets_.push_back(offset);
      offset += ir::LeafCount(element);
    }
  }
  of_[instruction] = leaves;
  return OkStatus();
}

namespace {

StatusOr<int64_t> BytesOf(Shape leaf, const ir::SymbolBinding* sizes) {
  if (leaf.is_static()) return leaf.ByteSize();
  if (sizes != nullptr) {
    SWAGE_ASSIGN_OR_RETURN(leaf, ir::SizedShape(std::move(leaf), *sizes));
  } else {
    for (int i = 0; i < leaf.rank(); ++i) leaf.set_dim(i, ir::DecisionExtent(leaf.dim(i)));
  }
  return leaf.ByteSize();
}

}  // namespace

Status LiveRanges::AddValues(const Instruction* instruction, const ir::SymbolBinding* sizes) {
  Status status;
  ir::ForEachLeaf(instruction->shape(), [&](const ShapeIndex& index, const Shape& leaf) {
    const StatusOr<int64_t> bytes = BytesOf(leaf, sizes);
    if (!bytes.ok()) {
      // An extent beyond 64 bits is a limit; anything else is passed on as it is.
      if (status.ok()) {
        status = leaf.is_static() ? ResourceExhausted("[buffer-assignment] ", instruction->name(),
                                                      ": ", bytes.status().message())
                                  : Annotate(bytes.status(), " (" + instruction->name() + ")");
      }
      return;
    }
    leaves_.push_back(static_cast<ValueId>(values_.size()));
    values_.push_back({.instruction = instruction, .index = index, .bytes = *bytes});
  });
  return status;
}

void LiveRanges::AddUses(const Instruction* instruction, int64_t time) {
  if (IsAlias(*instruction)) return;
  for (const Instruction* operand : instruction->operands()) {
    for (ValueId id : ValuesOf(operand)) values_[id].end = std::max(values_[id].end, time);
  }
}

int64_t LiveRanges::FirstLeaf(const Instruction* tuple, int64_t element) const {
  const Leaves& leaves = of_.at(tuple);
  return leaves.first + offsets_[leaves.offsets + element];
}

absl::Span<const ValueId> LiveRanges::ValuesOf(const Instruction* instruction) const {
  const Leaves& leaves = of_.at(instruction);
  return absl::MakeConstSpan(leaves_.data() + leaves.first, static_cast<size_t>(leaves.count));
}

ValueId LiveRanges::ValueAt(const Instruction* instruction, const ShapeIndex& leaf) const {
  if (leaf.empty()) {
    SWAGE_CHECK(!instruction->shape().is_tuple());
    return leaves_[of_.at(instruction).first];
  }
  const Shape* shape = &instruction->shape();
  SWAGE_CHECK(shape->is_tuple() && leaf[0] >= 0 && leaf[0] < shape->tuple_size());
  int64_t at = FirstLeaf(instruction, leaf[0]);
  shape = &shape->tuple_shape(static_cast<int>(leaf[0]));
  for (size_t depth = 1; depth < leaf.size(); ++depth) {
    SWAGE_CHECK(shape->is_tuple() && leaf[depth] >= 0 && leaf[depth] < shape->tuple_size());
    for (int64_t i = 0; i < leaf[depth]; ++i) {
      at += ir::LeafCount(shape->tuple_shape(static_cast<int>(i)));
    }
    shape = &shape->tuple_shape(static_cast<int>(leaf[depth]));
  }
  SWAGE_CHECK(!shape->is_tuple());
  return leaves_[at];
}

}  // namespace swage::analysis
