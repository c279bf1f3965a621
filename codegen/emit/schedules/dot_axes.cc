// File: codegen/emit/schedules/dot_axes.cc
#include "codegen/emit/schedules/dot_axes.h"

#include <optional>
#include <vector>

#include "codegen/emit/index_ops.h"
#include "codegen/emit/schedules/dot.h"

namespace swage::emit {

using ir::Dim;
using ir::DType;
using ir::Instruction;
using ir::Opcode;

namespace {

// Where in the result of an op an element of its operand ends up; nullopt for ops that do not keep
// elements apart.
std::optional<IndexId> ResultIndex(IndexArena& arena, const Instruction* op,
                                   const Instruction* operand, IndexId at) {
  if (ir::IsElementwise(op->opcode()) || op->opcode() == Opcode::kCopy) return at;
  if (op->opcode() == Opcode::kReshape || op->opcode() == Opcode::kBitcast) {
    return arena.Delinearise(op->shape().dims(), arena.Linearise(operand->shape().dims(), at));
  }
  if (op->opcode() != Opcode::kTranspose) return std::nullopt;
  const auto given = arena.Exprs(at);
  const std::vector<ExprId> in(given.begin(), given.end());
  std::vector<ExprId> out;
  for (int64_t d : op->dimensions()) out.push_back(in[d]);
  return arena.Index(out);
}

}  // namespace

DotDims DimsOf(const Instruction& dot) {
  const auto& attrs = dot.attrs<ir::DotAttrs>();
  const ir::Shape& lhs = dot.operand(0)->shape();
  DotDims dims;
  const int batch = static_cast<int>(attrs.lhs_batch.size());
  const int rows = lhs.rank() - batch - static_cast<int>(attrs.lhs_contracting.size());
  for (int i = 0; i < dot.shape().rank(); ++i) {
    ir::Dims& list = i < batch ? dims.batch : i < batch + rows ? dims.rows : dims.columns;
    list.push_back(dot.shape().dim(i));
  }
  for (int64_t d : attrs.lhs_contracting) {
    dims.contracting.push_back(lhs.dim(static_cast<int>(d)));
  }
  return dims;
}

Dim Product(const ir::Dims& dims) {
  Dim product = 1;
  for (Dim dim : dims) product *= dim;
  return product;
}

TileShape TileOf(const Instruction& dot, const EmitOptions& options) {
  return TileFor(dot, Product(DimsOf(dot).rows) == Dim(1), options);
}

DotAxes MakeDotAxes(IndexArena& arena, const Instruction* dot) {
  const DotDims dims = DimsOf(*dot);
  DotAxes axes{arena.AddAxis(Product(dims.batch)),
               arena.AddAxis(Product(dims.rows)),
               arena.AddAxis(Product(dims.columns)),
               arena.AddAxis(Product(dims.contracting)),
               0,
               {}};
  std::vector<ExprId> out, contracting;
  const auto add = [&](const ir::Dims& part, AxisId axis, std::vector<ExprId>* list) {
    const auto exprs = arena.Exprs(arena.Delinearise(part, arena.Axis(axis)));
    list->insert(list->end(), exprs.begin(), exprs.end());
  };
  add(dims.batch, axes.batch, &out);
  add(dims.rows, axes.row, &out);
  add(dims.columns, axes.column, &out);
  add(dims.contracting, axes.k, &contracting);
  axes.result = arena.Index(out);
  axes.sides = MapDot(arena, dot, axes.result, contracting);
  return axes;
}

std::optional<DirectSide> DirectSideOf(IndexArena& arena, const Instruction* side, IndexId index) {
  const DType dtype = side->shape().dtype();
  const Instruction* source = side;
  while (source->shape().dtype() == dtype && source->opcode() != Opcode::kDynamicSlice) {
    std::optional<IndexId> at = OperandIndex(arena, source, index);
    if (!at) break;
    index = *at;
    source = source->operand(0);
  }
  if (source->opcode() != Opcode::kParameter || source->shape().dtype() != dtype) {
    return std::nullopt;
  }
  return DirectSide{source, arena.Linearise(source->shape().dims(), index)};
}

absl::flat_hash_map<const Instruction*, IndexId> ReachedFrom(IndexArena& arena,
                                                             const ir::Computation& fusion,
                                                             const Instruction* dot,
                                                             IndexId index) {
  absl::flat_hash_map<const Instruction*, IndexId> reached{{dot, index}};
  for (const Instruction* op : fusion.PostOrder()) {
    for (const Instruction* operand : op->operands()) {
      auto from = reached.find(operand);
      if (from == reached.end() || reached.contains(op)) continue;
      if (auto at = ResultIndex(arena, op, operand, from->second)) reached[op] = *at;
    }
  }
  return reached;
}

int64_t ChunkRows(const TileShape& tile) { return int64_t{tile.chunk_tiles} * tile.rows; }

bool IsTiledDot(const KernelPlan& plan, const Instruction* dot) {
  const DType out = dot->shape().dtype();
  if (ir::IsComplex(out) || ir::DTypeBits(out) < 8) return false;
  IndexArena arena;
  const IndexId index = MakeDotAxes(arena, dot).result;
  const auto reached = ReachedFrom(arena, *plan.fusion, dot, index);
  FusionAnalysis analysis(&arena);
  for (const Leaf& leaf : plan.leaves) {
    auto at = reached.find(leaf.value);
    if (at == reached.end() || leaf.value->shape().is_tuple()) return false;
    if (!(leaf.shape.num_elements_dim() == dot->shape().num_elements_dim())) return false;
    if (!analysis.Visit(leaf.value, at->second).ok()) return false;
  }
  // What reads the dot otherwise, or not at all as far as can be seen, would compute it again.
  return analysis.dots().size() == 1 && analysis.dots()[0].index == index;
}

VectorDot KindOfVectorDot(const Instruction& dot) {
  const DotDims dims = DimsOf(dot);
  const auto& attrs = dot.attrs<ir::DotAttrs>();
  const auto minor_is_summed = [&](int side, const ir::DimList& contracting) {
    return !contracting.empty() && contracting.back() == dot.operand(side)->shape().rank() - 1;
  };
  if (Product(dims.columns) == Dim(1)) {
    return minor_is_summed(0, attrs.lhs_contracting) ? VectorDot::kSumsOfRows
                                                     : VectorDot::kSumsOfLanes;
  }
  if (Product(dims.rows) == Dim(1) && minor_is_summed(1, attrs.rhs_contracting)) {
    return VectorDot::kSumsOfRows;
  }
  return VectorDot::kNo;
}

StatusOr<KernelPlan> PlanDot(KernelPlan plan) {
  const TileShape tile = TileOf(*plan.hero, plan.options);
  const DotDims dims = DimsOf(*plan.hero);
  plan.space = PlainSpace(plan.hero->shape().dims());
  plan.tasks = Product(dims.batch) * ir::CeilDiv(Product(dims.columns), Dim(tile.columns())) *
               ir::CeilDiv(Product(dims.rows), Dim(ChunkRows(tile)));
  return plan;
}

}  // namespace swage::emit
