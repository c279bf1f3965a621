#include "tools/buckets_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/files.h"
#include "cache/config.h"
#include "tests/tools/run_tool.h"
#include "tools/buckets_plot.h"
#include "tools/trace_functions.h"

namespace swage {
namespace {

using policy::ParseTrace;
using policy::TraceContent;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using tools::LearnConfig;
using tools::LearnOptions;

// Lengths 3, 3, 3, 5, 8 and 13 of two arguments that always agree; a call takes 10 us and 1 us for
// each element of the first one.
constexpr char kTrace[] =
    "swage shape trace 1\n"
    "compile 4 40000 encode\n"
    "call 3 39000 encode [3] [7,3] []\n"
    "call 1 15000 encode [5] [7,5] []\n"
    "call 1 18000 encode [8] [7,8] []\n"
    "call 1 23000 encode [13] [7,13] []\n";

TraceContent Trace(const std::string& text) {
  StatusOr<TraceContent> content = ParseTrace(text, "t.trace");
  EXPECT_TRUE(content.ok()) << content.status();
  return content.ok() ? *std::move(content) : TraceContent();
}

std::string Learned(const std::string& trace, const LearnOptions& options) {
  const StatusOr<std::string> text = LearnConfig(Trace(trace), options);
  EXPECT_TRUE(text.ok()) << text.status();
  return text.ok() ? *text : "";
}

std::string Error(const std::string& trace, const LearnOptions& options) {
  const StatusOr<std::string> text = LearnConfig(Trace(trace), options);
  EXPECT_FALSE(text.ok()) << *text;
  return std::string(text.status().message());
}

std::vector<int64_t> BoundsIn(const std::string& config, const std::string& symbol) {
  const StatusOr<cache::Config> read = cache::ParseConfig(config, "learned.toml");
  EXPECT_TRUE(read.ok()) << read.status();
  const policy::SymbolPolicy* found = read->policies->defaults()->FindSymbol(symbol);
  EXPECT_NE(found, nullptr) << config;
  return found == nullptr ? std::vector<int64_t>() : found->buckets.bounds();
}

TEST(BucketsLearnTest, TheFileReadsBack) {
  const std::string text = Learned(kTrace, {.k = 2});
  EXPECT_THAT(BoundsIn(text, "encode_n0"), ElementsAre(5, 13));
  const StatusOr<cache::Config> config = cache::ParseConfig(text, "learned.toml");
  const auto encode = config->policies->Find("encode");
  EXPECT_EQ(encode->pattern, "encode");
  EXPECT_EQ(encode->mode, policy::Mode::kBucket);
  ASSERT_EQ(encode->args.size(), 2u);
  EXPECT_EQ(encode->args[0].index, 0);
  EXPECT_EQ(encode->args[1].index, 1);
  // The 7 never varies, and the two others always agree.
  EXPECT_EQ(encode->args[1].dims[0].kind, policy::DimSpec::Kind::kExact);
  EXPECT_EQ(encode->args[1].dims[1].symbol, encode->args[0].dims[0].symbol);
}

TEST(BucketsLearnTest, TheFileSaysWhatItIsExpectedToCost) {
  const std::string text = Learned(kTrace, {.k = 2});
  EXPECT_THAT(text, HasSubstr("# encode: 6 calls, 4 different\n"));
  EXPECT_THAT(text, HasSubstr("# expected compiles: 2, exact: 4; 10 us each, so 20 us instead of "
                              "40 us\n"));
  // Three times 1 - 3/5 and once 1 - 8/13, of six calls.
  EXPECT_THAT(text, HasSubstr("# bucket waste, 1 - size / bucket: 26.4 % in the mean\n"));
  // Of 8 * 46 + 6 elements 8 * 35 + 6 are valid.
  EXPECT_THAT(text, HasSubstr("# physical waste: 23.5 % of the elements"));
  EXPECT_THAT(text, HasSubstr("# latency of a call: 15.8 us as recorded, about 17.7 us with the "
                              "padding\n"));
  EXPECT_THAT(Learned("swage shape trace 1\ncall 1 0 f [1]\ncall 1 0 f [2]\n", {.k = 1}),
              HasSubstr("# latency: the trace has no times\n"));
}

TEST(BucketsLearnTest, ACompileCostChoosesTheNumber) {
  const std::string measured = Learned(kTrace, {.compile_cost = "measured"});
  // 10 us, and 1 us for each size: a bucket must save ten.
  EXPECT_THAT(BoundsIn(measured, "encode_n0"), ElementsAre(5, 13));
  EXPECT_THAT(measured, HasSubstr("# a compile of 10 us is worth 10 padded sizes of 1 us each\n"));
  EXPECT_THAT(BoundsIn(Learned(kTrace, {.compile_cost = "0.005"}), "encode_n0"),
              ElementsAre(3, 8, 13));
  EXPECT_THAT(BoundsIn(Learned(kTrace, {.compile_cost = "1000"}), "encode_n0"), ElementsAre(13));
  EXPECT_THAT(BoundsIn(Learned(kTrace, {.compile_cost = "0.005", .size_cost = 1e6}), "encode_n0"),
              ElementsAre(3, 5, 8, 13));
}

TEST(BucketsLearnTest, WithoutTimesACostIsAnError) {
  const std::string trace = "swage shape trace 1\ncall 1 0 f [1]\ncall 1 0 f [2]\n";
  EXPECT_THAT(Error(trace, {.compile_cost = "measured"}),
              HasSubstr("the trace has no time of a compile; give --compile-cost in ms, or -k"));
  EXPECT_THAT(Error(trace, {.compile_cost = "3"}),
              HasSubstr("the trace has no times of 'f', so what padding costs is not known: say "
                        "with --size-cost"));
  EXPECT_THAT(BoundsIn(Learned(trace, {.compile_cost = "0", .size_cost = 1}), "f_n0"),
              ElementsAre(1, 2));
  EXPECT_THAT(Error(trace, {.compile_cost = "fast"}),
              HasSubstr("--compile-cost is a number of ms or 'measured', got 'fast'"));
  EXPECT_THAT(Error(trace, {.compile_cost = "-1"}), HasSubstr("--compile-cost is a number"));
  EXPECT_THAT(Error(trace, {}), HasSubstr("give either -k or --compile-cost"));
}

TEST(BucketsLearnTest, CompilesWithoutATimeCostWhatTheOthersCost) {
  std::string trace = kTrace;
  for (int size : {3, 3, 3, 5, 8, 13}) {
    absl::StrAppend(&trace, "call 1 ", (10 + size) * 1000, " decode [", size, "]\n");
  }
  // Loaded, say: counted, and it took no time.
  for (const char* compiles : {"", "compile 2 0 decode\n"}) {
    const std::string text = Learned(trace + compiles, {.compile_cost = "measured"});
    EXPECT_EQ(BoundsIn(text, "decode_n0"), BoundsIn(text, "encode_n0"));
    EXPECT_THAT(text, HasSubstr("# no time of its own compiles; that of other functions counts\n"
                                "# a compile of 10 us is worth 10 padded sizes"));
    // Though it is learned alone.
    EXPECT_THAT(
        BoundsIn(Learned(trace + compiles, {.function = "decode", .compile_cost = "measured"}),
                 "decode_n0"),
        ElementsAre(5, 13));
  }
  EXPECT_THAT(Error("swage shape trace 1\ncompile 1 0 f\ncall 1 9 f [1]\ncall 1 9 f [2]\n",
                    {.compile_cost = "measured"}),
              HasSubstr("the trace has no time of a compile"));
}

TEST(BucketsLearnTest, ACostThatIsNoNumberIsAnError) {
  for (const double cost : {std::nan(""), HUGE_VAL, -1.0}) {
    EXPECT_THAT(Error(kTrace, {.compile_cost = "1", .size_cost = cost}),
                HasSubstr("--size-cost is a number of ns from 0"));
  }
}

TEST(BucketsLearnTest, TimesThatDoNotGrowNeedOneBucket) {
  const std::string text = Learned(
      "swage shape trace 1\ncompile 1 5 f\ncall 1 9 f [1]\ncall 1 9 f [2]\ncall 1 9 f [3]\n",
      {.compile_cost = "measured"});
  EXPECT_THAT(BoundsIn(text, "f_n0"), ElementsAre(3));
  EXPECT_THAT(text, HasSubstr("the times do not grow with this size"));
}

TEST(BucketsLearnTest, NothingToLearnIsAnError) {
  EXPECT_THAT(Error("swage shape trace 1\n", {.k = 2}), HasSubstr("nothing to learn: no calls"));
  EXPECT_THAT(Error("swage shape trace 1\ncall 4 0 f [3]\n", {.k = 2}),
              HasSubstr("no function was called with different sizes"));
  const std::string name(129, 'x');
  EXPECT_THAT(
      Error(absl::StrCat("swage shape trace 1\ncall 1 0 ", name, " [3]\ncall 1 0 ", name, " [4]\n"),
            {.k = 2}),
      HasSubstr("nothing to learn: the name '" + name +
                "' is too long for a file: 129 bytes, at most 128"));
  EXPECT_THAT(Error("swage shape trace 1\ncall 1 0 f* [3]\ncall 1 0 f* [4]\n", {.k = 2}),
              HasSubstr("nothing to learn: the name 'f*' cannot stand in this file"));
  EXPECT_THAT(Error(kTrace, {.function = "decode", .k = 2}),
              HasSubstr("the trace has no call of 'decode'"));
}

TEST(BucketsLearnTest, FunctionsWithOddNamesAreKeptApart) {
  std::string trace = "swage shape trace 1\n";
  for (const char* name : {"a%20b", "a_b", "9", "q%22%5cq", "star*", "new%0aline", "%c3%a4"}) {
    absl::StrAppend(&trace, "call 1 0 ", name, " [1]\ncall 1 0 ", name, " [2]\n");
  }
  const std::string text = Learned(trace, {.k = 1});
  const StatusOr<cache::Config> config = cache::ParseConfig(text, "learned.toml");
  for (const char* name : {"a b", "a_b", "9", "q\"\\q"}) {
    const auto function = config->policies->Find(name);
    ASSERT_EQ(function->pattern, name);
    EXPECT_NE(function->FindSymbol(function->args.at(0).dims.at(0).symbol), nullptr);
  }
  EXPECT_THAT(text, HasSubstr("# new?line: 2 calls, 2 different\n# its name cannot stand in"));
  EXPECT_EQ(config->policies->Find("star*")->pattern, "");
}

TEST(BucketsLearnTest, OtherRanksAndLostCallsAreTold) {
  const std::string text =
      Learned("swage shape trace 1\ncall 5 0 f [1]\ncall 5 0 f [2]\ncall 2 0 f [1,1]\ndropped 17\n",
              {.k = 1});
  EXPECT_THAT(text, HasSubstr("# 2 calls with other numbers of dimensions are left out\n"));
  EXPECT_THAT(text, HasSubstr("# The trace was full: 17 more calls are not in it.\n"));
}

TEST(BucketsLearnTest, SizeZeroNeedsNoBucket) {
  EXPECT_THAT(
      BoundsIn(Learned("swage shape trace 1\ncall 1 0 f [0]\ncall 1 0 f [4]\n", {.k = 3}), "f_n0"),
      ElementsAre(4));
}

TEST(BucketsPlotTest, APanelForEachFunctionThatVaries) {
  const StatusOr<std::string> svg = tools::PlotBuckets(
      Trace(std::string(kTrace) + "call 1 0 a<b [1]\ncall 1 0 a<b [2]\ncall 1 0 same [2]\n"), "");
  ASSERT_TRUE(svg.ok()) << svg.status();
  EXPECT_THAT(*svg, StartsWith("<svg "));
  EXPECT_THAT(*svg, HasSubstr(">encode: 6 calls, 4 different<"));
  EXPECT_THAT(*svg, HasSubstr(">a&#60;b: 2 calls, 2 different<"));
  EXPECT_THAT(*svg, Not(HasSubstr("same:")));
  EXPECT_THAT(
      std::string(tools::PlotBuckets(Trace("swage shape trace 1\n"), "").status().message()),
      HasSubstr("nothing to plot"));
}

class BucketsCommandTest : public ToolTest {};

TEST_F(BucketsCommandTest, CheckShowsWhatBucketsWaste) {
  const std::string path = Write("b.toml", R"(format = 1
symbols.tokens = { min = 64, max = 1024, buckets = { kind = "list", sizes = [256, 1024] } }
symbols.rows = { max = 20, buckets = { kind = "exact" } }
symbols.any = {}
[functions.fold]
mode = "bucket"
max_compiles = 8
warmup = [{ tokens = "all" }]
args = [{ index = 0, dims = ["tokens"] }]
)");
  const CommandResult outcome = Swage("buckets check " + path);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("tokens: 64 to 1024, list, 2 buckets\n"));
  EXPECT_THAT(outcome.output, HasSubstr("          64        256     75.0 %     37.5 %\n"));
  EXPECT_THAT(outcome.output, HasSubstr("rows: 0 to 20, every size is a bucket\n"));
  EXPECT_THAT(outcome.output, HasSubstr("any: 0 to any, geometric, "));
  EXPECT_THAT(outcome.output, HasSubstr("fold: bucket, 2 tokens programs, at most 8, 2 of them "
                                        "warmed up; above max: exact\n"));
}

TEST_F(BucketsCommandTest, CheckShowsEveryProblemAndExitsWithTwo) {
  const std::string path = Write("b.toml", "format = 1\nsymbol = 3\ndefaults.mode = 'bucked'\n");
  const CommandResult outcome = Swage("buckets check " + path);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.output,
            path + ":2:1: error: unknown key 'symbol'; did you mean 'symbols'?\n" + path +
                ":3:17: error: defaults.mode: expected 'exact', 'bucket' or 'symbolic', got "
                "'bucked'; did you mean 'bucket'?\n");
  EXPECT_EQ(Swage("buckets check " + root_ + "/absent").exit_code, 2);
}

TEST_F(BucketsCommandTest, CheckWarnsAndIsFine) {
  const std::string path =
      Write("b.toml",
            "format = 1\nsymbols.n.max = 4096\n[functions.f]\nmax_compiles = 2\n"
            "args = [{ index = 0, dims = ['n'] }]\n");
  const CommandResult outcome = Swage("buckets check " + path);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr(path + ":3:1: warning: functions.f: 14 n = 14 buckets are "
                                               "more than max_compiles (2)\n"));
}

TEST_F(BucketsCommandTest, CheckCutsLongTables) {
  const std::string path =
      Write("b.toml",
            "format = 1\nsymbols.n = { max = 9000, buckets = { kind = 'linear', "
            "step = 1 } }\n");
  const CommandResult outcome = Swage("buckets check " + path);
  EXPECT_THAT(outcome.output, HasSubstr("(8960 more)"));
  EXPECT_THAT(outcome.output, HasSubstr("        9000       9000      0.0 %      0.0 %\n"));
  EXPECT_LT(outcome.output.size(), 4000u);
}

TEST_F(BucketsCommandTest, WhatIsLearnedIsChecked) {
  const std::string trace = Write("t.trace", kTrace);
  const CommandResult learned = Swage("buckets learn " + trace + " -k 3");
  EXPECT_EQ(learned.exit_code, 0) << learned.output;
  const CommandResult checked = Swage("buckets check " + Write("b.toml", learned.output));
  EXPECT_EQ(checked.exit_code, 0) << checked.output;
  EXPECT_THAT(checked.output, HasSubstr("encode_n0: 0 to 13, list, 3 buckets\n"));
  EXPECT_EQ(Swage("buckets learn " + trace + " --compile-cost measured").exit_code, 0);
}

TEST_F(BucketsCommandTest, PlotWritesAPicture) {
  const std::string trace = Write("t.trace", kTrace);
  EXPECT_EQ(Swage("buckets plot " + trace + " -o " + root_ + "/t.svg").exit_code, 0);
  EXPECT_THAT(*ReadFile(root_ + "/t.svg"), StartsWith("<svg "));
  // To stdout, which is a file, too, and there after what it has.
  const std::string log = Write("log", "");
  const std::string plot = "buckets plot " + trace + " -o ";
  EXPECT_THAT(Swage(plot + "/dev/stdout").output, StartsWith("<svg "));
  for (const char* name : {"/dev/stdout", "/dev/fd/1"}) {
    const CommandResult outcome =
        Swage("--version >" + log + " && " SWAGE_TOOL " " + plot + name + " >>" + log);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_THAT(*ReadFile(log), AllOf(Not(StartsWith("<svg ")), HasSubstr("<svg ")));
  }
  EXPECT_EQ(Swage(plot + root_).exit_code, 2);
}

TEST_F(BucketsCommandTest, TheExampleOfTheManualIsChecked) {
  const std::string manual = *ReadFile("docs/buckets.md");
  const size_t begin = manual.find("```toml\n") + 8;
  std::string example = manual.substr(begin, manual.find("```", begin) - begin);
  const CommandResult outcome = Swage("buckets check " + Write("b.toml", example));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("encode: bucket, 6 seq programs; above max: exact\n"));
  EXPECT_EQ(Swage("buckets check samples/buckets.toml").exit_code, 0);
}

TEST_F(BucketsCommandTest, MistakesExitWithTwo) {
  const std::string trace = Write("t.trace", kTrace);
  const std::string bad = Write("bad.trace", "swage shape trace 1\ncall x\n");
  const std::vector<std::string> mistakes = {
      "buckets",
      "buckets check",
      "buckets learn " + trace,
      "buckets learn " + trace + " -k 0",
      "buckets learn " + trace + " -k 1000",
      "buckets learn " + trace + " -k 3 --compile-cost 4",
      "buckets learn " + trace + " --compile-cost soon",
      "buckets learn " + trace + " --compile-cost 4 --size-cost nan",
      "buckets learn " + trace + " --compile-cost 4 --size-cost inf",
      "buckets plot " + trace,
      "buckets plot " + trace + " -o " + root_ + "/no/t.svg",
      "buckets learn " + bad + " -k 2",
      "buckets learn /dev/zero -k 2"};
  for (const std::string& args : mistakes) {
    const CommandResult outcome = Swage(args);
    EXPECT_EQ(outcome.exit_code, 2) << args << "\n" << outcome.output;
    EXPECT_THAT(outcome.output, StartsWith("swage: ")) << args;
  }
  EXPECT_THAT(Swage("buckets learn " + bad + " -k 2").output,
              HasSubstr("bad.trace:2: error: expected a number of calls"));
}

}  // namespace
}  // namespace swage
