#include "base/build_id.h"

#include <gtest/gtest.h>

namespace swage {
namespace {

TEST(BuildIdTest, IsHexAndStaysTheSame) {
  const std::string id = BuildId();
  EXPECT_GE(id.size(), 16u);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), id.npos) << id;
  EXPECT_EQ(BuildId(), id);
}

}  // namespace
}  // namespace swage
