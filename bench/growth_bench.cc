// How the first compile grows with a program: five forms (bench/forms.h) of 1,000 to 16,000
// operations. Each reading traces and compiles anew, with no kernel in the cache and nothing on
// disk; LLVM is warm. Counters are milliseconds: trace, passes (without fusion), fusion, plan
// (generalise, keys), llvm, link; plan, llvm and link are summed over threads, so they may exceed
// the time of the whole. `kernels` of the program, `llvm_runs` of them generated.
#include <benchmark/benchmark.h>

#include <chrono>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "bench/forms.h"
#include "codegen/cpu/compile.h"

namespace swage::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kSmallest = 1000, kLargest = 16000;

bool IsFusion(std::string_view pass) {
  return pass == "priority-fusion" || pass == "fusion-wrapper" || pass == "multi-output-fusion" ||
         pass == "horizontal-fusion" || pass == "fusion-cse" || pass == "concatenate-splitter";
}

struct Reading {
  double trace_ms = 0;
  codegen::CompileReport report;
};

StatusOr<Reading> TraceAndCompile(const Form& form, int64_t ops) {
  Reading reading;
  const Clock::time_point start = Clock::now();
  SWAGE_ASSIGN_OR_RETURN(std::unique_ptr<ir::Module> module, TraceForm(form, ops));
  reading.trace_ms = MillisecondsSince(start);
  SWAGE_ASSIGN_OR_RETURN(const auto executable, cpu::Compile(std::move(module), {}));
  reading.report = executable->report();
  return reading;
}

void Count(const Reading& reading, benchmark::State& state) {
  const codegen::CompileReport& report = reading.report;
  double fusion_ms = 0;
  for (const auto& [pass, ms] : *report.pass_times) {
    if (IsFusion(pass)) fusion_ms += ms;
  }
  state.counters["trace"] = reading.trace_ms;
  state.counters["passes"] = report.passes_ms - fusion_ms;
  state.counters["fusion"] = fusion_ms;
  state.counters["plan"] = report.plan_ms;
  state.counters["llvm"] = report.llvm_ms;
  state.counters["link"] = report.link_ms;
  state.counters["kernels"] = static_cast<double>(report.kernels);
  state.counters["llvm_runs"] = static_cast<double>(report.llvm_runs);
}

// One compile; the benchmark's repetitions make more of them.
void Compile(benchmark::State& state, const Form& form, int64_t ops) {
  static const bool warm = TraceAndCompile(Forms()[0], 10).ok();
  if (!warm) return state.SkipWithError("does not compile");
  for (auto _ : state) {
    codegen::KernelCache::Get().Clear();
    const StatusOr<Reading> reading = TraceAndCompile(form, ops);
    if (!reading.ok()) return state.SkipWithError(std::string(reading.status().message()).c_str());
    Count(*reading, state);
  }
}

const bool registered = [] {
  for (const Form& form : Forms()) {
    for (int64_t ops = kSmallest; ops <= kLargest; ops *= 2) {
      const std::string name = "BM_" + form.name + "/" + std::to_string(ops);
      benchmark::RegisterBenchmark(
          name.c_str(), [&form, ops](benchmark::State& state) { Compile(state, form, ops); })
          ->Unit(benchmark::kMillisecond)
          ->Iterations(1)
          ->MeasureProcessCPUTime()
          ->UseRealTime();
    }
  }
  return true;
}();

}  // namespace
}  // namespace swage::bench
