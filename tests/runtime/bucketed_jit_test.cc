// jit functions under the policies of a configuration file: buckets, warm-up sets, limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/log.h"
#include "cache/config.h"
#include "cache/policy/shape_trace.h"
#include "runtime/policies.h"
#include "tests/runtime/tensor_testing.h"

namespace swage {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Policies for one test.
class Policies {
 public:
  explicit Policies(const std::string& text) {
    const auto config = cache::ParseConfig("format = 1\n" + text, "test.toml");
    EXPECT_TRUE(config.ok()) << config.status();
    if (config.ok()) runtime::Policies().Set(config->policies);
  }
  ~Policies() { runtime::Policies().Set(policy::PolicySet::None()); }
};

// What is warned of while it lives.
class Warnings {
 public:
  Warnings() {
    SetLogCallback([this](LogLevel level, std::string_view text) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (level >= LogLevel::kWarn) texts_.emplace_back(text);
    });
  }
  ~Warnings() { SetLogCallback(nullptr); }
  std::vector<std::string> texts() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return texts_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

int64_t CompilesAt(std::initializer_list<int64_t> lengths, const std::string& buckets) {
  const Policies policies(absl::StrCat("[symbols.n]\nmin = 1\nmax = 4096\nbuckets = ", buckets,
                                       "\n[functions.bucketed]\nmode = \"bucket\"\n"));
  clear_cache();
  auto open = jit([two = 2.0f](Tensor x) { return softmax(x * two, 0); },
                  {.name = "bucketed", .dims = {"[n,3]"}});
  auto exact = jit([](Tensor x) { return softmax(x * 2, 0); }, {.name = "exact"});
  for (int64_t n : lengths) {
    const Tensor x = Numbers({n, 3});
    const Tensor got = open(x);  // before the other one puts its program into the cache
    EXPECT_TRUE(SameBits(got, exact(x))) << n;
  }
  return open.stats().compiles;
}

TEST(BucketedJit, LengthsOfOneBucketShareACompile) {
  EXPECT_EQ(CompilesAt({31, 32, 33}, "{ kind = \"pow2\" }"), 2);
  EXPECT_EQ(
      CompilesAt({31, 32, 33}, "{ kind = \"geometric\", start = 16, ratio = 1.5, align = 16 }"), 2);
  EXPECT_EQ(CompilesAt({100, 110, 128, 129}, "{ kind = \"pow2\" }"), 2);
  EXPECT_EQ(CompilesAt({1, 1, 2, 2}, "{ kind = \"exact\" }"), 2);
}

TEST(BucketedJit, AnArgumentsDimsMayComeFromTheFile) {
  const Policies policies(R"(
[symbols.n]
max = 512
buckets = { kind = "pow2", start = 16 }
[functions.from_file]
mode = "bucket"
[[functions.from_file.args]]
index = 0
dims = ["n", "*"]
)");
  auto open = jit([](Tensor x) { return x + 1; }, {.name = "from_file"});
  for (int64_t n = 1; n <= 16; ++n) EXPECT_EQ(open(ones({n, 3})).dim(0), n);
  EXPECT_EQ(open.stats().compiles, 1);
  EXPECT_EQ(open(ones({5, 4})).dim(1), 4);
  EXPECT_EQ(open.stats().compiles, 2);
}

TEST(BucketedJit, OtherPoliciesHoldFromTheNextMissOn) {
  auto open = jit([](Tensor x) { return x + 2; }, {.name = "changing"});
  EXPECT_EQ(open(ones({5})).dim(0), 5);
  EXPECT_EQ(open(ones({6})).dim(0), 6);
  EXPECT_EQ(open.stats().compiles, 2);
  const Policies policies(R"(
[symbols.n]
max = 512
[functions.changing]
mode = "symbolic"
[[functions.changing.args]]
index = 0
dims = ["n"]
)");
  for (int64_t n = 7; n <= 40; ++n) EXPECT_EQ(open(ones({n})).dim(0), n);
  EXPECT_EQ(open.stats().compiles, 3);
}

TEST(BucketedJit, ASizeAboveTheLastBucketIsAsOverflowSays) {
  const std::string symbol = "[symbols.n]\nmin = 1\nmax = 16\nbuckets = { kind = \"pow2\" }\n";
  const auto compiles = [&](const std::string& overflow) {
    const Policies policies(
        absl::StrCat(symbol, "[functions.over]\nmode = \"bucket\"\n", overflow));
    auto f = jit([three = 3.0f](Tensor x) { return x * three; }, {.name = "over", .dims = {"[n]"}});
    for (int64_t n = 17; n < 27; ++n) EXPECT_EQ(f(ones({n})).dim(0), n);
    return f.stats().compiles;
  };
  EXPECT_EQ(compiles("overflow = \"exact\"\n"), 10);
  EXPECT_EQ(compiles("overflow = \"multiple\"\noverflow_multiple = 8\n"), 2);
  const Policies policies(absl::StrCat(symbol, "[functions.over]\noverflow = \"error\"\n"));
  auto f = jit([](Tensor x) { return x * 3; }, {.name = "over", .dims = {"[n]"}});
  EXPECT_THAT(ErrorOf([&] { f(ones({17})); }), HasSubstr("'n' is 17"));
}

TEST(BucketedJit, AnOpThatNeedsANumberMakesTheFunctionExact) {
  const Policies policies("[functions.unpaddable]\nmode = \"bucket\"\n");
  auto f =
      jit([](Tensor x) { return x * float(x.dim(0)); }, {.name = "unpaddable", .dims = {"[n]"}});
  EXPECT_EQ(f(ones({5})).item<float>({0}), 5);
  EXPECT_EQ(f(ones({6})).item<float>({0}), 6);
  EXPECT_EQ(f.stats().compiles, 2);
  EXPECT_GE(f.stats().exact_fallbacks, 1);
}

constexpr char kTwoSymbols[] = R"(
[symbols.b]
min = 1
max = 8
buckets = { kind = "list", sizes = [1, 4, 8] }
[symbols.s]
min = 1
max = 64
buckets = { kind = "pow2", start = 16 }
[functions.warm]
mode = "bucket"
)";

Tensor Scores(Tensor x, Tensor w) { return softmax(matmul(x, w), -1); }
// A closure with captures: a cache of its own.
auto OwnScores() {
  return [axis = -1](Tensor x, Tensor w) { return softmax(matmul(x, w), axis); };
}

const std::vector<std::string> kBatchAndLength = {"[b,s]", "[s,s]"};

TEST(BucketedJit, AWarmUpCompilesTheSetsOfThePolicy) {
  const Policies policies(
      absl::StrCat(kTwoSymbols, "warmup = [{ b = 1, s = [16, 20] }, { b = 8, s = \"all\" }]\n"));
  auto f = jit(OwnScores(), {.name = "warm", .dims = kBatchAndLength, .on_miss = OnMiss::kError});
  std::vector<std::string> steps;
  f.warmup_sizes({{f32, {2, 5}}, {f32, {5, 5}}}, [&](const WarmupProgress& progress) {
    steps.push_back(absl::StrCat(progress.done, "/", progress.total, " ", progress.sizes));
  });
  EXPECT_THAT(steps, ElementsAre("1/5 b=1, s=16", "2/5 b=1, s=20", "3/5 b=8, s=16", "4/5 b=8, s=32",
                                 "5/5 b=8, s=64"));
  EXPECT_EQ(f.stats().misses, 5);
  EXPECT_EQ(f.stats().calls, 0);
  // Every size of these buckets.
  for (const int64_t b : {1, 5, 8}) {
    for (int64_t s = 1; s <= (b == 1 ? 32 : 64); ++s) {
      EXPECT_EQ(f(Numbers({b, s}), Numbers({s, s})).dim(1), s);
    }
  }
  EXPECT_EQ(f.stats().misses, 5);
  EXPECT_THAT(ErrorOf([&] { f(Numbers({2, 5}), Numbers({5, 5})); }), HasSubstr("on_miss is error"));
}

TEST(BucketedJit, AWarmUpWithoutSetsCompilesEveryBucket) {
  const Policies policies(kTwoSymbols);
  auto f = jit(OwnScores(), {.name = "warm", .dims = kBatchAndLength, .on_miss = OnMiss::kError});
  f.warmup_sizes(nullptr, Numbers({2, 5}), Numbers({5, 5}));
  EXPECT_EQ(f.stats().misses, 9);
  for (const int64_t b : {1, 2, 7}) EXPECT_EQ(f(Numbers({b, 33}), Numbers({33, 33})).dim(0), b);
  EXPECT_EQ(f.stats().misses, 9);

  auto symbolic =
      jit(OwnScores(), {.name = "one", .dims = kBatchAndLength, .mode = Mode::kSymbolic});
  symbolic.warmup_sizes({{f32, {2, 5}}, {f32, {5, 5}}});
  EXPECT_EQ(symbolic.stats().misses, 1);
}

TEST(BucketedJit, AWarmUpThatCannotBeIsAnError) {
  auto exact = jit(OwnScores(), {.name = "all_exact"});
  EXPECT_THAT(ErrorOf([&] {
                exact.warmup_sizes({{f32, {2, 5}}, {f32, {5, 5}}});
              }),
              AllOf(HasSubstr("[all_exact]"), HasSubstr("expected dims")));
  auto open = jit(OwnScores(), {.name = "no_max", .dims = kBatchAndLength, .mode = Mode::kBucket});
  EXPECT_THAT(ErrorOf([&] {
                open.warmup_sizes({{f32, {2, 5}}, {f32, {5, 5}}});
              }),
              HasSubstr("got no max of 'b' and no warm-up sets"));
  EXPECT_THAT(ErrorOf([&] {
                open.warmup_sizes({{f32, {2, 5}}, {f32, {6, 6}}});
              }),
              HasSubstr("dimension 0 of argument 1"));
  const Policies policies(absl::StrCat(kTwoSymbols, "max_compiles = 2\n"));
  auto limited = jit(OwnScores(), {.name = "warm", .dims = kBatchAndLength});
  EXPECT_THAT(ErrorOf([&] {
                limited.warmup_sizes({{f32, {2, 5}}, {f32, {5, 5}}});
              }),
              HasSubstr("max_compiles = 2"));
}

TEST(BucketedJit, WithOnMissExactOnlyAWarmUpMakesProgramsOfBuckets) {
  const Policies policies(absl::StrCat(kTwoSymbols, "on_miss = \"exact\"\n"));
  auto f = jit(OwnScores(), {.name = "warm", .dims = kBatchAndLength});
  EXPECT_EQ(f.on_miss(), OnMiss::kExact);
  f.warmup({{f32, {8, 64}}, {f32, {64, 64}}});
  for (const int64_t s : {33, 40, 50}) {
    EXPECT_TRUE(SameBits(f(Numbers({6, s}), Numbers({s, s})),
                         jit(Scores)(Numbers({6, s}), Numbers({s, s}))));
  }
  EXPECT_EQ(f.stats().misses, 1);
  for (const int64_t s : {3, 4, 3}) f(Numbers({6, s}), Numbers({s, s}));
  EXPECT_EQ(f.stats().misses, 3);
  EXPECT_EQ(f.stats().exact_fallbacks, 2);
}

TEST(BucketedJit, BeyondTheLimitOneProgramServesAllBuckets) {
  const Policies policies(
      absl::StrCat(kTwoSymbols, "max_compiles = 2\non_limit = \"largest-bucket\"\n"));
  auto f = jit(OwnScores(), {.name = "warm", .dims = kBatchAndLength});
  auto exact = jit(OwnScores(), {.name = "exact"});
  for (const int64_t b : {1, 3, 8, 2}) {
    for (const int64_t s : {1, 16, 17, 33, 64}) {
      const Tensor x = Numbers({b, s}), w = Numbers({s, s});
      EXPECT_TRUE(SameBits(f(x, w), exact(x, w))) << b << " " << s;
    }
  }
  EXPECT_EQ(f.stats().misses, 3);
  EXPECT_EQ(f.stats().exact_fallbacks, 0);
}

TEST(BucketedJit, BeyondTheLimitKeysMayBeInterpreted) {
  const Policies policies(R"(
[functions.few]
max_compiles = 1
on_limit = "interpret"
)");
  auto f = jit(OwnScores(), {.name = "few"});
  auto exact = jit(OwnScores(), {.name = "exact"});
  for (const int64_t s : {3, 5, 7, 5}) {
    const Tensor x = Numbers({2, s}), w = Numbers({s, s});
    const auto got = f(x, w).to_vector<float>(), want = exact(x, w).to_vector<float>();
    for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-6);
  }
  EXPECT_EQ(f.stats().misses, 3);
  EXPECT_EQ(f.stats().interpreted, 2);
  EXPECT_LE(f.stats().compiles + f.stats().loads, 1);
}

TEST(BucketedJit, WhatIsCompiledForItsSizesAloneSaysWhy) {
  auto f = jit([four = 4](Tensor x) { return max(x, {0}) * four; },
               {.name = "alone", .dims = {"[n<=64]"}});
  for (const int64_t n : {3, 17}) f(ones({n}));
  EXPECT_EQ(f.explain().fallback, "");
  f(ones({65}));
  EXPECT_EQ(f.explain().fallback, "'n' is 65, above its max (64)");
  EXPECT_EQ(f.explain().nearest_key, "(f32[n<=64])");
  EXPECT_EQ(f.explain().axis, 0);
  EXPECT_THAT(ErrorOf([&] { f(ones({0})); }), HasSubstr("[max]"));
  EXPECT_THAT(f.explain().fallback, HasSubstr("[max]"));
  const JitStats stats = f.stats();
  EXPECT_EQ(stats.calls, 4);
  EXPECT_EQ(stats.hits, 1);
  EXPECT_EQ(stats.misses, 3);
  EXPECT_EQ(stats.exact_fallbacks, 2);

  f.set_on_miss(OnMiss::kError);
  EXPECT_THAT(ErrorOf([&] { f(ones({66})); }), HasSubstr("'n' is 66, above its max (64)"));
}

TEST(BucketedJit, AFunctionIsFoundByTheNameThatWasWritten) {
  Warnings warnings;
  const Policies policies(R"(
[symbols.n]
max = 64
[functions."m::f"]
mode = "symbolic"
[[functions."m::f".args]]
index = 0
dims = ["n"]
)");
  auto f = jit([four = 4](Tensor x) { return x * four; }, {.name = "m::f"});
  for (const int64_t n : {3, 7, 12}) f(ones({n}));
  EXPECT_EQ(f.stats().misses, 1);
  EXPECT_THAT(warnings.texts(), IsEmpty());
  jit([four = 4](Tensor x) { return x * four; }, {.name = "m::g"});
  EXPECT_THAT(warnings.texts(), ElementsAre(HasSubstr("no table is for m::g, but there is one for "
                                                      "m::f")));
}

TEST(BucketedJit, AWarmUpOfMoreBucketsThanMayBeCompiledCompilesNone) {
  const Policies policies(absl::StrCat(kTwoSymbols, "max_compiles = 3\n"));
  auto f = jit(OwnScores(), {.name = "warm", .dims = kBatchAndLength});
  EXPECT_THAT(ErrorOf([&] {
                f.warmup_sizes({{f32, {2, 5}}, {f32, {5, 5}}});
              }),
              HasSubstr("got 9 programs to warm up, one for every bucket, expected at most "
                        "max_compiles = 3"));
  EXPECT_EQ(f.stats().misses, 0);
}

class BucketedPaddingTest : public ::testing::Test {
 protected:
  BucketedPaddingTest() { setenv("SWAGE_PADDING", "forced", 1); }
  ~BucketedPaddingTest() override { unsetenv("SWAGE_PADDING"); }
};

TEST_F(BucketedPaddingTest, ElementsOfPaddingAreCounted) {
  auto f = jit([](Tensor x) { return x + 1; }, {.name = "counted", .dims = {"[n<=8,2]"}});
  for (int i = 0; i < 3; ++i) f(ones({5, 2}));
  f(ones({8, 2}));
  EXPECT_EQ(f.stats().valid_elements, 3 * 10 + 16);
  EXPECT_EQ(f.stats().padded_elements, 3 * 6);
}

TEST_F(BucketedPaddingTest, ACallThatWouldBeMostlyPaddingIsExact) {
  const Policies policies(R"(
[symbols.n]
max = 64
buckets = { kind = "list", sizes = [64] }
[functions.wasteful]
mode = "bucket"
max_waste = 0.5
)");
  auto f = jit([](Tensor x) { return x + 1; }, {.name = "wasteful", .dims = {"[n]"}});
  for (const int64_t n : {32, 40, 64}) EXPECT_EQ(f(ones({n})).dim(0), n);
  EXPECT_EQ(f.stats().misses, 1);
  EXPECT_EQ(f.stats().exact_fallbacks, 0);
  EXPECT_EQ(f(ones({31})).dim(0), 31);
  EXPECT_EQ(f.stats().misses, 2);
  EXPECT_EQ(f.stats().exact_fallbacks, 1);
  EXPECT_EQ(f.stats().padded_elements, 32 + 24);
}

TEST_F(BucketedPaddingTest, WhatPaddingHoldsIsThePolicysAndChangesNothing) {
  const auto run = [](const std::string& pad_value) {
    const Policies policies(absl::StrCat(R"(
[symbols.n]
max = 8
[functions.filled]
mode = "bucket"
pad_value = )",
                                         pad_value, R"(
[[functions.filled.args]]
index = 0
dims = ["n"]
[[functions.filled.args]]
index = 1
dims = ["n"]
pad_value = 3
)"));
    clear_cache();
    auto f =
        jit([one = 1](Tensor x, Tensor y) { return sum(exp(x) * y) + one; }, {.name = "filled"});
    return f(F32({0, 1, 2}), F32({1, 2, 3})).item<float>();
  };
  const float want = run("0");
  for (const char* value : {"-1e300", "7"}) EXPECT_EQ(run(value), want) << value;
}

TEST(BucketedJit, NothingIsPaddedWhereNothingForcesIt) {
  auto f = jit([](Tensor x) { return x + 1; }, {.name = "dense", .dims = {"[n<=8]"}});
  for (int i = 0; i < 3; ++i) f(ones({5}));
  EXPECT_EQ(f.stats().valid_elements, 15);
  EXPECT_EQ(f.stats().padded_elements, 0);
}

TEST(SizeAdviceTest, TheFourthCompileForOneSizeWarnsWithThePolicyThatPreventsIt) {
  Warnings warnings;
  auto f = jit([two = 2](Tensor x, Tensor y, Tensor z) { return x + y * two + sum(z); },
               {.name = "advised"});
  const auto call = [&](int64_t n) { f(ones({3, n}), ones({n}), ones({4})); };
  for (const int64_t n : {5, 9, 40}) call(n);
  EXPECT_THAT(warnings.texts(), IsEmpty());
  call(12);
  call(13);
  ASSERT_THAT(warnings.texts(), SizeIs(1));
  const std::string text = warnings.texts()[0];
  EXPECT_THAT(text, HasSubstr("[jit] advised: compiled for a fourth value of one size (dimension "
                              "1 of argument 0: 5, 9, 12, 40)"));
  // What it says can be pasted into a file, and then no size is a compile.
  const Policies policies(text.substr(text.find("\n[")));
  auto g = jit([two = 2](Tensor x, Tensor y, Tensor z) { return x + y * two + sum(z); },
               {.name = "advised"});
  for (int64_t n = 33; n < 60; ++n) g(ones({3, n}), ones({n}), ones({4}));
  EXPECT_LE(g.stats().misses, 2);
}

TEST(SizeAdviceTest, SizesThatAreNamedSayNothing) {
  Warnings warnings;
  auto f = jit([four = 4](Tensor x) { return x * four; }, {.name = "named", .dims = {"[n<=64,4]"}});
  // The last ones have no bucket and are compiled alone.
  for (const int64_t n : {3, 7, 12, 65, 66, 67, 68, 69}) f(ones({n, 4}));
  EXPECT_THAT(warnings.texts(), IsEmpty());
}

TEST(SizeAdviceTest, KeysThatDifferInMoreThanOneSizeSayNothing) {
  Warnings warnings;
  auto f = jit([](Tensor x) { return x * 5; }, {.name = "not_advised"});
  for (const int64_t n : {5, 6, 7, 8, 9}) f(ones({n, 2 * n}));
  auto exact = jit([](Tensor x) { return x * 6; }, {.name = "by_choice", .mode = Mode::kExact});
  for (const int64_t n : {5, 6, 7, 8, 9}) exact(ones({n}));
  EXPECT_THAT(warnings.texts(), IsEmpty());
}

}  // namespace
}  // namespace swage
