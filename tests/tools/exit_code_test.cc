#include "tools/exit_code.h"

#include <gtest/gtest.h>

namespace swage::tools {
namespace {

TEST(ExitCodeTest, SeparatesTheUsersFaultsFromOurs) {
  EXPECT_EQ(ExitCodeOf(absl::StatusCode::kOk), 0);
  for (Status status : {InvalidArgument(""), NotFound(""), ResourceExhausted(""), Unimplemented(""),
                        absl::FailedPreconditionError(""), absl::OutOfRangeError(""),
                        absl::PermissionDeniedError(""), absl::UnavailableError("")}) {
    EXPECT_EQ(ExitCodeOf(status.code()), 2) << status;
  }
  for (Status status : {Internal(""), absl::UnknownError(""), absl::DataLossError("")}) {
    EXPECT_EQ(ExitCodeOf(status.code()), 70) << status;
  }
}

TEST(ExitCodeTest, FinishPrintsTheErrorAndKeepsAnExitCode) {
  EXPECT_EQ(Finish(kCheckFailed), 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(Finish(NotFound("no pass 'cse2'")), 2);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "swage: no pass 'cse2'\n");
  testing::internal::CaptureStderr();
  EXPECT_EQ(Finish(Internal("lost a user")), 70);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "swage: internal error: lost a user\n");
}

}  // namespace
}  // namespace swage::tools
