// Rewrites of broadcast, reverse and iota.
#include <algorithm>

#include "compiler/ir/reshape_groups.h"
#include "compiler/passes/algebraic_simplifier/rewrite.h"
#include "compiler/passes/match.h"

namespace swage::passes {
namespace {

using ir::Dim;
using ir::DimList;
using ir::Instruction;
using ir::Opcode;

// Every dimension of the result is one of the operand: nothing is repeated.
Instruction* BroadcastPermutes(Instruction& i, Editor& editor) {
  Instruction* x = i.operand(0);
  if (x->shape().rank() != i.shape().rank()) return nullptr;
  DimList permutation(i.dimensions().size());
  for (size_t d = 0; d < permutation.size(); ++d) {
    permutation[i.dimensions()[d]] = static_cast<int64_t>(d);
  }
  return editor.Transpose(x, permutation);
}

Instruction* BroadcastTwice(Instruction& i, Editor& editor) {
  const Instruction* inner = i.operand(0);
  if (!IsOp(inner, Opcode::kBroadcast)) return nullptr;
  DimList composed;
  for (int64_t d : inner->dimensions()) composed.push_back(i.dimensions()[d]);
  return editor.Broadcast(inner->operand(0), i.shape().dims(), composed);
}

// Adds nothing but dimensions of extent 1.
Instruction* BroadcastOnlyUnits(Instruction& i, Editor& editor) {
  if (!std::is_sorted(i.dimensions().begin(), i.dimensions().end())) return nullptr;
  Instruction* x = i.operand(0);
  if (ir::NonUnitDimsOf(i.shape().dims()).numbers.size() !=
      ir::NonUnitDimsOf(x->shape().dims()).numbers.size()) {
    return nullptr;
  }
  return editor.Reshape(x, i.shape().dims());
}

// Drops the operand's dimensions of extent 1.
Instruction* BroadcastUnits(Instruction& i, Editor& editor) {
  Instruction* x = i.operand(0);
  const ir::NonUnitDims kept = ir::NonUnitDimsOf(x->shape().dims());
  if (kept.numbers.size() == i.dimensions().size()) return nullptr;
  DimList dimensions;
  for (int64_t d : kept.numbers) dimensions.push_back(i.dimensions()[d]);
  return editor.Broadcast(editor.Reshape(x, kept.dims), i.shape().dims(), dimensions);
}

Instruction* BroadcastIota(Instruction& i, Editor& editor) {
  const Instruction* iota = i.operand(0);
  if (!IsOp(iota, Opcode::kIota)) return nullptr;
  const int64_t dimension = i.dimensions()[iota->attrs<ir::IotaAttrs>().dimension];
  return editor.Add(Opcode::kIota, i.shape(), {}, ir::IotaAttrs{dimension});
}

Instruction* IotaUnit(Instruction& i, Editor& editor) {
  const int dimension = static_cast<int>(i.attrs<ir::IotaAttrs>().dimension);
  if (i.shape().dim(dimension) != Dim(1)) return nullptr;
  return editor.Fill(ir::Literal::Scalar(i.shape().dtype(), 0), i.shape().dims());
}

// Dimensions along which there is nothing to reverse.
Instruction* ReverseUnits(Instruction& i, Editor& editor) {
  Instruction* x = i.operand(0);
  DimList kept;
  for (int64_t d : i.dimensions()) {
    if (x->shape().dim(static_cast<int>(d)) != Dim(1)) kept.push_back(d);
  }
  if (kept.empty()) return x;
  if (kept.size() == i.dimensions().size()) return nullptr;
  return editor.Add(Opcode::kReverse, i.shape(), {x}, ir::DimensionsAttrs{kept});
}

Instruction* ReverseTwice(Instruction& i, Editor& editor) {
  const Instruction* inner = i.operand(0);
  if (!IsOp(inner, Opcode::kReverse)) return nullptr;
  DimList once;
  for (int64_t d = 0; d < i.shape().rank(); ++d) {
    const bool outer_has = std::count(i.dimensions().begin(), i.dimensions().end(), d) > 0;
    const bool inner_has =
        std::count(inner->dimensions().begin(), inner->dimensions().end(), d) > 0;
    if (outer_has != inner_has) once.push_back(d);
  }
  if (once.empty()) return inner->operand(0);
  return editor.Add(Opcode::kReverse, i.shape(), {inner->operand(0)}, ir::DimensionsAttrs{once});
}

// Along repeated dimensions all elements are equal; along others the operand is reversed.
Instruction* ReverseBroadcast(Instruction& i, Editor& editor) {
  const Instruction* broadcast = i.operand(0);
  if (!IsOp(broadcast, Opcode::kBroadcast)) return nullptr;
  Instruction* x = broadcast->operand(0);
  DimList reversed;
  for (size_t d = 0; d < broadcast->dimensions().size(); ++d) {
    if (std::count(i.dimensions().begin(), i.dimensions().end(), broadcast->dimensions()[d]) > 0) {
      reversed.push_back(static_cast<int64_t>(d));
    }
  }
  if (!reversed.empty()) {
    x = editor.Add(Opcode::kReverse, x->shape(), {x}, ir::DimensionsAttrs{reversed});
  }
  return editor.Broadcast(x, i.shape().dims(), broadcast->dimensions());
}

constexpr auto kExact = RewriteClass::kExact;

constexpr Rewrite kRewrites[] = {
    {"broadcast-permutes", Opcode::kBroadcast, kExact, &BroadcastPermutes},
    {"broadcast-twice", Opcode::kBroadcast, kExact, &BroadcastTwice},
    {"broadcast-only-units", Opcode::kBroadcast, kExact, &BroadcastOnlyUnits},
    {"broadcast-units", Opcode::kBroadcast, kExact, &BroadcastUnits},
    {"broadcast-iota", Opcode::kBroadcast, kExact, &BroadcastIota},
    {"iota-unit", Opcode::kIota, kExact, &IotaUnit},
    {"reverse-units", Opcode::kReverse, kExact, &ReverseUnits},
    {"reverse-twice", Opcode::kReverse, kExact, &ReverseTwice},
    {"reverse-broadcast", Opcode::kReverse, kExact, &ReverseBroadcast},
};

}  // namespace

std::span<const Rewrite> BroadcastRewrites() { return kRewrites; }

}  // namespace swage::passes
