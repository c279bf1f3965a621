// Throughput of the evaluator: it checks whole programs, so dots and reductions must not crawl.
#include <benchmark/benchmark.h>

#include <string>

#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/parser.h"

namespace swage::evaluator {
namespace {

// Runs a module on zeros; `flops` are those of one run.
void Run(benchmark::State& state, const std::string& hlo, double flops) {
  const auto module = ir::ParseHlo(hlo, "bench.hlo");
  if (!module.ok()) return state.SkipWithError(std::string(module.status().message()).c_str());
  std::vector<ir::Literal> args;
  for (const ir::Instruction* parameter : (*module)->entry()->parameters()) {
    args.push_back(*ir::Literal::Create(parameter->shape()));
  }
  for (auto _ : state) {
    const StatusOr<ir::Literal> result = Evaluate(**module, args);
    if (!result.ok()) return state.SkipWithError(std::string(result.status().message()).c_str());
  }
  state.counters["GFLOP/s"] =
      benchmark::Counter(flops * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void BM_Dot(benchmark::State& state, const std::string& type) {
  const std::string n = std::to_string(state.range(0));
  const std::string shape = type + "[" + n + "," + n + "]";
  Run(state,
      "HloModule m\nENTRY main {\n x = " + shape + " parameter(0)\n y = " + shape +
          " parameter(1)\n ROOT r = " + shape +
          " dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n",
      2.0 * state.range(0) * state.range(0) * state.range(0));
}
BENCHMARK_CAPTURE(BM_Dot, f32, std::string("f32"))->Arg(64)->Arg(512);
BENCHMARK_CAPTURE(BM_Dot, f64, std::string("f64"))->Arg(512);
BENCHMARK_CAPTURE(BM_Dot, bf16, std::string("bf16"))->Arg(512);
BENCHMARK_CAPTURE(BM_Dot, s32, std::string("s32"))->Arg(512);

void BM_MatrixVector(benchmark::State& state) {
  Run(state,
      "HloModule m\nENTRY main {\n x = f32[2048,2048] parameter(0)\n y = f32[2048] parameter(1)\n"
      " ROOT r = f32[2048] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n",
      2.0 * 2048 * 2048);
}
BENCHMARK(BM_MatrixVector);

void BM_Sum(benchmark::State& state, const std::string& type, const std::string& dims,
            const std::string& out) {
  Run(state,
      "HloModule m\nadd {\n a = " + type + "[] parameter(0)\n b = " + type +
          "[] parameter(1)\n ROOT r = " + type + "[] add(a, b)\n}\nENTRY main {\n x = " + type +
          "[2048,2048] parameter(0)\n z = " + type + "[] constant(0)\n ROOT r = " + type + out +
          " reduce(x, z), dimensions={" + dims + "}, to_apply=add\n}\n",
      2048.0 * 2048);
}
BENCHMARK_CAPTURE(BM_Sum, f32_rows, std::string("f32"), std::string("1"), std::string("[2048]"));
BENCHMARK_CAPTURE(BM_Sum, f32_columns, std::string("f32"), std::string("0"), std::string("[2048]"));
BENCHMARK_CAPTURE(BM_Sum, f32_all, std::string("f32"), std::string("0,1"), std::string("[]"));
BENCHMARK_CAPTURE(BM_Sum, bf16_rows, std::string("bf16"), std::string("1"), std::string("[2048]"));

void BM_Argmax(benchmark::State& state) {
  Run(state, R"(HloModule m
argmax {
  av = f32[] parameter(0)
  ai = s32[] parameter(1)
  bv = f32[] parameter(2)
  bi = s32[] parameter(3)
  gt = pred[] compare(av, bv), direction=GT
  v = f32[] select(gt, av, bv)
  i = s32[] select(gt, ai, bi)
  ROOT t = (f32[], s32[]) tuple(v, i)
}
ENTRY main {
  x = f32[1024,1024] parameter(0)
  i = s32[1024,1024] iota(), iota_dimension=1
  low = f32[] constant(-inf)
  zero = s32[] constant(0)
  ROOT r = (f32[1024], s32[1024]) reduce(x, i, low, zero), dimensions={1}, to_apply=argmax
})",
      1024.0 * 1024);
}
BENCHMARK(BM_Argmax);

void BM_Transpose(benchmark::State& state) {
  Run(state,
      "HloModule m\nENTRY main {\n x = f32[2048,2048] parameter(0)\n"
      " ROOT r = f32[2048,2048] transpose(x), dimensions={1,0}\n}\n",
      2048.0 * 2048);
}
BENCHMARK(BM_Transpose);

void BM_ScalarOps(benchmark::State& state) {
  std::string hlo = "HloModule m\nENTRY main {\n x0 = f32[] parameter(0)\n";
  for (int i = 1; i <= 10000; ++i) {
    hlo += "x" + std::to_string(i) + " = f32[] add(x" + std::to_string(i - 1) + ", x0)\n";
  }
  Run(state, hlo + "ROOT r = f32[] negate(x10000)\n}\n", 10000);
}
BENCHMARK(BM_ScalarOps);

}  // namespace
}  // namespace swage::evaluator
