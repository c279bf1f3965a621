// Hot kernels of jit functions: what the counters say, and the variable that turns it off. The
// rules and the exchange itself are tests/codegen/cpu/specialise_test.cc's.
#include "codegen/cpu/specialise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <sstream>

#include "tests/runtime/tensor_testing.h"

namespace swage {
namespace {

using ::testing::HasSubstr;

constexpr std::chrono::seconds kLong{120};

// Trials that have ended.
int64_t Trials() {
  const CacheStats stats = cache_stats();
  return stats.kernels_specialised + stats.specialise_too_small + stats.specialise_not_worth +
         stats.specialise_failed;
}

TEST(SpecialiseTest, AHotFunctionIsTriedOnceAndKeepsItsBits) {
  clear_cache();
  auto f = jit([](Tensor x) { return sum(exp(x), {1}); }, {.name = "hot"});
  const Tensor x = reshape(arange(9 * 31, f32), {9, 31}) / 100;
  const std::vector<float> before = f(x).to_vector<float>();
  const int64_t trials = Trials(), failed = cache_stats().specialise_failed;
  const auto deadline = std::chrono::steady_clock::now() + kLong;
  while (Trials() == trials && std::chrono::steady_clock::now() < deadline) {
    for (int i = 0; i < 1000; ++i) f(x);
  }
  EXPECT_TRUE(cpu::FlushTrials(kLong));
  EXPECT_GT(Trials(), trials);
  EXPECT_EQ(cache_stats().specialise_failed, failed);
  EXPECT_EQ(f(x).to_vector<float>(), before);
  std::ostringstream text;
  text << cache_stats();
  EXPECT_THAT(text.str(), HasSubstr("specialised: "));
}

TEST(SpecialiseTest, AVariableTurnsItOff) {
  setenv("SWAGE_SPECIALIZE", "0", 1);
  clear_cache();
  auto f = jit([](Tensor x) { return sum(x * 3, {1}); }, {.name = "cold"});
  const Tensor x = ones({9, 31});
  f(x);
  unsetenv("SWAGE_SPECIALIZE");
  const int64_t trials = Trials();
  for (int i = 0; i < 300'000; ++i) f(x);
  EXPECT_TRUE(cpu::FlushTrials(kLong));
  EXPECT_EQ(Trials(), trials);
}

}  // namespace
}  // namespace swage
