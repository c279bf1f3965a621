#include "cache/policy/glob.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace swage::policy {
namespace {

TEST(GlobTest, StarsAndQuestionMarksMatch) {
  EXPECT_TRUE(GlobMatches("score.*", "score."));
  EXPECT_TRUE(GlobMatches("score.*", "score.a.b"));
  EXPECT_FALSE(GlobMatches("score.*", "score"));
  EXPECT_TRUE(GlobMatches("*", ""));
  EXPECT_TRUE(GlobMatches("a*b*c", "a-b-b-c"));
  EXPECT_FALSE(GlobMatches("a*b*c", "a-b-b-d"));
  EXPECT_TRUE(GlobMatches("layer?", "layer3"));
  EXPECT_FALSE(GlobMatches("layer?", "layer"));
  EXPECT_FALSE(GlobMatches("encode", "encoder"));
}

TEST(GlobTest, HostilePatternsEndAtOnce) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "a*";
  EXPECT_FALSE(GlobMatches(pattern + "b", std::string(5000, 'a')));
}

TEST(GlobTest, WhatSaysMoreRanksHigher) {
  const std::vector<std::string> rising = {"*", "?", "a*", "a?", "ab*", "abc"};
  for (size_t i = 0; i + 1 < rising.size(); ++i) {
    EXPECT_LT(GlobRank(rising[i]), GlobRank(rising[i + 1])) << rising[i];
  }
  EXPECT_EQ(GlobRank("score.*"), GlobRank("*.final"));
}

// Every name of up to five letters over {a, b} against every pair of patterns.
TEST(GlobTest, OverlapAgreesWithTryingNames) {
  std::vector<std::string> names = {""};
  for (size_t i = 0; names[i].size() < 5; ++i) {
    names.push_back(names[i] + 'a');
    names.push_back(names[i] + 'b');
  }
  const std::vector<std::string> patterns = {"",   "a",   "*",   "?",   "a*",  "*a",  "a?",   "?b",
                                             "ab", "a*b", "*a*", "b*a", "??",  "?*",  "a*a*", "*ab",
                                             "b*", "*b",  "aab", "a?b", "*?*", "ba*", "abab"};
  for (const std::string& a : patterns) {
    for (const std::string& b : patterns) {
      bool found = false;
      for (const std::string& name : names) {
        found = found || (GlobMatches(a, name) && GlobMatches(b, name));
      }
      EXPECT_EQ(GlobsOverlap(a, b), found) << a << " and " << b;
    }
  }
}

}  // namespace
}  // namespace swage::policy
