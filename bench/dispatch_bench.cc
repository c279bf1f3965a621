// What a call costs where nearly nothing is computed: an executable that is run directly, and the
// same through swage::jit, with the same number of arguments.
#include <benchmark/benchmark.h>

#include "absl/strings/str_cat.h"
#include "bench/programs.h"
#include "runtime/swage.h"

namespace swage::bench {
namespace {

// x0 + x1 + ... over arrays of four numbers.
std::string SumText(int64_t arguments) {
  std::string text = "HloModule sum\nENTRY main {\n";
  for (int64_t i = 0; i < arguments; ++i) {
    absl::StrAppend(&text, "  x", i, " = f32[4] parameter(", i, ")\n");
  }
  absl::StrAppend(&text, "  s0 = f32[4] negate(x0)\n");
  for (int64_t i = 1; i < arguments; ++i) {
    absl::StrAppend(&text, "  s", i, " = f32[4] add(s", i - 1, ", x", i, ")\n");
  }
  return absl::StrCat(text, "  ROOT r = f32[4] negate(s", arguments - 1, ")\n}\n");
}

void BM_Run(benchmark::State& state) {
  StatusOr<Program> program = Program::Compile(SumText(state.range(0)));
  if (!program.ok()) return state.SkipWithError("does not compile");
  for (auto _ : state) benchmark::DoNotOptimize(program->Run());
}
BENCHMARK(BM_Run)->ArgName("args")->Arg(1)->Arg(3)->Arg(16);

void BM_Jit(benchmark::State& state) {
  auto f = jit([](const std::vector<Tensor>& xs) {
    Tensor sum = -xs[0];
    for (size_t i = 1; i < xs.size(); ++i) sum = sum + xs[i];
    return -sum;
  });
  std::vector<Tensor> xs;
  for (int64_t i = 0; i < state.range(0); ++i) xs.push_back(array({1.f, 2.f, 3.f, float(i)}));
  f(xs);
  for (auto _ : state) benchmark::DoNotOptimize(f(xs));
}
BENCHMARK(BM_Jit)->ArgName("args")->Arg(1)->Arg(3)->Arg(16);

}  // namespace
}  // namespace swage::bench
