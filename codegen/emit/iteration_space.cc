// File: codegen/emit/iteration_space.cc
#include "codegen/emit/iteration_space.h"

#include <algorithm>
#include <optional>

namespace swage::emit {

using ir::Dim;

Dim IterationSpace::extent(int axis) const {
  int first = 0;
  for (int a = 0; a < axis; ++a) first += parts_per_axis[a];
  Dim product = 1;
  for (int i = 0; i < parts_per_axis[axis]; ++i) product *= parts[first + i];
  return product;
}

IndexId IterationSpace::MakeIndex(IndexArena& arena, std::vector<AxisId>* axes) const {
  std::vector<ExprId> part_exprs;
  const absl::Span<const Dim> all(parts);
  for (int a = 0; a < axis_count(); ++a) {
    const AxisId axis = arena.AddAxis(extent(a));
    axes->push_back(axis);
    const IndexId in_axis =
        arena.Delinearise(all.subspan(part_exprs.size(), parts_per_axis[a]), arena.Axis(axis));
    const auto exprs = arena.Exprs(in_axis);
    part_exprs.insert(part_exprs.end(), exprs.begin(), exprs.end());
  }
  std::vector<ExprId> index;
  size_t next = 0;
  for (int count : parts_per_dim) {
    const absl::Span<const ExprId> exprs(part_exprs);
    index.push_back(
        arena.Linearise(all.subspan(next, count), arena.Index(exprs.subspan(next, count))));
    next += count;
  }
  return arena.Index(index);
}

IterationSpace PlainSpace(absl::Span<const Dim> dims) {
  IterationSpace space;
  for (Dim dim : dims) {
    const bool one = dim == Dim(1);
    space.parts_per_dim.push_back(one ? 0 : 1);
    if (one) continue;
    space.parts.push_back(dim);
    space.parts_per_axis.push_back(1);
  }
  return space;
}

namespace {

// The first part that some access divides: (part number, inner extent).
std::optional<std::pair<int, Dim>> FindCut(const IndexArena& arena, const std::vector<AxisId>& axes,
                                           const std::vector<ExprId>& accesses) {
  for (ExprId access : accesses) {
    for (const Term& term : arena.expr(access).terms) {
      const Atom& atom = arena.atom(term.atom);
      if (atom.kind != AtomKind::kFloorDiv && atom.kind != AtomKind::kMod) continue;
      const Expr& arg = arena.expr(atom.arg);
      if (arg.terms.size() != 1 || !(arg.terms[0].coefficient == Dim(1)) ||
          !(arg.constant == Dim(0))) {
        continue;
      }
      const Atom& inner = arena.atom(arg.terms[0].atom);
      if (inner.kind != AtomKind::kAxis) continue;
      auto at = std::find(axes.begin(), axes.end(), inner.axis);
      if (at == axes.end()) continue;
      const Dim extent = arena.extent(inner.axis);
      if (extent == atom.dim || !ExactDiv(extent, atom.dim)) continue;
      return std::make_pair(static_cast<int>(at - axes.begin()), atom.dim);
    }
  }
  return std::nullopt;
}

// Whether every access walks `outer` and `inner` as one axis.
bool CanCollapse(const IndexArena& arena, AxisId outer, AxisId inner,
                 const std::vector<ExprId>& accesses) {
  for (ExprId access : accesses) {
    const LaneStride a = arena.StrideOf(access, outer);
    const LaneStride b = arena.StrideOf(access, inner);
    if (a.kind == LaneStride::kGeneral || b.kind == LaneStride::kGeneral) return false;
    const Dim outer_stride = a.kind == LaneStride::kLinear ? a.stride : Dim(0);
    const Dim inner_stride = b.kind == LaneStride::kLinear ? b.stride : Dim(0);
    if (!(outer_stride == inner_stride * arena.extent(inner))) return false;
  }
  return true;
}

}  // namespace

StatusOr<IterationSpace> PlanSpace(const std::vector<Leaf>& leaves, absl::Span<const Dim> dims,
                                   bool keep_last_apart) {
  IterationSpace space = PlainSpace(dims);
  constexpr int kMaxCuts = 8;
  for (int round = 0;; ++round) {
    IndexArena arena;
    std::vector<AxisId> axes;
    const IndexId index = space.MakeIndex(arena, &axes);
    FusionAnalysis analysis(&arena);
    for (const Leaf& leaf : leaves) {
      if (leaf.shape.rank() != static_cast<int>(dims.size())) continue;
      SWAGE_RETURN_IF_ERROR(analysis.Visit(leaf.value, index));
    }
    std::vector<ExprId> accesses = analysis.accesses();
    for (const Leaf& leaf : leaves) {
      if (leaf.update != nullptr) accesses.push_back(StoreOffset(arena, leaf, index));
    }
    if (round < kMaxCuts) {
      if (auto cut = FindCut(arena, axes, accesses)) {
        const auto [part, inner] = *cut;
        const Dim outer = *ExactDiv(space.parts[part], inner);
        int dim = 0;
        for (int before = 0; before + space.parts_per_dim[dim] <= part; ++dim) {
          before += space.parts_per_dim[dim];
        }
        ++space.parts_per_dim[dim];
        space.parts[part] = inner;
        space.parts.insert(space.parts.begin() + part, outer);
        space.parts_per_axis.push_back(1);
        continue;
      }
    }
    std::vector<int> groups;
    for (size_t i = 0; i < axes.size(); ++i) {
      const bool last_dim =
          !space.parts_per_dim.empty() && i + space.parts_per_dim.back() >= axes.size();
      const bool apart = keep_last_apart && last_dim;
      if (i > 0 && !apart && CanCollapse(arena, axes[i - 1], axes[i], accesses)) {
        ++groups.back();
      } else {
        groups.push_back(1);
      }
    }
    space.parts_per_axis = std::move(groups);
    return space;
  }
}

}  // namespace swage::emit
