#include "compiler/passes/row_tiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/status.h"
#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The names of each tile's values, for `entry` as the body of a module with $R rows of $N.
std::vector<std::vector<std::string>> TilesOf(
    std::string_view entry, int rows = 64, int length = 512,
    const cost::DeviceDescription& device = cost::TestCpu()) {
  const std::string text =
      absl::StrReplaceAll(absl::StrCat(R"(
HloModule m
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY main {
  x = f32[$R,$N] parameter(0)
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
)",
                                       ToAbsl(entry), "}"),
                          {{"$R", absl::StrCat(rows)}, {"$N", absl::StrCat(length)}});
  const std::unique_ptr<ir::Module> module = ParseForTest(text);
  std::vector<std::vector<std::string>> tiles;
  for (const auto& tile : FindRowTiles(*module->entry(), device)) {
    std::vector<std::string>& names = tiles.emplace_back();
    for (const ir::Instruction* value : tile) names.push_back(value->name());
  }
  return tiles;
}

constexpr char kSoftmax[] = R"(
  m = f32[$R] reduce(x, low), dimensions={1}, to_apply=max
  mb = f32[$R,$N] broadcast(m), dimensions={0}
  s = f32[$R,$N] subtract(x, mb)
  e = f32[$R,$N] exponential(s)
  t = f32[$R] reduce(e, zero), dimensions={1}, to_apply=sum
  tb = f32[$R,$N] broadcast(t), dimensions={0}
  y = f32[$R,$N] divide(e, tb)
)";

TEST(RowTilesTest, ASoftmaxIsOne) {
  EXPECT_THAT(TilesOf(absl::StrCat(kSoftmax, "ROOT n = f32[$R,$N] negate(y)")),
              ElementsAre(ElementsAre("m", "mb", "s", "e", "t", "tb", "y", "n")));
}

TEST(RowTilesTest, EndsBeforeValuesThatOthersRead) {
  EXPECT_THAT(TilesOf(absl::StrCat(kSoftmax, "ROOT w = (f32[$R,$N], f32[$R]) tuple(y, t)")),
              ElementsAre(ElementsAre("m", "mb", "s", "e")));
  EXPECT_THAT(TilesOf(absl::StrCat(kSoftmax, "ROOT w = (f32[$R,$N], f32[$R,$N]) tuple(y, e)")),
              ElementsAre(ElementsAre("t", "tb", "y"), ElementsAre("m", "mb", "s", "e")));
}

TEST(RowTilesTest, ALogSumOfExponentialsIsOneOfValuesPerRow) {
  EXPECT_THAT(TilesOf(R"(
  m = f32[$R] reduce(x, low), dimensions={1}, to_apply=max
  mb = f32[$R,$N] broadcast(m), dimensions={0}
  s = f32[$R,$N] subtract(x, mb)
  e = f32[$R,$N] exponential(s)
  t = f32[$R] reduce(e, zero), dimensions={1}, to_apply=sum
  l = f32[$R] log(t)
  ROOT y = f32[$R] add(l, m)
)"),
              ElementsAre(ElementsAre("m", "mb", "s", "e", "t", "l", "y")));
}

TEST(RowTilesTest, ReductionsAloneAreNone) {
  EXPECT_THAT(TilesOf(R"(
  a = f32[$R] reduce(x, low), dimensions={1}, to_apply=max
  b = f32[$R] reduce(x, zero), dimensions={1}, to_apply=sum
  ROOT r = f32[$R] add(a, b)
)"),
              IsEmpty());
}

TEST(RowTilesTest, ReductionsOfOtherDimensionsAreNone) {
  EXPECT_THAT(TilesOf(R"(
  m = f32[$N] reduce(x, low), dimensions={0}, to_apply=max
  mb = f32[$R,$N] broadcast(m), dimensions={1}
  ROOT s = f32[$R,$N] subtract(x, mb)
)"),
              IsEmpty());
  // Spread over columns, though a square would let it pass for rows.
  EXPECT_THAT(TilesOf(R"(
  m = f32[$R] reduce(x, low), dimensions={1}, to_apply=max
  mb = f32[$R,$N] broadcast(m), dimensions={1}
  ROOT s = f32[$R,$N] subtract(x, mb)
)",
                      64, 64),
              IsEmpty());
}

// It would be computed for the mean, for the variance and for the output.
TEST(RowTilesTest, WhatIsDearAndReadByManyPassesStaysOutside) {
  constexpr char kNorm[] = R"(
  g = f32[$R,$N] $OP(x)
  m = f32[$R] reduce(g, zero), dimensions={1}, to_apply=sum
  mb = f32[$R,$N] broadcast(m), dimensions={0}
  c = f32[$R,$N] subtract(g, mb)
  q = f32[$R,$N] multiply(c, c)
  v = f32[$R] reduce(q, zero), dimensions={1}, to_apply=sum
  d = f32[$R] rsqrt(v)
  db = f32[$R,$N] broadcast(d), dimensions={0}
  ROOT y = f32[$R,$N] multiply(c, db)
)";
  EXPECT_THAT(TilesOf(absl::StrReplaceAll(kNorm, {{"$OP", "tanh"}})),
              ElementsAre(ElementsAre("m", "mb", "c", "q", "v", "d", "db", "y")));
  EXPECT_THAT(TilesOf(absl::StrReplaceAll(kNorm, {{"$OP", "negate"}})),
              ElementsAre(ElementsAre("g", "m", "mb", "c", "q", "v", "d", "db", "y")));
}

TEST(RowTilesTest, FewLongRowsAndManyShortOnesAreNone) {
  const std::string root = absl::StrCat(kSoftmax, "ROOT n = f32[$R,$N] negate(y)");
  EXPECT_THAT(TilesOf(root, 1, 1 << 20), IsEmpty());
  EXPECT_THAT(TilesOf(root, 1 << 20, 4), IsEmpty());
  EXPECT_EQ(TilesOf(root, 1, 512).size(), 1u);
  EXPECT_THAT(TilesOf(root, 512, 16), IsEmpty());
  EXPECT_EQ(TilesOf(root, 1 << 20, 16).size(), 1u);
  EXPECT_EQ(TilesOf(root, 8192, 1024).size(), 1u);
}

TEST(RowTilesTest, LongComputationsAreSearchedOnce) {
  std::string text = "  v0 = f32[$R] reduce(x, zero), dimensions={1}, to_apply=sum\n";
  constexpr int kValues = 50000;
  for (int i = 0; i < kValues; ++i) {
    absl::StrAppend(&text, i + 1 == kValues ? "  ROOT v" : "  v", i + 1, " = f32[$R] negate(v", i,
                    ")\n");
  }
  EXPECT_THAT(TilesOf(text), IsEmpty());
}

}  // namespace
}  // namespace swage::passes
