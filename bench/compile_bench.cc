// What it costs to get from HLO text to an executable, by phase. Counters are milliseconds per
// compile: parse, passes, plan (generalise, keys), llvm, link; plan, llvm and link are summed over
// threads, so they may exceed the time of the whole. `kernels` of the program, `llvm_runs` of them
// generated.
//   Cold     no kernel is in the cache, LLVM is warm
//   Cached   every kernel is in the cache: what a new shape of a known program costs
#include <benchmark/benchmark.h>

#include <chrono>

#include "base/clock.h"
#include "bench/programs.h"
#include "codegen/cpu/compile.h"
#include "compiler/ir/parser.h"

namespace swage::bench {
namespace {

using Clock = std::chrono::steady_clock;

void CompileOften(benchmark::State& state, const std::string& text, bool cold) {
  if (text.empty()) return state.SkipWithError("no such program");
  const auto compile = [&](double* parse_ms) -> StatusOr<codegen::CompileReport> {
    const Clock::time_point start = Clock::now();
    SWAGE_ASSIGN_OR_RETURN(std::unique_ptr<ir::Module> module, ir::ParseHlo(text, "bench.hlo"));
    *parse_ms += MillisecondsSince(start);
    SWAGE_ASSIGN_OR_RETURN(const auto executable, cpu::Compile(std::move(module), {}));
    return executable->report();
  };
  double parse_ms = 0;
  if (!compile(&parse_ms).ok()) return state.SkipWithError("does not compile");
  parse_ms = 0;
  codegen::CompileReport sum;
  for (auto _ : state) {
    if (cold) codegen::KernelCache::Get().Clear();
    const StatusOr<codegen::CompileReport> report = compile(&parse_ms);
    if (!report.ok()) return state.SkipWithError("does not compile");
    sum.passes_ms += report->passes_ms;
    sum.plan_ms += report->plan_ms;
    sum.llvm_ms += report->llvm_ms;
    sum.link_ms += report->link_ms;
    sum.kernels += report->kernels;
    sum.llvm_runs += report->llvm_runs;
  }
  const auto average = [&](const char* name, double total) {
    state.counters[name] = benchmark::Counter(total, benchmark::Counter::kAvgIterations);
  };
  average("parse", parse_ms);
  average("passes", sum.passes_ms);
  average("plan", sum.plan_ms);
  average("llvm", sum.llvm_ms);
  average("link", sum.link_ms);
  average("kernels", static_cast<double>(sum.kernels));
  average("llvm_runs", static_cast<double>(sum.llvm_runs));
}

void BM_CorpusCold(benchmark::State& state, const std::string& name) {
  CompileOften(state, CorpusText(name), true);
}
void BM_CorpusCached(benchmark::State& state, const std::string& name) {
  CompileOften(state, CorpusText(name), false);
}
#define SWAGE_BENCH_CORPUS(name)                             \
  BENCHMARK_CAPTURE(BM_CorpusCold, name, "program/" #name)   \
      ->Unit(benchmark::kMillisecond)                        \
      ->MeasureProcessCPUTime()                              \
      ->UseRealTime();                                       \
  BENCHMARK_CAPTURE(BM_CorpusCached, name, "program/" #name) \
      ->Unit(benchmark::kMillisecond)                        \
      ->MeasureProcessCPUTime()                              \
      ->UseRealTime()
SWAGE_BENCH_CORPUS(attend_64);
SWAGE_BENCH_CORPUS(gpt_12_layers);

void BM_ChainCold(benchmark::State& state) { CompileOften(state, ChainText(state.range(0)), true); }
BENCHMARK(BM_ChainCold)
    ->Arg(1000)
    ->Arg(10000)
    ->Arg(25000)
    ->Arg(50000)
    ->Arg(100000)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

}  // namespace
}  // namespace swage::bench
