#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/ir/parser.h"
#include "compiler/ir/printer.h"
#include "compiler/ir/verifier.h"

namespace swage::ir {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Dropped(const std::string& body) {
  auto module = ParseHlo("HloModule m\nENTRY main {\n" + body + "\n}\n");
  EXPECT_TRUE(module.ok()) << module.status().message();
  DropLayouts(module->get());
  const Status verified = Verify(**module, {.layouts = LayoutPhase::kBefore});
  EXPECT_TRUE(verified.ok()) << verified.message();
  return ToText(**module);
}

TEST(DropLayouts, ABitcastOfRowMajorArraysStays) {
  const std::string text = Dropped(R"(
  a = f32[2,6]{1,0} parameter(0)
  ROOT b = f32[3,4]{1,0} bitcast(a))");
  EXPECT_THAT(text, HasSubstr("b = f32[3,4] bitcast(a)"));
}

TEST(DropLayouts, ABitcastThatReadsAnotherLayoutTransposesFirst) {
  const std::string text = Dropped(R"(
  a = f32[2,3]{0,1} parameter(0)
  ROOT b = f32[6]{0} bitcast(a))");
  EXPECT_THAT(text, HasSubstr("f32[3,2] transpose(a), dimensions={1,0}"));
  EXPECT_THAT(text, HasSubstr("f32[6] bitcast(transpose)"));
}

TEST(DropLayouts, ABitcastThatMakesAnotherLayoutTransposesAfterwards) {
  const std::string text = Dropped(R"(
  a = f32[24]{0} parameter(0)
  b = f32[2,3,4]{0,2,1} bitcast(a)
  ROOT n = f32[2,3,4]{0,2,1} negate(b))");
  EXPECT_THAT(text, HasSubstr("f32[3,4,2] bitcast(a)"));
  EXPECT_THAT(text, HasSubstr("f32[2,3,4] transpose(bitcast), dimensions={2,0,1}"));
  EXPECT_THAT(text, Not(HasSubstr("{0,2,1}")));
}

}  // namespace
}  // namespace swage::ir
