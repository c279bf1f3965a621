// Rewrites of dynamic-slice and dynamic-update-slice. Each op clamps its starts on its own, so two
// of them are never merged by adding starts.
#include <algorithm>

#include "compiler/passes/algebraic_simplifier/rewrite.h"
#include "compiler/passes/match.h"

namespace swage::passes {
namespace {

using ir::Dim;
using ir::Instruction;
using ir::InstructionList;
using ir::Literal;
using ir::Opcode;

bool AreEqual(Dim a, Dim b) { return ir::ProveEqual(a, b) == ir::Ternary::kYes; }

// Starts are operands 1 .. of dynamic-slice, 2 .. of dynamic-update-slice.
int FirstStart(const Instruction& i) { return IsOp(&i, Opcode::kDynamicSlice) ? 1 : 2; }

Dim WindowExtent(const Instruction& i, int d) {
  return IsOp(&i, Opcode::kDynamicSlice) ? i.shape().dim(d) : i.operand(1)->shape().dim(d);
}

bool CoversAll(const Instruction& i) {
  for (int d = 0; d < i.shape().rank(); ++d) {
    if (!AreEqual(WindowExtent(i, d), i.operand(0)->shape().dim(d))) return false;
  }
  return true;
}

Instruction* DynamicSliceAll(Instruction& i, Editor&) {
  return CoversAll(i) ? i.operand(0) : nullptr;
}

// Along a dimension that the window covers, the start is clamped to 0 whatever it is.
Instruction* StartsOfCovered(Instruction& i, Editor& editor) {
  InstructionList operands = i.operands();
  bool changed = false;
  const int first = FirstStart(i);
  for (int d = 0; d < i.shape().rank(); ++d) {
    Instruction*& start = operands[first + d];
    if (!AreEqual(WindowExtent(i, d), i.operand(0)->shape().dim(d)) || IsUniform(*start, 0.0)) {
      continue;
    }
    start = editor.Constant(Literal::Scalar(start->shape().dtype(), 0));
    changed = true;
  }
  return changed ? editor.AddLike(i, i.shape(), operands) : nullptr;
}

// The value of a constant start, clamped to [0, extent - window].
std::optional<int64_t> ClampedStart(const Instruction& start, Dim extent, Dim window) {
  const std::optional<int64_t> value = UniformInteger(start);
  const auto outer = extent.static_value(), inner = window.static_value();
  if (!value.has_value() || !outer.has_value() || !inner.has_value()) return std::nullopt;
  // A u64 beyond int64 is large, not negative.
  if (*value < 0 && ir::IsUnsigned(start.shape().dtype())) return *outer - *inner;
  return std::clamp<int64_t>(*value, 0, *outer - *inner);
}

Instruction* DynamicSliceConstant(Instruction& i, Editor& editor) {
  Instruction* x = i.operand(0);
  ir::SliceAttrs window;
  for (int d = 0; d < i.shape().rank(); ++d) {
    const bool covered = AreEqual(i.shape().dim(d), x->shape().dim(d));
    const auto start = ClampedStart(*i.operand(1 + d), x->shape().dim(d), i.shape().dim(d));
    if (!covered && !start.has_value()) return nullptr;
    const Dim begin = covered ? 0 : *start;
    window.starts.push_back(begin);
    window.limits.push_back(begin + i.shape().dim(d));
    window.strides.push_back(1);
  }
  return editor.Slice(x, std::move(window));
}

// The operand is sliced instead, along the dimensions that are its own.
Instruction* DynamicSliceBroadcast(Instruction& i, Editor& editor) {
  const Instruction* broadcast = i.operand(0);
  if (!IsOp(broadcast, Opcode::kBroadcast)) return nullptr;
  Instruction* x = broadcast->operand(0);
  if (!x->shape().is_scalar()) {
    InstructionList operands = {x};
    ir::DynamicSliceAttrs sizes;
    ir::Dims dims;
    for (int64_t d : broadcast->dimensions()) {
      operands.push_back(i.operand(static_cast<int>(1 + d)));
      dims.push_back(i.shape().dim(static_cast<int>(d)));
      sizes.sizes.push_back(dims.back());
    }
    x = editor.Add(Opcode::kDynamicSlice, ir::Shape::Array(i.shape().dtype(), dims), operands,
                   std::move(sizes));
  }
  return editor.Broadcast(x, i.shape().dims(), broadcast->dimensions());
}

// What was just written to the same place.
Instruction* DynamicSliceUpdated(Instruction& i, Editor&) {
  const Instruction* update = i.operand(0);
  if (!IsOp(update, Opcode::kDynamicUpdateSlice)) return nullptr;
  Instruction* written = update->operand(1);
  if (!ir::SameDims(written->shape(), i.shape())) return nullptr;
  for (int d = 0; d < i.shape().rank(); ++d) {
    if (update->operand(2 + d) != i.operand(1 + d)) return nullptr;
  }
  return written;
}

Instruction* UpdateAll(Instruction& i, Editor&) { return CoversAll(i) ? i.operand(1) : nullptr; }

Instruction* UpdateNothing(Instruction& i, Editor&) {
  return IsEmpty(i.operand(1)->shape()) ? i.operand(0) : nullptr;
}

constexpr auto kExact = RewriteClass::kExact;

constexpr Rewrite kRewrites[] = {
    {"dynamic-slice-all", Opcode::kDynamicSlice, kExact, &DynamicSliceAll},
    {"dynamic-slice-constant", Opcode::kDynamicSlice, kExact, &DynamicSliceConstant},
    {"dynamic-slice-broadcast", Opcode::kDynamicSlice, kExact, &DynamicSliceBroadcast},
    {"dynamic-slice-updated", Opcode::kDynamicSlice, kExact, &DynamicSliceUpdated},
    {"starts-of-covered", Opcode::kDynamicSlice, kExact, &StartsOfCovered},
    {"update-all", Opcode::kDynamicUpdateSlice, kExact, &UpdateAll},
    {"update-nothing", Opcode::kDynamicUpdateSlice, kExact, &UpdateNothing},
    {"starts-of-covered", Opcode::kDynamicUpdateSlice, kExact, &StartsOfCovered},
};

}  // namespace

std::span<const Rewrite> DynamicSliceRewrites() { return kRewrites; }

}  // namespace swage::passes
