#include "base/regex.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace swage {
namespace {

using ::testing::HasSubstr;

TEST(RegexTest, FindsWhatItNames) {
  const StatusOr<std::regex> regex = ParseRegex("^a(b|c)+$", "[test]");
  ASSERT_TRUE(regex.ok()) << regex.status();
  EXPECT_TRUE(std::regex_search("abcb", *regex));
  EXPECT_FALSE(std::regex_search("abcd", *regex));
}

TEST(RegexTest, AMistakeIsAnErrorThatBeginsWithThePlace) {
  for (const std::string text : {"(", "[a", "*", "a{3,1}", "((((a{100}){100}){100}){100})"}) {
    const Status status = ParseRegex(text, "[corpus] --filter").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr("[corpus] --filter")) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr("is not a regular expression")) << text;
  }
}

TEST(RegexTest, LongTextsAreRefused) {
  for (const char* piece : {"a", "(", "a|", "(a"}) {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += piece;
    EXPECT_EQ(ParseRegex(text, "[test]").status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(RegexTest, NestedRepeatsTakeNoExponentialTime) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "(a*)*";
  const StatusOr<std::regex> regex = ParseRegex(text + "b", "[test]");
  ASSERT_TRUE(regex.ok()) << regex.status();
  EXPECT_FALSE(std::regex_search(std::string(60, 'a'), *regex));
}

}  // namespace
}  // namespace swage
