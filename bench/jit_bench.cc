// What a call costs before any arithmetic: dispatch of hits, ops outside jit, tracing, first calls.
#include <benchmark/benchmark.h>

#include <atomic>

#include "runtime/swage.h"

namespace swage {
namespace {

void BM_HitOneArgument(benchmark::State& state) {
  auto f = jit([](Tensor x) { return x + 1; });
  const Tensor x = array({1.f, 2.f, 3.f, 4.f});
  f(x);
  for (auto _ : state) benchmark::DoNotOptimize(f(x));
}
BENCHMARK(BM_HitOneArgument);

void BM_HitThreeArguments(benchmark::State& state) {
  auto f = jit([](Tensor x, Tensor y, Tensor z) { return x * y + z; });
  const Tensor x = array({1.f, 2.f, 3.f, 4.f});
  f(x, x, x);
  for (auto _ : state) benchmark::DoNotOptimize(f(x, x, x));
}
BENCHMARK(BM_HitThreeArguments);

void BM_HitOfTwoKeysInTurn(benchmark::State& state) {
  auto f = jit([](Tensor x) { return x + 1; });
  const Tensor x = array({1.f, 2.f}), y = array({1.f, 2.f, 3.f});
  f(x);
  f(y);
  bool other = false;
  for (auto _ : state) benchmark::DoNotOptimize(f((other = !other) ? x : y));
}
BENCHMARK(BM_HitOfTwoKeysInTurn);

// Nothing is computed: what is left is packing and the key.
void BM_HitOfIdentity(benchmark::State& state) {
  auto f = jit([](Tensor x) { return x; });
  const Tensor x = array({1.f, 2.f});
  f(x);
  for (auto _ : state) benchmark::DoNotOptimize(f(x));
}
BENCHMARK(BM_HitOfIdentity);

void BM_EagerOp(benchmark::State& state) {
  const Tensor x = array({1.f, 2.f, 3.f, 4.f});
  for (auto _ : state) benchmark::DoNotOptimize(x + x);
}
BENCHMARK(BM_EagerOp);

// A miss whose kernels are in the cache: trace, passes, keys. Each length is new.
void BM_MissOfANewLength(benchmark::State& state) {
  auto f = jit([](Tensor x) { return softmax(x * 2, -1); });
  f(ones({8, 40}));
  static std::atomic<int64_t> rows{9};
  for (auto _ : state) {
    state.PauseTiming();
    const Tensor x = ones({rows.fetch_add(1), 40});
    state.ResumeTiming();
    benchmark::DoNotOptimize(f(x));
  }
}
BENCHMARK(BM_MissOfANewLength)->Unit(benchmark::kMicrosecond);

// Tracing alone: the function throws before anything is compiled.
void BM_TraceChain(benchmark::State& state) {
  const int64_t ops = state.range(0);
  auto f = jit([ops](Tensor x) {
    for (int64_t i = 0; i < ops / 2; ++i) x = x * (1 + float(i)) + float(i);
    throw 7;
    return x;
  });
  const Tensor x = array({1.f, 2.f});
  for (auto _ : state) {
    try {
      f(x);
    } catch (int) {
    }
  }
  state.SetComplexityN(ops);
}
BENCHMARK(BM_TraceChain)
    ->RangeMultiplier(10)
    ->Range(1000, 100000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity();

}  // namespace
}  // namespace swage
