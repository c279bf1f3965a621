#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "tests/compiler/math/eval.h"

namespace swage::math {
namespace {

using ir::DType;
using testing::ElementsAre;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Convert, FloatsToIntegersTruncateAndSaturateAndNanIsZero) {
  const std::vector<float> x = {-3.7f, -0.2f, 0.99f,     254.6f,    255.9f,
                                1e6f,  kNan,  kInfinity, -kInfinity};
  EXPECT_THAT((ConvertAll<uint8_t>(DType::kF32, DType::kU8, x)),
              ElementsAre(0, 0, 0, 254, 255, 255, 0, 255, 0));
  EXPECT_THAT((ConvertAll<int8_t>(DType::kF32, DType::kS8, x)),
              ElementsAre(-3, 0, 0, 127, 127, 127, 0, 127, -128));
  EXPECT_THAT((ConvertAll<int8_t>(DType::kF32, DType::kS4, x)),
              ElementsAre(-3, 0, 0, 7, 7, 7, 0, 7, -8));
  EXPECT_THAT((ConvertAll<uint8_t>(DType::kF32, DType::kU4, x)),
              ElementsAre(0, 0, 0, 15, 15, 15, 0, 15, 0));
  EXPECT_THAT((ConvertAll<int32_t, float>(
                  DType::kF32, DType::kS32,
                  {2147483520.0f, 2147483648.0f, 3e9f, -2147483648.0f, -2147483904.0f, kNan})),
              ElementsAre(2147483520, 2147483647, 2147483647, -2147483647 - 1, -2147483647 - 1, 0));
  EXPECT_THAT(
      (ConvertAll<int64_t, double>(DType::kF64, DType::kS64, {0x1p63, -0x1p63, 1e300, 2.9})),
      ElementsAre(INT64_MAX, INT64_MIN, INT64_MAX, 2));
  EXPECT_THAT((ConvertAll<uint64_t, float>(DType::kF32, DType::kU64, {0x1p63f, 0x1p64f, -1})),
              ElementsAre(uint64_t{1} << 63, UINT64_MAX, 0));
  EXPECT_THAT((ConvertAll<uint32_t, float>(DType::kF32, DType::kU32, {3e9f, 0x1p32f, -1})),
              ElementsAre(3000000000u, UINT32_MAX, 0));
}

TEST(Convert, ToPredIsNotEqualZero) {
  EXPECT_THAT((ConvertAll<uint8_t, float>(DType::kF32, DType::kPred, {0, -0.0f, 0.25f, kNan})),
              ElementsAre(0, 0, 1, 1));
  EXPECT_THAT((ConvertAll<uint8_t, int32_t>(DType::kS32, DType::kPred, {0, 256, -1})),
              ElementsAre(0, 1, 1));
  EXPECT_THAT((ConvertAll<float, uint8_t>(DType::kPred, DType::kF32, {0, 1})), ElementsAre(0, 1));
  EXPECT_THAT((ConvertAll<uint16_t, uint8_t>(DType::kPred, DType::kF16, {0, 1})),
              ElementsAre(0, 0x3c00));
}

TEST(Convert, IntegersWrap) {
  EXPECT_THAT((ConvertAll<int8_t, int32_t>(DType::kS32, DType::kS8, {300, -129})),
              ElementsAre(44, 127));
  EXPECT_THAT((ConvertAll<int8_t, int32_t>(DType::kS32, DType::kS4, {9, -9, 7})),
              ElementsAre(-7, 7, 7));
  EXPECT_THAT((ConvertAll<uint8_t, int32_t>(DType::kS32, DType::kU4, {-1, 17})),
              ElementsAre(15, 1));
  EXPECT_THAT((ConvertAll<uint64_t, int8_t>(DType::kS4, DType::kU64, {-1})),
              ElementsAre(UINT64_MAX));
}

// The nearest value of a small float, ties to an even code, found by search over all codes.
class SmallFloat : public testing::TestWithParam<DType> {
 protected:
  int Codes() const { return 1 << ir::DTypeBits(GetParam()); }

  std::vector<float> AllValues() const {
    if (Codes() == 256) {
      std::vector<uint8_t> codes(256);
      for (int i = 0; i < 256; ++i) codes[i] = i;
      return ConvertAll<float>(GetParam(), DType::kF32, codes);
    }
    std::vector<uint16_t> codes(65536);
    for (int i = 0; i < 65536; ++i) codes[i] = i;
    return ConvertAll<float>(GetParam(), DType::kF32, codes);
  }

  template <class T>
  std::vector<int> Narrow(DType from, const std::vector<T>& x) const {
    std::vector<int> result;
    if (Codes() == 256) {
      for (uint8_t code : ConvertAll<uint8_t>(from, GetParam(), x)) result.push_back(code);
    } else {
      for (uint16_t code : ConvertAll<uint16_t>(from, GetParam(), x)) result.push_back(code);
    }
    return result;
  }
};

TEST_P(SmallFloat, EveryCodeSurvivesARoundTrip) {
  const std::vector<float> values = AllValues();
  const std::vector<int> codes = Narrow(DType::kF32, values);
  for (int i = 0; i < Codes(); ++i) {
    if (std::isnan(values[i])) {
      EXPECT_TRUE(std::isnan(values[codes[i]])) << i;
    } else {
      EXPECT_EQ(codes[i], i) << values[i];
    }
  }
}

TEST_P(SmallFloat, RoundsToNearestEvenOnceFromFloatAndDouble) {
  const std::vector<float> values = AllValues();
  std::vector<double> x;
  std::vector<int> want;
  // Between neighbours: the tie, and just to each side of it, by less than float resolves.
  for (int i = 0; i + 1 < Codes() / 2 && std::isfinite(values[i + 1]); ++i) {
    const double tie = (double{values[i]} + values[i + 1]) / 2;
    x.insert(x.end(), {tie, tie * (1 - 0x1p-50), tie * (1 + 0x1p-50)});
    want.insert(want.end(), {i % 2 == 0 ? i : i + 1, i, i + 1});
  }
  EXPECT_EQ(Narrow(DType::kF64, x), want);
  std::vector<float> ties;
  std::vector<int> want_ties;
  for (size_t i = 0; i < x.size(); i += 3) {
    ties.insert(ties.end(), {static_cast<float>(x[i]), -static_cast<float>(x[i])});
    want_ties.insert(want_ties.end(), {want[i], want[i] + Codes() / 2});
  }
  EXPECT_EQ(Narrow(DType::kF32, ties), want_ties);
}

TEST_P(SmallFloat, NanStaysNan) {
  const std::vector<float> values = AllValues();
  EXPECT_TRUE(std::isnan(values[Narrow<float>(DType::kF32, {kNan})[0]]));
  EXPECT_TRUE(std::isnan(values[Narrow<double>(DType::kF64, {-kNan})[0]]));
}

INSTANTIATE_TEST_SUITE_P(Types, SmallFloat,
                         testing::Values(DType::kF8E4M3FN, DType::kF8E5M2, DType::kF16,
                                         DType::kBF16),
                         [](const auto& info) { return std::string(ir::DTypeName(info.param)); });

TEST(Convert, OverflowIsInfinityOrNanWhereThereIsNone) {
  const std::vector<float> x = {1e30f,  -kInfinity, 65519.99f, 65520.0f,
                                464.0f, 464.1f,     448.0f,    61440.0f};
  EXPECT_THAT((ConvertAll<uint16_t>(DType::kF32, DType::kF16, x)),
              ElementsAre(0x7c00, 0xfc00, 0x7bff, 0x7c00, 0x5f40, 0x5f40, 0x5f00, 0x7b80));
  EXPECT_THAT((ConvertAll<uint8_t>(DType::kF32, DType::kF8E4M3FN, x)),
              ElementsAre(0x7f, 0xff, 0x7f, 0x7f, 0x7e, 0x7f, 0x7e, 0x7f));
  EXPECT_THAT((ConvertAll<uint8_t>(DType::kF32, DType::kF8E5M2, x)),
              ElementsAre(0x7c, 0xfc, 0x7c, 0x7c, 0x5f, 0x5f, 0x5f, 0x7c));
  EXPECT_THAT((ConvertAll<uint16_t, double>(DType::kF64, DType::kBF16, {1e300, -1e-300})),
              ElementsAre(0x7f80, 0x8000));
}

TEST(Convert, WideIntegersRoundOnceToSmallFloats) {
  // 2^24 + 2^16 is a tie of bf16; one more breaks it, though f32 cannot see the one.
  EXPECT_THAT((ConvertAll<uint16_t, int32_t>(DType::kS32, DType::kBF16,
                                             {(1 << 24) + (1 << 16), (1 << 24) + (1 << 16) + 1})),
              ElementsAre(0x4b80, 0x4b81));
  const int64_t tie = (int64_t{1} << 60) + (int64_t{1} << 52);
  EXPECT_THAT((ConvertAll<uint16_t, int64_t>(DType::kS64, DType::kBF16, {tie, tie + 1, -tie - 1})),
              ElementsAre(0x5d80, 0x5d81, 0xdd81));
  EXPECT_THAT(
      (ConvertAll<uint16_t, uint64_t>(DType::kU64, DType::kF16, {65519, 65520, UINT64_MAX})),
      ElementsAre(0x7bff, 0x7c00, 0x7c00));
  EXPECT_THAT(
      (ConvertAll<float, int64_t>(DType::kS64, DType::kF32, {(int64_t{1} << 40) + (1 << 16) + 1})),
      ElementsAre(0x1.000002p40f));
}

}  // namespace
}  // namespace swage::math
