#include "tools/ab_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/run_tool.h"

namespace swage::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

// Of two elementwise ops: with fusion it is one kernel, without it two.
// One kernel, or two: no later pass puts together what is read at another place.
constexpr char kTwoOps[] =
    "HloModule m\nENTRY main {\n x = f32[64] parameter(0)\n y = f32[64] exponential(x)\n"
    " ROOT r = f32[64] reverse(y), dimensions={0}\n}\n";

class AbCommandTest : public ToolTest {
 protected:
  std::string module_ = Write("m.hlo", kTwoOps);

  // A program that stands for the measurements, where `arguments` match (as a pattern of sh). The
  // rest is left to the real one. `script` has $set, the number of the set (0: A), and a function
  // `says` that takes milliseconds and a difference.
  std::string Child(const std::string& script, const std::string& arguments = "*' --time-ms '*") {
    const std::string path = Write(
        "child",
        "#!/bin/sh\ncase \" $* \" in " + arguments +
            ") ;; *) exec " SWAGE_TOOL
            " \"$@\" ;; esac\n"
            "set=x\nfor word in \"$@\"; do\n"
            "  case $word in /*swage_ab_*/[0-9]*) set=${word##*/} ;; esac\ndone\n"
            "says() {\n"
            "  printf "
            "'{\"program\":\"\",\"module\":\"\",\"instructions\":0,\"kernels\":[],\"messages\":[],'"
            "\n"
            "  printf '\"compile_ms\":0,\"difference\":\"%s\",\"ms\":%s,\"runs\":1}\\n' \"$2\" $1\n"
            "}\n" +
            script + "\n");
    ::chmod(path.c_str(), 0700);
    return path;
  }

  AbOptions WithoutFusion(const std::string& program) {
    AbOptions options{.module = module_, .program = program};
    options.b.disable_passes = {"priority-fusion"};
    return options;
  }

  // Of a command inside this process.
  std::string Run(const AbOptions& options, int exit_code) {
    ::testing::internal::CaptureStdout();
    const StatusOr<ExitCode> code = RunAb(options);
    const std::string said = ::testing::internal::GetCapturedStdout();
    EXPECT_TRUE(code.ok()) << code.status();
    EXPECT_EQ(code.value_or(kOurFault), exit_code) << said;
    return said;
  }
};

TEST_F(AbCommandTest, TheSameProgramIsNothingToMeasure) {
  const CommandResult outcome = Swage("ab --disable-pass reshape-mover " + module_);
  EXPECT_EQ(outcome.exit_code, 3) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("nothing to measure"));
  EXPECT_THAT(outcome.output,
              HasSubstr("B: [passes] disable_passes: 'reshape-mover' had no effect"));
}

TEST_F(AbCommandTest, TheModuleMayStandBetweenOptions) {
  EXPECT_EQ(Swage("ab --disable-pass reshape-mover " + module_ + " --pairs 2").exit_code, 3);
}

TEST_F(AbCommandTest, ModulesThatRunAlikeAreNothingToMeasure) {
  const CommandResult outcome =
      Swage("ab --disable-pass algebraic-simplifier tests/corpus/program/mlp/module.hlo");
  EXPECT_EQ(outcome.exit_code, 3) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("the modules differ, but run the same kernels"));
}

TEST_F(AbCommandTest, DifferentProgramsAreMeasured) {
  const CommandResult outcome =
      Swage("ab --disable-pass priority-fusion --pairs 2 --min-ms 0.1 " + module_);
  EXPECT_EQ(outcome.exit_code, 4) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("module: differs, "));
  EXPECT_THAT(outcome.output, HasSubstr("kernels: 1 and 2, 0 of them the same"));
  EXPECT_THAT(outcome.output, HasSubstr("results: equal\n"));
  EXPECT_THAT(outcome.output, HasSubstr("A again   median "));
  EXPECT_THAT(outcome.output, HasSubstr("not resolved: about 16 more pairs needed"));
}

TEST_F(AbCommandTest, TheSameCodeThatRunsDifferentlyIsMeasured) {
  const std::string flags = " --pairs 2 --min-ms 0.1 " + module_;
  EXPECT_EQ(Swage("ab --env MALLOC_ARENA_MAX=1" + flags).exit_code, 4);
  EXPECT_EQ(Swage("ab --a-env SWAGE_MAX_CONSTANT_BYTES=9 --env SWAGE_MAX_CONSTANT_BYTES=8" + flags)
                .exit_code,
            3);
  EXPECT_EQ(Swage("ab --force" + flags).exit_code, 4);
}

TEST_F(AbCommandTest, OpenSizesRunInTheirModes) {
  const std::string open =
      Write("open.hlo",
            "HloModule m\nENTRY main {\n x = f32[n<=64] parameter(0)\n"
            " y = f32[n<=64] exponential(x)\n ROOT r = f32[n<=64] negate(y)\n}\n");
  const std::string flags = " --pairs 2 --min-ms 0.1 " + open + " --dims n=33";
  for (const char* mode : {"exact", "bucket", "pad"}) {
    const CommandResult outcome = Swage(std::string("ab --mode ") + mode + flags);
    EXPECT_EQ(outcome.exit_code, 4) << mode << "\n" << outcome.output;
  }
  const CommandResult missing = Swage("ab --mode exact " + open);
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.output, HasSubstr("open sizes n, expected one value for each in --dims"));
}

TEST_F(AbCommandTest, EachPassIsLeftOutInTurn) {
  const CommandResult outcome = Swage(
      "ab --each 'priority-fusion|reshape-mover|fusion-wrapper' --pairs 2 --min-ms 0.1 " + module_);
  EXPECT_EQ(outcome.exit_code, 4) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("\nreshape-mover    identical: "));
  EXPECT_THAT(outcome.output, ::testing::ContainsRegex("\npriority-fusion  [0-9.]+ "));
  // Required.
  EXPECT_THAT(outcome.output, Not(HasSubstr("fusion-wrapper")));
  EXPECT_EQ(Swage("ab --each reshape-mover " + module_).exit_code, 3);
}

TEST_F(AbCommandTest, FixedTimesAreJudged) {
  AbOptions options = WithoutFusion(Child("case $set in 1) says 1.1 ;; *) says 1 ;; esac"));
  const std::string slower = Run(options, kFine);
  EXPECT_THAT(slower, HasSubstr("verdict: slower with B: 10.0 % more time\n"));
  EXPECT_THAT(slower, HasSubstr("B / A     1.1000  (1.1000 to 1.1000, 99.5 % confidence)\n"));
  options.program = Child("case $set in 1) says 0.75 ;; *) says 1 ;; esac");
  EXPECT_THAT(Run(options, kFine), HasSubstr("verdict: faster with B: 25.0 % less time\n"));
  options.program = Child("says 1");
  EXPECT_THAT(Run(options, kNotResolved), HasSubstr("not resolved: no difference"));
}

TEST_F(AbCommandTest, JsonHasAllTimes) {
  AbOptions options = WithoutFusion(Child("case $set in 1) says 2 ;; *) says 1 ;; esac"));
  options.json = true;
  const Json json = Json::parse(Run(options, kFine));
  const Json& comparison = json["candidates"][0]["comparison"];
  EXPECT_EQ(comparison["verdict"], "slower");
  EXPECT_NEAR(comparison["effect"]["ratio"].get<double>(), 2, 1e-9);
  EXPECT_EQ(comparison["a_ms"].size(), json["pairs"].get<size_t>() / 2);
  EXPECT_EQ(comparison["b_ms"][0], Json({2.0, 2.0}));
  EXPECT_EQ(json["candidates"][0]["options"], "--disable-pass priority-fusion");
}

TEST_F(AbCommandTest, TheClockEndsIt) {
  AbOptions options = WithoutFusion(Child("says 1"));
  double now = 0;
  options.now = [&] { return now += 200; };
  EXPECT_THAT(Run(options, kNotResolved),
              HasSubstr("--max-seconds 300 ended it after 2 of 100 pairs"));
}

TEST_F(AbCommandTest, OtherResultsAreAFailure) {
  AbOptions options = WithoutFusion(Child("case $set in 1) says 1 out_0 ;; *) says 1 ;; esac"));
  EXPECT_THAT(Run(options, kCheckFailed), HasSubstr("FAIL results of a later run differ"));
}

TEST_F(AbCommandTest, ProgramsWithOtherResultsAreNotTimed) {
  const std::string child = Child("says 0 out_0[3]", "*disable-pass*");
  AbOptions options = WithoutFusion(child);
  EXPECT_THAT(Run(options, kCheckFailed),
              HasSubstr("FAIL results differ from those of A: out_0[3]\n"));
  options.b = {};
  options.each = "priority-fusion|reshape-mover";
  options.pairs = 2;
  EXPECT_THAT(Run(options, kCheckFailed), HasSubstr("reshape-mover    FAIL results differ"));
}

TEST_F(AbCommandTest, ARunThatDiesOrTalksNonsenseIsNotTheUsersFault) {
  for (const char* script : {"kill -SEGV $$", "echo hello", "exit 9", "says 0", "says -1"}) {
    const StatusOr<ExitCode> code = RunAb(WithoutFusion(Child(script)));
    EXPECT_EQ(code.status().code(), absl::StatusCode::kInternal) << script << code.status();
  }
}

TEST_F(AbCommandTest, MistakesExitWithTwoAndSayWhy) {
  const std::pair<std::string, const char*> mistakes[] = {
      {"", "A and B are both plain"},
      {"--disable-pass no-such", "'no-such' names no pass"},
      {"--a-disable-pass cse --disable-pass cse", "A and B are both --disable-pass cse"},
      {"--disable-pass cse --only-pass dce", "only_passes"},
      {"--disable-pass ''", "the value is empty"},
      {"--env SWAGE_CPU", "expected NAME=VALUE"},
      {"--env =3", "expected NAME=VALUE"},
      {"--env SWAGE_NUM_THREAD=1", "did you mean 'SWAGE_NUM_THREADS'"},
      {"--env SWAGE_NUM_THREADS=many", "SWAGE_NUM_THREADS"},
      {"--env SWAGE_LOG=off", "changes nothing that is measured"},
      {"--env SWAGE_DEVICE=cpu", "give --device"},
      {"--mode exactly", "did you mean 'exact'"},
      {"--device evaluator --fast-math", "expected cpu or cuda"},
      {"--disable-pass cse --pairs 1", "--pairs"},
      {"--disable-pass cse --pairs 1001", "--pairs"},
      {"--disable-pass cse --max-seconds 0", "--max-seconds"},
      {"--disable-pass cse --min-ms nan", "--min-ms"},
      {"--disable-pass cse --seed -1", "expected a whole number from 0"},
      {"--disable-pass priority-fusion --dims n=3", "expected one size for each of no symbols"},
      {"--each no-such", "matches no pass"},
      {"--each fusion-wrapper", "that may be left out"},
      {"--each '('", "not a regular expression"},
      {"--each cse --disable-pass dce", "expected those of A alone"},
      {"--each cse --a-only-pass dce", "expected one of them"},
      {"--disable-pass cse " + root_ + "/none.npy", "none.npy"},
  };
  for (const auto& [flags, said] : mistakes) {
    const CommandResult outcome = Swage("ab " + module_ + " " + flags);
    EXPECT_EQ(outcome.exit_code, 2) << flags << "\n" << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr(said)) << flags;
  }
  EXPECT_EQ(Swage("ab --disable-pass cse " + root_ + "/missing.hlo").exit_code, 2);
}

TEST_F(AbCommandTest, NothingStaysBehind) {
  const std::string temp = root_ + "/temp";
  ASSERT_TRUE(std::filesystem::create_directories(temp));
  const CommandResult outcome =
      RunCommand("TMPDIR=" + temp + " " SWAGE_TOOL " ab --disable-pass reshape-mover " + module_);
  EXPECT_EQ(outcome.exit_code, 3) << outcome.output;
  EXPECT_TRUE(std::filesystem::is_empty(temp));
}

TEST_F(AbCommandTest, TheHelpNamesTheExitCodesAndHidesTheChild) {
  EXPECT_THAT(Swage("ab --help").output, HasSubstr("3 the programs are the same"));
  EXPECT_THAT(Swage("--help").output, Not(HasSubstr("ab-child")));
}

}  // namespace
}  // namespace swage::tools
