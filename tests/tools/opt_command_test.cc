#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/tools/run_tool.h"

namespace swage::tools {
namespace {

using ::testing::HasSubstr;

class OptCommandTest : public ToolTest {};

TEST_F(OptCommandTest, MistakesExitWithTwoAndSayWhy) {
  const std::string module = Write("m.hlo",
                                   "HloModule m\nENTRY main {\n x = f32[2] parameter(0)\n"
                                   " ROOT r = f32[2] negate(x)\n}\n");
  const std::string folder = root_ + "/dump";
  const std::string nested = "'(a*)*(a*)*(a*)*(a*)*(a*)*(a*)*(a*)*(a*)*(a*)*(a*)*zzz'";
  const std::pair<std::string, const char*> mistakes[] = {
      {"--target gpu", "no target 'gpu'"},
      {"--target h20", "did you mean 'h200'"},
      {"--target h200 --disable-pass transpose-folding", "transpose-dimension-grouper"},
      {"--kernels", "with the target cpu, expected --target a100, "},
      {"--bogus", "--bogus"},
      {"--target h200 --disable-pass no-such", "`swage passes --target h200` lists all"},
      {"--disable-pass no-such", "'no-such' names no pass"},
      {"--disable-pass ''", "the value is empty"},
      {"--disable-pass cse:-1", "no run number"},
      {"--only-pass no-such", "'no-such' names no pass"},
      {"--dump-pass cse", "--dump-to"},
      {"--dump-to /dev/null/x", "/dev/null/x"},
      {"--dump-to " + module, module.c_str()},
      {"--dump-to " + folder + " --dump-pass '('", "'(' is not a regular expression"},
      {"--dump-to " + folder + " --dump-pass " + nested, "matches no pass"},
      {"--dump-to " + folder + " --dump-pass " + "'" + std::string(100000, '(') + "'",
       "expected at most 500"},
  };
  for (const auto& [flags, said] : mistakes) {
    const CommandResult outcome = Swage("opt " + module + " " + flags);
    EXPECT_EQ(outcome.exit_code, 2) << flags.substr(0, 100);
    EXPECT_THAT(outcome.output, HasSubstr(said)) << flags.substr(0, 100);
  }
}

TEST_F(OptCommandTest, AFlagThatDoesNotExistIsNamedThoughTheModuleIsMissing) {
  for (const char* command :
       {"opt --bogus", "run --bogus", "corpus --bogus", "cache warm --bogus"}) {
    const CommandResult outcome = Swage(command);
    EXPECT_EQ(outcome.exit_code, 2) << command;
    EXPECT_THAT(outcome.output, HasSubstr("got '--bogus', which is no option")) << command;
  }
  EXPECT_THAT(Swage("opt").output, HasSubstr("module is required"));
}

TEST_F(OptCommandTest, TheModuleMayStandBetweenOptions) {
  const std::string module = Write("m.hlo",
                                   "HloModule m\nENTRY main {\n x = f32[2] parameter(0)\n"
                                   " ROOT r = f32[2] negate(x)\n}\n");
  const CommandResult outcome = Swage("opt --disable-pass cse " + module + " --target cpu");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
}

TEST_F(OptCommandTest, ACardNeedNotBeThere) {
  const std::string module = Write("m.hlo",
                                   "HloModule m\nENTRY main {\n x = f32[2000] parameter(0)\n"
                                   " ROOT r = f32[2000] exponential(x)\n}\n");
  const std::string folder = root_ + "/dump";
  const CommandResult outcome =
      Swage("opt " + module + " --target h200 --kernels --dump-to " + folder);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("Predicted for h200, not measured"));
  EXPECT_THAT(outcome.output, HasSubstr("latency"));
  EXPECT_THAT(outcome.output, HasSubstr(" 16000 "));  // bytes of 2000 elements in and out
  const auto ptx = ReadFile(folder + "/module_0000.m.fused_computation.ptx");
  ASSERT_TRUE(ptx.ok()) << ptx.status().message();
  EXPECT_THAT(*ptx, HasSubstr(".target sm_90"));
  EXPECT_TRUE(ReadFile(folder + "/module_0000.m.predicted-times.txt").ok());
  const auto index = ReadFile(folder + "/index.json");
  ASSERT_TRUE(index.ok());
  EXPECT_THAT(*index, HasSubstr("PTX for sm_90"));
}

TEST_F(OptCommandTest, AKernelOfTooManyBlocksHasNoTime) {
  const std::string module =
      Write("m.hlo",
            "HloModule m\nENTRY main {\n x = f32[4000000,4000000] parameter(0)\n"
            " ROOT r = f32[4000000,4000000] exponential(x)\n}\n");
  const CommandResult outcome = Swage("opt " + module + " --target h200 --kernels");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr(" inf  refused"));
  EXPECT_THAT(outcome.output, HasSubstr("cannot be run: [gpu] a kernel of "));
}

}  // namespace
}  // namespace swage::tools
