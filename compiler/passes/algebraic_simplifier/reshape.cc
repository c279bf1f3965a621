// Rewrites of reshape and bitcast. Reshapes sink to the smaller side of a broadcast.
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

Instruction* ReshapeNothing(Instruction& i, Editor&) {
  return i.shape() == i.operand(0)->shape() ? i.operand(0) : nullptr;
}

Instruction* ReshapeTwice(Instruction& i, Editor& editor) {
  const Instruction* inner = i.operand(0);
  if (!IsOp(inner, Opcode::kReshape)) return nullptr;
  return editor.Reshape(inner->operand(0), i.shape().dims());
}

// The literal's bytes are shared, not copied.
Instruction* ReshapeConstant(Instruction& i, Editor& editor) {
  const Instruction* x = i.operand(0);
  if (!IsOp(x, Opcode::kConstant) || !i.shape().is_static()) return nullptr;
  StatusOr<ir::Literal> literal = x->literal().Reshaped(i.shape());
  return literal.ok() ? editor.Constant(std::move(*literal)) : nullptr;
}

// A broadcast whose groups of dimensions are each made from the operand alone or repeated alone.
Instruction* ReshapeBroadcast(Instruction& i, Editor& editor) {
  const Instruction* broadcast = i.operand(0);
  if (!IsOp(broadcast, Opcode::kBroadcast)) return nullptr;
  Instruction* x = broadcast->operand(0);
  const absl::Span<const Dim> dims = i.shape().dims();
  if (x->shape().is_scalar()) return editor.Fill(x, dims);
  const DimList& dimensions = broadcast->dimensions();
  if (!std::is_sorted(dimensions.begin(), dimensions.end())) return nullptr;
  const auto groups = ir::ReshapeGroups(broadcast->shape().dims(), dims);
  if (!groups.has_value()) return nullptr;
  ir::Dims operand_dims;
  DimList operand_dimensions;
  for (const ir::ReshapeGroup& group : *groups) {
    const auto mapped = std::count_if(group.from.begin(), group.from.end(), [&](int64_t d) {
      return std::binary_search(dimensions.begin(), dimensions.end(), d);
    });
    if (mapped == 0) continue;
    if (mapped != static_cast<int64_t>(group.from.size())) return nullptr;
    for (int64_t d : group.to) {
      operand_dims.push_back(dims[d]);
      operand_dimensions.push_back(d);
    }
  }
  return editor.Broadcast(editor.Reshape(x, operand_dims), dims, operand_dimensions);
}

// Of an iota, while its dimension only gains or loses neighbours of extent 1.
Instruction* ReshapeIota(Instruction& i, Editor& editor) {
  const Instruction* iota = i.operand(0);
  if (!IsOp(iota, Opcode::kIota)) return nullptr;
  const auto groups = ir::ReshapeGroups(iota->shape().dims(), i.shape().dims());
  if (!groups.has_value()) return nullptr;
  const int64_t dimension = iota->attrs<ir::IotaAttrs>().dimension;
  for (const ir::ReshapeGroup& group : *groups) {
    if (std::find(group.from.begin(), group.from.end(), dimension) == group.from.end()) continue;
    if (group.from.size() != 1 || group.to.size() != 1) return nullptr;
    return editor.Add(Opcode::kIota, i.shape(), {}, ir::IotaAttrs{group.to[0]});
  }
  return nullptr;
}

constexpr auto kExact = RewriteClass::kExact;

constexpr Rewrite kRewrites[] = {
    {"bitcast-nothing", Opcode::kBitcast, kExact, &ReshapeNothing},
    {"reshape-nothing", Opcode::kReshape, kExact, &ReshapeNothing},
    {"reshape-twice", Opcode::kReshape, kExact, &ReshapeTwice},
    {"reshape-constant", Opcode::kReshape, kExact, &ReshapeConstant},
    {"reshape-broadcast", Opcode::kReshape, kExact, &ReshapeBroadcast},
    {"reshape-iota", Opcode::kReshape, kExact, &ReshapeIota},
};

}  // namespace

std::span<const Rewrite> ReshapeRewrites() { return kRewrites; }

}  // namespace swage::passes
