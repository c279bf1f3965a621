#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/tools/run_tool.h"

namespace swage::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class EnvironmentTest : public testing::Test {
 protected:
  EnvironmentTest() {
    module_ = testing::TempDir() + "/environment_" +
              testing::UnitTest::GetInstance()->current_test_info()->name() + ".hlo";
    std::ofstream(module_) << "HloModule m\nENTRY main {\n x = f32[2] parameter(0)\n"
                              " ROOT r = f32[2] negate(x)\n}\n";
  }
  ~EnvironmentTest() override { std::filesystem::remove(module_); }

  // With the variable set for this one command.
  Outcome SwageWith(const std::string& name, const std::string& value, const std::string& args) {
    setenv(name.c_str(), value.c_str(), 1);
    const Outcome outcome = Swage(args);
    unsetenv(name.c_str());
    return outcome;
  }

  std::string module_;
};

TEST_F(EnvironmentTest, AWrongValueEndsEveryCommandWithTwo) {
  const std::pair<const char*, const char*> wrong[] = {
      {"SWAGE_NUM_THREADS", "abc"},       {"SWAGE_NUM_THREADS", "0"},
      {"SWAGE_NUM_THREADS", "-1"},        {"SWAGE_NUM_THREADS", "99999999999999999999"},
      {"SWAGE_NUM_THREADS", "2x"},        {"SWAGE_CHECK", "foo"},
      {"SWAGE_CHECK", "memory,foo"},      {"SWAGE_FAST_MATH", "maybe"},
      {"SWAGE_MAX_CONSTANT_BYTES", "-1"}, {"SWAGE_SPECIALIZE", "2"},
  };
  const std::string commands[] = {"run " + module_ + " --random",
                                  "run " + module_ + " --random --device evaluator",
                                  "opt " + module_, "corpus .", "passes"};
  for (const auto& [name, value] : wrong) {
    for (const std::string& command : commands) {
      const Outcome outcome = SwageWith(name, value, command);
      EXPECT_EQ(outcome.exit_code, 2) << name << "=" << value << " " << command;
      EXPECT_THAT(outcome.output, AllOf(HasSubstr("[environment]"), HasSubstr(name)))
          << name << "=" << value << " " << command;
    }
  }
}

TEST_F(EnvironmentTest, PassesAndDevicesAreCheckedAgainstThoseThatExist) {
  const std::string run = "run " + module_ + " --random";
  for (const char* name : {"SWAGE_DISABLE_PASSES", "SWAGE_ONLY_PASSES"}) {
    for (const std::string& command : {run, "opt " + module_}) {
      const Outcome outcome = SwageWith(name, "cse,no-such", command);
      EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
      EXPECT_THAT(outcome.output, HasSubstr("'no-such' names no pass"));
    }
  }
  EXPECT_EQ(SwageWith("SWAGE_DISABLE_PASSES", "cse, priority-fusion", run).exit_code, 0);
  const Outcome device = SwageWith("SWAGE_DEVICE", "evaluater", run);
  EXPECT_EQ(device.exit_code, 2);
  EXPECT_THAT(device.output, HasSubstr("did you mean 'evaluator'"));
}

TEST_F(EnvironmentTest, WhatCannotBeUsedIsWarnedOf) {
  const std::string run = "run " + module_ + " --random";
  const std::pair<const char*, const char*> warned[] = {
      {"SWAGE_NUM_THREAD", "2"}, {"SWAGE_LOG", "loud"}, {"SWAGE_DUMP_TO", "/dev/null/x"}};
  for (const auto& [name, value] : warned) {
    const Outcome outcome = SwageWith(name, value, run);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("warn")) << name;
    EXPECT_THAT(outcome.output, HasSubstr(std::string(name) == "SWAGE_DUMP_TO" ? value : name));
  }
}

}  // namespace
}  // namespace swage::tools
