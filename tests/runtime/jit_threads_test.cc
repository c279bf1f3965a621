// Many threads tracing, compiling and running at once.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <thread>

#include "runtime/trace.h"
#include "tests/on_threads.h"
#include "tests/runtime/tensor_testing.h"

namespace swage {
namespace {

TEST(JitThreadsTest, OneKeyIsCompiledOnce) {
  auto f = jit([](Tensor x) { return x * x + 1; }, {.name = "one_key"});
  OnThreads([&](int i) { EXPECT_EQ(f(scalar(i)).item<int>(), i * i + 1); });
  EXPECT_EQ(f.stats().traces, 1);
  EXPECT_LE(f.stats().compiles, 1);
  EXPECT_EQ(f.stats().calls, kThreads);
  EXPECT_EQ(f.stats().hits + f.stats().misses, kThreads);
}

TEST(JitThreadsTest, TracesOfSeveralThreadsDoNotMix) {
  OnThreads([](int i) {
    auto f = jit([i](Tensor x) { return x + float(i); });
    for (int round = 0; round < 5; ++round) EXPECT_EQ(f(scalar(1.0f)).item<float>(), 1 + i);
  });
}

TEST(JitThreadsTest, OptionsDoNotLeak) {
  OnThreads([](int i) {
    JitOptions options;
    options.device = i % 2 == 0 ? "cpu" : "evaluator";
    auto f = jit([i](Tensor x) { return x * float(i) + 1; }, options);
    EXPECT_EQ(f(scalar(2.0f)).item<float>(), 2 * i + 1);
  });
}

TEST(JitThreadsTest, AThreadStartedWhileTracingComputesAtOnce) {
  float inner = 0;
  auto f = jit([&](Tensor x) {
    std::thread([&] {
      EXPECT_EQ(runtime::TraceScope::Depth(), 0);
      inner = (F32({2}) * 3).item<float>();
    }).join();
    return x + inner;
  });
  EXPECT_EQ(f(scalar(1.0f)).item<float>(), 7);
  EXPECT_EQ(inner, 6);
}

TEST(JitThreadsTest, WaitersTryAgainWhenTheFirstTraceFails) {
  std::atomic<int> attempts{0};
  auto f = jit([&](Tensor x) {
    if (attempts.fetch_add(1) < 3) throw 7;
    return x + 1;
  });
  std::atomic<int> failed{0};
  OnThreads([&](int i) {
    try {
      EXPECT_EQ(f(scalar(i)).item<int>(), i + 1);
    } catch (int) {
      failed.fetch_add(1);
    }
  });
  EXPECT_EQ(failed.load(), 3);
}

TEST(JitThreadsTest, ManyKeysOfOneFunction) {
  auto f = jit([](Tensor x) { return sum(x); });
  OnThreads([&](int i) {
    for (int n = 1; n <= 8; ++n) EXPECT_EQ(f(ones({n})).item<float>(), n);
  });
  EXPECT_EQ(f.stats().traces, 8);
}

TEST(JitThreadsTest, SixteenThreadsAndEightShapesCompileOncePerKey) {
  auto f = jit([](Tensor x) { return matmul(x, transpose(x)) + 1; }, {.name = "eight_shapes"});
  constexpr int kCalls = 40;
  std::barrier start(16);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      for (int i = 0; i < kCalls; ++i) {
        const int n = 1 + (t + i) % 8;
        const Tensor y = f(full({n, 3}, t, f32));
        if (y.item<float>({n - 1, 0}) != 3.0f * t * t + 1) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  const JitStats stats = f.stats();
  EXPECT_EQ(stats.traces, 8);
  EXPECT_EQ(stats.misses, 8);
  EXPECT_LE(stats.compiles, 8);
  EXPECT_EQ(stats.calls, 16 * kCalls);
  EXPECT_EQ(stats.hits, 16 * kCalls - 8);
}

TEST(JitThreadsTest, EagerOpsOnManyThreads) {
  OnThreads([](int i) {
    for (int round = 0; round < 20; ++round) {
      EXPECT_EQ((scalar(float(i)) * 2 + 1).item<float>(), 2 * i + 1);
    }
  });
}

}  // namespace
}  // namespace swage
