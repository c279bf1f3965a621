#include "tools/process.h"

#include <gtest/gtest.h>

#include <csignal>

namespace swage::tools {
namespace {

StatusOr<ProcessResult> Shell(const std::string& script) {
  return RunProcess("/bin/sh", {"sh", "-c", script}, {"GREETING=hello"});
}

TEST(ProcessTest, KeepsBothOutputsAndTheExitCode) {
  const auto ran = Shell("echo $GREETING; echo oops >&2; cat; exit 3");
  ASSERT_TRUE(ran.ok()) << ran.status();
  EXPECT_EQ(ran->exit_code, 3);
  EXPECT_EQ(ran->out, "hello\n");
  EXPECT_EQ(ran->err, "oops\n");
}

TEST(ProcessTest, MuchOnBothOutputsDoesNotBlock) {
  const auto ran = Shell("head -c 1000000 /dev/zero >&2; head -c 2000000 /dev/zero");
  ASSERT_TRUE(ran.ok()) << ran.status();
  EXPECT_EQ(ran->out.size(), 2000000u);
  EXPECT_EQ(ran->err.size(), 1000000u);
}

TEST(ProcessTest, ASignalIsTold) {
  const auto ran = Shell("kill -SEGV $$");
  ASSERT_TRUE(ran.ok()) << ran.status();
  EXPECT_EQ(ran->exit_code, -1);
  EXPECT_EQ(ran->signal, SIGSEGV);
}

TEST(ProcessTest, EndlessOutputIsAnError) {
  const auto ran = Shell("exec cat /dev/zero");
  EXPECT_EQ(ran.status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(ProcessTest, AMissingProgramIsAnError) {
  const auto ran = RunProcess("/no/such/program", {"x"}, {});
  EXPECT_EQ(ran.status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace swage::tools
