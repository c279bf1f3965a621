#include "base/status.h"

#include <gtest/gtest.h>

namespace swage {
namespace {

StatusOr<int> Half(int x) {
  if (x % 2 != 0) return InvalidArgument("[half] got ", x, ", expected an even number");
  return x / 2;
}

StatusOr<int> Quarter(int x) {
  SWAGE_ASSIGN_OR_RETURN(int half, Half(x));
  return Half(half);
}

TEST(StatusTest, AssignOrReturnPassesValuesAndErrorsThrough) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(Quarter(6).status().message(), "[half] got 3, expected an even number");
}

TEST(StatusTest, AnnotateKeepsTheCode) {
  Status status = Annotate(NotFound("no pass 'cse2'"), "; did you mean 'cse'?");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "no pass 'cse2'; did you mean 'cse'?");
  EXPECT_TRUE(Annotate(OkStatus(), "unused").ok());
}

}  // namespace
}  // namespace swage
