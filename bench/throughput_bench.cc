// How fast compiled programs run, on all threads of the machine. Counters: GB/s counts each input
// and output once; GFLOP/s counts a dot's multiplications and additions.
#include <benchmark/benchmark.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "bench/programs.h"

namespace swage::bench {
namespace {

// `flops` are those of one run; 0: none are reported.
void Run(benchmark::State& state, const std::string& hlo, double flops) {
  if (hlo.empty()) return state.SkipWithError("no such program");
  StatusOr<Program> program = Program::Compile(hlo);
  if (!program.ok()) return state.SkipWithError(std::string(program.status().message()).c_str());
  program->Run();
  for (auto _ : state) {
    if (!program->Run()) return state.SkipWithError("does not run");
  }
  const auto rate = [&](const char* name, double amount) {
    state.counters[name] =
        benchmark::Counter(amount * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
  };
  rate("GB/s", static_cast<double>(program->bytes()));
  if (flops > 0) rate("GFLOP/s", flops);
}

std::string Square(const std::string& hlo, const std::string& dtype, int64_t n) {
  return absl::StrReplaceAll(hlo, {{"T[", dtype + "["}, {"$N", absl::StrCat(n)}});
}

void BM_Elementwise10(benchmark::State& state) { Run(state, ChainText(10, state.range(0)), 0); }

void BM_Exp(benchmark::State& state) {
  Run(state,
      Square(R"(
HloModule exp
ENTRY main {
  x = T[$N] parameter(0)
  ROOT r = T[$N] exponential(x)
})",
             "f32", state.range(0)),
      0);
}

void BM_Softmax(benchmark::State& state) {
  Run(state, R"(
HloModule softmax
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY main {
  x = f32[4096,1024] parameter(0)
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
  m = f32[4096] reduce(x, low), dimensions={1}, to_apply=max
  mb = f32[4096,1024] broadcast(m), dimensions={0}
  s = f32[4096,1024] subtract(x, mb)
  e = f32[4096,1024] exponential(s)
  t = f32[4096] reduce(e, zero), dimensions={1}, to_apply=sum
  tb = f32[4096,1024] broadcast(t), dimensions={0}
  ROOT r = f32[4096,1024] divide(e, tb)
})",
      0);
}

void BM_Sum(benchmark::State& state, const std::string& dim) {
  Run(state,
      absl::StrReplaceAll(R"(
HloModule sum
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY main {
  x = f32[4096,4096] parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[4096] reduce(x, zero), dimensions={$D}, to_apply=sum
})",
                          {{"$D", dim}}),
      0);
}

void BM_Dot(benchmark::State& state, const std::string& dtype) {
  const double n = static_cast<double>(state.range(0));
  Run(state,
      Square(R"(
HloModule dot
ENTRY main {
  x = T[$N,$N] parameter(0)
  y = T[$N,$N] parameter(1)
  ROOT r = f32[$N,$N] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})",
             dtype, state.range(0)),
      2 * n * n * n);
}

// softmax(q k^T / sqrt(128)) v over 2048 positions of 128 bf16.
void BM_Attend2048(benchmark::State& state) {
  Run(state, absl::StrReplaceAll(CorpusText("program/attend_256x128_bf16"), {{"256", "2048"}}),
      4.0 * 2048 * 2048 * 128);
}

BENCHMARK(BM_Elementwise10)
    ->Arg(1 << 20)
    ->Arg(1 << 24)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK(BM_Exp)->Arg(1 << 20)->Arg(1 << 24)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK(BM_Softmax)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(BM_Sum, rows, "1")->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(BM_Sum, columns, "0")->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(BM_Dot, f32, "f32")
    ->Arg(256)
    ->Arg(1024)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_Dot, bf16, "bf16")
    ->Arg(256)
    ->Arg(1024)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK(BM_Attend2048)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace swage::bench
