// What must not take long, nor much memory, to compile: long programs, large constants, functions
// that call one another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "compiler/ir/parser.h"
#include "runtime/swage.h"
#include "tests/cases/case_fixture.h"

namespace swage::cases {
namespace {

constexpr double kMostCompileMs = 2000;

TEST(CompileCases, ThreeHundredParametersAreOneProgram) {
  std::vector<Tensor> parameters;
  for (int i = 0; i < 300; ++i) parameters.push_back(scalar(static_cast<float>(i) * 0.5f));
  auto f = jit([](const std::vector<Tensor>& xs) {
    Tensor total = xs[0];
    for (size_t i = 1; i < xs.size(); ++i) total = total + xs[i];
    return total;
  });
  EXPECT_EQ(f(parameters).item<float>(), 22425);
  EXPECT_EQ(f(parameters).item<float>(), 22425);
  EXPECT_EQ(f.stats().compiles, 1);
  clear_cache();
  EXPECT_EQ(f(parameters).item<float>(), 22425);
}

// Sums of n terms, each of its own number, around powers of two and the 512 instructions of a
// fusion: at first, from the cache, and when that was cleared.
TEST(CompileCases, ProgramsOfAnyLengthGiveTheSameEveryTime) {
  for (const int n : {1,   2,   31,  32,  33,  63,  64,  65,  127, 128, 129,
                      169, 170, 171, 255, 256, 257, 511, 512, 513, 514, 1025}) {
    auto f = jit([n](Tensor x) {
      Tensor total = x * 0;
      for (int i = 1; i <= n; ++i) total = total + x * i;
      return total;
    });
    const int want = n * (n + 1);
    for (int call = 0; call < 3; ++call) {
      EXPECT_EQ(f(full({3}, 2, s32)).item<int>({2}), want) << n << ", call " << call;
      if (call == 1) clear_cache();
    }
  }
}

int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

// What compiling takes, and the result.
struct Compiled {
  double ms = 0;
  int64_t more_bytes = 0;
  std::vector<ir::Literal> results;
};

Compiled CompileAndRun(const std::string& hlo, const std::vector<ir::Literal>& args = {}) {
  Compiled compiled;
  const auto module = ir::ParseHlo(hlo, "case.hlo");
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return compiled;
  const auto device = tools::FindDevice(
      "cpu", {.on_compiled = [&](const auto& made) { compiled.ms = made->report().total_ms; }});
  const int64_t before = ResidentBytes();
  const auto run = (*device)(**module);
  compiled.more_bytes = ResidentBytes() - before;
  EXPECT_TRUE(run.ok()) << run.status();
  if (!run.ok()) return compiled;
  const auto results = (*run)(args);
  EXPECT_TRUE(results.ok()) << results.status();
  if (results.ok()) compiled.results = *results;
  return compiled;
}

constexpr int64_t kMostMoreBytes = int64_t{64} << 20;

TEST(CompileCases, AnUpdateOfLargeZerosIsNotFolded) {
  const Compiled compiled = CompileAndRun(R"(HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  z = f32[] constant(0)
  zeros = f32[512,512,512] broadcast(z), dimensions={}
  one = f32[1,1,1] constant({{{7}}})
  i = s32[] constant(3)
  updated = f32[512,512,512] dynamic-update-slice(zeros, one, i, i, i)
  ROOT r = f32[] reduce(updated, z), dimensions={0,1,2}, to_apply=add
})");
  ASSERT_EQ(compiled.results.size(), 1u);
  ExpectSame(compiled.results[0], Value("f32[]", "7"), {});
  EXPECT_LT(compiled.ms, kMostCompileMs);
  EXPECT_LT(compiled.more_bytes, kMostMoreBytes);
}

TEST(CompileCases, ASelectOverALongIotaIsNotFolded) {
  const Compiled compiled = CompileAndRun(R"(HloModule m
add {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT s = s32[] add(a, b)
}
ENTRY main {
  i = s32[100000000] iota(), iota_dimension=0
  five = s32[] constant(5)
  fives = s32[100000000] broadcast(five), dimensions={}
  is = pred[100000000] compare(i, fives), direction=EQ
  one = s32[] constant(1)
  ones = s32[100000000] broadcast(one), dimensions={}
  two = s32[] constant(2)
  twos = s32[100000000] broadcast(two), dimensions={}
  chosen = s32[100000000] select(is, ones, twos)
  z = s32[] constant(0)
  ROOT r = s32[] reduce(chosen, z), dimensions={0}, to_apply=add
})");
  ASSERT_EQ(compiled.results.size(), 1u);
  ExpectSame(compiled.results[0], Value("s32[]", "199999999"), {});
  EXPECT_LT(compiled.ms, kMostCompileMs);
  EXPECT_LT(compiled.more_bytes, kMostMoreBytes);
}

TEST(CompileCases, ALargeCapturedTensorIsReadWhereItLies) {
  constexpr int64_t kCount = 10'000'000;
  std::vector<float> numbers(kCount, 0.5f);
  const auto product = [](const Tensor& captured) {
    auto f = jit([captured](Tensor x) { return sum(captured) * x; });
    const float result = f(scalar(2.0f)).item<float>();
    EXPECT_LT(f.stats().compile_ms, kMostCompileMs);
    return result;
  };
  const Tensor all = array(numbers, {kCount});
  const int64_t before = ResidentBytes();
  EXPECT_EQ(product(all), 10'000'000);
  EXPECT_LT(ResidentBytes() - before, kMostMoreBytes);  // no second copy of 40 MB, nor its text
  numbers[1234567] = 4096.5f;
  EXPECT_EQ(product(array(numbers, {kCount})), 10'008'192);
}

// A call that finds its program looks at none of the captured elements.
TEST(CompileCases, ALargeCapturedTensorCostsNothingWhenItIsNotUsed) {
  const Tensor captured = zeros({10'000'000});
  auto f = jit([captured](Tensor x) { return slice(captured, {{5, 6}}) + x; });
  const Tensor x = scalar(1.0f);
  f(x);
  double best = 1e9;
  for (int i = 0; i < 100; ++i) {
    const auto start = std::chrono::steady_clock::now();
    f(x);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  EXPECT_LT(best, 50);
}

TEST(CompileCases, ASumOfLargeCapturedZerosIsZeros) {
  const Tensor captured = zeros({200000, 10, 10}, f64);
  auto f = jit([captured](Tensor x) { return sum(captured, {2}) + x; });
  const Tensor sums = f(zeros({}, f64));
  EXPECT_EQ(sums.shape(), (ShapeVector{200000, 10}));
  EXPECT_EQ(sum(abs(sums)).item<double>(), 0);
  EXPECT_LT(f.stats().compile_ms, kMostCompileMs);
}

Tensor Fib(int n) {
  if (n < 2) return full({}, n, s64);
  auto inner = jit(Fib);
  return inner(n - 1) + inner(n - 2);
}

TEST(CompileCases, FunctionsThatCallOneAnotherAreCompiledOnceEach) {
  auto f = jit(Fib);
  const int64_t before = ResidentBytes();
  EXPECT_EQ(f(60).item<int64_t>(), 1548008755920);
  EXPECT_EQ(f.stats().traces, 61);
  EXPECT_LT(f.stats().compile_ms, kMostCompileMs);
  EXPECT_LT(ResidentBytes() - before, int64_t{200} << 20);
}

}  // namespace
}  // namespace swage::cases
