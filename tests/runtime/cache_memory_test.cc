// The bound of the memory: what is evicted, what that frees, what is compiled again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <sstream>
#include <thread>

#include "codegen/cpu/kernel_loader.h"
#include "codegen/program/kernel_cache.h"
#include "runtime/background.h"
#include "runtime/jit_state.h"
#include "tests/runtime/tensor_testing.h"

namespace swage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

int64_t LiveObjects() { return (*cpu::KernelLoader::Get())->live_objects(); }

// Begins with empty caches; gives back the bound.
class CacheMemoryTest : public testing::Test {
 protected:
  void SetUp() override { clear_cache(); }
  void TearDown() override { set_cache_memory_bytes(limit_); }

 private:
  const int64_t limit_ = cache_stats().memory_limit;
};

// A program and kernels of its own for each n; f32 sums are exact here.
Tensor Distinct(Tensor x, int n) {
  Tensor y = x;
  for (int bit = 0; bit < 12; ++bit) y = (n >> bit & 1) != 0 ? y + 1.0f : y * 2.0f;
  return y;
}

float DistinctValue(float x, int n) {
  for (int bit = 0; bit < 12; ++bit) x = (n >> bit & 1) != 0 ? x + 1 : x * 2;
  return x;
}

TEST_F(CacheMemoryTest, ManyShapesAndKernelsStayWithinTheBound) {
  constexpr int64_t kLimit = 400'000;
  auto f = jit(Distinct, {.name = "within_bound"});
  const int64_t before = LiveObjects();
  set_cache_memory_bytes(kLimit);
  int64_t most_objects = 0;
  for (int round = 0; round < 2; ++round) {
    for (int n = 0; n < 100; ++n) {
      EXPECT_EQ(f(full({1 + n % 7}, 3, f32), n).item<float>({0}), DistinctValue(3, n));
      EXPECT_LE(cache_stats().memory_bytes, kLimit);
      most_objects = std::max(most_objects, LiveObjects() - before);
    }
  }
  const CacheStats stats = cache_stats();
  EXPECT_GT(stats.program_evictions, 100);
  EXPECT_GT(stats.kernel_evictions, 100);
  EXPECT_GT(f.stats().evictions, 100);
  EXPECT_EQ(f.stats().misses, 200);
  // Every object has at least a page of code.
  EXPECT_LE(most_objects, kLimit / 4096);
  EXPECT_GT(stats.programs, 1);
  std::ostringstream out;
  out << stats;
  EXPECT_THAT(out.str(), HasSubstr("of 400000 bytes"));
}

TEST_F(CacheMemoryTest, AnEvictedKeyIsCompiledAgainAndTheReportSaysSo) {
  auto f = jit([](Tensor x) { return x * 3 + 5; }, {.name = "evicted"});
  const Tensor x = F32({1, 2});
  EXPECT_THAT(f(x).to_vector<float>(), ElementsAre(8, 11));
  clear_cache();
  EXPECT_THAT(f(x).to_vector<float>(), ElementsAre(8, 11));
  EXPECT_EQ(f.stats().misses, 2);
  EXPECT_EQ(f.stats().compiles, 2);
  const MissReport report = f.explain();
  EXPECT_TRUE(report.evicted);
  EXPECT_THAT(report.components, ElementsAre("evicted"));
  EXPECT_EQ(report.tier, "compiled");
  std::ostringstream out;
  out << report;
  EXPECT_EQ(out.str(),
            "evicted: missed, it was there and was evicted for the bound of the memory\n");
  f(x);
  EXPECT_EQ(f.stats().misses, 2);
}

TEST_F(CacheMemoryTest, WhatIsUsedStaysAndWhatIsNotGoes) {
  auto f = jit(Distinct, {.name = "used"});
  const Tensor x = F32({1});
  f(x, 4000);
  set_cache_memory_bytes(cache_stats().memory_bytes * 8);
  for (int n = 0; n < 40; ++n) {
    f(x, n);
    f(x, 4000);
  }
  EXPECT_EQ(f.stats().misses, 41);
  f(x, 0);
  EXPECT_EQ(f.stats().misses, 42);
}

TEST_F(CacheMemoryTest, CodeIsFreedWithTheLastProgramThatUsesIt) {
  const int64_t before = LiveObjects();
  auto f = jit([](Tensor x) { return (x + 2) * 7; });
  auto g = jit([](Tensor x) { return (x + 2) * 7; });
  f(F32({1, 2}));
  g(F32({1, 2, 3}));  // the same kernel
  EXPECT_EQ(LiveObjects(), before + 1);
  clear_cache();
  EXPECT_EQ(LiveObjects(), before);
  f(F32({1, 2}));
  set_cache_memory_bytes(0);
  EXPECT_EQ(LiveObjects(), before + 1);  // what was used last stays, however large
  f(F32({1, 2, 3, 4}));
  EXPECT_EQ(cache_stats().programs, 1);
}

TEST_F(CacheMemoryTest, IdleThreadsDoNotKeepWhatIsEvicted) {
  const int64_t before = LiveObjects();
  auto f = jit(Distinct, {.name = "idle"});
  std::atomic<bool> leave{false};
  std::atomic<int> warm{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int call = 0; call < 3; ++call) f(F32({1}), i);
      ++warm;
      while (!leave) std::this_thread::yield();
    });
  }
  while (warm < 4) std::this_thread::yield();
  EXPECT_GT(LiveObjects(), before);
  clear_cache();
  EXPECT_EQ(LiveObjects(), before);
  leave = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(f.stats().calls, 12);
  EXPECT_EQ(f.stats().hits, 8);
}

TEST_F(CacheMemoryTest, ADeadFunctionKeepsNothing) {
  const Tensor captured = F32({1, 2});
  const std::weak_ptr<internal::TensorImpl> watched = [] {
    const Tensor held = F32({3, 4});
    const std::weak_ptr<internal::TensorImpl> weak = held.impl();
    auto f = jit([held](Tensor x) { return x + held; });
    f(F32({1, 2}));
    f(F32({1, 2}));
    return weak;
  }();
  EXPECT_TRUE(watched.expired());
}

TEST_F(CacheMemoryTest, KeysThatComputeNothingAreBoundedToo) {
  auto f = jit([](Tensor x, int n) { return x; });
  set_cache_memory_bytes(100'000);
  const Tensor x = F32({1});
  for (int n = 0; n < 1000; ++n) f(x, n);
  EXPECT_LE(cache_stats().memory_bytes, 100'000);
  EXPECT_LT(cache_stats().programs, 200);
}

TEST_F(CacheMemoryTest, ThreadsRunWhatOthersEvict) {
  set_cache_memory_bytes(60'000);
  auto f = jit(Distinct, {.name = "raced"});
  std::atomic<bool> wrong{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 60; ++i) {
        const int n = (t + i) % 12;
        const Tensor y = f(full({64}, 3, f32), n);
        if (y.item<float>({63}) != DistinctValue(3, n)) wrong = true;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(wrong);
  EXPECT_GT(f.stats().evictions, 10);
  EXPECT_EQ(f.stats().calls, 480);
  EXPECT_EQ(f.stats().hits + f.stats().misses, 480);
}

TEST_F(CacheMemoryTest, LoadedProgramsAreEvictedToo) {
  const HloProgram program = parse_hlo(
      "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT r = f32[2] add(x, x)\n}\n");
  const int64_t before = LiveObjects();
  EXPECT_THAT(program({F32({1, 2})})[0].to_vector<float>(), ElementsAre(2, 4));
  clear_cache();
  EXPECT_EQ(LiveObjects(), before);
  EXPECT_THAT(program({F32({1, 2})})[0].to_vector<float>(), ElementsAre(2, 4));
  EXPECT_EQ(program.stats().compiles, 2);
}

TEST_F(CacheMemoryTest, ABadBoundIsAnError) {
  EXPECT_EQ(ErrorOf([] { set_cache_memory_bytes(-1); }),
            "[set_cache_memory_bytes] got -1 bytes, expected 0 or more");
}

}  // namespace
}  // namespace swage
