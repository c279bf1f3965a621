// File: codegen/emit/schedule.cc
#include "codegen/emit/schedule.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "codegen/emit/schedules/dot.h"
#include "codegen/emit/schedules/dot_tiles.h"
#include "codegen/emit/schedules/squares.h"
#include "codegen/emit/schedules/threads.h"
#include "codegen/emit/schedules/transpose.h"
#include "compiler/analysis/in_place.h"

namespace swage::emit {

using ir::Dim;
using ir::Instruction;
using ir::Opcode;

std::string_view ScheduleName(Schedule schedule) {
  switch (schedule) {
    case Schedule::kLoop:
      return "loop";
    case Schedule::kRowReduction:
      return "row-reduction";
    case Schedule::kColumnReduction:
      return "column-reduction";
    case Schedule::kRowTile:
      return "row-tile";
    case Schedule::kDot:
      return "dot";
    case Schedule::kTranspose:
      return "transpose";
  }
  return "?";
}

std::string KernelPlan::ToString() const {
  std::string text = absl::StrCat(ToAbsl(ScheduleName(schedule)), " width=", width);
  if (hero != nullptr) absl::StrAppend(&text, " hero=", hero->name());
  absl::StrAppend(&text, " axes=[");
  for (int a = 0; a < space.axis_count(); ++a) {
    absl::StrAppend(&text, a > 0 ? ", " : "", space.extent(a).ToString());
  }
  absl::StrAppend(&text, "] tasks=", tasks.ToString());
  if (!options.is_gpu()) return text;
  switch (sharing) {
    case Sharing::kNothing:
      return text + " by=thread";
    case Sharing::kRows:
      return text + " by=team";
    case Sharing::kColumns:
      return text + " by=column";
    case Sharing::kTiles:
      return text + " by=tile";
    case Sharing::kSquares:
      return text + " by=square";
  }
  return text;
}

namespace {

// Elements of the minor axis that one task takes; where each is a sum, fewer.
constexpr int64_t kBlock = 4096;
constexpr int64_t kSumBlock = 256;

void CollectSymbols(const ir::Shape& shape, std::vector<const ir::Symbol*>* symbols) {
  ir::ForEachLeaf(shape, [&](const ir::ShapeIndex&, const ir::Shape& leaf) {
    for (Dim dim : leaf.dims()) dim.CollectSymbols(symbols);
  });
}

void CollectSymbols(const Instruction* op, std::vector<const ir::Symbol*>* symbols) {
  CollectSymbols(op->shape(), symbols);
  if (op->opcode() == Opcode::kSlice) {
    for (Dim d : op->attrs<ir::SliceAttrs>().starts) d.CollectSymbols(symbols);
  } else if (op->opcode() == Opcode::kPad) {
    for (const auto& entry : op->attrs<ir::PadAttrs>().dims) {
      entry.low.CollectSymbols(symbols);
      entry.high.CollectSymbols(symbols);
    }
  } else if (op->opcode() == Opcode::kGather) {
    for (Dim d : op->attrs<ir::GatherAttrs>().slice_sizes) d.CollectSymbols(symbols);
  }
}

// Lanes of a full vector: by the widest element, where small floats count as the f32 they become.
int LanesFor(const ir::Computation& fusion, const EmitOptions& options) {
  int bytes = 1;
  for (const Instruction* op : fusion.Instructions()) {
    ir::ForEachLeaf(op->shape(), [&](const ir::ShapeIndex&, const ir::Shape& leaf) {
      if (!leaf.is_array()) return;
      const bool moved = op->opcode() == Opcode::kParameter || !ir::IsElementwise(op->opcode());
      const bool computes = ir::IsSmallFloat(leaf.dtype()) && !moved;
      bytes = std::max(bytes, computes ? 4 : ir::DTypeBytes(leaf.dtype()));
    });
    if (op->opcode() == Opcode::kReduce || op->opcode() == Opcode::kGather) {
      bytes = std::max(bytes, 4);
    }
  }
  return options.vector_bytes / std::min(bytes, 8);
}

bool ReducesMinor(const Instruction* reduce) {
  const ir::Shape& input = reduce->operand(0)->shape();
  const ir::DimList& dims = reduce->dimensions();
  return std::find(dims.begin(), dims.end(), input.rank() - 1) != dims.end();
}

// The dims of the loops: those of the largest output. The others must have the same dims, or the
// same but for the last (one value per row).
StatusOr<ir::Dims> OutputDims(const std::vector<Leaf>& leaves) {
  const Leaf* widest = &leaves[0];
  for (const Leaf& leaf : leaves) {
    if (leaf.shape.rank() > widest->shape.rank()) widest = &leaf;
  }
  const auto dims = widest->shape.dims();
  for (const Leaf& leaf : leaves) {
    const auto other = leaf.shape.dims();
    const bool row =
        other.size() + 1 == dims.size() && std::equal(other.begin(), other.end(), dims.begin());
    if (!row && !ir::SameDims(leaf.shape, widest->shape)) {
      return Unimplemented("[emit] one kernel for outputs of shapes ",
                           ToAbsl(leaf.shape.ToString(false)), " and ",
                           ToAbsl(widest->shape.ToString(false)));
    }
  }
  return ir::Dims(dims.begin(), dims.end());
}

}  // namespace

std::vector<Dim> SymbolsOf(const ir::Computation& fusion) {
  std::vector<const ir::Symbol*> symbols;
  for (const Instruction* parameter : fusion.parameters()) CollectSymbols(parameter, &symbols);
  for (const Instruction* op : fusion.PostOrder()) CollectSymbols(op, &symbols);
  std::vector<Dim> dims;
  for (const ir::Symbol* symbol : symbols) {
    dims.push_back(Dim::Symbol(symbol->name, symbol->min, symbol->max));
  }
  return dims;
}

StatusOr<KernelPlan> PlanKernel(const ir::Computation& fusion, const EmitOptions& options) {
  KernelPlan plan;
  plan.fusion = &fusion;
  plan.options = options;
  plan.dims = SymbolsOf(fusion);
  plan.width = LanesFor(fusion, options);
  SWAGE_ASSIGN_OR_RETURN(plan.leaves, LeavesOf(fusion));
  if (const Instruction* update = analysis::UpdateInPlace(fusion)) {
    const Instruction* value = update->operand(1);
    plan.leaves = {{.value = value, .shape = value->shape(), .update = update}};
  }
  SWAGE_ASSIGN_OR_RETURN(const ir::Dims dims, OutputDims(plan.leaves));

  IndexArena arena;
  std::vector<AxisId> axes;
  const IterationSpace plain = PlainSpace(dims);
  const IndexId index = plain.MakeIndex(arena, &axes);
  FusionAnalysis analysis(&arena);
  bool has_row_leaf = false;
  for (const Leaf& leaf : plan.leaves) {
    IndexId at = index;
    if (leaf.shape.rank() != static_cast<int>(dims.size())) {
      has_row_leaf = true;
      at = arena.Index(arena.Exprs(index).first(dims.size() - 1));
    }
    SWAGE_RETURN_IF_ERROR(analysis.Visit(leaf.value, at));
  }
  if (analysis.dots().size() == 1 && analysis.reduces().empty() &&
      IsTiledDot(plan, analysis.dots()[0].instruction)) {
    plan.hero = analysis.dots()[0].instruction;
    const VectorDot vectors = KindOfVectorDot(*plan.hero);
    if (options.is_gpu() ? IsWorthBlockTiles(*plan.hero) : vectors == VectorDot::kNo) {
      plan.schedule = Schedule::kDot;
      return options.is_gpu() ? PlanDotTiles(std::move(plan)) : PlanDot(std::move(plan));
    }
    if (vectors == VectorDot::kSumsOfRows) {
      plan.schedule = Schedule::kRowReduction;
    } else if (options.is_gpu() && IsSumOfColumns(*plan.hero)) {
      plan.schedule = Schedule::kColumnReduction;
    }
  }

  // A reduction of rows wants the lanes for itself, unless its result is wanted per row only.
  bool row_value = has_row_leaf;
  bool rows_differ_by_lane = false;
  for (const FusionAnalysis::Use& reduce : analysis.reduces()) {
    const AxisSet& uses = arena.AxesOfIndex(reduce.index);
    const bool by_lane = !axes.empty() && std::binary_search(uses.begin(), uses.end(), axes.back());
    if (ReducesMinor(reduce.instruction)) {
      (by_lane ? rows_differ_by_lane : row_value) = true;
      plan.schedule = by_lane || axes.empty() ? Schedule::kRowReduction : Schedule::kRowTile;
      plan.hero = reduce.instruction;
    } else if (plan.hero == nullptr) {
      plan.schedule = Schedule::kColumnReduction;
      plan.hero = reduce.instruction;
      if (!by_lane) row_value = true;
    }
  }
  if (rows_differ_by_lane) plan.schedule = Schedule::kRowReduction;
  plan.is_large = plan.schedule == Schedule::kLoop && fusion.instruction_count() > kLargeLoop;
  constexpr int64_t kCheap = 16;
  if (plan.schedule == Schedule::kColumnReduction && !row_value && options.masked_tails &&
      analysis.weight() < kCheap) {
    // Going down one vector of columns touches a new page in every row: take several at a time.
    plan.width *= 4;
  }
  SWAGE_ASSIGN_OR_RETURN(plan.space, PlanSpace(plan.leaves, dims, row_value));
  const bool only_moves = analysis.reduces().empty() && analysis.dots().empty();
  const bool may_turn =
      plan.schedule == Schedule::kLoop && only_moves && !has_row_leaf && !plan.is_large;
  if (options.is_gpu()) {
    SWAGE_ASSIGN_OR_RETURN(plan, PlanThreads(std::move(plan), row_value));
    if (may_turn) return PlanSquares(std::move(plan));
    return plan;
  }
  const int count = plan.space.axis_count();
  plan.tasks = 1;
  if (plan.schedule == Schedule::kRowReduction) {
    for (int a = 0; a < count; ++a) plan.tasks *= plan.space.extent(a);
  } else {
    for (int a = 0; a + 1 < count; ++a) plan.tasks *= plan.space.extent(a);
    if (count > 0 && !row_value) {
      plan.block = only_moves ? kBlock : kSumBlock;
      plan.tasks *= ir::CeilDiv(plan.space.extent(count - 1), Dim(plan.block));
    }
  }
  plan.cost_per_task = analysis.weight() * std::max<int64_t>(plan.block, 1);
  if (may_turn) return PlanTranspose(std::move(plan));
  return plan;
}

}  // namespace swage::emit
