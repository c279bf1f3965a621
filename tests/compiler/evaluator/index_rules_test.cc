#include "tests/compiler/evaluator/evaluate.h"

namespace swage::evaluator {
namespace {

TEST(DynamicSliceTest, ClampsStartsInEveryIndexType) {
  for (const std::string type : {"s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64"}) {
    const bool is_signed = type[0] == 's';
    const std::string lines = "x = s32[2,4] parameter(0)\ni = " + type +
                              "[] parameter(1)\nj = " + type +
                              "[] parameter(2)\nROOT r = s32[1,2] dynamic-slice(x, i, j), "
                              "dynamic_slice_sizes={1,2}";
    const ir::Literal x = Value("s32[2,4]", "{{0, 1, 2, 3}, {4, 5, 6, 7}}");
    EXPECT_EQ(EvalLines(lines, {x, Value(type + "[]", "1"), Value(type + "[]", "100")}),
              Value("s32[1,2]", "{{6, 7}}"));
    if (is_signed) {
      EXPECT_EQ(EvalLines(lines, {x, Value(type + "[]", "-1"), Value(type + "[]", "-100")}),
                Value("s32[1,2]", "{{0, 1}}"));
    }
  }
}

TEST(DynamicUpdateSliceTest, LeavesTheOperandsOtherElements) {
  const ir::Literal operand = Value("s32[2,3]", "{{1, 2, 3}, {4, 5, 6}}");
  EXPECT_EQ(EvalLines("x = s32[2,3] parameter(0)\nu = s32[2,1] parameter(1)\n"
                      "i = s32[] parameter(2)\nj = s32[] parameter(3)\n"
                      "ROOT r = s32[2,3] dynamic-update-slice(x, u, i, j)",
                      {operand, Value("s32[2,1]", "{{8}, {9}}"), Value("s32[]", "1"),
                       Value("s32[]", "1")}),
            Value("s32[2,3]", "{{1, 8, 3}, {4, 9, 6}}"));
  // The argument itself is not written to.
  EXPECT_EQ(operand, Value("s32[2,3]", "{{1, 2, 3}, {4, 5, 6}}"));
}

TEST(GatherTest, WindowsWithTheIndexVectorInFrontAndOffsetsInside) {
  // Index vectors along dimension 0; offset dimensions around the batch dimension.
  EXPECT_EQ(
      EvalLines("x = s32[3,4] parameter(0)\ni = s32[2,3] parameter(1)\n"
                "ROOT r = s32[2,3,1] gather(x, i), offset_dims={0,2}, collapsed_slice_dims={}, "
                "start_index_map={1,0}, index_vector_dim=0, slice_sizes={2,1}",
                {Value("s32[3,4]", "{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}"),
                 Value("s32[2,3]", "{{0, 3, 9}, {0, 1, 9}}")}),
      Value("s32[2,3,1]", "{{{0}, {7}, {7}}, {{4}, {11}, {11}}}"));
}

TEST(GatherTest, ScalarIndicesWithoutAnIndexVectorDimension) {
  EXPECT_EQ(EvalLines("x = f32[4] parameter(0)\ni = u8[] parameter(1)\n"
                      "ROOT r = f32[] gather(x, i), offset_dims={}, collapsed_slice_dims={0}, "
                      "start_index_map={0}, index_vector_dim=0, slice_sizes={1}",
                      {Value("f32[4]", "{1, 2, 3, 4}"), Value("u8[]", "2")}),
            Value("f32[]", "3"));
}

TEST(GatherTest, NoIndicesGiveAnEmptyResult) {
  EXPECT_EQ(EvalLines("x = f32[4] parameter(0)\ni = s32[0,1] parameter(1)\n"
                      "ROOT r = f32[0] gather(x, i), offset_dims={}, collapsed_slice_dims={0}, "
                      "start_index_map={0}, index_vector_dim=1, slice_sizes={1}",
                      {Value("f32[4]", "{1, 2, 3, 4}"), Value("s32[0,1]", "{}")})
                .element_count(),
            0);
}

}  // namespace
}  // namespace swage::evaluator
