// Texts as numpy prints them.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "tests/runtime/tensor_testing.h"

namespace swage {
namespace {

TEST(PrintTest, FloatsAlignAtThePoint) {
  EXPECT_EQ(F32({1, 2, 3}).ToString(), "[1. 2. 3.]");
  EXPECT_EQ(F32({1, 2.5, 3.25}).ToString(), "[1.   2.5  3.25]");
  EXPECT_EQ(F32({-1, 10.5}).ToString(), "[-1.  10.5]");
  EXPECT_EQ(F32({0.1f, 0.2f}).ToString(), "[0.1 0.2]");
  EXPECT_EQ(F32({1, 2, 3, 4}, {2, 2}).ToString(), "[[1. 2.]\n [3. 4.]]");
}

TEST(PrintTest, LargeRangesAreScientific) {
  EXPECT_EQ(F32({1e8f, 1.5f}).ToString(), "[1.0e+08 1.5e+00]");
  EXPECT_EQ(F32({1e-5f, 1}).ToString(), "[1.e-05 1.e+00]");
}

TEST(PrintTest, NanAndInfinity) {
  EXPECT_EQ(F32({1, NAN, -INFINITY}).ToString(), "[  1.  nan -inf]");
  EXPECT_EQ(F32({NAN, INFINITY}).ToString(), "[nan inf]");
}

TEST(PrintTest, IntegersAndPreds) {
  EXPECT_EQ(S32({1, -20, 300}).ToString(), "[  1 -20 300]");
  EXPECT_EQ(array({true, false}).ToString(), "[ True False]");
  EXPECT_EQ(array<uint64_t>({~uint64_t{0}}).ToString(), "[18446744073709551615]");
  EXPECT_EQ(array<int8_t>({-128, 127}).ToString(), "[-128  127]");
}

TEST(PrintTest, ScalarsStandAlone) {
  EXPECT_EQ(scalar(1.5f).ToString(), "1.5");
  EXPECT_EQ(scalar(2.0).ToString(), "2.0");
  EXPECT_EQ(scalar(1e-5).ToString(), "1e-05");
  EXPECT_EQ(scalar(0.1f).ToString(), "0.1");
  EXPECT_EQ(scalar(1e20).ToString(), "1e+20");
  EXPECT_EQ(scalar(-7).ToString(), "-7");
  EXPECT_EQ(scalar(true).ToString(), "True");
  EXPECT_EQ(scalar(-0.0f).ToString(), "-0.0");
}

TEST(PrintTest, SmallFloatsShowTheirShortestDigits) {
  EXPECT_EQ(convert(F32({0.1f, 2.5f}), bf16).ToString(), "[0.1 2.5]");
  EXPECT_EQ(convert(F32({0.1f, 1000}), f16).ToString(), "[1.e-01 1.e+03]");
  EXPECT_EQ(convert(F32({0.3f, 448}), f8e4m3fn).ToString(), "[3.0e-01 4.5e+02]");
}

TEST(PrintTest, LinesBreakAtSeventyFiveColumns) {
  const std::string text = arange(30).ToString();
  EXPECT_EQ(text,
            "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n"
            " 24 25 26 27 28 29]");
}

TEST(PrintTest, LargeArraysAreSummarised) {
  EXPECT_EQ(arange(1001).ToString(), "[   0    1    2 ...  998  999 1000]");
  EXPECT_EQ(reshape(arange(2000), {50, 40}).ToString(),
            "[[   0    1    2 ...   37   38   39]\n"
            " [  40   41   42 ...   77   78   79]\n"
            " [  80   81   82 ...  117  118  119]\n"
            " ...\n"
            " [1880 1881 1882 ... 1917 1918 1919]\n"
            " [1920 1921 1922 ... 1957 1958 1959]\n"
            " [1960 1961 1962 ... 1997 1998 1999]]");
}

TEST(PrintTest, RankThreeHasBlankLines) {
  EXPECT_EQ(reshape(arange(8), {2, 2, 2}).ToString(), "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
}

TEST(PrintTest, UndefinedAndTracedTensorsPrintToo) {
  EXPECT_EQ(Tensor().ToString(), "Tensor()");
  std::string seen;
  jit([&](Tensor x) {
    seen = (x + 1).ToString();
    return x;
  })(F32({1, 2}));
  EXPECT_EQ(seen.substr(0, 36), "Tensor(traced f32[2] of add at " + seen.substr(31, 5));
  std::ostringstream out;
  out << F32({1});
  EXPECT_EQ(out.str(), "[1.]");
}

}  // namespace
}  // namespace swage
