#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "base/files.h"
#include "cache/config.h"
#include "tests/cache/cache_testing.h"

namespace swage::cache {
namespace {

using policy::DimSpec;
using policy::FunctionPolicy;
using policy::Mode;
using policy::PolicySet;
using policy::SizeRange;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::shared_ptr<const PolicySet> Read(const std::string& body) {
  const StatusOr<Config> config = ParseConfig("format = 1\n" + body, "b.toml");
  EXPECT_TRUE(config.ok()) << config.status();
  return config.ok() ? config->policies : PolicySet::None();
}

TEST(ConfigPoliciesTest, EveryKeyIsRead) {
  const auto policies = Read(R"(
[defaults]
mode = "symbolic"
overflow = "error"
[symbols.batch]
max = 64
buckets = { kind = "hybrid", step = 8 }
[symbols.seq]
min = 1
max = 4096
multiple_of = 8
hint = 512
buckets = { kind = "geometric", start = 16, ratio = 1.5, align = 16 }
[functions.encode]
mode = "bucket"
on_miss = "background"
overflow = "multiple"
overflow_multiple = 512
unpaddable = "error"
max_compiles = 40
on_limit = "largest-bucket"
max_waste = 0.75
pad_value = 1
warmup = [{ batch = 1, seq = [8, 128] }, { batch = 8, seq = "all" }]
[[functions.encode.args]]
name = "tokens"
dims = ["batch", "seq", 768, "*"]
pad_value = "zero"
[[functions.encode.args]]
index = 1
dims = []
)");
  const std::shared_ptr<const FunctionPolicy> encode = policies->Find("encode");
  EXPECT_EQ(encode->pattern, "encode");
  EXPECT_EQ(encode->mode, Mode::kBucket);
  EXPECT_EQ(encode->on_miss, policy::OnMiss::kBackground);
  EXPECT_EQ(encode->overflow, policy::Overflow::kMultiple);
  EXPECT_EQ(encode->overflow_multiple, 512);
  EXPECT_EQ(encode->unpaddable, policy::Unpaddable::kError);
  EXPECT_EQ(encode->max_compiles, 40);
  EXPECT_EQ(encode->on_limit, policy::OnLimit::kLargestBucket);
  EXPECT_EQ(encode->max_waste, 0.75);
  EXPECT_EQ(encode->pad_value, 1);
  ASSERT_EQ(encode->args.size(), 2u);
  EXPECT_EQ(encode->args[0].name, "tokens");
  EXPECT_EQ(encode->args[0].pad_value, 0);
  EXPECT_THAT(
      encode->args[0].dims,
      ElementsAre(DimSpec{DimSpec::Kind::kSymbol, "batch"}, DimSpec{DimSpec::Kind::kSymbol, "seq"},
                  DimSpec{DimSpec::Kind::kSize, "", 768}, DimSpec{DimSpec::Kind::kExact}));
  EXPECT_EQ(encode->args[1].index, 1);
  EXPECT_THAT(encode->args[1].dims, IsEmpty());
  const policy::SymbolPolicy* seq = encode->FindSymbol("seq");
  ASSERT_NE(seq, nullptr);
  EXPECT_EQ(seq->min, 1);
  EXPECT_EQ(seq->max, 4096);
  EXPECT_EQ(seq->multiple_of, 8);
  EXPECT_EQ(seq->hint, 512);
  EXPECT_EQ(seq->buckets.Find(33), (SizeRange{33, 48}));
  EXPECT_EQ(encode->FindSymbol("batch")->min, 0);
  EXPECT_EQ(encode->FindSymbol("sequence"), nullptr);
  ASSERT_EQ(encode->warmup.size(), 2u);
  EXPECT_THAT(encode->warmup[0].axes[1].sizes, ElementsAre(8, 128));
  EXPECT_EQ(encode->warmup[1].axes[1].sizes.size(), 14u);
  EXPECT_EQ(policy::CountWarmup(*encode, Mode::kBucket, 100), 16);
}

TEST(ConfigPoliciesTest, WhatIsNotSaidStaysOpen) {
  const auto policies = Read("functions.encode = {}");
  for (const char* name : {"encode", "other"}) {
    const auto function = policies->Find(name);
    EXPECT_EQ(function->mode, std::nullopt);
    EXPECT_EQ(function->on_miss, std::nullopt);
    EXPECT_EQ(function->max_compiles, std::nullopt);
    EXPECT_EQ(function->unpaddable, std::nullopt);
    EXPECT_EQ(function->overflow, policy::Overflow::kExact);
    EXPECT_EQ(function->max_waste, 1);
  }
  EXPECT_THAT(Read("")->functions(), IsEmpty());
}

TEST(ConfigPoliciesTest, FunctionsInheritDefaultsAndChangeThem) {
  const auto policies = Read(R"(
[defaults]
mode = "bucket"
overflow = "multiple"
overflow_multiple = 64
max_compiles = 32
[functions.a]
mode = "exact"
[functions.b]
overflow = "exact"
[functions.c]
overflow_multiple = 128
)");
  EXPECT_EQ(policies->Find("a")->mode, Mode::kExact);
  EXPECT_EQ(policies->Find("a")->overflow_multiple, 64);
  EXPECT_EQ(policies->Find("a")->max_compiles, 32);
  EXPECT_EQ(policies->Find("b")->overflow, policy::Overflow::kExact);
  EXPECT_EQ(policies->Find("b")->overflow_multiple, 0);
  EXPECT_EQ(policies->Find("c")->overflow_multiple, 128);
  EXPECT_EQ(policies->Find("none")->overflow_multiple, 64);
}

TEST(ConfigPoliciesTest, FunctionsChangeSymbolsForThemselves) {
  const auto policies = Read(R"(
symbols.seq = { min = 1, max = 4096, hint = 64 }
[functions."score.*"]
symbols.seq = { buckets = { kind = "list", sizes = [32, 64, 128, 4096] } }
symbols.own.max = 7
)");
  const policy::SymbolPolicy& seq = *policies->Find("score.final")->FindSymbol("seq");
  EXPECT_THAT(seq.buckets.bounds(), ElementsAre(32, 64, 128, 4096));
  EXPECT_EQ(seq.min, 1);
  EXPECT_EQ(seq.hint, 64);
  EXPECT_EQ(policies->Find("score.final")->FindSymbol("own")->max, 7);
  EXPECT_EQ(policies->Find("encode")->FindSymbol("seq")->buckets.bounds().size(), 14u);
  EXPECT_EQ(policies->Find("encode")->FindSymbol("own"), nullptr);
}

TEST(ConfigPoliciesTest, PatternsOfOneRankMayLiveTogetherWhenNoNameMatchesBoth) {
  const auto policies = Read(R"(
[functions."score.*"]
mode = "exact"
[functions."embed.*"]
mode = "bucket"
[functions."*"]
mode = "symbolic"
)");
  EXPECT_EQ(policies->Find("score.a")->mode, Mode::kExact);
  EXPECT_EQ(policies->Find("embed.a")->mode, Mode::kBucket);
  EXPECT_EQ(policies->Find("a")->mode, Mode::kSymbolic);
}

TEST(ConfigPoliciesTest, EveryKindOfBucketsIsRead) {
  const auto policies = Read(R"(
[symbols]
list = { buckets = { kind = "list", sizes = [3, 5] } }
linear = { max = 20, buckets = { kind = "linear", step = 8, start = 4 } }
pow2 = { max = 20, buckets = { kind = "pow2", start = 4 } }
geometric = { max = 20, buckets = { kind = "geometric", ratio = 2 } }
hybrid = { max = 20, buckets = { kind = "hybrid", step = 8 } }
exact = { max = 20, buckets = { kind = "exact" } }
none = { max = 20 }
unbounded = {}
)");
  const auto bounds = [&](const char* name) {
    return policies->defaults()->FindSymbol(name)->buckets.bounds();
  };
  EXPECT_THAT(bounds("list"), ElementsAre(3, 5));
  EXPECT_EQ(policies->defaults()->FindSymbol("list")->max, 5);
  EXPECT_THAT(bounds("linear"), ElementsAre(4, 12, 20));
  EXPECT_THAT(bounds("pow2"), ElementsAre(4, 8, 16, 20));
  EXPECT_THAT(bounds("geometric"), ElementsAre(1, 2, 4, 8, 16, 20));
  EXPECT_THAT(bounds("hybrid"), ElementsAre(1, 2, 4, 8, 16, 20));
  EXPECT_TRUE(policies->defaults()->FindSymbol("exact")->buckets.exact());
  EXPECT_THAT(bounds("none"), ElementsAre(16, 20));
  EXPECT_EQ(policies->defaults()->FindSymbol("unbounded")->max, policy::kUnbounded);
}

TEST(ConfigPoliciesTest, MoreBucketsThanCompilesAreAWarning) {
  const auto policies = Read(R"(
symbols.batch = { min = 1, max = 64, buckets = { kind = "hybrid", step = 8 } }
symbols.seq = { min = 1, max = 4096 }
[functions.encode]
max_compiles = 40
args = [{ index = 0, dims = ["batch", "seq"] }]
)");
  EXPECT_THAT(policies->warnings(),
              ElementsAre("b.toml:5:1: warning: functions.encode: 11 batch x 14 seq = 154 buckets "
                          "are more than max_compiles (40)"));
  // A mode without buckets has no such product.
  EXPECT_THAT(Read("symbols.seq.max = 4096\n[functions.f]\nmode = 'symbolic'\nmax_compiles = 1\n"
                   "args = [{ index = 0, dims = ['seq'] }]")
                  ->warnings(),
              IsEmpty());
}

TEST(ConfigPoliciesTest, WarmupOfAllTakesTheLargestSizeOfEachBucket) {
  const auto sizes = [](const std::string& symbol, const std::string& mode = "bucket") {
    const auto policies = Read("symbols.n = " + symbol + "\n[functions.f]\nmode = '" + mode +
                               "'\nwarmup = [{ n = 'all' }]");
    return policies->Find("f")->warmup.at(0).axes.at(0).sizes;
  };
  EXPECT_THAT(sizes("{ min = 1, max = 64 }"), ElementsAre(16, 32, 48, 64));
  EXPECT_THAT(sizes("{ max = 70, multiple_of = 24 }"), ElementsAre(0, 24, 48));
  EXPECT_THAT(sizes("{ min = 2, max = 5, buckets = { kind = 'exact' } }"), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(sizes("{ max = 9, multiple_of = 4, buckets = { kind = 'exact' } }"),
              ElementsAre(0, 4, 8));
  EXPECT_THAT(sizes("{ max = 70, multiple_of = 8 }", "symbolic"), ElementsAre(64));
}

TEST(ConfigPoliciesTest, WarmupSetsThatOverlapCountOnce) {
  const auto policies = Read(R"(
symbols.seq = { min = 1, max = 4096 }
[functions.f]
max_compiles = 14
warmup = [{ seq = [20, 300] }, { seq = "all" }]
)");
  EXPECT_EQ(policy::CountWarmup(*policies->Find("f"), Mode::kBucket, 100), 14);
}

StatusOr<Config> WithTrace(const std::string& body) {
  return ParseConfig("format = 1\n" + body, "/etc/b.toml",
                     [](const std::string& path) -> StatusOr<policy::TraceContent> {
                       EXPECT_EQ(path, "/etc/t.trace");
                       return policy::ParseTrace(
                           "swage shape trace 1\n"
                           "call 3 0 encode [1,7] [3]\n"
                           "call 1 0 encode [1,7] [5]\n"
                           "call 1 0 encode [1,7] [8]\n"
                           "call 1 0 encode [1,7] [13]\n"
                           "call 9 0 encode [1,7,7]\n"
                           "call 9 0 score [4]\n"
                           "call 9 0 other [1,7] [4]\n",
                           path);
                     });
}

TEST(ConfigPoliciesTest, BucketsAreLearnedFromTheCallsOfTheFunctionsThatHaveTheSymbol) {
  const auto bounds = [](const std::string& how, const char* function = "encode") {
    const StatusOr<Config> config = WithTrace(
        "symbols.n = { " + how +
        " }\n"
        "functions.'enc*'.args = [{ index = 1, dims = ['n'] }, { index = 0, dims = ['*', 7] }]\n"
        "[functions.score]\nargs = [{ index = 0, dims = ['n'] }]\n"
        "symbols.n = { buckets = { kind = 'list', sizes = [4] } }");
    EXPECT_TRUE(config.ok()) << config.status();
    return config.ok() ? config->policies->Find(function)->FindSymbol("n")->buckets.bounds()
                       : std::vector<int64_t>();
  };
  EXPECT_THAT(bounds("buckets = { kind = 'learned', file = 't.trace', k = 1 }"), ElementsAre(13));
  EXPECT_THAT(bounds("buckets = { kind = 'learned', file = 't.trace', k = 2 }"),
              ElementsAre(5, 13));
  EXPECT_THAT(bounds("buckets = { kind = 'learned', file = 't.trace', k = 3 }"),
              ElementsAre(3, 8, 13));
  EXPECT_THAT(bounds("max = 20, buckets = { kind = 'learned', file = 't.trace', k = 3 }"),
              ElementsAre(3, 8, 20));
  EXPECT_THAT(bounds("min = 4, buckets = { kind = 'learned', file = 't.trace', k = 9 }"),
              ElementsAre(5, 8, 13));
  EXPECT_THAT(bounds("buckets = { kind = 'learned', file = 't.trace', compile_cost = 1000 }"),
              ElementsAre(13));
  EXPECT_THAT(bounds("buckets = { kind = 'learned', file = 't.trace', compile_cost = 0 }"),
              ElementsAre(3, 5, 8, 13));
  EXPECT_THAT(bounds("max = 64", "score"), ElementsAre(4, 64));
}

TEST(ConfigPoliciesTest, ATraceThatTeachesNothingIsAnError) {
  const char* learned = "buckets = { kind = 'learned', file = 't.trace', k = 3 }";
  EXPECT_EQ(std::string(WithTrace(absl::StrCat("symbols.n = { ", learned, " }\n",
                                               "functions.encode.args = [{ name = 'x', dims = "
                                               "['n'] }]"))
                            .status()
                            .message()),
            "/etc/b.toml:2:52: error: symbols.n.buckets.file: no call in '/etc/t.trace' has a "
            "dimension 'n' of an argument that a function lists by its index");
  EXPECT_THAT(std::string(WithTrace(absl::StrCat("symbols.n = { min = 14, ", learned, " }\n",
                                                 "functions.encode.args = [{ index = 1, dims = "
                                                 "['n'] }]"))
                              .status()
                              .message()),
              HasSubstr("no sizes to learn from"));
}

// Whatever 64 KiB may say, reading them ends soon and takes little memory.
TEST(ConfigPoliciesTest, HostileFilesEndSoon) {
  std::string many_symbols, many_functions, many_globs, many_sets;
  for (int i = 0; many_symbols.size() < 30'000; ++i) {
    absl::StrAppend(&many_symbols, "symbols.s", i,
                    " = {max=9999,buckets={kind='linear',step=1}}\n");
  }
  for (int i = 0; many_functions.size() < 20'000; ++i) {
    absl::StrAppend(&many_functions, "functions.f", i, ".warmup = [{s0='all',s1='all'}]\n");
  }
  for (int i = 0; many_globs.size() < 50'000; ++i) {
    absl::StrAppend(&many_globs, "functions.'", std::string(100, '*'), i, "' = {}\n");
  }
  for (int i = 0; many_sets.size() < 50'000; ++i) many_sets += "{a='all',b=1},{a=1,b='all'},";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(ParseConfig("format = 1\n" + many_symbols + many_functions, "b.toml").ok());
  EXPECT_FALSE(ParseConfig("format = 1\n" + many_globs, "b.toml").ok());
  EXPECT_TRUE(ParseConfig("format = 1\nsymbols.a.max = 4096\nsymbols.b.max = 4096\n"
                          "functions.f.warmup = [" +
                              many_sets + "]",
                          "b.toml")
                  .ok());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(ConfigPoliciesTest, TheSampleLoads) {
  const StatusOr<Config> config = LoadConfig("samples/buckets.toml");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_THAT(config->policies->warnings(), IsEmpty());
  EXPECT_EQ(config->policies->Find("encode")->mode, Mode::kBucket);
  EXPECT_EQ(config->policies->Find("score.final")->mode, Mode::kSymbolic);
}

class PolicyHolderTest : public CacheTest {};

TEST_F(PolicyHolderTest, ABadFileChangesNothing) {
  const std::string path = root_ + "/swage.toml";
  ASSERT_TRUE(WriteFile(path, "format = 1\ndefaults.mode = 'bucket'").ok());
  PolicyHolder holder;
  EXPECT_EQ(holder.Get()->defaults()->mode, std::nullopt);
  ASSERT_TRUE(holder.Load(path).ok());
  const std::shared_ptr<const PolicySet> first = holder.Get();
  EXPECT_EQ(first->defaults()->mode, Mode::kBucket);
  EXPECT_EQ(holder.generation(), 1u);
  ASSERT_TRUE(WriteFile(path, "format = 1\ndefaults.mode = 'symbolic'\ndefaults.on_mis = 1").ok());
  EXPECT_THAT(std::string(holder.Load(path).message()), HasSubstr("swage.toml:3:10: error: "));
  EXPECT_EQ(holder.Get(), first);
  EXPECT_EQ(holder.Load(root_ + "/absent").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(holder.Get(), first);
  EXPECT_EQ(holder.generation(), 1u);
}

TEST_F(PolicyHolderTest, AReloadIsANewSnapshot) {
  const std::string path = root_ + "/swage.toml";
  ASSERT_TRUE(WriteFile(path, "format = 1\ndefaults.mode = 'bucket'").ok());
  PolicyHolder holder;
  ASSERT_TRUE(holder.Load(path).ok());
  const std::shared_ptr<const PolicySet> before = holder.Get();
  ASSERT_TRUE(WriteFile(path, "format = 1\ndefaults.mode = 'exact'").ok());
  ASSERT_TRUE(holder.Load(path).ok());
  EXPECT_EQ(before->Find("f")->mode, Mode::kBucket);
  EXPECT_EQ(holder.Get()->Find("f")->mode, Mode::kExact);
  EXPECT_EQ(holder.generation(), 2u);
}

}  // namespace
}  // namespace swage::cache
