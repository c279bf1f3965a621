// The algebra of index expressions.
#include "codegen/emit/index_map.h"

#include <gtest/gtest.h>

namespace swage::emit {
namespace {

using ir::Dim;

TEST(IndexMap, EqualExpressionsAreOne) {
  IndexArena arena;
  const ExprId i = arena.Axis(arena.AddAxis(Dim::Symbol("n"))), j = arena.Axis(arena.AddAxis(7));
  EXPECT_EQ(arena.Add(i, j), arena.Add(j, i));
  EXPECT_EQ(arena.Sub(arena.Add(i, j), j), i);
  EXPECT_EQ(arena.Scale(arena.Add(i, j), 2), arena.Add(arena.Scale(i, 2), arena.Scale(j, 2)));
}

TEST(IndexMap, AnAxisOfOneElementIsZero) {
  IndexArena arena;
  EXPECT_EQ(arena.Axis(arena.AddAxis(1)), arena.Constant(0));
}

TEST(IndexMap, DividesWhatItMultiplied) {
  IndexArena arena;
  const Dim n = Dim::Symbol("n", 2), m = Dim::Symbol("m", 2);
  const ExprId i = arena.Axis(arena.AddAxis(m)), j = arena.Axis(arena.AddAxis(n));
  const ExprId linear = arena.Add(arena.Scale(i, n), j);
  EXPECT_EQ(arena.FloorDiv(linear, n), i);
  EXPECT_EQ(arena.Mod(linear, n), j);
  EXPECT_EQ(arena.FloorDiv(linear, n * m), arena.Constant(0));
  EXPECT_EQ(arena.Mod(linear, n * m), linear);
}

TEST(IndexMap, PlacesInArraysWithoutElementsAreNotDivided) {
  IndexArena arena;
  const Dim dims[] = {0, 0, 0, Dim::Symbol("n")};
  EXPECT_EQ(arena.Exprs(arena.Delinearise(dims, arena.Axis(arena.AddAxis(0)))).size(), 4u);
  arena.Mod(arena.Constant(1), 0);
}

TEST(IndexMap, AWalkThroughAReshapeStaysLinear) {
  IndexArena arena;
  const Dim a = Dim::Symbol("a", 2), b = Dim::Symbol("b", 2), c = Dim::Symbol("c", 2);
  const Dim dims[] = {a, b, c};
  const ExprId axis = arena.Axis(arena.AddAxis(a * b * c));
  EXPECT_EQ(arena.Linearise(dims, arena.Delinearise(dims, axis)), axis);
  const Dim merged[] = {a, b * c};
  EXPECT_EQ(arena.Linearise(merged, arena.Delinearise(merged, axis)), axis);
}

TEST(IndexMap, SplittingADimensionDoesNotDivide) {
  IndexArena arena;
  const Dim s = Dim::Symbol("s", 2), h = Dim::Symbol("h", 2), d = Dim::Symbol("d", 2);
  const ExprId i = arena.Axis(arena.AddAxis(s)), j = arena.Axis(arena.AddAxis(h)),
               k = arena.Axis(arena.AddAxis(d));
  const Dim split[] = {s, h, d}, whole[] = {s, h * d};
  const ExprId split_index[] = {i, j, k};
  const IndexId at = arena.Delinearise(whole, arena.Linearise(split, arena.Index(split_index)));
  EXPECT_EQ(arena.Exprs(at)[0], i);
  EXPECT_EQ(arena.Exprs(at)[1], arena.Add(arena.Scale(j, d), k));
}

TEST(IndexMap, StridesAlongTheLanes) {
  IndexArena arena;
  const Dim n = Dim::Symbol("n", 2);
  const AxisId row = arena.AddAxis(n), lane = arena.AddAxis(n);
  const ExprId i = arena.Axis(row), j = arena.Axis(lane);
  EXPECT_TRUE(arena.StrideOf(arena.Add(arena.Scale(i, n), j), lane).IsContiguous());
  EXPECT_EQ(arena.StrideOf(i, lane).kind, LaneStride::kUniform);
  const LaneStride across = arena.StrideOf(arena.Add(arena.Scale(j, n), i), lane);
  EXPECT_EQ(across.kind, LaneStride::kLinear);
  EXPECT_TRUE(across.stride == n);
  EXPECT_EQ(arena.StrideOf(arena.FloorDiv(j, 3), lane).kind, LaneStride::kGeneral);
}

TEST(IndexMap, GuardsKeepOnlyWhatMayFail) {
  IndexArena arena;
  const Dim n = Dim::Symbol("n", 2);
  const ExprId i = arena.Axis(arena.AddAxis(n));
  EXPECT_EQ(arena.RequireInside(kAlways, i, n), kAlways);
  const GuardId shifted = arena.RequireInside(kAlways, arena.Sub(i, arena.Constant(2)), n);
  EXPECT_EQ(arena.Conditions(shifted).size(), 1u);
  EXPECT_EQ(arena.Require(kAlways, arena.Sub(i, arena.Constant(n))), kNever);
  EXPECT_EQ(arena.Require(shifted, i), shifted);
}

TEST(IndexMap, ClampsOnlyWhatMayLeave) {
  IndexArena arena;
  const Dim n = Dim::Symbol("n", 2);
  const ExprId i = arena.Axis(arena.AddAxis(n));
  EXPECT_EQ(arena.Clamp(i, n), i);
  EXPECT_NE(arena.Clamp(arena.Scale(i, 2), n), arena.Scale(i, 2));
  EXPECT_EQ(arena.Clamp(arena.Scale(i, 2), 0), arena.Constant(0));
}

}  // namespace
}  // namespace swage::emit
