// What a miss does: wait, background, error; warmup; the limit of compiles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "base/log.h"
#include "runtime/background.h"
#include "runtime/jit_state.h"
#include "tests/runtime/tensor_testing.h"

namespace swage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(OnMissTest, AnErrorNamesFunctionKeyAndDifference) {
  clear_cache();
  auto f = jit(Attend, {.name = "served", .on_miss = OnMiss::kError});
  const Tensor x = Numbers({31, 64}), y = Numbers({32, 64});
  EXPECT_EQ(ErrorOf([&] { f(x, x, x); }),
            "[served] got a miss, expected none (on_miss is error): no key is compiled yet, got "
            "(f32[31,64], f32[31,64], f32[31,64]); call warmup() with such arguments first");
  f.warmup(x, x, x);
  EXPECT_EQ(f.stats().compiles, 1);
  EXPECT_EQ(f.stats().calls, 1);
  EXPECT_EQ(f(x, x, x).dim(0), 31);
  EXPECT_EQ(
      ErrorOf([&] { f(x, y, y); }),
      "[served] got a miss, expected none (on_miss is error): argument 1 (f32[32,64]): dimension 0 "
      "is 32, expected 31; got (f32[31,64], f32[32,64], f32[32,64]), nearest key (f32[31,64], "
      "f32[31,64], f32[31,64]); call warmup() with such arguments first");
  EXPECT_EQ(f.stats().compiles, 1);
  EXPECT_EQ(f.stats().traces, 1);
  f.set_on_miss(OnMiss::kWait);
  EXPECT_EQ(f(x, y, y).dim(0), 31);
  EXPECT_EQ(f.on_miss(), OnMiss::kWait);
}

TEST(OnMissTest, WarmupTakesShapesAlone) {
  auto f = jit(Attend, {.name = "warmed"});
  f.warmup({{f32, {5, 8}}, {f32, {6, 8}}, {f32, {6, 8}}});
  f.warmup({{f32, {5, 8}}, {f32, {6, 8}}, {f32, {6, 8}}});
  f.set_on_miss(OnMiss::kError);
  EXPECT_EQ(f(Numbers({5, 8}), Numbers({6, 8}), Numbers({6, 8})).dim(1), 8);
  EXPECT_EQ(f.stats().misses, 1);
  EXPECT_EQ(ErrorOf([&] {
              f.warmup({{f32, {5, 8}}});
            }),
            "[warmed] got 1 shapes to warm up with, expected 3, one for each parameter");
  auto g = jit([](const std::vector<Tensor>& xs, int n) { return xs[0] * n; });
  g.warmup(std::vector<Tensor>{F32({1})}, 3);
  EXPECT_EQ(g.stats().traces, 1);
  EXPECT_THAT(ErrorOf([&] {
                jit([&](Tensor x) {
                  g.warmup(std::vector<Tensor>{x}, 3);
                  return x;
                })(F32({1}));
              }),
              HasSubstr("got warmup() inside a jit function"));
}

TEST(OnMissTest, AStandInIsReplacedAndGivesTheSameBits) {
  for (int64_t n : {1, 7, 33}) {
    clear_cache();
    const Tensor q = Numbers({n, 16}), k = Numbers({2 * n, 16});
    auto f = jit([n](Tensor a, Tensor b) { return Attend(a, b, b * float(n + 3)); },
                 {.name = "behind", .on_miss = OnMiss::kBackground});
    const Tensor first = f(q, k);
    EXPECT_EQ(f.stats().stand_ins, 1);
    runtime::BackgroundCompiler::Get().Drain();
    EXPECT_EQ(f.stats().swapped, 1);
    EXPECT_EQ(f.stats().traces, 1);
    const Tensor second = f(q, k);
    EXPECT_TRUE(SameBits(first, second)) << n;
    EXPECT_EQ(f.stats().misses, 1);
    EXPECT_EQ(f.stats().evictions, 0);
    // A length whose kernels are there needs no stand-in.
    f(Numbers({n + 40, 16}), k);
    EXPECT_EQ(f.stats().compiles, 3);
    EXPECT_LE(f.stats().stand_ins, 2);
    runtime::BackgroundCompiler::Get().Drain();
  }
}

TEST(OnMissTest, ThreadsMissInTheBackground) {
  clear_cache();
  auto f = jit([](Tensor x, int n) { return x * float(n + 1) - exp(x) * 0.0f; },
               {.name = "many_behind", .on_miss = OnMiss::kBackground});
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 40; ++i) {
        const int n = (t + i) % 4;
        EXPECT_EQ(f(scalar(2.0f), n).item<float>(), 2 * (n + 1));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  runtime::BackgroundCompiler::Get().Drain();
  EXPECT_EQ(f.stats().traces, 4);
  EXPECT_EQ(f.stats().misses, 4);
  EXPECT_EQ(f.stats().swapped, f.stats().stand_ins);
}

TEST(OnMissTest, AFunctionMayDieWhileItIsCompiledInTheBackground) {
  for (int i = 0; i < 20; ++i) {
    auto f = jit([i](Tensor x) { return x * float(i) + 0.5f; }, {.on_miss = OnMiss::kBackground});
    EXPECT_EQ(f(scalar(2.0f)).item<float>(), 2 * i + 0.5f);
  }
  runtime::BackgroundCompiler::Get().Drain();
}

TEST(OnMissTest, AProcessMayExitWhileTheBackgroundCompiles) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // this process has threads
  EXPECT_EXIT(
      {
        for (int i = 0; i < 50; ++i) {
          jit([i](Tensor x) { return softmax(x * float(i), -1); },
              {.on_miss = OnMiss::kBackground})(Numbers({4, 5 + i}));
        }
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(OnMissTest, NumbersThatAreNoPolicyAreErrors) {
  const auto unknown = static_cast<OnMiss>(77);
  const auto negate = [](Tensor x) { return -x; };
  const std::string expected =
      "[options] got the number 77 for on_miss, expected a value such as OnMiss::kWait";
  EXPECT_THAT(ErrorOf([&] { jit(negate, {.on_miss = unknown}); }), HasSubstr(expected));
  EXPECT_THAT(ErrorOf([&] { jit(negate, {.mode = static_cast<Mode>(77)}); }),
              HasSubstr("[options] got the number 77 for mode, expected a value such as "
                        "Mode::kExact"));
  const auto f = jit(negate, {.name = "known"});
  EXPECT_THAT(ErrorOf([&] { f.set_on_miss(unknown); }), HasSubstr(expected));
  EXPECT_EQ(f.on_miss(), OnMiss::kWait);
}

TEST(OnMissTest, ExactWaits) {
  auto f = jit([](Tensor x) { return x + 1; }, {.on_miss = OnMiss::kExact});
  EXPECT_EQ(f(scalar(1)).item<int>(), 2);
  EXPECT_EQ(f.stats().stand_ins, 0);
}

TEST(OnMissTest, TheCompileAfterTheLimitIsAnError) {
  auto f = jit(Attend, {.name = "limited", .max_compiles = 2});
  for (int n : {8, 9}) f(Numbers({n, 4}), Numbers({6, 4}), Numbers({6, 4}));
  EXPECT_EQ(
      ErrorOf([&] {
        f(Numbers({10, 4}), Numbers({6, 4}), Numbers({6, 4}));
      }),
      "[limited] got a miss after 2 compiles, expected no more (max_compiles is 2): argument 0 "
      "(f32[10,4]): dimension 0 is 10, expected 9; got (f32[10,4], f32[6,4], f32[6,4]), "
      "nearest key (f32[9,4], f32[6,4], f32[6,4]); name that size in the option dims "
      "(docs/buckets.md), or raise max_compiles");
  EXPECT_EQ(f(Numbers({9, 4}), Numbers({6, 4}), Numbers({6, 4})).dim(0), 9);
  EXPECT_EQ(f.stats().traces, 2);
  // A trace that fails is not one of them.
  int left = 1;
  auto g = jit(
      [&](Tensor x) {
        if (left-- > 0) throw 7;
        return x + 1;
      },
      {.max_compiles = 1});
  EXPECT_THROW(g(scalar(1)), int);
  EXPECT_EQ(g(scalar(1)).item<int>(), 2);
}

TEST(OnMissTest, ReportsNameEveryPartThatDiffers) {
  auto f = jit(
      [](Tensor x, int n, std::vector<Tensor> rest, std::optional<Tensor> mask) { return x * n; });
  const std::vector<Tensor> none;
  f(F32({1}), 2, none, std::optional<Tensor>());
  EXPECT_EQ(f.explain().tier, "compiled");
  f(S32({1, 2}), 3, none, std::optional<Tensor>());
  EXPECT_THAT(f.explain().components, ElementsAre("dtype", "shape", "static"));
  EXPECT_EQ(f.explain().parameter, 0);
  f(F32({1}), 2, std::vector<Tensor>{F32({1})}, std::optional<Tensor>());
  EXPECT_THAT(f.explain().components, ElementsAre("structure"));
  EXPECT_EQ(f.explain().parameter, 2);
  EXPECT_EQ(f.explain().got, "a list of 1");
  f(F32({1}), 2, none, std::optional<Tensor>(F32({1})));
  EXPECT_EQ(f.explain().parameter, 3);
  EXPECT_EQ(f.explain().got, "a value");
  EXPECT_EQ(f.explain().expected, "no value");
}

TEST(OnMissTest, TheTierIsMemoryWhenAnotherFunctionCompiledIt) {
  const auto make = [](int unused) { return jit([unused](Tensor x) { return x * 11 - 4; }); };
  auto f = make(1), g = make(2);
  f(F32({1}));
  g(F32({1}));
  EXPECT_EQ(f.explain().tier, "compiled");
  EXPECT_EQ(g.explain().tier, "memory");
}

TEST(OnMissTest, AThreadThatTheFunctionWaitsForIsAnErrorNotADeadlock) {
  internal::JitState::SetTraceTimeoutForTest(200);
  std::string text;
  std::function<Tensor(Tensor)> call;
  auto f = jit(
      [&](Tensor x) {
        std::thread([&] { text = ErrorOf([&] { call(F32({1})); }); }).join();
        return x + 1;
      },
      {.name = "joins"});
  call = [&](Tensor x) { return f(x); };
  EXPECT_THAT(f(F32({1})).to_vector<float>(), ElementsAre(2));
  internal::JitState::SetTraceTimeoutForTest(60'000);
  EXPECT_THAT(text,
              HasSubstr("[joins] got a call with (f32[1]) while another thread still runs the "
                        "function for this very key"));
}

TEST(OnMissTest, ACallFromTheLogOfItsOwnCompileIsAnError) {
  std::string text;
  std::function<void()> call;
  auto f = jit([](Tensor x) { return x * 19 - 7; }, {.name = "logs"});
  SetLogLevel(LogLevel::kInfo);
  SetLogCallback([&](LogLevel, std::string_view line) {
    if (line.find("logs") != std::string_view::npos) text = ErrorOf([&] { f(F32({1})); });
  });
  f(F32({1}));
  SetLogCallback(nullptr);
  SetLogLevel(LogLevel::kWarn);
  EXPECT_THAT(text, HasSubstr("while the same thread compiles this very key"));
}

}  // namespace
}  // namespace swage
