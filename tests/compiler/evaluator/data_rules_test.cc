#include "tests/compiler/evaluator/evaluate.h"

namespace swage::evaluator {
namespace {

TEST(BroadcastTest, RepeatsAlongTheDimensionsThatAreNotListed) {
  EXPECT_EQ(EvalLines("x = s32[2] parameter(0)\n"
                      "ROOT r = s32[2,3] broadcast(x), dimensions={0}",
                      {Value("s32[2]", "{1, 2}")}),
            Value("s32[2,3]", "{{1, 1, 1}, {2, 2, 2}}"));
  EXPECT_EQ(EvalLines("x = s32[2] parameter(0)\n"
                      "ROOT r = s32[3,2] broadcast(x), dimensions={1}",
                      {Value("s32[2]", "{1, 2}")}),
            Value("s32[3,2]", "{{1, 2}, {1, 2}, {1, 2}}"));
}

TEST(BroadcastTest, OfEveryElementWidth) {
  for (const std::string type : {"pred", "s4", "u8", "bf16", "f32", "f64", "c64", "c128"}) {
    const std::string one = type == "pred" ? "true" : type[0] == 'c' ? "(1, 2)" : "1";
    EXPECT_EQ(EvalLines("x = " + type + "[] parameter(0)\nROOT r = " + type +
                            "[2,2] broadcast(x), dimensions={}",
                        {Value(type + "[]", one)}),
              Value(type + "[2,2]", "{{" + one + ", " + one + "}, {" + one + ", " + one + "}}"));
  }
}

TEST(BroadcastTest, ToAnEmptyArrayOfHugeExtents) {
  EXPECT_EQ(EvalLines("x = s32[] parameter(0)\n"
                      "ROOT r = s32[0,4611686018427387904,8] broadcast(x), dimensions={}",
                      {Value("s32[]", "1")})
                .element_count(),
            0);
}

TEST(TransposeTest, OutputDimensionIIsOperandDimensionDimensionsI) {
  EXPECT_EQ(EvalLines("x = s32[2,1,3] parameter(0)\n"
                      "ROOT r = s32[3,2,1] transpose(x), dimensions={2,0,1}",
                      {Value("s32[2,1,3]", "{{{1, 2, 3}}, {{4, 5, 6}}}")}),
            Value("s32[3,2,1]", "{{{1}, {4}}, {{2}, {5}}, {{3}, {6}}}"));
}

TEST(SliceTest, StartLimitAndStride) {
  EXPECT_EQ(EvalLines("x = s32[2,6] parameter(0)\n"
                      "ROOT r = s32[1,2] slice(x), slice={[1:2], [1:6:3]}",
                      {Value("s32[2,6]", "{{0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}}")}),
            Value("s32[1,2]", "{{7, 10}}"));
  EXPECT_EQ(EvalLines("x = s32[6] parameter(0)\n"
                      "ROOT r = s32[1] slice(x), slice={[5:6:4611686018427387904]}",
                      {Value("s32[6]", "{0, 1, 2, 3, 4, 5}")}),
            Value("s32[1]", "{5}"));
  EXPECT_EQ(EvalLines("x = s32[6] parameter(0)\nROOT r = s32[0] slice(x), slice={[6:6]}",
                      {Value("s32[6]", "{0, 1, 2, 3, 4, 5}")})
                .element_count(),
            0);
}

TEST(PadTest, LowHighInteriorAndNegative) {
  const ir::Literal x = Value("s32[3]", "{1, 2, 3}"), z = Value("s32[]", "0");
  auto pad = [&](const std::string& size, const std::string& config) {
    return EvalLines("x = s32[3] parameter(0)\nz = s32[] parameter(1)\nROOT r = s32[" + size +
                         "] pad(x, z), padding=" + config,
                     {x, z});
  };
  EXPECT_EQ(pad("6", "1_2"), Value("s32[6]", "{0, 1, 2, 3, 0, 0}"));
  EXPECT_EQ(pad("7", "0_0_2"), Value("s32[7]", "{1, 0, 0, 2, 0, 0, 3}"));
  EXPECT_EQ(pad("1", "-1_-1"), Value("s32[1]", "{2}"));
  EXPECT_EQ(pad("3", "-1_-1_1"), Value("s32[3]", "{0, 2, 0}"));
  EXPECT_EQ(pad("2", "-3_2"), Value("s32[2]", "{0, 0}"));
  EXPECT_EQ(pad("2", "2_-3"), Value("s32[2]", "{0, 0}"));
  EXPECT_EQ(pad("0", "0_-3").element_count(), 0);
  EXPECT_EQ(pad("3", "-4611686018427387904_4611686018427387904"), Value("s32[3]", "{0, 0, 0}"));
}

TEST(PadTest, OfAnEmptyArray) {
  EXPECT_EQ(EvalLines("x = f32[0] parameter(0)\nz = f32[] parameter(1)\n"
                      "ROOT r = f32[2] pad(x, z), padding=1_1",
                      {Value("f32[0]", "{}"), Value("f32[]", "7")}),
            Value("f32[2]", "{7, 7}"));
}

TEST(ConcatenateTest, JoinsAlongOneDimensionAndSkipsEmptyOperands) {
  EXPECT_EQ(EvalLines("x = s32[2,1] parameter(0)\ny = s32[2,0] parameter(1)\n"
                      "z = s32[2,2] parameter(2)\n"
                      "ROOT r = s32[2,3] concatenate(x, y, z), dimensions={1}",
                      {Value("s32[2,1]", "{{1}, {4}}"), Value("s32[2,0]", "{{}, {}}"),
                       Value("s32[2,2]", "{{2, 3}, {5, 6}}")}),
            Value("s32[2,3]", "{{1, 2, 3}, {4, 5, 6}}"));
}

TEST(ReverseTest, OfSeveralDimensions) {
  EXPECT_EQ(EvalLines("x = s32[2,3] parameter(0)\nROOT r = s32[2,3] reverse(x), dimensions={0,1}",
                      {Value("s32[2,3]", "{{1, 2, 3}, {4, 5, 6}}")}),
            Value("s32[2,3]", "{{6, 5, 4}, {3, 2, 1}}"));
}

TEST(IotaTest, OfEveryNumericType) {
  for (const std::string type : {"s4", "s8", "s16", "s32", "s64", "u4", "u8", "u16", "u32", "u64",
                                 "f8e4m3fn", "f8e5m2", "f16", "bf16", "f32", "f64"}) {
    EXPECT_EQ(EvalLines("ROOT r = " + type + "[2,4] iota(), iota_dimension=1"),
              Value(type + "[2,4]", "{{0, 1, 2, 3}, {0, 1, 2, 3}}"))
        << type;
  }
  EXPECT_EQ(EvalLines("ROOT r = c64[2] iota(), iota_dimension=0"),
            Value("c64[2]", "{(0, 0), (1, 0)}"));
}

TEST(IotaTest, WrapsInNarrowIntegersAndRoundsInNarrowFloats) {
  const ir::Literal bytes = EvalLines("ROOT r = u8[300] iota(), iota_dimension=0");
  EXPECT_EQ(bytes.GetInt(299), 43);
  const ir::Literal nibbles = EvalLines("ROOT r = s4[18] iota(), iota_dimension=0");
  EXPECT_EQ(nibbles.GetInt(8), -8);
  EXPECT_EQ(nibbles.GetInt(17), 1);
  const ir::Literal half = EvalLines("ROOT r = bf16[300] iota(), iota_dimension=0");
  EXPECT_EQ(half.GetDouble(257), 256);
  EXPECT_EQ(half.GetDouble(259), 260);
}

TEST(ReshapeTest, KeepsRowMajorOrder) {
  EXPECT_EQ(EvalLines("x = s32[2,3] parameter(0)\nROOT r = s32[3,2] reshape(x)",
                      {Value("s32[2,3]", "{{1, 2, 3}, {4, 5, 6}}")}),
            Value("s32[3,2]", "{{1, 2}, {3, 4}, {5, 6}}"));
}

TEST(BitcastTest, ReadsTheMemoryThatTheLayoutsDescribe) {
  // Column-major 2x3 seen as row-major 3x2: a transpose.
  EXPECT_EQ(EvalLines("x = s32[2,3]{0,1} parameter(0)\nROOT r = s32[3,2]{1,0} bitcast(x)",
                      {Value("s32[2,3]", "{{1, 2, 3}, {4, 5, 6}}")}),
            Value("s32[3,2]", "{{1, 4}, {2, 5}, {3, 6}}"));
  EXPECT_EQ(EvalLines("x = s32[4]{0} parameter(0)\nROOT r = s32[2,2]{0,1} bitcast(x)",
                      {Value("s32[4]", "{1, 2, 3, 4}")}),
            Value("s32[2,2]", "{{1, 3}, {2, 4}}"));
}

TEST(BitcastConvertTest, KeepsTheBits) {
  EXPECT_EQ(EvalLines("x = f32[2] parameter(0)\nROOT r = s32[2] bitcast-convert(x)",
                      {Value("f32[2]", "{1, -0.0}")}),
            Value("s32[2]", "{1065353216, -2147483648}"));
  EXPECT_EQ(EvalLines("x = f32[2] parameter(0)\nROOT r = u8[2,4] bitcast-convert(x)",
                      {Value("f32[2]", "{1, -2}")}),
            Value("u8[2,4]", "{{0, 0, 128, 63}, {0, 0, 0, 192}}"));
  EXPECT_EQ(EvalLines("x = u8[2,4] parameter(0)\nROOT r = f32[2] bitcast-convert(x)",
                      {Value("u8[2,4]", "{{0, 0, 128, 63}, {0, 0, 0, 192}}")}),
            Value("f32[2]", "{1, -2}"));
  EXPECT_EQ(EvalLines("x = u8[2] parameter(0)\nROOT r = s4[2,2] bitcast-convert(x)",
                      {Value("u8[2]", "{241, 39}")}),
            Value("s4[2,2]", "{{1, -1}, {7, 2}}"));
  EXPECT_EQ(EvalLines("x = s4[2,2] parameter(0)\nROOT r = u8[2] bitcast-convert(x)",
                      {Value("s4[2,2]", "{{1, -1}, {7, 2}}")}),
            Value("u8[2]", "{241, 39}"));
}

}  // namespace
}  // namespace swage::evaluator
