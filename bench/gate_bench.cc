// Kernels with run-time extents against the same with baked ones, alternating in one run, and the
// throughput of emitted dots. Counters: `ratio` is the median time with run-time extents over the
// median with baked ones, `spread` the relative distance between the quartiles of the first.
//
// With --table the ratios follow once more by schedule, as a table in Markdown.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "bench/quantile.h"
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
  std::string_view schedule() const { return ScheduleName(kernel_->schedule()); }

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
  const double median = bench::Quantile(a, 0.5);
  state.counters["us"] = median * 1e6;
  state.counters["ratio"] = median / bench::Quantile(b, 0.5);
  state.SetLabel(std::string(run_time.schedule()));
  state.counters["spread"] = bench::Spread(a);
  if (flops > 0) state.counters["GFLOP/s"] = flops / median * 1e-9;
}

// Rows of a bias, or of a table with short rows.
void BM_AddRow(benchmark::State& state) {
  const int r = static_cast<int>(state.range(0)), n = static_cast<int>(state.range(1));
  Compare(state,
          WithSizes(R"(
HloModule m
ENTRY e {
  x = f32[$R,$N] parameter(0)
  y = f32[$N] parameter(1)
  b = f32[$R,$N] broadcast(y), dimensions={1}
  ROOT s = f32[$R,$N] add(x, b)
})",
                    {{"$R", r}, {"$N", n}}),
          0);
}
BENCHMARK(BM_AddRow)
    ->Args({2, 4})
    ->Args({64, 7})
    ->Args({64, 31})
    ->Args({64, 64})
    ->Args({512, 512})
    ->Iterations(400);

void BM_Exp(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  Compare(state,
          WithSizes(R"(
HloModule m
ENTRY e {
  x = f32[$N] parameter(0)
  ROOT s = f32[$N] exponential(x)
})",
                    {{"$N", n}}),
          0);
}
BENCHMARK(BM_Exp)->Arg(7)->Arg(64)->Arg(1000)->Arg(100000)->Iterations(400);

// Where each element's place is computed from its number.
void BM_Moves(benchmark::State& state, const std::string& last) {
  const int n = static_cast<int>(state.range(0));
  Compare(state,
          WithSizes("HloModule m\nENTRY e {\n  x = f32[6,$N,$N] parameter(0)\n" + last + "\n}",
                    {{"$N", n}, {"$M", 6 * n}}),
          0);
}
BENCHMARK_CAPTURE(BM_Moves, transpose,
                  std::string("  ROOT t = f32[$N,6,$N] transpose(x), dimensions={2,0,1}"))
    ->Arg(7)
    ->Arg(33)
    ->Arg(200)
    ->Iterations(200);
BENCHMARK_CAPTURE(BM_Moves, reshape_transpose,
                  std::string("  r = f32[$M,$N] reshape(x)\n"
                              "  ROOT t = f32[$N,$M] transpose(r), dimensions={1,0}"))
    ->Arg(7)
    ->Arg(33)
    ->Arg(200)
    ->Iterations(200);
BENCHMARK_CAPTURE(BM_Moves, concatenate,
                  std::string("  n = f32[6,$N,$N] negate(x)\n"
                              "  ROOT c = f32[12,$N,$N] concatenate(x, n), dimensions={0}"))
    ->Arg(7)
    ->Arg(33)
    ->Iterations(200);

// x - mean(x) over rows.
void BM_Centre(benchmark::State& state) {
  const int r = static_cast<int>(state.range(0)), n = static_cast<int>(state.range(1));
  Compare(state,
          WithSizes(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[$R,$N] parameter(0)
  zero = f32[] constant(0)
  scale = f32[] constant(0.03125)
  s = f32[$R] reduce(x, zero), dimensions={1}, to_apply=add
  k = f32[$R] broadcast(scale), dimensions={}
  m = f32[$R] multiply(s, k)
  b = f32[$R,$N] broadcast(m), dimensions={0}
  ROOT d = f32[$R,$N] subtract(x, b)
})",
                    {{"$R", r}, {"$N", n}}),
          0);
}
BENCHMARK(BM_Centre)
    ->Args({64, 7})
    ->Args({64, 31})
    ->Args({64, 33})
    ->Args({64, 64})
    ->Args({64, 512})
    ->Iterations(400);

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
    ->ArgsProduct({{4, 8, 16, 31, 32, 33, 64, 200, 512}, {4, 64, 512}})
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
    ->Args({7, 7})
    ->Args({64, 19})
    ->Args({64, 64})
    ->Args({64, 65})
    ->Args({64, 100})
    ->Args({512, 512})
    ->Args({2048, 2048})
    ->Iterations(100);
BENCHMARK(BM_SumRows)
    ->Arg(4)
    ->Arg(8)
    ->Arg(16)
    ->Arg(31)
    ->Arg(32)
    ->Arg(33)
    ->Arg(48)
    ->Arg(64)
    ->Arg(100)
    ->Arg(128)
    ->Arg(200)
    ->Arg(512)
    ->Arg(4096)
    ->Iterations(400);

// Also keeps the ratios, by schedule.
class TableReporter : public benchmark::ConsoleReporter {
 public:
  TableReporter() : ConsoleReporter(OO_None) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      const auto ratio = run.counters.find("ratio"), us = run.counters.find("us");
      if (ratio == run.counters.end()) continue;
      std::string name = run.run_name.function_name + "/" + run.run_name.args;
      rows_[run.report_label].push_back({name.substr(3), us->second.value, ratio->second.value});
    }
  }

  void PrintTable() {
    std::printf(
        "\n| schedule | kernels | median | worst | at | its time |\n"
        "| --- | --- | --- | --- | --- | --- |\n");
    for (auto& [schedule, rows] : rows_) {
      std::sort(rows.begin(), rows.end(),
                [](const Row& a, const Row& b) { return a.ratio < b.ratio; });
      const Row& worst = rows.back();
      std::printf("| %s | %zu | %.2f | %.2f | %s | %.2f us |\n", schedule.c_str(), rows.size(),
                  rows[rows.size() / 2].ratio, worst.ratio, worst.name.c_str(), worst.us);
    }
  }

 private:
  struct Row {
    std::string name;
    double us, ratio;
  };
  std::map<std::string, std::vector<Row>> rows_;
};

int Main(int argc, char** argv) {
  const auto is_table = [](const char* arg) { return std::strcmp(arg, "--table") == 0; };
  char** const end = std::remove_if(argv, argv + argc, is_table);
  const bool table = end != argv + argc;
  argc = static_cast<int>(end - argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  if (table) {
    TableReporter reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    reporter.PrintTable();
  } else {
    benchmark::RunSpecifiedBenchmarks();
  }
  benchmark::Shutdown();
  return 0;
}

}  // namespace
}  // namespace swage::emit

int main(int argc, char** argv) { return swage::emit::Main(argc, argv); }
