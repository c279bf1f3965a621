#include "tests/card_check/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>

namespace swage::card {
namespace {

using ::testing::HasSubstr;

template <typename T>
std::string Bytes(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T)};
}
std::string Bits16(std::initializer_list<uint16_t> values) { return Bytes(values); }

TEST(CardCompare, WithoutAToleranceBitsAreCompared) {
  EXPECT_EQ(FirstDifference("f32", Bytes({1.0f, 2.0f}), Bytes({1.0f, 2.0f}), 0), "");
  EXPECT_THAT(
      FirstDifference("f32", Bytes({1.0f, 2.0f}), Bytes({1.0f, std::nextafter(2.0f, 3.0f)}), 0),
      HasSubstr("element 1"));
  EXPECT_THAT(FirstDifference("f32", Bytes({0.0f}), Bytes({-0.0f}), 0), HasSubstr("0x80000000"));
  EXPECT_THAT(FirstDifference("s32", std::string("\1\0\0\0", 4), std::string("\1\0\2\0", 4), 0),
              HasSubstr("byte 2"));
}

TEST(CardCompare, AnyNanIsANan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(FirstDifference("f32", Bytes({nan}), Bytes({-nan}), 0), "");
  EXPECT_NE(FirstDifference("f32", Bytes({nan}), Bytes({1.0f}), 1), "");
  EXPECT_NE(FirstDifference("f32", Bytes({1.0f}), Bytes({nan}), 1), "");
  EXPECT_EQ(FirstDifference("f16", Bits16({0x7e00, 0x7c01}), Bits16({0xfe00, 0xffff}), 0), "");
  EXPECT_EQ(FirstDifference("bf16", Bits16({0x7fc0}), Bits16({0xff81}), 0), "");
  EXPECT_EQ(FirstDifference("c64", Bytes({1.0f, nan}), Bytes({1.0f, -nan}), 0), "");
  EXPECT_EQ(FirstDifference("f8e4m3fn", "\x7f", "\xff", 0), "");
  EXPECT_NE(FirstDifference("f8e4m3fn", "\x7e", "\xff", 0), "");
  EXPECT_EQ(FirstDifference("f8e5m2", "\x7d", "\xff", 0), "");
}

TEST(CardCompare, AToleranceIsAPartOfTheLargest) {
  EXPECT_EQ(FirstDifference("f32", Bytes({100.0f, 1.0f}), Bytes({100.0f, 1.9f}), 0.01), "");
  EXPECT_NE(FirstDifference("f32", Bytes({100.0f, 1.0f}), Bytes({100.0f, 2.1f}), 0.01), "");
  // 1 and 1.125 of f16.
  EXPECT_EQ(FirstDifference("f16", Bits16({0x3c00}), Bits16({0x3c80}), 0.2), "");
  EXPECT_NE(FirstDifference("f16", Bits16({0x3c00}), Bits16({0x3c80}), 0.01), "");
}

TEST(CardCompare, InfinitiesMustBeThose) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(FirstDifference("f32", Bytes({infinity}), Bytes({infinity}), 0.1), "");
  EXPECT_NE(FirstDifference("f32", Bytes({infinity, 1.0f}), Bytes({1.0f, 1.0f}), 0.1), "");
  EXPECT_NE(FirstDifference("f32", Bytes({1.0f, 1.0f}), Bytes({infinity, 1.0f}), 0.1), "");
}

}  // namespace
}  // namespace swage::card
