// Kernels with run-time extents against the same with baked ones, alternating in one run, and the
// throughput of emitted dots. Counters: `ratio` is the median time with run-time extents over the
// median with baked ones, `spread` the relative distance between the quartiles of the first.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "compiler/ir/parser.h"
#include "tests/codegen/emit/kernel_runner.h"
#include "tests/codegen/emit/kernel_texts.h"

namespace swage::emit {
namespace {

double Seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A kernel with buffers of its own.
class Runnable {
 public:
  Runnable(const ir::Computation& fusion, bool baked) {
    CompileOptions options;
    options.emit = TargetsHere().back();
    options.baked = baked;
    auto kernel = CompiledKernel::Compile(fusion, options);
    if (!kernel.ok()) return;
    kernel_ = std::make_unique<CompiledKernel>(std::move(*kernel));
    const auto add = [&](const ir::Shape& shape) {
      buffers_.push_back(RandomLiteral(shape, buffers_.size() + 1));
      pointers_.push_back(buffers_.back().mutable_bytes().data());
    };
    for (const ir::Instruction* parameter : fusion.parameters()) add(parameter->shape());
    add(fusion.root()->shape());
  }
  bool ok() const { return kernel_ != nullptr; }

  double Time(int repetitions) const {
    const cpu::KernelArgs args{pointers_.data(), kernel_->dims().data()};
    const double start = Seconds();
    for (int i = 0; i < repetitions; ++i) kernel_->entry()(&args, 0, kernel_->tasks());
    return (Seconds() - start) / repetitions;
  }

 private:
  std::unique_ptr<CompiledKernel> kernel_;
  std::vector<ir::Literal> buffers_;
  std::vector<void*> pointers_;
};

double Quantile(std::vector<double> times, double q) {
  std::sort(times.begin(), times.end());
  return times[static_cast<size_t>(q * (times.size() - 1))];
}

void Compare(benchmark::State& state, const std::string& hlo, double flops) {
  const auto module = ir::ParseHlo(hlo, "bench.hlo");
  if (!module.ok()) return state.SkipWithError(std::string(module.status().message()).c_str());
  const Runnable run_time(*(*module)->entry(), false), baked(*(*module)->entry(), true);
  if (!run_time.ok() || !baked.ok()) return state.SkipWithError("does not compile");
  // Long enough for the clock.
  const double once = std::max(run_time.Time(3), 1e-9);
  const int repetitions = std::clamp(static_cast<int>(50e-6 / once), 1, 1000);
  std::vector<double> a, b;
  for (auto _ : state) {
    a.push_back(run_time.Time(repetitions));
    b.push_back(baked.Time(repetitions));
  }
  const double median = Quantile(a, 0.5);
  state.counters["us"] = median * 1e6;
  state.counters["ratio"] = median / Quantile(b, 0.5);
  state.counters["spread"] = (Quantile(a, 0.75) - Quantile(a, 0.25)) / median;
  if (flops > 0) state.counters["GFLOP/s"] = flops / median * 1e-9;
}

void BM_Softmax(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  Compare(state, WithSizes(Softmax(), {{"$R", 64}, {"$N", n}}), 0);
}
BENCHMARK(BM_Softmax)
    ->Arg(7)
    ->Arg(16)
    ->Arg(31)
    ->Arg(32)
    ->Arg(33)
    ->Arg(64)
    ->Arg(512)
    ->Iterations(400);

void BM_Dot(benchmark::State& state, const std::string& dtype) {
  const int l = static_cast<int>(state.range(0)), k = static_cast<int>(state.range(1));
  const std::string hlo = Substitute(R"(
HloModule m
ENTRY e {
  x = T[$L,$K] parameter(0)
  y = T[$K,$L] parameter(1)
  ROOT d = f32[$L,$L] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})",
                                     "T[", dtype + "[");
  Compare(state, WithSizes(hlo, {{"$L", l}, {"$K", k}}), 2.0 * l * l * k);
}
BENCHMARK_CAPTURE(BM_Dot, f32, std::string("f32"))
    ->ArgsProduct({{31, 32, 33, 64, 200, 512}, {64, 512}})
    ->Iterations(200);
BENCHMARK_CAPTURE(BM_Dot, bf16, std::string("bf16"))
    ->ArgsProduct({{33, 64, 512}, {64, 512}})
    ->Iterations(200);

void BM_DotWide(benchmark::State& state) {
  const int m = static_cast<int>(state.range(0));
  Compare(state,
          WithSizes(R"(
HloModule m
ENTRY e {
  x = f32[$M,768] parameter(0)
  y = f32[768,2304] parameter(1)
  ROOT d = f32[$M,2304] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})",
                    {{"$M", m}}),
          2.0 * m * 768 * 2304);
}
BENCHMARK(BM_DotWide)->Arg(1)->Arg(2)->Arg(128)->Iterations(30);

void BM_DotTransposed(benchmark::State& state) {
  const int l = static_cast<int>(state.range(0));
  Compare(state,
          WithSizes(R"(
HloModule m
ENTRY e {
  x = f32[$L,64] parameter(0)
  y = f32[$L,64] parameter(1)
  ROOT d = f32[$L,$L] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}
})",
                    {{"$L", l}}),
          2.0 * l * l * 64);
}
BENCHMARK(BM_DotTransposed)->Arg(33)->Arg(64)->Arg(512)->Iterations(200);

void BM_SumRows(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  Compare(state, WithSizes(RowSum(), {{"$R", 64}, {"$N", n}}), 64.0 * n);
}
void BM_SumColumns(benchmark::State& state) {
  const int r = static_cast<int>(state.range(0)), n = static_cast<int>(state.range(1));
  Compare(state,
          WithSizes(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[$R,$N] parameter(0)
  zero = f32[] constant(0)
  ROOT s = f32[$N] reduce(x, zero), dimensions={0}, to_apply=add
})",
                    {{"$R", r}, {"$N", n}}),
          1.0 * r * n);
}
BENCHMARK(BM_SumColumns)
    ->Args({64, 19})
    ->Args({64, 64})
    ->Args({512, 512})
    ->Args({2048, 2048})
    ->Iterations(100);
BENCHMARK(BM_SumRows)->Arg(31)->Arg(512)->Arg(4096)->Iterations(400);

}  // namespace
}  // namespace swage::emit
