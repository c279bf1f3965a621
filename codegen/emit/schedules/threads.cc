// File: codegen/emit/schedules/threads.cc
#include "codegen/emit/schedules/threads.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace swage::emit {

using ir::Dim;
using ir::Instruction;
using ir::Opcode;

bool VectorCheck::NeedMultiple(Dim dim) {
  if (std::optional<int64_t> known = dim.static_value()) return *known % width_ == 0;
  if (std::find(dims_.begin(), dims_.end(), dim) == dims_.end()) dims_.push_back(dim);
  return true;
}

bool VectorCheck::Add(ExprId access) {
  const LaneStride stride = arena_.StrideOf(access, lane_);
  if (stride.kind == LaneStride::kUniform) return true;
  if (!stride.IsContiguous()) return false;
  const Expr& expr = arena_.expr(access);
  if (!NeedMultiple(expr.constant)) return false;
  return std::all_of(expr.terms.begin(), expr.terms.end(), [&](const Term& term) {
    const Atom& atom = arena_.atom(term.atom);
    return (atom.kind == AtomKind::kAxis && atom.axis == lane_) || NeedMultiple(term.coefficient);
  });
}

void SetWidth(const IndexArena& arena, const FusionAnalysis& analysis, std::vector<ExprId> accesses,
              AxisId lane, int most, const std::vector<Dim>& extents, KernelPlan* plan) {
  plan->width = 1;
  for (ExprId condition : analysis.conditions()) {
    if (arena.StrideOf(condition, lane).kind != LaneStride::kUniform) return;
  }
  accesses.insert(accesses.end(), analysis.accesses().begin(), analysis.accesses().end());
  for (int width = most; width > 1; width /= 2) {
    VectorCheck check(arena, lane, width);
    const bool fits = std::all_of(accesses.begin(), accesses.end(),
                                  [&](ExprId access) { return check.Add(access); }) &&
                      std::all_of(extents.begin(), extents.end(),
                                  [&](Dim extent) { return check.NeedMultiple(extent); });
    if (!fits) continue;
    plan->vector_dims = check.Take();
    plan->width = width;
    return;
  }
}

namespace {

// More elements per thread cost more registers than they save instructions.
constexpr int kMaxWidth = 8;

// The width at which a thread takes vectors along the last axis, up to the plan's.
Status SetWidthOfThreads(KernelPlan* plan) {
  const int most = std::min(plan->width, kMaxWidth);
  plan->width = 1;
  if (plan->is_large || plan->space.axis_count() == 0) return OkStatus();
  IndexArena arena;
  std::vector<AxisId> axes;
  const IndexId index = plan->space.MakeIndex(arena, &axes);
  FusionAnalysis analysis(&arena);
  std::vector<ExprId> accesses;
  for (const Leaf& leaf : plan->leaves) {
    if (leaf.shape.rank() != static_cast<int>(arena.Exprs(index).size())) return OkStatus();
    SWAGE_RETURN_IF_ERROR(analysis.Visit(leaf.value, index));
    accesses.push_back(StoreOffset(arena, leaf, index));
  }
  if (!analysis.reduces().empty()) return OkStatus();
  SetWidth(arena, analysis, std::move(accesses), axes.back(), most, {}, plan);
  return OkStatus();
}

// The extent along which the threads of a team share a reduction or dot, or the groups of a column.
Dim SharedExtent(const KernelPlan& plan) {
  const Instruction* hero = plan.hero;
  if (hero == nullptr || hero->opcode() != Opcode::kReduce) return 1;
  const ir::Shape& input = hero->operand(0)->shape();
  const ir::DimList& reduced = hero->dimensions();
  if (reduced.empty()) return 1;
  const int64_t last = *std::max_element(reduced.begin(), reduced.end());
  const bool reduces_minor = last == input.rank() - 1;
  if (plan.by_teams() && !reduces_minor) return 1;
  return input.dim(static_cast<int>(last));
}

}  // namespace

StatusOr<KernelPlan> PlanThreads(KernelPlan plan, bool row_value) {
  const int count = plan.space.axis_count();
  if ((row_value && count > 0) || plan.schedule == Schedule::kRowReduction) {
    plan.sharing = Sharing::kRows;
  } else if (plan.schedule == Schedule::kColumnReduction) {
    plan.sharing = Sharing::kColumns;
  }
  if (plan.sharing != Sharing::kNothing) plan.shared_extent = SharedExtent(plan);
  plan.tasks = 1;
  if (plan.by_teams()) {
    plan.width = 1;
    const int rows = plan.schedule == Schedule::kRowReduction ? count : std::max(count - 1, 0);
    for (int a = 0; a < rows; ++a) plan.tasks *= plan.space.extent(a);
    return plan;
  }
  if (plan.sharing == Sharing::kColumns) {
    plan.width = 1;
  } else {
    SWAGE_RETURN_IF_ERROR(SetWidthOfThreads(&plan));
  }
  plan.block = plan.width;
  for (int a = 0; a + 1 < count; ++a) plan.tasks *= plan.space.extent(a);
  if (count > 0) plan.tasks *= ir::CeilDiv(plan.space.extent(count - 1), Dim(plan.width));
  return plan;
}

StatusOr<llvm::Value*> EmitAreMultiples(const std::vector<Dim>& dims, int width, ValueEmitter& e) {
  llvm::Value* bits = nullptr;
  for (Dim dim : dims) {
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, e.indices().DimValue(dim));
    bits = bits == nullptr ? value : e.nest().At(0, [&] { return e.b().CreateOr(bits, value); });
  }
  if (bits == nullptr) return e.b().getTrue();
  return e.nest().At(0, [&] {
    llvm::Value* rest = e.b().CreateAnd(bits, e.b().getInt64(width - 1));
    return e.b().CreateICmpEQ(rest, e.b().getInt64(0));
  });
}

}  // namespace swage::emit
