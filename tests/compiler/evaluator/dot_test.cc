#include <cmath>

#include "tests/compiler/evaluator/evaluate.h"

namespace swage::evaluator {
namespace {

TEST(DotTest, MatrixProductOfEveryTypeThatHasOne) {
  for (const std::string type :
       {"s4", "s8", "s16", "s32", "s64", "u4", "u8", "u16", "u32", "u64", "f8e4m3fn", "f8e5m2",
        "f16", "bf16", "f32", "f64", "c64", "c128"}) {
    const bool complex = type[0] == 'c';
    auto list = [&](std::vector<int> v) {
      auto one = [&](int x) {
        return complex ? "(" + std::to_string(x) + ", 0)" : std::to_string(x);
      };
      return "{{" + one(v[0]) + ", " + one(v[1]) + "}, {" + one(v[2]) + ", " + one(v[3]) + "}}";
    };
    EXPECT_EQ(EvalLines("x = " + type + "[2,2] parameter(0)\ny = " + type +
                            "[2,2] parameter(1)\nROOT r = " + type +
                            "[2,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
                        {Value(type + "[2,2]", list({1, 2, 0, 1})),
                         Value(type + "[2,2]", list({1, 0, 3, 1}))}),
              Value(type + "[2,2]", list({7, 2, 3, 1})))
        << type;
  }
}

TEST(DotTest, ComplexProductsMultiplyBothParts) {
  EXPECT_EQ(
      EvalLines("x = c64[1] parameter(0)\ny = c64[1] parameter(1)\n"
                "ROOT r = c64[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                {Value("c64[1]", "{(1, 2)}"), Value("c64[1]", "{(3, -1)}")}),
      Value("c64[]", "(5, 5)"));
}

TEST(DotTest, IntegersWrap) {
  const std::string lines =
      "x = s8[2] parameter(0)\ny = s8[2] parameter(1)\n"
      "ROOT r = s8[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}";
  EXPECT_EQ(EvalLines(lines, {Value("s8[2]", "{100, 100}"), Value("s8[2]", "{2, 1}")}),
            Value("s8[]", "44"));
}

TEST(DotTest, TheResultMayBeWiderThanTheOperands) {
  EXPECT_EQ(
      EvalLines("x = s8[2] parameter(0)\ny = s8[2] parameter(1)\n"
                "ROOT r = s32[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                {Value("s8[2]", "{100, -100}"), Value("s8[2]", "{127, 127}")}),
      Value("s32[]", "0"));
  // 256 + 1 needs nine bits of mantissa: bf16 has eight, f32 keeps it.
  const std::vector<ir::Literal> args = {Value("bf16[2]", "{256, 1}"), Value("bf16[2]", "{1, 1}")};
  const std::string lines = "[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}";
  const std::string parameters = "x = bf16[2] parameter(0)\ny = bf16[2] parameter(1)\n";
  EXPECT_EQ(EvalLines(parameters + "ROOT r = f32" + lines, args), Value("f32[]", "257"));
  EXPECT_EQ(EvalLines(parameters + "ROOT r = bf16" + lines, args), Value("bf16[]", "256"));
}

TEST(DotTest, HalfPrecisionIsRoundedOnceAtTheEnd) {
  // In f16, 2048 + 1 stays 2048 however often; in f32 the ones add up.
  std::string x = "{2048", y = "{1";
  for (int i = 0; i < 64; ++i) x += ", 1", y += ", 1";
  EXPECT_EQ(
      EvalLines("x = f16[65] parameter(0)\ny = f16[65] parameter(1)\n"
                "ROOT r = f16[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                {Value("f16[65]", x + "}"), Value("f16[65]", y + "}")}),
      Value("f16[]", "2112"));
}

TEST(DotTest, NoContractedElementsGiveZero) {
  EXPECT_EQ(EvalLines("x = f32[2,0] parameter(0)\ny = f32[0,2] parameter(1)\nROOT r = f32[2,2] "
                      "dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
                      {Value("f32[2,0]", "{{}, {}}"), Value("f32[0,2]", "{}")}),
            Value("f32[2,2]", "{{0, 0}, {0, 0}}"));
}

// Against sums in double, over shapes that are not multiples of any block.
TEST(DotTest, AllDimensionNumbersAtOnce) {
  // lhs [k2=3, b=2, m=37, k1=70], rhs [k1=70, n=11, k2=3, b=2]; out [b, m, n].
  const std::string lines =
      "x = f32[3,2,37,70] parameter(0)\ny = f32[70,11,3,2] parameter(1)\n"
      "ROOT r = f32[2,37,11] dot(x, y), lhs_batch_dims={1}, rhs_batch_dims={3}, "
      "lhs_contracting_dims={3,0}, rhs_contracting_dims={0,2}";
  ir::Literal x = *ir::Literal::Create(*ir::ParseShape("f32[3,2,37,70]"));
  ir::Literal y = *ir::Literal::Create(*ir::ParseShape("f32[70,11,3,2]"));
  uint32_t state = 1;
  for (ir::Literal* literal : {&x, &y}) {
    for (float& element : literal->mutable_data<float>()) {
      state = state * 1664525 + 1013904223;
      element = static_cast<float>(state >> 8) * 0x1p-24f - 0.5f;
    }
  }
  const ir::Literal got = EvalLines(lines, {x, y});
  const auto xs = x.data<float>(), ys = y.data<float>(), out = got.data<float>();
  for (int b = 0; b < 2; ++b) {
    for (int m = 0; m < 37; ++m) {
      for (int n = 0; n < 11; ++n) {
        double sum = 0;
        for (int k1 = 0; k1 < 70; ++k1) {
          for (int k2 = 0; k2 < 3; ++k2) {
            sum += double{xs[((k2 * 2 + b) * 37 + m) * 70 + k1]} *
                   double{ys[((k1 * 11 + n) * 3 + k2) * 2 + b]};
          }
        }
        EXPECT_EQ(out[(b * 37 + m) * 11 + n], static_cast<float>(sum)) << b << " " << m << " " << n;
      }
    }
  }
}

TEST(DotTest, LongContractionsAreBlocked) {
  const ir::Literal got = EvalLines(
      "o = f32[] constant(1)\nx = f32[3000] broadcast(o), dimensions={}\n"
      "i = f32[3000] iota(), iota_dimension=0\n"
      "ROOT r = f32[] dot(x, i), lhs_contracting_dims={0}, rhs_contracting_dims={0}");
  EXPECT_EQ(got, Value("f32[]", "4498500"));
}

TEST(DotTest, NanAndInfinityReachOnlyTheirRowsAndColumns) {
  const ir::Literal got = EvalLines(
      "x = f32[2,1] parameter(0)\ny = f32[1,2] parameter(1)\n"
      "ROOT r = f32[2,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
      {Value("f32[2,1]", "{{inf}, {1}}"), Value("f32[1,2]", "{{0, 2}}")});
  const auto out = got.data<float>();
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_EQ(out[1], INFINITY);
  EXPECT_EQ(out[2], 0);
  EXPECT_EQ(out[3], 2);
}

}  // namespace
}  // namespace swage::evaluator
