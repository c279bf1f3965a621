// Which functions share a cache, and which must not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <utility>

#include "runtime/jit.h"
#include "tests/runtime/same_names.h"
#include "tests/runtime/tensor_testing.h"

namespace swage {

struct ByAddition {
  Tensor value;
};
SWAGE_TREE(ByAddition, value)
struct ByProduct {
  Tensor value;
};
SWAGE_TREE(ByProduct, value)

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(FunctionIdentityTest, EqualNamesInTwoSourceFilesAreTwoFunctions) {
  const Tensor x = scalar(10.f);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(AllOfA(x), ElementsAre(11, 20, 110, 1010, 10));
    EXPECT_THAT(AllOfB(x), ElementsAre(15, 60, 510, 5010, 50));
  }
}

Tensor Twice(Tensor x) { return x * 2; }
Tensor Thrice(Tensor x) { return x * 3; }

TEST(FunctionIdentityTest, OnePointerTypeServesManyFunctions) {
  for (int i = 0; i < 3; ++i) {
    for (auto* const function : {&Twice, &Thrice}) {
      EXPECT_EQ(jit(function)(scalar(1.f)).item<float>(), function == &Twice ? 2 : 3);
    }
  }
  EXPECT_EQ(jit(&Twice).stats().traces, 1);
  EXPECT_EQ(jit(&Twice).stats().hits, 2);
}

TEST(FunctionIdentityTest, AFunctionOfAnyTypeIsTracedForEach) {
  const auto generic = [](auto argument) -> Tensor {
    using Argument = decltype(argument);
    if constexpr (std::is_same_v<Argument, ByAddition>) return argument.value + 3;
    if constexpr (std::is_same_v<Argument, ByProduct>) return argument.value * 3;
    if constexpr (std::is_same_v<Argument, std::vector<Tensor>>) return argument[0] - 3;
    if constexpr (std::is_same_v<Argument, std::vector<ByProduct>>) return argument[0].value / 2;
    if constexpr (std::is_same_v<Argument, Tensor>) return -argument;
    if constexpr (std::is_same_v<Argument, Scalar<float>>) return argument.tensor() * 100;
  };
  const auto f = jit(generic, {.name = "any"});
  const Tensor x = scalar(10.f);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(f(ByAddition{x}).item<float>(), 13);
    EXPECT_EQ(f(ByProduct{x}).item<float>(), 30);
    EXPECT_EQ(f(std::vector<Tensor>{x}).item<float>(), 7);
    EXPECT_EQ(f(std::vector<ByProduct>{{x}}).item<float>(), 5);
    EXPECT_EQ(f(x).item<float>(), -10);
    EXPECT_EQ(f(Scalar<float>(x)).item<float>(), 1000);
  }
  EXPECT_EQ(f.stats().traces, 6);
  const auto two = jit([](auto argument) { return argument.value; }, {.name = "two"});
  two(ByAddition{x});
  two(ByProduct{x});
  EXPECT_THAT(two.explain().components, ElementsAre("structure"));
  EXPECT_EQ(two.explain().got, "swage::ByProduct");
  EXPECT_EQ(two.explain().expected, "swage::ByAddition");
  EXPECT_EQ(two.explain().parameter, 0);
}

TEST(FunctionIdentityTest, PaddingOfALongDoubleIsNotInTheKey) {
  const auto f = jit([](Tensor x, long double k) { return x * static_cast<float>(k); });
  for (const int filler : {0, 0x55, 0xff}) {
    long double k;
    std::memset(&k, filler, sizeof(k));
    k = 1.5L;
    EXPECT_EQ(f(scalar(2.f), k).item<float>(), 3);
  }
  EXPECT_EQ(f.stats().traces, 1);
  EXPECT_EQ(f(scalar(2.f), 2.5L).item<float>(), 5);
  EXPECT_EQ(f.explain().got, "2.5");
  EXPECT_EQ(f.explain().expected, "1.5");
}

TEST(FunctionIdentityTest, AMovedFromJitFunctionSaysSo) {
  auto f = jit(Twice);
  const auto g = std::move(f);
  EXPECT_EQ(g(scalar(1.f)).item<float>(), 2);
  const std::string expected =
      "[jit] got a jit function that was moved from, expected one that jit() returned or a copy of "
      "it";
  EXPECT_EQ(ErrorOf([&] { f(scalar(1.f)); }), expected);
  EXPECT_EQ(ErrorOf([&] { f.stats(); }), expected);
  EXPECT_EQ(ErrorOf([&] { f.explain(); }), expected);
  EXPECT_EQ(ErrorOf([&] { f.on_miss(); }), expected);
  EXPECT_EQ(ErrorOf([&] { f.set_on_miss(OnMiss::kWait); }), expected);
  EXPECT_EQ(ErrorOf([&] { f.warmup({{f32, {}}}); }), expected);
  f = g;
  EXPECT_EQ(f(scalar(1.f)).item<float>(), 2);
}

TEST(FunctionIdentityTest, ANullFunctionPointerIsAnError) {
  Tensor (*const null)(Tensor) = nullptr;
  EXPECT_THAT(ErrorOf([&] { jit(null); }),
              HasSubstr("[jit] got a null function pointer, expected a function"));
}

}  // namespace
}  // namespace swage
