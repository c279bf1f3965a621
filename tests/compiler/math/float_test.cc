#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <immintrin.h>

#include <bit>
#include <cmath>
#include <limits>

#include "tests/compiler/math/eval.h"

namespace swage::math {
namespace {

using ir::DType;
using ir::Opcode;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Bit for bit, but for NaN.
template <class T>
void ExpectSame(const std::vector<T>& got, const std::vector<T>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << "element " << i << " is " << got[i];
    } else {
      EXPECT_TRUE(got[i] == want[i] && std::signbit(got[i]) == std::signbit(want[i]))
          << "element " << i << " is " << got[i] << ", expected " << want[i];
    }
  }
}

// The same table for float and double.
void ExpectBoth(Opcode opcode, const std::vector<std::vector<float>>& operands,
                const std::vector<float>& want) {
  ExpectSame(Eval(opcode, DType::kF32, operands), want);
  std::vector<std::vector<double>> wide;
  for (const auto& operand : operands) wide.emplace_back(operand.begin(), operand.end());
  ExpectSame(Eval(opcode, DType::kF64, wide), std::vector<double>(want.begin(), want.end()));
}

TEST(FloatOps, MinimumAndMaximumPropagateNanAndOrderZeros) {
  const std::vector<float> a = {kNan, 1, -0.0f, 0.0f, kInfinity, 2},
                           b = {1, kNan, 0.0f, -0.0f, 1, 3};
  ExpectBoth(Opcode::kMaximum, {a, b}, {kNan, kNan, 0.0f, 0.0f, kInfinity, 3});
  ExpectBoth(Opcode::kMinimum, {a, b}, {kNan, kNan, -0.0f, -0.0f, 1, 2});
}

TEST(FloatOps, ClampTakesNanFromAnyOperandAndTheUpperOfCrossedBounds) {
  ExpectBoth(Opcode::kClamp,
             {{0, kNan, 0, 3, -0.0f, -kInfinity},
              {kNan, 0.5, 0.5, 0.5, 0.0f, kInfinity},
              {1, 1, kNan, 1, 1, kInfinity}},
             {kNan, kNan, kNan, 1, 0.0f, kInfinity});
}

TEST(FloatOps, RemainderIsExactWithTheSignOfTheDividend) {
  ExpectBoth(Opcode::kRemainder,
             {{5.5, -5.5, 7.25, -7.25, -0.0f, 1, 6, -6, kInfinity, kNan, 1},
              {kInfinity, kInfinity, -2, 2, 3, 0, -3, 3, 2, 1, kNan}},
             {5.5, -5.5, 1.25, -1.25, -0.0f, kNan, 0, -0.0f, kNan, kNan, kNan});
  ExpectSame(Eval<float>(Opcode::kRemainder, DType::kF32, {{3e19f, -3e19f}, {7, 7}}), {1, -1});
}

TEST(FloatOps, RemainderEqualsFmodAtAnyMagnitude) {
  std::vector<double> x, y;
  std::vector<float> xf, yf;
  uint64_t state = 1;
  auto next = [&] { return state = state * 6364136223846793005u + 1442695040888963407u; };
  for (int i = 0; i < 20000; ++i) {
    x.push_back(std::bit_cast<double>(next()));
    y.push_back(std::bit_cast<double>(next() ^ (next() >> 32)));
    xf.push_back(std::bit_cast<float>(static_cast<uint32_t>(next() >> 32)));
    yf.push_back(std::bit_cast<float>(static_cast<uint32_t>(next() >> 32)));
  }
  for (double v : {0x1p-1074, 0x1.fffffffffffffp1023, 0x1p-1022, 3.0, 0x1.8p-1073}) {
    for (double w :
         {0x1p-1074, 0x1.fffffffffffffp1023, 0x1.fffffffffffffp-1022, 3.0, 0x1.4p-1072}) {
      x.push_back(v);
      y.push_back(w);
    }
  }
  std::vector<double> want;
  for (size_t i = 0; i < x.size(); ++i) want.push_back(std::fmod(x[i], y[i]));
  ExpectSame(Eval(Opcode::kRemainder, DType::kF64, {x, y}), want);
  std::vector<float> want_f;
  for (size_t i = 0; i < xf.size(); ++i) want_f.push_back(std::fmod(xf[i], yf[i]));
  ExpectSame(Eval(Opcode::kRemainder, DType::kF32, {xf, yf}), want_f);
}

TEST(FloatOps, PowFollowsAnnexF) {
  std::vector<double> x, y, want;
  std::vector<float> xf, yf, want_f;
  const double values[] = {0.0,       -0.0, 1.0,   -1.0,      2.0,        -2.0, 0.5,
                           -0.5,      3.0,  -3.0,  0.25,      1e4,        -1e4, 16777216,
                           -16777217, 1e30, -1e30, kInfinity, -kInfinity, kNan};
  for (double a : values) {
    for (double b : values) {
      x.push_back(a);
      y.push_back(b);
      want.push_back(std::pow(a, b));
      xf.push_back(static_cast<float>(a));
      yf.push_back(static_cast<float>(b));
      want_f.push_back(static_cast<float>(std::pow(double{xf.back()}, double{yf.back()})));
    }
  }
  const std::vector<double> got = Eval(Opcode::kPower, DType::kF64, {x, y});
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(want[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << x[i] << " " << y[i];
    } else {
      EXPECT_EQ(std::signbit(got[i]), std::signbit(want[i])) << x[i] << " " << y[i];
      EXPECT_TRUE(got[i] == want[i] || std::fabs(got[i] / want[i] - 1) < 1e-15)
          << x[i] << " " << y[i];
    }
  }
  ExpectSame(Eval(Opcode::kPower, DType::kF32, {xf, yf}), want_f);
}

TEST(FloatOps, Atan2FollowsAnnexF) {
  std::vector<float> y, x, want;
  const float values[] = {0.0f, -0.0f, 1.0f, -1.0f, 3.0f, kInfinity, -kInfinity, kNan};
  for (float a : values) {
    for (float b : values) {
      y.push_back(a);
      x.push_back(b);
      want.push_back(static_cast<float>(std::atan2(double{a}, double{b})));
    }
  }
  ExpectSame(Eval(Opcode::kAtan2, DType::kF32, {y, x}), want);
}

TEST(FloatOps, SpecialValuesFollowAnnexF) {
  const std::vector<float> x = {0.0f, -0.0f, kInfinity, -kInfinity, kNan, -1.0f, 1.0f};
  auto expect = [&](Opcode opcode, std::vector<float> want) { ExpectBoth(opcode, {x}, want); };
  auto first_five = [&](Opcode opcode, std::vector<float> want) {
    const std::vector<float> five(x.begin(), x.begin() + 5);
    ExpectBoth(opcode, {five}, want);
  };
  first_five(Opcode::kExp, {1, 1, kInfinity, 0, kNan});
  first_five(Opcode::kExpm1, {0.0f, -0.0f, kInfinity, -1, kNan});
  first_five(Opcode::kLog1p, {0.0f, -0.0f, kInfinity, kNan, kNan});
  expect(Opcode::kLog, {-kInfinity, -kInfinity, kInfinity, kNan, kNan, kNan, 0.0f});
  first_five(Opcode::kLogistic, {0.5, 0.5, 1, 0, kNan});
  first_five(Opcode::kTanh, {0.0f, -0.0f, 1, -1, kNan});
  first_five(Opcode::kErf, {0.0f, -0.0f, 1, -1, kNan});
  first_five(Opcode::kSin, {0.0f, -0.0f, kNan, kNan, kNan});
  first_five(Opcode::kCos, {1, 1, kNan, kNan, kNan});
  first_five(Opcode::kTan, {0.0f, -0.0f, kNan, kNan, kNan});
  expect(Opcode::kSqrt, {0.0f, -0.0f, kInfinity, kNan, kNan, kNan, 1});
  expect(Opcode::kRsqrt, {kInfinity, -kInfinity, 0, kNan, kNan, kNan, 1});
  expect(Opcode::kCbrt, {0.0f, -0.0f, kInfinity, -kInfinity, kNan, -1, 1});
  expect(Opcode::kSign, {0.0f, -0.0f, 1, -1, kNan, -1, 1});
  expect(Opcode::kAbs, {0.0f, 0.0f, kInfinity, kInfinity, kNan, 1, 1});
  expect(Opcode::kNegate, {-0.0f, 0.0f, -kInfinity, kInfinity, kNan, 1, -1});
  ExpectBoth(Opcode::kLog1p, {{-1.0f, -2.0f}}, {-kInfinity, kNan});
}

TEST(FloatOps, RoundingKeepsTheSignOfZero) {
  const std::vector<float> x = {0.5f,   -0.5f,   1.5f,        2.5f,      -2.5f, 0.49999997f,
                                -0.25f, 0x1p23f, -8388607.5f, kInfinity, kNan,  -0.0f};
  ExpectBoth(Opcode::kRoundNearestEven, {x},
             {0, -0.0f, 2, 2, -2, 0, -0.0f, 0x1p23f, -8388608, kInfinity, kNan, -0.0f});
  ExpectBoth(Opcode::kRoundNearestAfz, {x},
             {1, -1, 2, 3, -3, 0, -0.0f, 0x1p23f, -8388608, kInfinity, kNan, -0.0f});
  ExpectBoth(Opcode::kFloor, {x},
             {0, -1, 1, 2, -3, 0, -1, 0x1p23f, -8388608, kInfinity, kNan, -0.0f});
  ExpectBoth(Opcode::kCeil, {x},
             {1, -0.0f, 2, 3, -2, 1, -0.0f, 0x1p23f, -8388607, kInfinity, kNan, -0.0f});
}

TEST(FloatOps, SquareRootAndPowerDifferWhereAnnexFSaysSo) {
  const std::vector<float> x = {-0.0f, -4, -kInfinity, kInfinity, 9, kNan};
  const std::vector<float> half(6, 0.5f);
  ExpectBoth(Opcode::kPower, {x, half}, {0.0f, kNan, kInfinity, kInfinity, 3, kNan});
  ExpectBoth(Opcode::kSqrt, {x}, {-0.0f, kNan, kNan, kInfinity, 3, kNan});
}

TEST(FloatOps, DenormalsAreKept) {
  const std::vector<float> x = {0x1p-140f};
  EXPECT_FLOAT_EQ(Eval(Opcode::kLog, DType::kF32, {x})[0], -97.0406053f);
  EXPECT_FLOAT_EQ(Eval(Opcode::kSqrt, DType::kF32, {x})[0], 8.47032947e-22f);
  EXPECT_FLOAT_EQ(Eval(Opcode::kRsqrt, DType::kF32, {x})[0], 1.18059162e21f);
  EXPECT_EQ(Eval(Opcode::kLog1p, DType::kF32, {x})[0], x[0]);
  EXPECT_EQ(Eval(Opcode::kSin, DType::kF32, {x})[0], x[0]);
  EXPECT_EQ(Eval<float>(Opcode::kAdd, DType::kF32, {x, {0.0f}})[0], x[0]);
  EXPECT_EQ(Eval<float>(Opcode::kLogistic, DType::kF32, {{-100.0f}})[0], 3.783506e-44f);
}

TEST(FloatOps, FlushToZeroOnTheCallersThreadChangesNothing) {
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(saved | 0x8040);  // flush to zero, denormals are zero
  const std::vector<float> x = {0x1p-140f};
  const std::vector<float> sum = Eval(Opcode::kAdd, DType::kF32, {x, x});
  const std::vector<float> logistic = Eval<float>(Opcode::kLogistic, DType::kF32, {{-100.0f}});
  EXPECT_EQ(_mm_getcsr() & 0x8040, 0x8040u);
  _mm_setcsr(saved);
  EXPECT_EQ(sum[0], 0x1p-139f);
  EXPECT_EQ(logistic[0], 3.783506e-44f);
}

TEST(FloatOps, ComparisonsAreIeeeOrTotalOrder) {
  const std::vector<float> x = {kNan, -0.0f, 0.0f, -kNan, 1, kInfinity};
  const std::vector<float> y = {kNan, 0.0f, -0.0f, -kInfinity, kNan, kNan};
  auto compare = [&](ir::CompareDirection direction, ir::CompareType type) {
    ElementwiseAttrs attrs;
    attrs.compare = {direction, type};
    return Eval<uint8_t, float>(Opcode::kCompare, DType::kPred, DType::kF32, {x, y}, attrs);
  };
  using enum ir::CompareDirection;
  using testing::ElementsAre;
  const auto ieee = ir::CompareType::kFloat, total = ir::CompareType::kTotalOrder;
  EXPECT_THAT(compare(kEq, ieee), ElementsAre(0, 1, 1, 0, 0, 0));
  EXPECT_THAT(compare(kNe, ieee), ElementsAre(1, 0, 0, 1, 1, 1));
  EXPECT_THAT(compare(kGe, ieee), ElementsAre(0, 1, 1, 0, 0, 0));
  EXPECT_THAT(compare(kLt, ieee), ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_THAT(compare(kLt, total), ElementsAre(0, 1, 0, 1, 1, 1));
  EXPECT_THAT(compare(kEq, total), ElementsAre(1, 0, 0, 0, 0, 0));
  EXPECT_THAT(compare(kGt, total), ElementsAre(0, 0, 1, 0, 0, 0));
}

TEST(FloatOps, ReducePrecisionRoundsThenLimitsTheExponent) {
  ElementwiseAttrs attrs;
  attrs.reduce_precision = {5, 10};
  const std::vector<float> x = {1.0f + 0x1p-11f, 1.0f + 0x1.8p-10f, 65519.0f, 65520.0f,  0x1p-14f,
                                0x1p-15f,        -0x1p-20f,         kNan,     -kInfinity};
  ExpectSame(Eval<float, float>(Opcode::kReducePrecision, DType::kF32, DType::kF32, {x}, attrs),
             {1.0f, 1.0f + 0x1p-9f, 65504.0f, kInfinity, 0x1p-14f, 0.0f, -0.0f, kNan, -kInfinity});
}

TEST(FloatOps, IsFiniteIsFalseForInfinityAndNan) {
  EXPECT_THAT((Eval<uint8_t, float>(Opcode::kIsFinite, DType::kPred, DType::kF32,
                                    {{1, kInfinity, -kInfinity, kNan, 3e38f}})),
              testing::ElementsAre(1, 0, 0, 0, 1));
}

}  // namespace
}  // namespace swage::math
