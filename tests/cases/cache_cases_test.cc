// What must not be mixed up in a cache: captured values, and programs that look alike.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "runtime/swage.h"

namespace swage::cases {
namespace {

using ::testing::ElementsAre;

Tensor SinOf(Tensor x) { return sin(x); }
Tensor CosOf(Tensor x) { return cos(x); }

TEST(CacheCases, CapturedNumbersOfOneClosureType) {
  const auto make = [](int k) { return [k](Tensor x) { return x * k; }; };
  auto f2 = jit(make(2)), f5 = jit(make(5));
  EXPECT_EQ(f2(scalar(3)).item<int>(), 6);
  EXPECT_EQ(f5(scalar(3)).item<int>(), 15);
  EXPECT_EQ(f2(scalar(4)).item<int>(), 8);
}

TEST(CacheCases, CapturedTensorsAreOfTheFirstTrace) {
  Tensor t = array({1.f, 1.f});
  auto h = jit([&t](Tensor x) { return x + t; });
  EXPECT_THAT(h(array({1.f, 2.f})).to_vector<float>(), ElementsAre(2, 3));
  t = array({10.f, 10.f});
  EXPECT_THAT(h(array({1.f, 2.f})).to_vector<float>(), ElementsAre(2, 3));
  auto again = jit([&t](Tensor x) { return x + t; });
  EXPECT_THAT(again(array({1.f, 2.f})).to_vector<float>(), ElementsAre(11, 12));
}

struct Model {
  int c = 1;
};

TEST(CacheCases, MembersAreOfTheFirstTrace) {
  Model model;
  auto f = jit([&model](Tensor x) { return x + model.c; });
  EXPECT_EQ(f(scalar(0)).item<int>(), 1);
  model.c = 7;
  EXPECT_EQ(f(scalar(0)).item<int>(), 1);
  EXPECT_EQ(jit([&model](Tensor x) { return x + model.c; })(scalar(0)).item<int>(), 7);
}

TEST(CacheCases, FunctionPointersByTheirAddress) {
  Tensor (*function)(Tensor) = SinOf;
  EXPECT_EQ(jit(function)(scalar(0.0f)).item<float>(), 0);
  function = CosOf;
  EXPECT_EQ(jit(function)(scalar(0.0f)).item<float>(), 1);
  // Captured, it is of the first trace.
  function = SinOf;
  auto g = jit([&function](Tensor x) { return function(x); });
  EXPECT_EQ(g(scalar(0.0f)).item<float>(), 0);
  function = CosOf;
  EXPECT_EQ(g(scalar(0.0f)).item<float>(), 0);
  EXPECT_EQ(jit([&function](Tensor x) { return function(x); })(scalar(0.0f)).item<float>(), 1);
}

// The closures are freed, so that the next may lie at the same address.
TEST(CacheCases, ClosuresThatComeAndGo) {
  for (int k = 0; k < 50; ++k) {
    auto* f = new auto(jit([k](Tensor x) { return x * k + k; }));
    EXPECT_EQ((*f)(scalar(3)).item<int>(), 4 * k);
    EXPECT_EQ((*f)(scalar(4)).item<int>(), 5 * k);
    delete f;
  }
}

template <typename T>
uint64_t BitsOfProduct(T constant) {
  auto f =
      jit([constant](Tensor x) { return where(x > T(0), full({2}, constant, DTypeOf<T>()), x); });
  const T value = f(full({2}, T(1), DTypeOf<T>())).template item<T>({1});
  if constexpr (sizeof(T) == 4) return std::bit_cast<uint32_t>(value);
  return std::bit_cast<uint64_t>(static_cast<double>(value));
}

TEST(CacheCases, ConstantsThatCompareEqualOrNotAtAll) {
  EXPECT_EQ(BitsOfProduct(0.0f), 0u);
  EXPECT_EQ(BitsOfProduct(-0.0f), 0x80000000u);
  EXPECT_EQ(BitsOfProduct(std::bit_cast<float>(0x7fc00001u)), 0x7fc00001u);
  EXPECT_EQ(BitsOfProduct(std::bit_cast<float>(0x7fc00002u)), 0x7fc00002u);
  EXPECT_EQ(BitsOfProduct(1.0f), std::bit_cast<uint32_t>(1.0f));
  EXPECT_EQ(BitsOfProduct(1.0), std::bit_cast<uint64_t>(1.0));
}

TEST(CacheCases, LargeConstantsThatDifferInOneElement) {
  for (int place : {0, 1000, 4095}) {
    std::vector<float> numbers(4096, 1);
    numbers[place] = 2;
    auto f = jit([numbers](Tensor x) { return x + array(numbers, {4096}); });
    const std::vector<float> got = f(zeros({4096})).to_vector<float>();
    EXPECT_EQ(got, numbers);
  }
}

TEST(CacheCases, KernelsOfOneNameOverOtherTypes) {
  auto outer = jit([](Tensor a, Tensor b) {
    const Tensor k1 = convert(convert(a, s32), f32);
    const Tensor k2 = convert(convert(b, s32), f32);
    return reshape(k2, {2, 1}) * reshape(k1, {1, 2});
  });
  const Tensor y = outer(convert(array({10, 20}), u16), convert(array({1, 2}), s8));
  EXPECT_THAT(y.to_vector<float>(), ElementsAre(10, 20, 20, 40));
}

TEST(CacheCases, OneSubgraphWithOneResultAndWithTwo) {
  for (bool first_two : {true, false}) {
    clear_cache();
    auto m1 = jit([first_two](Tensor x) {
      const Tensor a = abs(log(x));
      return std::make_pair(a, abs(a));
    });
    auto m2 = jit([first_two](Tensor x) { return abs(abs(log(x))); });
    for (int turn : {0, 1}) {
      for (double x : {1.0, 0.5}) {
        const double want = x == 1 ? 0 : 0.6931471805599453;
        if ((turn == 0) == first_two) {
          const auto [a, b] = m1(scalar(x));
          EXPECT_DOUBLE_EQ(a.item<double>(), want);
          EXPECT_DOUBLE_EQ(b.item<double>(), want);
        } else {
          EXPECT_DOUBLE_EQ(m2(scalar(x)).item<double>(), want);
        }
      }
    }
  }
}

// The same 16 or 32 bits read as each type give each type's value.
TEST(CacheCases, AllTypesOfEqualWidth) {
  const auto twice = [](Tensor x) { return convert(convert(x, f64) * 2, f64); };
  const uint16_t half = 0x3c00;  // 1 as f16; 0.0078125 as bf16; 15360 as an integer
  const std::pair<DType, double> sixteen[] = {
      {f16, 2}, {bf16, 0.015625}, {s16, 30720}, {u16, 30720}};
  for (const auto& [dtype, want] : sixteen) {
    auto f = jit([twice](Tensor x) { return twice(x); });
    EXPECT_EQ(f(from_bytes(&half, sizeof(half), dtype, {1})).item<double>({0}), want);
  }
  const uint32_t single = 0xbf800000;  // -1 as f32
  const std::pair<DType, double> thirty_two[] = {
      {f32, -2}, {s32, 2.0 * static_cast<int32_t>(single)}, {u32, 2.0 * single}};
  for (const auto& [dtype, want] : thirty_two) {
    auto f = jit([twice](Tensor x) { return twice(x); });
    EXPECT_EQ(f(from_bytes(&single, sizeof(single), dtype, {1})).item<double>({0}), want);
  }
}

TEST(CacheCases, AttributesAlone) {
  const Tensor x = array({1.f, 2.f, 3.f, 4.f}, {2, 2});
  EXPECT_THAT(jit([](Tensor t) { return sum(t, {0}); })(x).to_vector<float>(), ElementsAre(4, 6));
  EXPECT_THAT(jit([](Tensor t) { return sum(t, {1}); })(x).to_vector<float>(), ElementsAre(3, 7));
  EXPECT_THAT(jit([](Tensor t) { return t < 2; })(x).to_vector<bool>(),
              ElementsAre(true, false, false, false));
  EXPECT_THAT(jit([](Tensor t) { return t <= 2; })(x).to_vector<bool>(),
              ElementsAre(true, true, false, false));
}

}  // namespace
}  // namespace swage::cases
