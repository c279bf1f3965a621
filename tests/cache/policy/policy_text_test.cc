#include "cache/policy/policy_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cache/config.h"

namespace swage::policy {
namespace {

using ::testing::ElementsAre;

std::string Suggest(std::string_view function, const std::vector<VaryingArg>& args,
                    const std::vector<int64_t>& sizes) {
  return SuggestPolicy(function, args, sizes);
}

TEST(PolicyTextTest, TheAdviceIsAFile) {
  const std::string advice = Suggest(
      "encode", {{.index = 0, .rank = 2, .dims = {1}}, {.index = 3, .rank = 1, .dims = {0}}},
      {3, 17, 40});
  EXPECT_EQ(advice,
            "[symbols.encode_n0]\n"
            "max = 64\n"
            "\n"
            "[functions.\"encode\"]\n"
            "mode = \"bucket\"\n"
            "[[functions.\"encode\".args]]\n"
            "index = 0\n"
            "dims = [\"*\", \"encode_n0\"]\n"
            "[[functions.\"encode\".args]]\n"
            "index = 3\n"
            "dims = [\"encode_n0\"]\n");
  const StatusOr<cache::Config> config = cache::ParseConfig("format = 1\n" + advice, "b.toml");
  ASSERT_TRUE(config.ok()) << config.status();
  const auto encode = config->policies->Find("encode");
  EXPECT_THAT(encode->FindSymbol("encode_n0")->buckets.bounds(), ElementsAre(16, 32, 48, 64));
}

TEST(PolicyTextTest, NamesStandForThemselves) {
  for (const char* name : {"jit_test.cc_12", "a b", "q\"\\q", "9", "[x]"}) {
    const std::string advice = Suggest(name, {{.index = 0, .rank = 1, .dims = {0}}}, {1});
    const StatusOr<cache::Config> config = cache::ParseConfig("format = 1\n" + advice, "b.toml");
    ASSERT_TRUE(config.ok()) << config.status() << advice;
    EXPECT_EQ(config->policies->Find(name)->pattern, name);
  }
  for (const char* name : {"", "a*", "a?", "a\nb", "\xc3\xa4"}) {
    EXPECT_EQ(FunctionKey(name), std::nullopt);
    EXPECT_EQ(Suggest(name, {}, {}), "");
  }
  EXPECT_EQ(FunctionKey(std::string(129, 'a')), std::nullopt);
}

TEST(PolicyTextTest, AnySizeHasAMax) {
  for (const int64_t size : {int64_t{0}, int64_t{1}, int64_t{1} << 62, kUnbounded}) {
    const std::string advice = Suggest("f", {{.index = 0, .rank = 1, .dims = {0}}}, {size});
    EXPECT_TRUE(cache::ParseConfig("format = 1\n" + advice, "b.toml").ok()) << advice;
  }
}

}  // namespace
}  // namespace swage::policy
