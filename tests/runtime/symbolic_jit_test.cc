// jit functions whose sizes stay open: declared dims, buckets, automatic symbols.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "runtime/background.h"
#include "tests/runtime/tensor_testing.h"

namespace swage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::string> kRows = {"[n,64]", "[n,64]", "[n,64]"};

TEST(SymbolicJit, OneCompileServesEveryLength) {
  auto open = jit(Attend, {.name = "open", .dims = kRows});
  auto exact = jit(Attend, {.name = "exact"});
  for (int64_t n : {31, 32, 33, 1, 2, 100, 64, 7, 31}) {
    const Tensor q = Numbers({n, 64}), k = q * 2, v = q + 1;
    EXPECT_TRUE(SameBits(open(q, k, v), exact(q, k, v))) << n;
  }
  const JitStats stats = open.stats();
  EXPECT_EQ(stats.compiles, 1);
  EXPECT_EQ(stats.misses, 1);
  EXPECT_EQ(stats.traces, 1);
  EXPECT_EQ(stats.sizings, 8);
  EXPECT_EQ(stats.hits, 8);
  EXPECT_EQ(stats.calls, 9);
  EXPECT_EQ(stats.exact_fallbacks, 0);
}

TEST(SymbolicJit, NothingIsALengthToo) {
  auto open = jit([](Tensor x) { return sum(x, {0}) + 1; }, {.name = "nothing", .dims = {"[n,3]"}});
  EXPECT_THAT(open(zeros({0, 3})).to_vector<float>(), ElementsAre(1, 1, 1));
  EXPECT_THAT(open(ones({2, 3})).to_vector<float>(), ElementsAre(3, 3, 3));
  EXPECT_EQ(open.stats().compiles, 1);
}

TEST(SymbolicJit, ASoftmaxOfNothingIsNothing) {
  auto open = jit([](Tensor x) { return softmax(x, 0) + log_softmax(x, 0); },
                  {.name = "empty", .dims = {"[n,3]"}});
  EXPECT_EQ(open(zeros({0, 3})).dim(0), 0);
  EXPECT_EQ(open(zeros({2, 3})).dim(0), 2);
  EXPECT_EQ(softmax(zeros({0, 3}), 0).dim(0), 0);
  EXPECT_EQ(open.stats().exact_fallbacks, 0);
  EXPECT_EQ(open.stats().misses, 1);
}

TEST(SymbolicJit, AnExtentOfAReshapeIsInferredWhateverMayBeZero) {
  const auto split = [](Tensor x) { return reshape(x, {x.dim(0), x.dim(1), 4, -1}); };
  auto open = jit(split, {.name = "heads", .dims = {"[b,s,64]"}});
  EXPECT_EQ(open(zeros({2, 3, 64})).shape(), (ShapeVector{2, 3, 4, 16}));
  EXPECT_EQ(open(zeros({1, 1, 64})).shape(), (ShapeVector{1, 1, 4, 16}));
  // As outside, where nothing can be inferred from no elements.
  EXPECT_NE(ErrorOf([&] { open(zeros({0, 3, 64})); }), "");
  EXPECT_NE(ErrorOf([&] { split(zeros({0, 3, 64})); }), "");
}

TEST(SymbolicJit, AMeanDividesByTheLengthOfTheCall) {
  auto open = jit([](Tensor x) { return mean(x); }, {.name = "mean", .dims = {"[n]"}});
  EXPECT_FLOAT_EQ(open(array({1.f, 2.f, 3.f})).item<float>(), 2);
  EXPECT_FLOAT_EQ(open(array({10.f, 20.f, 30.f, 40.f, 50.f})).item<float>(), 30);
  EXPECT_EQ(open.stats().compiles, 1);
}

TEST(SymbolicJit, ADimGoesIntoShapes) {
  const auto merge = [](Tensor x) {
    const Tensor rows = reshape(x, {x.dim(0) * x.dim(1), 4});
    return reshape(rows * 2, {x.dim(0), x.dim(1) * 2, 2}) +
           broadcast_to(ones({1}), {x.dim(0), 2 * x.dim(1), 2});
  };
  auto open = jit(merge, {.name = "merge", .dims = {"[b,s,4]"}});
  for (const auto& [b, s] : {std::pair<int64_t, int64_t>{2, 3}, {1, 1}, {5, 2}, {0, 3}}) {
    const Tensor x = Numbers({b, s, 4});
    EXPECT_TRUE(SameBits(open(x), merge(x))) << b << " " << s;
  }
  EXPECT_EQ(open.stats().compiles, 1);
}

TEST(SymbolicJit, PositionsAndTriangles) {
  const auto masked = [](Tensor x) {
    return tril(x) + iota(x.dims(), 1, f32) + convert(size(x, 0), f32);
  };
  auto open = jit(masked, {.name = "masked", .dims = {"[n,n]"}});
  auto exact = jit(masked, {.name = "masked_exact"});
  for (int64_t n : {1, 5, 33, 2}) {
    const Tensor x = Numbers({n, n});
    EXPECT_TRUE(SameBits(open(x), exact(x))) << n;
  }
  EXPECT_EQ(open.stats().compiles, 1);
}

TEST(SymbolicJit, SlicesAndIndicesCountFromEitherEnd) {
  const auto cut = [](Tensor x) {
    return std::make_tuple(slice(x, {{.start = 1}}), slice(x, {{.stop = -1}}), index(x, -1),
                           slice(x, {{.start = {}, .stop = {}, .step = -1}}),
                           slice(x, {{.stop = 3}}), slice(x, {{.step = 2}}), roll(x, 1, 0),
                           take(x, scalar(-1)));
  };
  auto open = jit(cut, {.name = "cut", .dims = {"[n,2]"}});
  auto exact = jit(cut, {.name = "cut_exact"});
  for (int64_t n : {4, 9, 3, 1, 2, 70}) {
    const Tensor x = Numbers({n, 2});
    const auto got = open(x), want = exact(x);
    std::apply(
        [&](const auto&... g) {
          std::apply([&](const auto&... w) { EXPECT_TRUE((SameBits(g, w) && ...)) << n; }, want);
        },
        got);
  }
  EXPECT_EQ(open.stats().compiles, 1);
  EXPECT_EQ(open.stats().exact_fallbacks, 0);
}

TEST(SymbolicJit, ASizeThatBreaksAnAssumptionIsCompiledAlone) {
  auto open =
      jit([](Tensor x) { return index(x, 2) + max(x, {0}); }, {.name = "third", .dims = {"[n,2]"}});
  EXPECT_EQ(open(Numbers({5, 2})).shape(), ShapeVector({2}));
  EXPECT_THAT(ErrorOf([&] { open(Numbers({2, 2})); }), HasSubstr("got index 2 for axis 0"));
  EXPECT_EQ(open(Numbers({3, 2})).shape(), ShapeVector({2}));
  EXPECT_EQ(open.stats().compiles, 1);
  EXPECT_EQ(open.stats().exact_fallbacks, 1);
}

TEST(SymbolicJit, ErrorsNameArgumentDimensionDeclarationAndValue) {
  auto open = jit(Attend, {.name = "served", .dims = {"[n<=64,64]", "[m<=64,64]", "[m<=64,64]"}});
  const Tensor a = Numbers({31, 64}), b = Numbers({32, 64});
  EXPECT_EQ(open(a, b, b).dim(0), 31);
  EXPECT_EQ(ErrorOf([&] { open(a, b, a); }),
            "[served] dimension 0 of argument 2 (f32[31,64]) is 31, expected m, as declared in "
            "[m<=64,64]: [dim] the symbol 'm' is 32 in one place and 31 in another; n is 31 by "
            "dimension 0 of argument 0, m is 32 by dimension 0 of argument 1");
  EXPECT_EQ(ErrorOf([&] {
              open(Numbers({3, 65}), b, b);
            }),
            "[served] dimension 1 of argument 0 (f32[3,65]) is 65, expected 64, as declared in "
            "[n<=64,64]");
  EXPECT_THAT(
      ErrorOf([&] { open(Numbers({64}), b, b); }),
      HasSubstr("argument 0 is f32[64], of rank 1; expected rank 2, declared as [n<=64,64]"));
  auto two = jit([](Tensor x) { return x + 1; }, {.name = "two", .dims = {"[2*k+1]"}});
  EXPECT_EQ(two(Numbers({7})).dim(0), 7);
  EXPECT_EQ(two(Numbers({9})).dim(0), 9);
  EXPECT_EQ(two.stats().compiles, 1);
  EXPECT_THAT(ErrorOf([&] { two(Numbers({8})); }), HasSubstr("no integer 'k' makes 2*k+1 equal 8"));
}

TEST(SymbolicJit, BadDimsAreErrorsOfTheJitCall) {
  const auto error = [](const std::string& dims) {
    return ErrorOf([&] { jit([](Tensor x) { return x; }, {.name = "f", .dims = {dims}}); });
  };
  EXPECT_THAT(error("n,64"), HasSubstr("[f] dims[0]: got 'n,64', expected dims such as"));
  EXPECT_THAT(error("[n,]"), HasSubstr("dims[0]"));
  EXPECT_THAT(error("[n<=]"), HasSubstr("dims[0]"));
  EXPECT_THAT(error("[n 5]"), HasSubstr("dims[0]"));
  EXPECT_THAT(error("[5<=n<=2]"), HasSubstr("dims[0]"));
  auto f = jit([](Tensor x) { return x; }, {.name = "f", .dims = {"[n]", "[n]"}});
  EXPECT_THAT(ErrorOf([&] { f(Numbers({3})); }),
              HasSubstr("dims are declared for 2 tensor arguments, got 1"));
}

TEST(SymbolicJit, ADeclaredSymbolThatMustBeANumberIsAnErrorThatNamesTheOp) {
  auto f = jit([](Tensor x) { return reshape(x, {4}); }, {.name = "four", .dims = {"[b]"}});
  EXPECT_THAT(ErrorOf([&] { f(Numbers({4})); }),
              HasSubstr("[reshape] got f32[b] (b elements) and the shape [4]"));
  auto g = jit([](Tensor x) { return x * float(x.dim(0)); }, {.name = "read", .dims = {"[b]"}});
  EXPECT_THAT(ErrorOf([&] { g(Numbers({4})); }),
              HasSubstr("[dim] got the symbolic extent b, expected a number; use size(t, i)"));
}

TEST(SymbolicJit, AnAutomaticSymbolThatMustBeANumberIsExactAlone) {
  auto f =
      jit([](Tensor x) { return x * float(x.dim(1)); }, {.name = "auto", .mode = Mode::kSymbolic});
  EXPECT_EQ(f(ones({4, 3})).item<float>({0, 0}), 3);
  EXPECT_EQ(f(ones({5, 3})).item<float>({0, 0}), 3);
  EXPECT_EQ(f(ones({9, 3})).item<float>({0, 0}), 3);
  EXPECT_EQ(f.stats().compiles, 1);
  EXPECT_EQ(f.stats().exact_fallbacks, 1);
  EXPECT_EQ(f(ones({9, 4})).item<float>({0, 0}), 4);
  EXPECT_EQ(f.stats().compiles, 2);
}

TEST(SymbolicJit, AutomaticSymbolsKeepWhatBroadcasts) {
  auto f = jit([](Tensor x, Tensor y) { return x + y; }, {.name = "sum", .mode = Mode::kSymbolic});
  EXPECT_EQ(f(ones({4, 3}), ones({4, 3})).shape(), ShapeVector({4, 3}));
  EXPECT_EQ(f(ones({7, 2}), ones({7, 2})).shape(), ShapeVector({7, 2}));
  EXPECT_EQ(f.stats().compiles, 1);
  EXPECT_EQ(f(ones({7, 2}), ones({1, 2})).shape(), ShapeVector({7, 2}));
  EXPECT_EQ(f(ones({9, 5}), ones({1, 5})).shape(), ShapeVector({9, 5}));
  EXPECT_EQ(f.stats().compiles, 2);
  EXPECT_THAT(ErrorOf([&] { f(ones({7, 2}), ones({6, 2})); }), HasSubstr("expected"));
}

TEST(SymbolicJit, SymbolsOfOneFunctionMustBeToldToBeEqual) {
  auto f = jit([](Tensor x, Tensor y) { return x + y; }, {.name = "pair", .dims = {"[n]", "[m]"}});
  EXPECT_THAT(ErrorOf([&] { f(ones({4}), ones({4})); }),
              HasSubstr("is n and m, expected equal extents or 1"));
}

TEST(SymbolicJit, AfterAWarmUpNoSizeIsAMiss) {
  clear_cache();
  auto f = jit(Attend, {.name = "warm", .dims = kRows});
  f.warmup({{f32, {16, 64}}, {f32, {16, 64}}, {f32, {16, 64}}});
  f.set_on_miss(OnMiss::kError);
  for (int64_t n = 1; n < 40; ++n) {
    const Tensor x = Numbers({n, 64});
    EXPECT_EQ(f(x, x, x).dim(0), n);
  }
  EXPECT_EQ(f.stats().misses, 1);
  EXPECT_GT(f.stats().hits, 30);
  EXPECT_EQ(f.stats().llvm_runs + f.stats().kernel_hits + f.stats().kernel_loads, 3);
}

TEST(SymbolicJit, AStandInIsReplacedForEverySize) {
  auto f = jit(Attend, {.name = "behind", .dims = kRows, .on_miss = OnMiss::kBackground});
  auto exact = jit(Attend, {.name = "exact"});
  clear_cache();
  const Tensor a = Numbers({20, 64}), b = Numbers({21, 64});
  const Tensor first = f(a, a, a), second = f(b, b, b);
  runtime::BackgroundCompiler::Get().Drain();
  EXPECT_TRUE(SameBits(f(a, a, a), first));
  EXPECT_TRUE(SameBits(f(b, b, b), second));
  EXPECT_TRUE(SameBits(exact(a, a, a), first));
  const Tensor c = Numbers({22, 64});
  EXPECT_TRUE(SameBits(exact(c, c, c), f(c, c, c)));
}

TEST(SymbolicJit, ManyThreadsCompileOnce) {
  clear_cache();
  auto f = jit(Attend, {.name = "threads", .dims = kRows});
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int64_t n = 1; n < 20; ++n) {
        const Tensor x = ones({(n + t) % 19 + 1, 64});
        if (!(std::abs(f(x, x, x).item<float>({0, 0}) - 1) <= 1e-5f)) ++wrong;  // NaN is wrong, too
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(f.stats().compiles, 1);
  EXPECT_EQ(f.stats().sizings, 19);
}

TEST(SymbolicJit, TheEvaluatorHasSymbolsToo) {
  auto f = jit(Attend, {.name = "interpreted", .device = "evaluator", .dims = kRows});
  auto cpu = jit(Attend, {.name = "compiled", .dims = kRows});
  for (int64_t n : {3, 1, 8}) {
    const Tensor x = Numbers({n, 64});
    const std::vector<float> got = f(x, x, x).to_vector<float>();
    const std::vector<float> want = cpu(x, x, x).to_vector<float>();
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-5);
  }
  EXPECT_EQ(f.stats().compiles, 1);
}

TEST(SymbolicJit, AFunctionInsideAnotherSharesItsSymbols) {
  auto inner = jit([](Tensor x) { return softmax(x, -1); }, {.name = "inner"});
  auto outer =
      jit([inner](Tensor x) { return inner(x) * 2; }, {.name = "outer", .dims = {"[n,m]"}});
  for (int64_t n : {3, 5}) {
    const Tensor x = Numbers({n, 4});
    EXPECT_TRUE(SameBits(outer(x), softmax(x, -1) * 2));
  }
  EXPECT_EQ(outer.stats().compiles, 1);
}

}  // namespace
}  // namespace swage
