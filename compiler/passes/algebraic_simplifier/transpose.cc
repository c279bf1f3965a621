// Rewrites of transpose.
#include <algorithm>

#include "compiler/passes/algebraic_simplifier/rewrite.h"
#include "compiler/passes/match.h"

namespace swage::passes {
namespace {

using ir::Dim;
using ir::DimList;
using ir::Instruction;
using ir::Opcode;

Instruction* TransposeNothing(Instruction& i, Editor&) {
  const DimList& permutation = i.dimensions();
  return std::is_sorted(permutation.begin(), permutation.end()) ? i.operand(0) : nullptr;
}

Instruction* TransposeTwice(Instruction& i, Editor& editor) {
  const Instruction* inner = i.operand(0);
  if (!IsOp(inner, Opcode::kTranspose)) return nullptr;
  DimList composed;
  for (int64_t d : i.dimensions()) composed.push_back(inner->dimensions()[d]);
  return editor.Transpose(inner->operand(0), composed);
}

// Moves only dimensions of extent 1.
Instruction* TransposeOnlyUnits(Instruction& i, Editor& editor) {
  Instruction* x = i.operand(0);
  int64_t last = -1;
  for (int64_t d : i.dimensions()) {
    if (x->shape().dim(static_cast<int>(d)) == Dim(1)) continue;
    if (d < last) return nullptr;
    last = d;
  }
  return editor.Reshape(x, i.shape().dims());
}

// The operand is permuted instead, which is smaller; the broadcast's dimensions stay ascending.
Instruction* TransposeBroadcast(Instruction& i, Editor& editor) {
  const Instruction* broadcast = i.operand(0);
  if (!IsOp(broadcast, Opcode::kBroadcast)) return nullptr;
  const DimList& dimensions = broadcast->dimensions();
  DimList permutation, result_dimensions;
  for (size_t to = 0; to < i.dimensions().size(); ++to) {
    const auto found = std::find(dimensions.begin(), dimensions.end(), i.dimensions()[to]);
    if (found == dimensions.end()) continue;
    permutation.push_back(found - dimensions.begin());
    result_dimensions.push_back(static_cast<int64_t>(to));
  }
  return editor.Broadcast(editor.Transpose(broadcast->operand(0), permutation), i.shape().dims(),
                          result_dimensions);
}

Instruction* TransposeIota(Instruction& i, Editor& editor) {
  const Instruction* iota = i.operand(0);
  if (!IsOp(iota, Opcode::kIota)) return nullptr;
  const auto found = std::find(i.dimensions().begin(), i.dimensions().end(),
                               iota->attrs<ir::IotaAttrs>().dimension);
  return editor.Add(Opcode::kIota, i.shape(), {},
                    ir::IotaAttrs{static_cast<int64_t>(found - i.dimensions().begin())});
}

constexpr auto kExact = RewriteClass::kExact;

constexpr Rewrite kRewrites[] = {
    {"transpose-nothing", Opcode::kTranspose, kExact, &TransposeNothing},
    {"transpose-twice", Opcode::kTranspose, kExact, &TransposeTwice},
    {"transpose-only-units", Opcode::kTranspose, kExact, &TransposeOnlyUnits},
    {"transpose-broadcast", Opcode::kTranspose, kExact, &TransposeBroadcast},
    {"transpose-iota", Opcode::kTranspose, kExact, &TransposeIota},
};

}  // namespace

std::span<const Rewrite> TransposeRewrites() { return kRewrites; }

}  // namespace swage::passes
