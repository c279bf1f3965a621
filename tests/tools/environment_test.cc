#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/env.h"
#include "tests/tools/run_tool.h"

namespace swage::tools {
namespace {

using ::testing::HasSubstr;

class EnvironmentTest : public ToolTest {
 protected:
  // With the variable set for this one command.
  CommandResult SwageWith(const std::string& name, const std::string& value,
                          const std::string& args) {
    setenv(name.c_str(), value.c_str(), 1);
    const CommandResult outcome = Swage(args);
    unsetenv(name.c_str());
    return outcome;
  }

  const std::string module_ = Write("m.hlo",
                                    "HloModule m\nENTRY main {\n x = f32[2] parameter(0)\n"
                                    " ROOT r = f32[2] negate(x)\n}\n");
};

// Wrong values of every variable that has any.
const std::pair<const char*, const char*> kWrong[] = {
    {"SWAGE_CACHE_MEMORY_BYTES", "-1"},
    {"SWAGE_CACHE_MEMORY_BYTES", "1GB"},
    {"SWAGE_CHECK", "foo"},
    {"SWAGE_CHECK", "memory,foo"},
    {"SWAGE_CHECK", "memory,memory-start"},
    {"SWAGE_CONFIG", "/no/such.toml"},
    {"SWAGE_CPU", "z80"},
    {"SWAGE_CUDA_GRAPHS", "sometimes"},
    {"SWAGE_DEVICE", "tpu"},
    {"SWAGE_DISABLE_PASSES", "cse,no-such"},
    {"SWAGE_FAST_MATH", "maybe"},
    {"SWAGE_LIBRARY_DOTS", "perhaps"},
    {"SWAGE_MAX_COMPILES", "x"},
    {"SWAGE_MAX_CONSTANT_BYTES", "-1"},
    {"SWAGE_NUM_THREADS", "-1"},
    {"SWAGE_NUM_THREADS", "0"},
    {"SWAGE_NUM_THREADS", "2x"},
    {"SWAGE_NUM_THREADS", "99999999999999999999"},
    {"SWAGE_NUM_THREADS", "abc"},
    {"SWAGE_ONLY_PASSES", "no-such"},
    {"SWAGE_ON_MISS", "never"},
    {"SWAGE_PADDING", "always"},
    {"SWAGE_PADDING_FILL", "garbage"},
    {"SWAGE_PADDING_MASKS", "none"},
    {"SWAGE_SPECIALIZE", "2"},
};

// These take any text; what is wrong with a folder shows when it is used.
constexpr std::string_view kFree[] = {"SWAGE_BUILD_ID", "SWAGE_CACHE_DIR", "SWAGE_LIBCUBLASLT",
                                      "SWAGE_LIBCUDA",  "SWAGE_DUMP_TO",   "SWAGE_RECORD_SHAPES",
                                      "SWAGE_LOG"};

TEST_F(EnvironmentTest, AWrongValueEndsEveryCommandWithTwo) {
  const std::string commands[] = {
      "run " + module_ + " --random",
      "run " + module_ + " --random --device evaluator",
      "opt " + module_,
      "corpus .",
      "passes",
      "cache ls",
      "buckets check " + module_,
  };
  for (const auto& [name, value] : kWrong) {
    for (const std::string& command : commands) {
      const CommandResult outcome = SwageWith(name, value, command);
      EXPECT_EQ(outcome.exit_code, 2) << name << "=" << value << " " << command;
      // A filter is named by its option.
      const bool filter = std::string_view(name).ends_with("_PASSES");
      EXPECT_THAT(outcome.output, HasSubstr(filter ? "'no-such' names no pass" : name))
          << name << "=" << value << " " << command;
    }
  }
}

TEST_F(EnvironmentTest, EveryVariableHasAWrongValueOrTakesAnyText) {
  for (const EnvVariable& variable : KnownEnvVariables()) {
    const bool free =
        std::find(std::begin(kFree), std::end(kFree), variable.name) != std::end(kFree);
    const bool wrong = std::any_of(std::begin(kWrong), std::end(kWrong),
                                   [&](const auto& row) { return row.first == variable.name; });
    EXPECT_NE(free, wrong) << variable.name << ": the commands must refuse its wrong values";
  }
}

TEST_F(EnvironmentTest, ACpuThatIsTooOldIsSaidToBe) {
  const CommandResult outcome = SwageWith("SWAGE_CPU", "pentium3", "passes");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("'pentium3' is below x86-64-v3"));
}

TEST_F(EnvironmentTest, PassesAndDevicesAreCheckedAgainstThoseThatExist) {
  const std::string run = "run " + module_ + " --random";
  for (const char* name : {"SWAGE_DISABLE_PASSES", "SWAGE_ONLY_PASSES"}) {
    for (const std::string& command : {run, "opt " + module_}) {
      const CommandResult outcome = SwageWith(name, "cse,no-such", command);
      EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
      EXPECT_THAT(outcome.output, HasSubstr("'no-such' names no pass"));
    }
  }
  EXPECT_EQ(SwageWith("SWAGE_DISABLE_PASSES", "cse, priority-fusion", run).exit_code, 0);
  const CommandResult device = SwageWith("SWAGE_DEVICE", "evaluater", run);
  EXPECT_EQ(device.exit_code, 2);
  EXPECT_THAT(device.output, HasSubstr("did you mean 'evaluator'"));
}

TEST_F(EnvironmentTest, WhatCannotBeUsedIsWarnedOf) {
  const std::string run = "run " + module_ + " --random";
  const std::pair<const char*, const char*> warned[] = {
      {"SWAGE_NUM_THREAD", "2"}, {"SWAGE_LOG", "loud"}, {"SWAGE_DUMP_TO", "/dev/null/x"}};
  for (const auto& [name, value] : warned) {
    const CommandResult outcome = SwageWith(name, value, run);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("warn")) << name;
    EXPECT_THAT(outcome.output, HasSubstr(std::string(name) == "SWAGE_DUMP_TO" ? value : name));
  }
}

}  // namespace
}  // namespace swage::tools
