#include "codegen/gpu/launch.h"

#include <algorithm>
#include <bit>

#include "compiler/math/reduction_tree.h"

namespace swage::gpu {
namespace {

constexpr int64_t kMaxBlocks = (int64_t{1} << 31) - 1;
constexpr int64_t kChunk = math::kMinorPartials * math::kPartialDepth;
constexpr int64_t kColumnChunk = math::kMajorPartials * math::kPartialDepth;

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Coarse tiles do more with what they load, but need enough blocks for a card's multiprocessors,
// and must not lie beyond the matrix for more than a quarter.
constexpr int64_t kEnoughBlocks = 128;
bool AreCoarse(int64_t coarse, int64_t fine) {
  return coarse >= kEnoughBlocks && fine >= 3 * coarse;
}

// Neighbours of a row that a block reads together, one for each of its columns: the more groups of
// threads it has, the fewer. They take the chunks side by side where there are too few columns to
// fill a card; eight neighbours are the bytes that memory moves at a time.
constexpr int kFewestColumns = 8;
int ColumnsOfBlock(int64_t tasks, int64_t chunks) {
  int columns = emit::kWarp;
  while (columns > 1 && emit::kWarp / columns < chunks) {
    const bool few =
        columns > kFewestColumns ? CeilDiv(tasks, columns) < kEnoughBlocks : 2 * tasks <= columns;
    if (!few) break;
    columns /= 2;
  }
  return columns;
}

// Squares that lie mostly beyond an output leave most of their threads idle; lines so short are
// near each other anyway.
bool AreWorthSquares(int64_t elements, int64_t in_squares) { return 2 * elements >= in_squares; }

}  // namespace

StatusOr<Launch> LaunchFor(const LaunchPlan& plan, const ir::SymbolBinding& sizes) {
  SWAGE_ASSIGN_OR_RETURN(const LaunchPlan at, plan.At(sizes));
  const int64_t tasks = *at.tasks.static_value(), extent = *at.shared_extent.static_value();
  Launch launch;
  if (plan.sharing == emit::Sharing::kColumns) {
    const int columns = ColumnsOfBlock(tasks, CeilDiv(extent, kColumnChunk));
    launch.threads_x = columns;
    launch.threads_y = emit::kColumnShares * (emit::kWarp / columns);
    launch.blocks = CeilDiv(tasks, columns);
  } else if (plan.sharing == emit::Sharing::kTiles) {
    const int64_t coarse = *at.flat_tasks.static_value();
    const bool coarsely = AreCoarse(coarse, tasks);
    launch.threads_y = coarsely ? 1 : 2;
    launch.threads_x = emit::kBlockThreads / launch.threads_y;
    launch.blocks = coarsely ? coarse : tasks;
  } else if (plan.sharing == emit::Sharing::kSquares) {
    const int64_t elements = *at.flat_tasks.static_value();
    const bool flat = !AreWorthSquares(elements, tasks * extent);
    launch.threads_x = flat ? emit::kBlockThreads : emit::kWarp;
    launch.threads_y = flat ? 1 : emit::kColumnShares;
    launch.blocks = flat ? CeilDiv(elements, launch.threads_x) : tasks;
  } else if (plan.sharing == emit::Sharing::kNothing) {
    launch.threads_x = emit::kBlockThreads;
    launch.blocks = CeilDiv(tasks, launch.threads_x);
  } else {
    // A warp for each chunk of the row; rows of one chunk share a block.
    const int64_t chunks = std::max<int64_t>(CeilDiv(extent, kChunk), 1);
    const auto warps = static_cast<int>(
        std::min<int64_t>(std::bit_ceil(static_cast<uint64_t>(chunks)), emit::kBlockWarps));
    launch.threads_x = emit::kWarp * warps;
    launch.threads_y = warps > 1 ? 1 : emit::kBlockWarps;
    launch.blocks = CeilDiv(tasks, launch.threads_y);
  }
  if (launch.blocks <= kMaxBlocks) return launch;
  return ResourceExhausted("[gpu] a kernel of ", launch.blocks, " blocks, at most ", kMaxBlocks);
}

}  // namespace swage::gpu
