#include "compiler/ir/unchanging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/ir/fingerprint.h"
#include "compiler/ir/parser.h"
#include "compiler/ir/printer.h"

namespace swage::ir {
namespace {

constexpr char kText[] = R"(
HloModule m
ENTRY e {
  a = f32[4] parameter(0)
  b = f32[4] parameter(1)
  ROOT c = f32[4] add(a, b)
})";

std::unique_ptr<Module> Parse(std::string_view text) {
  auto module = ParseHlo(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

TEST(UnchangingTest, TheMarkIsOfOneParameterAndSurvivesItsText) {
  const auto module = Parse(kText);
  MarkUnchanging(module->entry()->parameter(1));
  MarkUnchanging(module->entry()->parameter(1));
  const std::string text = module->ToString();
  EXPECT_THAT(
      text, testing::HasSubstr("parameter(1), frontend_attributes={swage_unchanging=\"true\"}\n"));
  const auto again = Parse(text);
  EXPECT_FALSE(IsUnchanging(*again->entry()->parameter(0)));
  EXPECT_TRUE(IsUnchanging(*again->entry()->parameter(1)));
  EXPECT_FALSE(IsUnchanging(*again->entry()->root()));
}

TEST(UnchangingTest, TheMarkIsInTheKeyAndInCopies) {
  const auto module = Parse(kText);
  const std::string before = CanonicalText(*module);
  MarkUnchanging(module->entry()->parameter(0));
  EXPECT_NE(CanonicalText(*module), before);
  EXPECT_TRUE(IsUnchanging(*module->Clone()->entry()->parameter(0)));
}

TEST(UnchangingTest, AnotherFrontendAttributeIsNoMark) {
  const auto module = Parse(R"(
HloModule m
ENTRY e {
  ROOT a = f32[4] parameter(0), frontend_attributes={other="true"}
})");
  EXPECT_FALSE(IsUnchanging(*module->entry()->root()));
}

}  // namespace
}  // namespace swage::ir
