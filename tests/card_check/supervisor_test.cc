// Cases that go wrong in every way, on the emulated driver.
#include "tests/card_check/supervisor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/card_check/hand_kernel.h"
#include "tests/card_check/ptx_texts.h"

namespace swage::card {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::internal::CaptureStdout;
using ::testing::internal::GetCapturedStdout;

class Supervisor : public ::testing::Test {
 protected:
  Supervisor() {
    setenv("SWAGE_LIBCUDA", EMULATED_LIBCUDA, 1);
    setenv("EMULATED_CUDA_LOG", "off", 1);
  }
  ~Supervisor() override {
    unsetenv("SWAGE_LIBCUDA");
    unsetenv("EMULATED_CUDA_LOG");
  }

  // The exit code; *lines: what is printed.
  int Run(const std::vector<Case>& cases, std::string* lines) {
    CheckOptions options;
    options.case_seconds = 5;
    CaptureStdout();
    const int code = RunCases(cases, {}, options);
    *lines = GetCapturedStdout();
    return code;
  }
};

Outcome Fine(Context&) { return {}; }

// Copies 16 bytes per thread, of which there are too many.
Outcome Overrun(Context& context) {
  StatusOr<HandKernel> kernel = HandKernel::Create(context, CopyText(), "", 256);
  if (!kernel.ok()) return Outcome::Failed(kernel.status());
  const Status launched = kernel->Launch(1, 32);
  if (!launched.ok()) return Outcome::Failed(launched);
  return Outcome::Failed(context.stream().Synchronize());
}

TEST_F(Supervisor, LinesComeInOrder) {
  std::string lines;
  EXPECT_EQ(Run({{"a", Fine}, {"b", Fine}}, &lines), kExitFine);
  EXPECT_THAT(lines, AllOf(HasSubstr("{\"case\":\"a\",\"result\":\"ok\"}\n{\"case\":\"b\""),
                           HasSubstr("\"ok\":2")));
}

TEST_F(Supervisor, AKernelThatDestroysTheContextFailsAlone) {
  std::string lines;
  EXPECT_EQ(Run({{"a", Overrun}, {"b", Fine}, {"c", Overrun}, {"d", Fine}}, &lines), kExitFailed);
  EXPECT_THAT(
      lines,
      AllOf(HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"), HasSubstr("{\"case\":\"b\",\"result\":\"ok\""),
            HasSubstr("{\"case\":\"d\",\"result\":\"ok\""), HasSubstr("\"failed_cases\":\"a c\"")));
}

TEST_F(Supervisor, AProcessThatDiesIsReplaced) {
  std::string lines;
  const auto die = [](Context&) -> Outcome { std::abort(); };
  EXPECT_EQ(Run({{"a", die}, {"b", Fine}}, &lines), kExitFailed);
  EXPECT_THAT(lines, AllOf(HasSubstr("ended by signal Aborted"),
                           HasSubstr("{\"case\":\"b\",\"result\":\"ok\"")));
}

TEST_F(Supervisor, ACaseThatNeverEndsIsEnded) {
  std::string lines;
  const auto hang = [](Context&) -> Outcome {
    for (;;) pause();
  };
  EXPECT_EQ(Run({{"a", hang}, {"b", Fine}}, &lines), kExitFailed);
  EXPECT_THAT(
      lines, AllOf(HasSubstr("no answer for 5 s"), HasSubstr("{\"case\":\"b\",\"result\":\"ok\"")));
}

TEST_F(Supervisor, ACardThatOnlyFailsIsGivenUp) {
  std::string lines;
  EXPECT_EQ(Run(std::vector<Case>(40, Case{"a", Overrun}), &lines), kExitFailed);
  EXPECT_THAT(lines, AllOf(HasSubstr("too many"), HasSubstr("\"not_run\":24")));
}

TEST_F(Supervisor, WithoutADriverNothingRuns) {
  setenv("SWAGE_LIBCUDA", "/nowhere/libcuda.so.1", 1);
  std::string lines;
  EXPECT_EQ(Run({{"a", Fine}, {"b", Fine}}, &lines), kExitNoDriver);
  EXPECT_THAT(lines, AllOf(HasSubstr("{\"case\":\"a\",\"result\":\"no driver\""),
                           HasSubstr("/nowhere/libcuda.so.1"), HasSubstr("\"not_run\":1")));
}

}  // namespace
}  // namespace swage::card
