// Rewrites of reduce. The dimensions that are reduced define the tree of the reduction, so none of
// these moves, merges or splits them.
#include <algorithm>

#include "compiler/passes/algebraic_simplifier/rewrite.h"
#include "compiler/passes/combiner_match.h"
#include "compiler/passes/match.h"

namespace swage::passes {
namespace {

using ir::Dim;
using ir::Instruction;
using ir::Opcode;

// A reduce of one array whose combiner is one op.
std::optional<Opcode> SimpleReduce(const Instruction& i) {
  return i.operand_count() == 2 ? CombinerOp(*i.to_apply()) : std::nullopt;
}

// Along a dimension of extent 0 there is nothing but the initial value.
Instruction* ReduceEmpty(Instruction& i, Editor& editor) {
  if (i.operand_count() != 2) return nullptr;
  const ir::Shape& shape = i.operand(0)->shape();
  const bool empty = std::any_of(i.dimensions().begin(), i.dimensions().end(), [&](int64_t d) {
    return shape.dim(static_cast<int>(d)) == Dim(0);
  });
  return empty ? editor.Fill(i.operand(1), i.shape().dims()) : nullptr;
}

// One value per result: it meets the initial value once.
Instruction* ReduceUnits(Instruction& i, Editor& editor) {
  const std::optional<Opcode> op = SimpleReduce(i);
  if (!op.has_value()) return nullptr;
  Instruction* x = i.operand(0);
  for (int64_t d : i.dimensions()) {
    if (x->shape().dim(static_cast<int>(d)) != Dim(1)) return nullptr;
  }
  return editor.Binary(*op, editor.Fill(i.operand(1), i.shape().dims()),
                       editor.Reshape(x, i.shape().dims()));
}

// Of one scalar repeated, where it does not matter how often.
Instruction* ReduceFill(Instruction& i, Editor& editor) {
  const std::optional<Opcode> op = SimpleReduce(i);
  const Instruction* fill = i.operand(0);
  if (!op.has_value() || !IsOp(fill, Opcode::kBroadcast) ||
      !fill->operand(0)->shape().is_scalar() || !IsIdempotent(*op, i.shape().dtype())) {
    return nullptr;
  }
  for (int64_t d : i.dimensions()) {
    if (fill->shape().dim(static_cast<int>(d)).lower_bound() < 1) return nullptr;
  }
  return editor.Fill(editor.Binary(*op, i.operand(1), fill->operand(0)), i.shape().dims());
}

// The sum of one integer repeated is a product.
Instruction* SumFill(Instruction& i, Editor& editor) {
  const Instruction* fill = i.operand(0);
  if (SimpleReduce(i) != Opcode::kAdd || !ir::IsInteger(i.shape().dtype()) ||
      !IsOp(fill, Opcode::kBroadcast) || !fill->operand(0)->shape().is_scalar()) {
    return nullptr;
  }
  uint64_t count = 1;
  for (int64_t d : i.dimensions()) {
    const auto extent = fill->shape().dim(static_cast<int>(d)).static_value();
    if (!extent.has_value()) return nullptr;
    count *= static_cast<uint64_t>(*extent);  // wraps as the sum does
  }
  Instruction* times =
      editor.Constant(ir::Literal::Scalar(i.shape().dtype(), static_cast<int64_t>(count)));
  Instruction* product = editor.Binary(Opcode::kMultiply, fill->operand(0), times);
  return editor.Fill(editor.Binary(Opcode::kAdd, i.operand(1), product), i.shape().dims());
}

constexpr auto kExact = RewriteClass::kExact;
constexpr auto kNan = RewriteClass::kExactUpToNan;

constexpr Rewrite kRewrites[] = {
    {"reduce-empty", Opcode::kReduce, kExact, &ReduceEmpty},
    {"reduce-units", Opcode::kReduce, kNan, &ReduceUnits},
    {"reduce-fill", Opcode::kReduce, kNan, &ReduceFill},
    {"sum-fill", Opcode::kReduce, kExact, &SumFill},
};

}  // namespace

std::span<const Rewrite> ReduceRewrites() { return kRewrites; }

}  // namespace swage::passes
