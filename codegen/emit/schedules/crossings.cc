#include "codegen/emit/schedules/crossings.h"

#include <algorithm>

namespace swage::emit {
namespace {

// On a GPU they lie in the shared memory of a block, of which there are to be several.
constexpr size_t kMaxTiles = 8;
constexpr size_t kMaxGpuTiles = 4;

bool IsCrossing(const IndexArena& arena, ExprId offset, AxisId rows, AxisId lanes) {
  const LaneStride across = arena.StrideOf(offset, lanes);
  return across.kind == LaneStride::kLinear && !across.IsContiguous() &&
         arena.StrideOf(offset, rows).IsContiguous();
}

}  // namespace

std::vector<Crossing> CrossingsOf(IndexArena& arena, const FusionAnalysis& analysis, AxisId rows,
                                  AxisId lanes, const EmitOptions& options) {
  std::vector<Crossing> crossings;
  const bool has_small = options.is_gpu() || options.masked_tails;
  for (const FusionAnalysis::Use& load : analysis.loads()) {
    const ir::Shape& shape = load.instruction->shape();
    // A CPU without masks for small elements would read part of a row element by element.
    if (!has_small && ir::DTypeBytes(shape.dtype()) < 4) continue;
    const ExprId offset = arena.Linearise(shape.dims(), load.index);
    if (!IsCrossing(arena, offset, rows, lanes)) continue;
    crossings.push_back({load.instruction, load.index, offset});
    if (crossings.size() == (options.is_gpu() ? kMaxGpuTiles : kMaxTiles)) break;
  }
  return crossings;
}

StatusOr<CrossedLoop> FindCrossings(const KernelPlan& plan) {
  CrossedLoop loop;
  IndexArena arena;
  std::vector<AxisId> axes;
  const IndexId index = plan.space.MakeIndex(arena, &axes);
  if (axes.size() < 2) return loop;
  FusionAnalysis analysis(&arena);
  for (const Leaf& leaf : plan.leaves) SWAGE_RETURN_IF_ERROR(analysis.Visit(leaf.value, index));
  loop.weight = analysis.weight();
  size_t most = 0;
  for (size_t a = 0; a + 1 < axes.size(); ++a) {
    const std::vector<Crossing> crossings =
        CrossingsOf(arena, analysis, axes[a], axes.back(), plan.options);
    if (crossings.size() <= most) continue;
    most = crossings.size();
    loop.rows_axis = static_cast<int>(a);
    loop.bytes = 0;
    for (const Crossing& crossing : crossings) {
      loop.bytes = std::max(loop.bytes, ir::DTypeBytes(crossing.parameter->shape().dtype()));
    }
  }
  return loop;
}

}  // namespace swage::emit
