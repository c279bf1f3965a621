// jit on a GPU: the same functions, keys, sizes and policies, and the same bits.
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "cache/config.h"
#include "runtime/policies.h"
#include "tests/runtime/cuda/cuda_testing.h"

namespace swage {
namespace {

using ::testing::HasSubstr;

using CudaJit = CudaTest;

Tensor Norm(Tensor x) {
  const Tensor centred = x - mean(x, {-1}, true);
  return centred * rsqrt(mean(centred * centred, {-1}, true) + 1e-5f);
}

TEST_F(CudaJit, ElementwiseAndReductionsHaveTheBitsOfTheCpu) {
  for (const int64_t n : {1, 7, 64, 1000}) {
    const Tensor x = Numbers({5, n});
    auto on_gpu = jit([](Tensor x) { return Norm(tanh(x) * 3); }, {.device = kCuda});
    auto on_cpu = jit([](Tensor x) { return Norm(tanh(x) * 3); });
    const Tensor got = on_gpu(x);
    EXPECT_EQ(got.device(), kCuda);
    ExpectSame(got, on_cpu(x));
  }
}

TEST_F(CudaJit, HitsAndMissesCountAsOnTheCpu) {
  auto f = jit([](Tensor x, Tensor y) { return x * y + 1; }, {.device = "cuda"});
  const Tensor x = Numbers({4}), y = Numbers({4}).to(kCuda);
  f(x, y);
  f(y, y);  // where arguments are is not in the key
  f(Numbers({5}), Numbers({5}));
  EXPECT_EQ(f.stats().misses, 2);
  EXPECT_EQ(f.stats().hits, 1);
  EXPECT_EQ(f.stats().llvm_runs, 1);  // lengths share their kernels
}

TEST_F(CudaJit, AttentionIsCloseToTheCpu) {
  const Tensor q = Numbers({33, 16}), k = Numbers({31, 16}), v = Numbers({31, 16});
  auto f = jit(Attend, {.device = kCuda});
  ExpectClose(f(q, k, v), jit(Attend)(q, k, v));
}

TEST_F(CudaJit, FunctionsOfTheHostRefuseTensorsOfADevice) {
  auto f = jit([](Tensor x) { return x + 1; }, {.name = "host"});
  EXPECT_THAT(ErrorOf([&] { f(full({2}, 1, f32).to(kCuda)); }),
              HasSubstr("[host] got f32[2] on cuda:0 for a program on cpu"));
}

TEST_F(CudaJit, ArgumentsThatAreResultsAreThereToo) {
  auto f = jit([](Tensor x) { return std::pair(x, x + 1); }, {.device = kCuda});
  const auto [same, next] = f(Numbers({4}));
  EXPECT_EQ(same.device(), kCuda);
  EXPECT_EQ(next.device(), kCuda);
  ExpectSame(same, Numbers({4}));
}

TEST_F(CudaJit, CapturedTensorsGoThereOnce) {
  const Tensor weight = Numbers({64});
  auto f = jit([weight](Tensor x) { return x * weight; }, {.device = kCuda});
  const Tensor x = Numbers({64}).to(kCuda);
  ExpectSame(f(x), x * weight);
  for (int i = 0; i < 3; ++i) f(x);
  const int64_t before = Queue().stats().from_driver;
  for (int i = 0; i < 10; ++i) f(x);
  EXPECT_EQ(Queue().stats().from_driver, before);
}

TEST_F(CudaJit, AnUpdateOfADonatedArrayLeavesTheRestWhereItIs) {
  auto f = jit(
      [](Tensor cache, Tensor row, Scalar<int32_t> at) {
        return dynamic_update_slice(cache, reshape(row * 2, {1, 64}), {at, 0});
      },
      {.device = kCuda});
  const Tensor row = Numbers({64}).to(kCuda);
  Tensor cache = zeros({500, 64}).to(kCuda);
  for (int at : {7, 8, 1000}) cache = f(std::move(cache), row, at);
  EXPECT_EQ(f.stats().donations, 3);
  const Tensor twice = row.to("cpu") * 2;
  const Tensor host = cache.to("cpu");
  for (int at : {7, 8, 499}) ExpectSame(index(host, at), twice);
  EXPECT_EQ(host.to_vector<float>()[6 * 64 + 5], 0);
  // Without std::move the cache stays as it is.
  const Tensor copy = f(cache, row, 9);
  ExpectSame(cache, host);
  ExpectSame(index(copy.to("cpu"), 9), twice);
  ExpectSame(index(copy.to("cpu"), 8), twice);
}

TEST_F(CudaJit, OneSymbolicProgramServesAllSizes) {
  auto f = jit(Attend, {.device = kCuda, .dims = {"[n,16]", "[n,16]", "[n,16]"}});
  for (const int64_t n : {31, 32, 33, 1, 64}) {
    const Tensor x = Numbers({n, 16});
    SCOPED_TRACE(n);
    ExpectClose(f(x, x, x), jit(Attend)(x, x, x));
  }
  EXPECT_EQ(f.stats().compiles, 1);
  EXPECT_EQ(f.stats().sizings, 5);
}

TEST_F(CudaJit, BucketsServeTheirSizes) {
  auto f = jit([](Tensor x) { return sum(x * x, {0}); },
               {.device = kCuda, .dims = {"[n<=64,8]"}, .mode = Mode::kBucket});
  for (const int64_t n : {3, 5, 17, 20, 64}) {
    const Tensor x = Numbers({n, 8});
    ExpectSame(f(x), jit([](Tensor x) { return sum(x * x, {0}); })(x));
  }
  EXPECT_LT(f.stats().compiles, 5);
}

TEST_F(CudaJit, ThreeLengthsAreThreePipelineRunsAndOnePtxPerKernel) {
  auto f = jit([](Tensor x) { return softmax(x * 1.25f, -1); }, {.device = kCuda});
  f(Numbers({4, 31}));
  const int64_t first = f.stats().llvm_runs;
  f(Numbers({4, 32}));
  f(Numbers({4, 33}));
  EXPECT_EQ(f.stats().compiles, 3);
  EXPECT_EQ(f.stats().llvm_runs, first);
}

TEST_F(CudaJit, AMissInTheBackgroundIsServed) {
  auto f =
      jit([](Tensor x) { return x * 2 + 1; }, {.device = kCuda, .on_miss = OnMiss::kBackground});
  const Tensor x = Numbers({9});
  for (int i = 0; i < 3; ++i) ExpectSame(f(x), jit([](Tensor x) { return x * 2 + 1; })(x));
}

TEST_F(CudaJit, BehindTheLastCompileAMissIsAnError) {
  auto f =
      jit([](Tensor x) { return x + 0.5f; }, {.name = "few", .device = kCuda, .max_compiles = 1});
  f(Numbers({2}));
  EXPECT_THAT(ErrorOf([&] { f(Numbers({3})); }), HasSubstr("max_compiles"));
}

TEST_F(CudaJit, WhatIsInterpretedInsteadLeavesItsResultsThereToo) {
  const auto config = cache::ParseConfig(
      "format = 1\n[functions.few_on_gpu]\nmax_compiles = 1\non_limit = \"interpret\"\n",
      "test.toml");
  ASSERT_TRUE(config.ok()) << config.status();
  runtime::Policies().Set(config->policies);
  auto f = jit([](Tensor x) { return x * 2 + 1; }, {.name = "few_on_gpu", .device = kCuda});
  for (const int64_t n : {3, 4, 4}) {
    const Tensor x = Numbers({n}).to(kCuda);
    const Tensor y = f(x);
    EXPECT_EQ(y.device(), kCuda);
    ExpectSame(y, x * 2 + 1);
  }
  EXPECT_EQ(f.stats().compiles, 1);
  EXPECT_EQ(f.stats().interpreted, 1);
  runtime::Policies().Set(policy::PolicySet::None());
}

TEST_F(CudaJit, NestedFunctionsAreOneProgram) {
  auto inner = jit([](Tensor x) { return x * x; });
  auto outer = jit([inner](Tensor x) { return inner(x) + inner(x + 1); }, {.device = kCuda});
  const Tensor x = Numbers({17});
  ExpectSame(outer(x), x * x + (x + 1) * (x + 1));
}

TEST_F(CudaJit, ManyThreadsShareTheDevice) {
  auto f = jit([](Tensor x) { return softmax(exp(x) - x, -1); }, {.device = kCuda});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&f, t] {
      for (int i = 0; i < 6; ++i) {
        const Tensor x = Numbers({3, 5 + (t + i) % 3});
        ExpectSame(f(x), jit([](Tensor x) { return softmax(exp(x) - x, -1); })(x));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Threads end, and with them what they ran last, while programs come and go.
TEST_F(CudaJit, CachesMayBeClearedUnderThreadsThatCall) {
  auto f = jit(Attend, {.device = kCuda});
  std::atomic<bool> stop{false};
  std::thread cleaner([&stop] {
    while (!stop) {
      clear_cache();
      trim();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&f, t] {
      for (int i = 0; i < 6; ++i) {
        const Tensor x = Numbers({3 + (t + i) % 3, 8});
        ExpectClose(f(x, x, x), jit(Attend)(x, x, x));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  stop = true;
  cleaner.join();
}

// Its passes are those of GPUs.
TEST_F(CudaJit, FiltersNamePassesOfTheGpu) {
  auto f = jit([](Tensor x) { return x + 1; },
               {.device = kCuda, .disable_passes = {"reduction-splitter"}});
  f(Numbers({4}));
  EXPECT_THAT(ErrorOf([] {
                auto g = jit([](Tensor x) { return x + 1; },
                             {.device = kCuda, .disable_passes = {"transpose-folding"}});
                g(Numbers({4}));
              }),
              HasSubstr("transpose-folding"));
}

TEST_F(CudaJit, HloRunsThere) {
  const std::string text =
      "HloModule m\nENTRY e {\n  x = f32[4] parameter(0)\n  ROOT r = f32[4] negate(x)\n}\n";
  const HloProgram program = parse_hlo(text, {.device = kCuda});
  const std::vector<Tensor> results = program({Numbers({4})});
  EXPECT_EQ(results[0].device(), kCuda);
  ExpectSame(results[0], -Numbers({4}));
}

}  // namespace
}  // namespace swage
