// numpy's results of the elementwise ops, op by op and traced.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/runtime/tensor_testing.h"

namespace swage {
namespace {

using ::testing::ElementsAre;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr int32_t kMin = std::numeric_limits<int32_t>::min();

using List = const std::vector<Tensor>&;

// NaN equals NaN, -0 is not +0.
void ExpectSame(const std::vector<float>& got, const std::vector<float>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << i << ": " << got[i];
    } else {
      EXPECT_EQ(got[i], want[i]) << i;
      EXPECT_EQ(std::signbit(got[i]), std::signbit(want[i])) << i;
    }
  }
}

TEST(ElementwiseTest, NumbersAdaptToTheTensor) {
  EXPECT_THAT(ValuesOf<float>([](List x) { return x[0] * 2 + 1; }, {F32({1, 2})}),
              ElementsAre(3, 5));
  EXPECT_THAT(ValuesOf<int>([](List x) { return 10 - x[0]; }, {S32({1, 2})}), ElementsAre(9, 8));
  EXPECT_EQ((array<uint8_t>({1}) + 255).to_vector<uint8_t>()[0], 0);
  EXPECT_EQ((convert(F32({1}), bf16) + 0.5).dtype(), bf16);
  EXPECT_EQ((scalar(int64_t{1}) + (int64_t{1} << 40)).item<int64_t>(), (int64_t{1} << 40) + 1);
  EXPECT_EQ((scalar(uint64_t{0}) + ~uint64_t{0}).item<uint64_t>(), ~uint64_t{0});
}

TEST(ElementwiseTest, BroadcastsAsNumpy) {
  const Tensor left = reshape(arange(6), {2, 1, 1, 1, 3});
  const Tensor right = reshape(arange(4) * 10, {4, 1});
  const Tensor sum = Both([](List x) { return x[0] + x[1]; }, {left, right});
  EXPECT_THAT(sum.shape(), ElementsAre(2, 1, 1, 4, 3));
  EXPECT_THAT(sum.to_vector<int>(), ElementsAre(0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32, 3, 4,
                                                5, 13, 14, 15, 23, 24, 25, 33, 34, 35));
  EXPECT_THAT(maximum(zeros({4, 2}), zeros({3, 1, 2})).shape(), ElementsAre(3, 4, 2));
  EXPECT_THAT((scalar(1.0f) + ones({1, 1, 1})).shape(), ElementsAre(1, 1, 1));
}

TEST(ElementwiseTest, FloorModuloHasTheSignOfTheDivisor) {
  const Tensor a = F32({5.5f, -5.5f, 3e19f, -3e19f, 7.25f, -7.25f, -0.0f, 1, 6, -6});
  const Tensor b = F32({kInf, kInf, 7, 7, -2, 2, 3, 0, -3, 3});
  ExpectSame(ValuesOf<float>([](List x) { return fmod(x[0], x[1]); }, {a, b}),
             {5.5f, -5.5f, 1, -1, 1.25f, -1.25f, -0.0f, NAN, 0, -0.0f});
  ExpectSame(ValuesOf<float>([](List x) { return x[0] % x[1]; }, {a, b}),
             {5.5f, kInf, 1, 6, -0.75f, 0.75f, 0.0f, NAN, -0.0f, 0.0f});
  EXPECT_THAT(ValuesOf<int>([](List x) { return x[0] % x[1]; },
                            {S32({7, -7, 7, -7, 5, kMin}), S32({3, 3, -3, -3, 0, -1})}),
              ElementsAre(1, 2, -2, -1, 0, 0));
}

TEST(ElementwiseTest, FmodIsNumpys) {
  EXPECT_THAT(ValuesOf<int>([](List x) { return fmod(x[0], x[1]); },
                            {S32({7, -7, 7, 5, kMin}), S32({3, 3, -3, 0, -1})}),
              ElementsAre(1, -1, 1, 0, 0));
}

TEST(ElementwiseTest, FloorDivideIsNumpys) {
  ExpectSame(ValuesOf<float>([](List x) { return floor_divide(x[0], x[1]); },
                             {F32({7, -7, 7, -7, 1, -1, 0, -0.0f, 0.3f}),
                              F32({2, 2, -2, -2, 0, kInf, 5, 3, 0.1f})}),
             {3, -4, -4, 3, kInf, -1, 0, -0.0f, 3});
  EXPECT_THAT(ValuesOf<int>([](List x) { return floor_divide(x[0], x[1]); },
                            {S32({7, -7, 7, -7, 5, kMin}), S32({3, 3, -3, -3, 0, -1})}),
              ElementsAre(2, -3, -3, 2, 0, kMin));
}

TEST(ElementwiseTest, HloDivisionTruncatesAndNeverTraps) {
  EXPECT_THAT(ValuesOf<int>([](List x) { return div(x[0], x[1]); },
                            {S32({kMin, 17, -17, 0, kMin, -7}), S32({-1, 0, 0, 0, 0, 2})}),
              ElementsAre(kMin, -1, -1, -1, -1, -3));
}

TEST(ElementwiseTest, RoundingFunctions) {
  const Tensor x = F32({-1.5f, -0.5f, 0.5f, 1.5f, 2.5f, -0.0f, kInf});
  ExpectSame(ValuesOf<float>([](List v) { return round(v[0]); }, {x}),
             {-2, -0.0f, 0, 2, 2, -0.0f, kInf});
  ExpectSame(ValuesOf<float>([](List v) { return trunc(v[0]); }, {x}),
             {-1, -0.0f, 0, 1, 2, -0.0f, kInf});
  EXPECT_THAT(round(S32({3})).to_vector<int>(), ElementsAre(3));
}

TEST(ElementwiseTest, SignAndAbsOfEveryKind) {
  ExpectSame(ValuesOf<float>([](List v) { return sign(v[0]); }, {F32({-3, 0, -0.0f, 5, NAN})}),
             {-1, 0, -0.0f, 1, NAN});
  EXPECT_THAT(ValuesOf<uint8_t>([](List v) { return sign(v[0]); }, {array<uint8_t>({0, 7})}),
              ElementsAre(0, 1));
  EXPECT_THAT(ValuesOf<uint8_t>([](List v) { return abs(v[0]); }, {array<uint8_t>({200})}),
              ElementsAre(200));
}

TEST(ElementwiseTest, MinimumMaximumAndClipPropagateNan) {
  ExpectSame(ValuesOf<float>([](List v) { return maximum(v[0], v[1]); },
                             {F32({1, NAN, -0.0f}), F32({NAN, 1, 0.0f})}),
             {NAN, NAN, 0.0f});
  ExpectSame(ValuesOf<float>([](List v) { return clip(v[0], v[1], v[2]); },
                             {F32({NAN, 0.5f, 0.5f, 0.5f, kInf}), F32({0, NAN, 0, 3, -kInf}),
                              F32({1, 1, NAN, 1, kInf})}),
             {NAN, NAN, NAN, 1, kInf});
  EXPECT_THAT(ValuesOf<int>([](List v) { return clip(v[0], -2, 3); }, {S32({-5, 0, 7})}),
              ElementsAre(-2, 0, 3));
}

TEST(ElementwiseTest, ShiftsByTheWidthOrMore) {
  const Tensor v = S32({-37, -37, -37, 5, 5}), count = S32({2, 31, 40, 2, 32});
  EXPECT_THAT(ValuesOf<int>([](List x) { return x[0] >> x[1]; }, {v, count}),
              ElementsAre(-10, -1, -1, 1, 0));
  EXPECT_THAT(
      ValuesOf<int>([](List x) { return x[0] << x[1]; }, {S32({5, 5, 5}), S32({2, 31, 32})}),
      ElementsAre(20, kMin, 0));
  EXPECT_THAT((array<uint32_t>({0x80000000u}) >> 31).to_vector<uint32_t>(), ElementsAre(1));
}

TEST(ElementwiseTest, Comparisons) {
  const Tensor a = F32({1, NAN, 3}), b = F32({1, NAN, 2});
  EXPECT_THAT(ValuesOf<bool>([](List x) { return x[0] == x[1]; }, {a, b}),
              ElementsAre(true, false, false));
  EXPECT_THAT(ValuesOf<bool>([](List x) { return x[0] != x[1]; }, {a, b}),
              ElementsAre(false, true, true));
  EXPECT_THAT(ValuesOf<bool>([](List x) { return x[0] > 1; }, {a}),
              ElementsAre(false, false, true));
  EXPECT_THAT(ValuesOf<bool>([](List x) { return 2 <= x[0]; }, {a}),
              ElementsAre(false, false, true));
}

TEST(ElementwiseTest, LogicLooksAtTruth) {
  EXPECT_THAT(ValuesOf<bool>([](List x) { return logical_and(x[0], x[1]); },
                             {S32({0, 2, 4}), S32({1, 0, 4})}),
              ElementsAre(false, false, true));
  EXPECT_THAT(ValuesOf<bool>([](List x) { return logical_or(x[0], x[1]); },
                             {F32({0, 0, NAN}), F32({1, -0.0f, 0})}),
              ElementsAre(true, false, true));
  EXPECT_THAT(ValuesOf<bool>([](List x) { return !x[0]; }, {F32({0, 2})}),
              ElementsAre(true, false));
  EXPECT_THAT(ValuesOf<int>([](List x) { return ~x[0]; }, {S32({0, -1})}), ElementsAre(-1, 0));
}

TEST(ElementwiseTest, WhereBroadcastsAllThree) {
  const Tensor chosen = Both([](List x) { return where(x[0], x[1], 0); },
                             {array({true, false}), F32({1, 2, 3, 4}, {2, 2})});
  EXPECT_THAT(chosen.to_vector<float>(), ElementsAre(1, 0, 3, 0));
  EXPECT_THAT(where(scalar(true), F32({1, 2}), F32({3}, {1, 1})).shape(), ElementsAre(1, 2));
}

TEST(ElementwiseTest, ConversionsSaturate) {
  EXPECT_THAT(
      ValuesOf<uint8_t>([](List x) { return convert(x[0], u8); },
                        {F32({-3.7f, -0.2f, 0.99f, 254.6f, 255.9f, 1e6f, NAN, kInf, -kInf})}),
      ElementsAre(0, 0, 0, 254, 255, 255, 0, 255, 0));
  EXPECT_THAT(ValuesOf<bool>([](List x) { return convert(x[0], pred); }, {F32({0, -0.0f, NAN, 2})}),
              ElementsAre(false, false, true, true));
  EXPECT_THAT(ValuesOf<int>([](List x) { return bitcast(x[0], s32); }, {F32({1})}),
              ElementsAre(0x3f800000));
}

TEST(ElementwiseTest, ClassesOfNumbers) {
  const Tensor x = F32({1, kInf, NAN});
  EXPECT_THAT(ValuesOf<bool>([](List v) { return isnan(v[0]); }, {x}),
              ElementsAre(false, false, true));
  EXPECT_THAT(ValuesOf<bool>([](List v) { return isinf(v[0]); }, {x}),
              ElementsAre(false, true, false));
  EXPECT_THAT(ValuesOf<bool>([](List v) { return isfinite(v[0]); }, {x}),
              ElementsAre(true, false, false));
  EXPECT_THAT(isfinite(S32({1})).to_vector<bool>(), ElementsAre(true));
  EXPECT_THAT(isinf(S32({1})).to_vector<bool>(), ElementsAre(false));
}

TEST(ElementwiseTest, EachHalfPrecisionOpRoundsOnce) {
  const Tensor x = convert(F32({1, 256}), bf16);
  const Tensor y = Both([](List v) { return convert(v[0] + 1, f32); }, {x});
  EXPECT_THAT(y.to_vector<float>(), ElementsAre(2, 256));  // 257 is a tie, to even
}

TEST(ElementwiseTest, IdentityOfSignedZeroIsKept) {
  const Tensor y = F32({-0.0f, -0.0f, 1});
  ExpectSame(ValuesOf<float>([](List v) { return 1 / (v[0] + 0.0); }, {y}), {kInf, kInf, 1});
  ExpectSame(ValuesOf<float>([](List v) { return 1 / (v[0] - 0.0); }, {y}), {-kInf, -kInf, 1});
  ExpectSame(ValuesOf<float>([](List v) { return 1 / -v[0]; }, {y}), {kInf, kInf, -1});
}

TEST(ElementwiseTest, ProductsAreNotContracted) {
  const Tensor x = F32({7.3e10f, 1.1e11f, 5.9e10f, 9.7e10f});
  ExpectSame(ValuesOf<float>([](List v) { return exp(v[0] * 0.3f - v[0] * 0.3f); }, {x}),
             {1, 1, 1, 1});
}

}  // namespace
}  // namespace swage
