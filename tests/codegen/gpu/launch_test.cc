#include "codegen/gpu/launch.h"

#include <gtest/gtest.h>

#include "codegen/emit/thread_grid.h"

namespace swage::gpu {
namespace {

Launch Of(const LaunchPlan& plan) {
  const StatusOr<Launch> launch = LaunchFor(plan, {});
  EXPECT_TRUE(launch.ok()) << launch.status().message();
  return launch.value_or(Launch{});
}

TEST(LaunchTest, EveryTaskHasAThread) {
  for (int64_t tasks : {1, 255, 256, 257, 100000}) {
    const Launch launch = Of({emit::Sharing::kNothing, tasks, 1});
    EXPECT_EQ(launch.threads_x, emit::kBlockThreads);
    EXPECT_EQ(launch.threads_y, 1);
    EXPECT_GE(launch.blocks * launch.threads_x, tasks);
    EXPECT_LT((launch.blocks - 1) * launch.threads_x, tasks);
  }
}

TEST(LaunchTest, NoTasksAreNoLaunch) {
  EXPECT_EQ(Of({emit::Sharing::kNothing, 0, 1}).blocks, 0);
  EXPECT_EQ(Of({emit::Sharing::kRows, 0, 100}).blocks, 0);
}

TEST(LaunchTest, ShortRowsShareABlockAndLongOnesHaveOne) {
  const Launch rows = Of({emit::Sharing::kRows, 100, 4096});
  EXPECT_EQ(rows.threads_x, 32);
  EXPECT_EQ(rows.threads_y, 8);
  EXPECT_EQ(rows.blocks, 13);
  const Launch two = Of({emit::Sharing::kRows, 100, 4097});
  EXPECT_EQ(two.threads_x, 64);
  EXPECT_EQ(two.threads_y, 1);
  EXPECT_EQ(two.blocks, 100);
  EXPECT_EQ(Of({emit::Sharing::kRows, 100, 1 << 20}).threads_x, 256);
}

TEST(LaunchTest, ABlockOfColumnsIsAWarpWide) {
  const Launch launch = Of({emit::Sharing::kColumns, 100, 1});
  EXPECT_EQ(launch.threads_x, 32);
  EXPECT_EQ(launch.threads_y, emit::kColumnShares);
  EXPECT_EQ(launch.blocks, 4);
}

TEST(LaunchTest, FewLongColumnsHaveMoreGroupsOfThreads) {
  const auto columns = [](int64_t count, int64_t rows) {
    return Of({emit::Sharing::kColumns, count, rows});
  };
  const Launch one = columns(1, 16384);
  EXPECT_EQ(one.threads_x, 1);
  EXPECT_EQ(one.threads_y, 256);
  EXPECT_EQ(one.blocks, 1);
  // One chunk is the work of one group.
  EXPECT_EQ(columns(1, 512).threads_x, 32);
  EXPECT_EQ(columns(1, 513).threads_x, 16);
  const Launch hundred = columns(100, 16384);
  EXPECT_EQ(hundred.threads_x, 8);
  EXPECT_EQ(hundred.threads_y, 32);
  EXPECT_EQ(hundred.blocks, 13);
  // As many as the card has room for.
  EXPECT_EQ(columns(4096, 16384).threads_x, 32);
}

TEST(LaunchTest, TilesAreCoarseWhereThereAreManyAndMostOfThemFull) {
  const auto tiles = [](int64_t fine, int64_t coarse) {
    return Of({emit::Sharing::kTiles, fine, 1, coarse});
  };
  const Launch small = tiles(100, 25);
  EXPECT_EQ(small.blocks, 100);
  EXPECT_EQ(small.threads_x, 128);
  EXPECT_EQ(small.threads_y, 2);
  const Launch large = tiles(1024, 256);
  EXPECT_EQ(large.blocks, 256);
  EXPECT_EQ(large.threads_x, 256);
  EXPECT_EQ(large.threads_y, 1);
  // One row of tiles, half of each beyond the matrix.
  EXPECT_EQ(tiles(1024, 512).blocks, 1024);
  // There are no coarse ones.
  EXPECT_EQ(tiles(1024, 0).blocks, 1024);
  EXPECT_EQ(tiles(0, 0).blocks, 0);
}

TEST(LaunchTest, SquaresAreForOutputsThatFillThem) {
  const auto squares = [](int64_t tasks, int64_t elements) {
    return Of({emit::Sharing::kSquares, tasks, 32 * 32, elements});
  };
  const Launch full = squares(28, 100 * 200);
  EXPECT_EQ(full.blocks, 28);
  EXPECT_EQ(full.threads_x, emit::kWarp);
  EXPECT_EQ(full.threads_y, emit::kColumnShares);
  // Three rows of 3200.
  const Launch flat = squares(100, 3 * 3200);
  EXPECT_EQ(flat.blocks, 38);
  EXPECT_EQ(flat.threads_x, emit::kBlockThreads);
  EXPECT_EQ(flat.threads_y, 1);
  EXPECT_EQ(squares(0, 0).blocks, 0);
}

TEST(LaunchTest, MoreBlocksThanAGridHasAreAnError) {
  const StatusOr<Launch> launch = LaunchFor({emit::Sharing::kNothing, int64_t{1} << 50, 4}, {});
  EXPECT_EQ(launch.status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace swage::gpu
