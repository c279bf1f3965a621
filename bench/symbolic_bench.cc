// What open sizes cost at run time: a program compiled once for all batches and lengths, and one
// compiled for a bucket, against a program of the call's own sizes. The sides run alternately in
// one run.
//
// Counters: us, the median time of a call at open sizes; exact, over the median of a program of the
// call's sizes, as jit makes it; baked, over one whose sizes are baked into its kernels; spread,
// the distance between the quartiles of us over the median. For buckets also: bucket, the bound;
// at_bound, the time of a call as large as the bucket over that of the call's size (what a call
// padded to the bucket would cost).
//
//   SWAGE_SPECIALIZE=0 build/bench/symbolic_bench       # kernels with run-time sizes alone
#include <benchmark/benchmark.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "bench/quantile.h"
#include "cache/config.h"
#include "cache/tiers.h"
#include "runtime/compile_options.h"
#include "runtime/policies.h"
#include "tests/runtime/symbolic_programs.h"

namespace swage {
namespace {

using Clock = std::chrono::steady_clock;

struct Side {
  std::function<Tensor()> call;
  int repetitions = 1;
  std::vector<double> us = {};

  // Compiles, and makes a measurement long enough for the clock and for what the other side left.
  void Prepare() {
    for (int i = 0; i < 20; ++i) Time();
    repetitions = std::clamp(static_cast<int>(2000 / std::max(Time(), 0.1)), 1, 200);
  }
  double Time() const {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < repetitions; ++i) benchmark::DoNotOptimize(call());
    const std::chrono::duration<double, std::micro> took = Clock::now() - start;
    return took.count() / repetitions;
  }
  void Measure() { us.push_back(Time()); }
  double median() const { return bench::Quantile(us, 0.5); }
};

// A call of the program, by a jit function of its own.
Side MakeSide(const SizedProgram& program, Mode mode, int64_t batch, int64_t length,
              bool baked = false) {
  JitOptions options{.name = "symbolic_bench", .mode = mode};
  if (mode != Mode::kExact) options.dims = SizedDims(program);
  auto f = jit([call = program.call](const std::vector<Tensor>& x) { return call(x); }, options);
  const std::vector<Tensor> arguments = SizedArguments(program, batch, length);
  Side side{.call = [f, arguments] { return f(arguments); }};
  cache::Tiers::ReplaceGlobal(nullptr);
  clear_cache();
  runtime::SetBakedDims(baked);
  side.Prepare();
  runtime::SetBakedDims(false);
  return side;
}

// Against two programs of the call's sizes, and one of the bound's if there is one.
void Compare(benchmark::State& state, const SizedProgram& program, Mode mode, int64_t batch,
             int64_t length, std::optional<int64_t> bound) {
  Side open = MakeSide(program, mode, batch, length);
  Side exact = MakeSide(program, Mode::kExact, batch, length);
  Side baked = MakeSide(program, Mode::kExact, batch, length, /*baked=*/true);
  std::optional<Side> at_bound;
  if (bound.has_value()) at_bound = MakeSide(program, Mode::kExact, batch, *bound);
  for (auto _ : state) {
    open.Measure();
    exact.Measure();
    baked.Measure();
    if (at_bound.has_value()) at_bound->Measure();
  }
  state.counters["us"] = open.median();
  state.counters["exact"] = open.median() / exact.median();
  state.counters["baked"] = open.median() / baked.median();
  state.counters["spread"] = bench::Spread(open.us);
  if (!bound.has_value()) return;
  state.counters["bucket"] = static_cast<double>(*bound);
  state.counters["at_bound"] = at_bound->median() / exact.median();
}

void Symbolic(benchmark::State& state, const SizedProgram& program, int64_t batch, int64_t length) {
  Compare(state, program, Mode::kSymbolic, batch, length, std::nullopt);
}

void Bucketed(benchmark::State& state, const SizedProgram& program, int64_t batch, int64_t length) {
  const auto config = cache::ParseConfig(
      "format = 1\n[symbols.batch]\nmax = 64\n[symbols.length]\nmax = 4096\n"
      "buckets = { kind = \"pow2\" }\n[functions.symbolic_bench]\n",
      "symbolic_bench.toml");
  if (!config.ok()) return state.SkipWithError(std::string(config.status().message()).c_str());
  runtime::Policies().Set(config->policies);
  Compare(state, program, Mode::kBucket, batch, length,
          static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(length))));
}

void RegisterAll() {
  for (const SizedProgram& program : SizedPrograms()) {
    const auto add = [&](const char* kind, auto run, int64_t batch, int64_t length) {
      const std::string name =
          program.name + "/" + kind + "/" + std::to_string(batch) + "x" + std::to_string(length);
      benchmark::RegisterBenchmark(
          name.c_str(), [=](benchmark::State& state) { run(state, program, batch, length); })
          ->Iterations(41)
          ->Unit(benchmark::kMicrosecond);
    };
    for (const int64_t length : {33, 256, 512}) {
      for (const int64_t batch : {1, 4}) add("symbolic", Symbolic, batch, length);
    }
    for (const int64_t batch : {1, 4}) add("bucket", Bucketed, batch, 33);
  }
}

}  // namespace
}  // namespace swage

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  swage::RegisterAll();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
