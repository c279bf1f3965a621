// File: codegen/emit/fusion_analysis.cc
#include "codegen/emit/fusion_analysis.h"

#include <algorithm>

#include "codegen/emit/index_ops.h"

namespace swage::emit {

using ir::Dim;
using ir::Instruction;
using ir::Opcode;

namespace {

// A fusion with more distinct uses is too large for one kernel.
constexpr size_t kMaxUses = 20000;

int64_t WeightOf(const Instruction* op) {
  switch (ir::InfoOf(op->opcode()).cost) {
    case ir::CostClass::kFree:
      return 0;
    case ir::CostClass::kDivision:
      return 4;
    case ir::CostClass::kTranscendental:
      return 20;
    default:
      return 1;
  }
}

}  // namespace

StatusOr<std::vector<Leaf>> LeavesOf(const ir::Computation& fusion) {
  const Instruction* root = fusion.root();
  std::vector<Leaf> leaves;
  if (root->shape().is_array()) {
    leaves.push_back({root, 0, root->shape()});
  } else if (root->opcode() == Opcode::kTuple) {
    for (const Instruction* element : root->operands()) {
      leaves.push_back({element, 0, element->shape()});
    }
  } else if (root->shape().is_tuple()) {
    for (int i = 0; i < root->shape().tuple_size(); ++i) {
      leaves.push_back({root, i, root->shape().tuple_shape(i)});
    }
  }
  for (const Leaf& leaf : leaves) {
    if (!leaf.shape.is_array()) return Unimplemented("[emit] a kernel with nested tuple results");
  }
  if (leaves.empty()) return Unimplemented("[emit] a kernel without an array result");
  return leaves;
}

ExprId StoreOffset(IndexArena& arena, const Leaf& leaf, IndexId index) {
  if (leaf.update == nullptr) return arena.Linearise(leaf.shape.dims(), index);
  const auto given = arena.Exprs(index);
  std::vector<ExprId> out(given.begin(), given.end());
  for (size_t d = 0; d < out.size(); ++d) {
    const int dimension = static_cast<int>(d);
    out[d] = arena.Add(out[d],
                       ClampedStart(arena, leaf.update, dimension, 2, leaf.shape.dim(dimension)));
  }
  return arena.Linearise(leaf.update->shape().dims(), arena.Index(out));
}

DotIndices MapDot(IndexArena& arena, const Instruction* dot, IndexId index,
                  absl::Span<const ExprId> contracting) {
  const auto& attrs = dot->attrs<ir::DotAttrs>();
  const auto given = arena.Exprs(index);
  const std::vector<ExprId> out(given.begin(), given.end());
  size_t next = attrs.lhs_batch.size();
  const auto side = [&](const ir::Shape& shape, const ir::DimList& batch,
                        const ir::DimList& contract) {
    std::vector<ExprId> in(shape.rank(), -1);
    for (size_t i = 0; i < batch.size(); ++i) in[batch[i]] = out[i];
    for (size_t i = 0; i < contract.size(); ++i) in[contract[i]] = contracting[i];
    for (ExprId& e : in) {
      if (e < 0) e = out[next++];
    }
    return arena.Index(in);
  };
  DotIndices result;
  result.lhs = side(dot->operand(0)->shape(), attrs.lhs_batch, attrs.lhs_contracting);
  result.rhs = side(dot->operand(1)->shape(), attrs.rhs_batch, attrs.rhs_contracting);
  return result;
}

void FusionAnalysis::AddConditions(GuardId guard) {
  for (ExprId e : arena_->Conditions(guard)) {
    accesses_.push_back(e);
    conditions_.push_back(e);
  }
}

Status FusionAnalysis::VisitLoads(ExprId expr) {
  if (!loads_seen_.insert(expr).second) return OkStatus();
  const Expr e = arena_->expr(expr);
  for (const Term& term : e.terms) {
    const Atom atom = arena_->atom(term.atom);
    if (atom.arg >= 0) SWAGE_RETURN_IF_ERROR(VisitLoads(atom.arg));
    if (atom.kind == AtomKind::kLoad) {
      SWAGE_RETURN_IF_ERROR(Visit(atom.value, atom.index, atom.guard));
    }
  }
  return OkStatus();
}

Status FusionAnalysis::Visit(const Instruction* value, IndexId index, GuardId guard) {
  // Chains of elementwise ops and renamings are long: they are walked without recursion.
  std::vector<ValueKey> pending{{value, index, guard}};
  while (!pending.empty()) {
    const auto [op, at, when] = pending.back();
    pending.pop_back();
    if (!seen_.insert({op, at, when}).second) continue;
    if (seen_.size() > kMaxUses) {
      return ResourceExhausted("[emit] a fusion with more than ", kMaxUses,
                               " distinct uses of its values: split it");
    }
    weight_ += WeightOf(op);
    const auto exprs = arena_->Exprs(at);
    for (ExprId e : std::vector<ExprId>(exprs.begin(), exprs.end())) {
      SWAGE_RETURN_IF_ERROR(VisitLoads(e));
    }
    if (ir::IsElementwise(op->opcode())) {
      for (const Instruction* operand : op->operands()) {
        const bool scalar = operand->shape().rank() == 0;
        pending.emplace_back(operand, scalar ? arena_->Index({}) : at, when);
      }
    } else if (std::optional<IndexId> moved = OperandIndex(*arena_, op, at)) {
      pending.emplace_back(op->operand(0), *moved, when);
    } else {
      SWAGE_RETURN_IF_ERROR(VisitOperands(op, at, when));
    }
  }
  return OkStatus();
}

Status FusionAnalysis::VisitOperands(const Instruction* op, IndexId index, GuardId guard) {
  switch (op->opcode()) {
    case Opcode::kParameter:
      if (guard == kAlways) loads_.push_back({op, index});
      [[fallthrough]];
    case Opcode::kConstant:
      accesses_.push_back(arena_->Linearise(op->shape().dims(), index));
      return OkStatus();
    case Opcode::kIota:
      accesses_.push_back(arena_->Exprs(index)[op->attrs<ir::IotaAttrs>().dimension]);
      return OkStatus();
    case Opcode::kGetDimensionSize:
      return OkStatus();
    case Opcode::kGetTupleElement:
      return Visit(op->operand(0), index, guard);
    case Opcode::kPad:
    case Opcode::kDynamicUpdateSlice: {
      const bool pad = op->opcode() == Opcode::kPad;
      const PadIndex at =
          pad ? MapPad(*arena_, op, index, guard) : MapUpdate(*arena_, op, index, guard);
      AddConditions(at.inside);
      SWAGE_RETURN_IF_ERROR(Visit(op->operand(pad ? 0 : 1), at.index, at.operand_guard));
      return pad ? Visit(op->operand(1), arena_->Index({})) : Visit(op->operand(0), index, guard);
    }
    case Opcode::kConcatenate: {
      const auto parts = MapConcatenate(*arena_, op, index, guard);
      for (size_t i = 0; i < parts.size(); ++i) {
        AddConditions(parts[i].guard);
        SWAGE_RETURN_IF_ERROR(
            Visit(op->operand(static_cast<int>(i)), parts[i].index, parts[i].guard));
      }
      return OkStatus();
    }
    case Opcode::kGather:
      return Visit(op->operand(0), MapGather(*arena_, op, index, guard), guard);
    case Opcode::kBitcastConvert: {
      const auto given = arena_->Exprs(index);
      std::vector<ExprId> at(given.begin(), given.end());
      const int operand_rank = op->operand(0)->shape().rank();
      if (operand_rank < static_cast<int>(at.size())) {
        accesses_.push_back(at.back());
        at.pop_back();
      }
      if (operand_rank > static_cast<int>(at.size())) at.push_back(arena_->Constant(0));
      return Visit(op->operand(0), arena_->Index(at), guard);
    }
    case Opcode::kReduce:
      return VisitReduce(op, index, guard);
    case Opcode::kDot:
      return VisitDot(op, index, guard);
    default:
      break;
  }
  if (op->opcode() != Opcode::kCall && op->opcode() != Opcode::kMap) {
    return Unimplemented("[emit] ", ToAbsl(ir::OpcodeName(op->opcode())),
                         " is not implemented in kernels");
  }
  for (const Instruction* operand : op->operands()) {
    const IndexId at = operand->shape().rank() == 0 ? arena_->Index({}) : index;
    SWAGE_RETURN_IF_ERROR(Visit(operand, at, guard));
  }
  return OkStatus();
}

Status FusionAnalysis::VisitReduce(const Instruction* op, IndexId index, GuardId guard) {
  reduces_.push_back({op, index});
  const ir::Shape& input = op->operand(0)->shape();
  const auto given = arena_->Exprs(index);
  const std::vector<ExprId> kept(given.begin(), given.end());
  std::vector<ExprId> element;
  size_t next_kept = 0;
  for (int d = 0; d < input.rank(); ++d) {
    const ir::DimList& reduced = op->dimensions();
    const bool is_reduced = std::find(reduced.begin(), reduced.end(), d) != reduced.end();
    element.push_back(is_reduced ? arena_->Axis(arena_->AddAxis(input.dim(d))) : kept[next_kept++]);
  }
  const IndexId at = arena_->Index(element);
  const int count = op->operand_count() / 2;
  for (int i = 0; i < count; ++i) {
    SWAGE_RETURN_IF_ERROR(Visit(op->operand(i), at, guard));
    SWAGE_RETURN_IF_ERROR(Visit(op->operand(count + i), arena_->Index({})));
  }
  return OkStatus();
}

Status FusionAnalysis::VisitDot(const Instruction* op, IndexId index, GuardId guard) {
  dots_.push_back({op, index});
  std::vector<ExprId> contracting;
  for (int64_t d : op->attrs<ir::DotAttrs>().lhs_contracting) {
    const Dim extent = op->operand(0)->shape().dim(static_cast<int>(d));
    contracting.push_back(arena_->Axis(arena_->AddAxis(extent)));
  }
  const DotIndices at = MapDot(*arena_, op, index, contracting);
  SWAGE_RETURN_IF_ERROR(Visit(op->operand(0), at.lhs, guard));
  return Visit(op->operand(1), at.rhs, guard);
}

}  // namespace swage::emit
