#include "compiler/ir/printer.h"

#include "compiler/ir/builder.h"
#include "compiler/ir/parser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace swage::ir {
namespace {

using ::testing::HasSubstr;

// Names that users choose, and names that look like something else.
TEST(Printer, WritesAnyNameSoThatItParses) {
  Module module("my model, v2");
  Computation* entry = module.AddComputation("ENTRY");
  module.set_entry(entry);
  Builder b(entry);
  const Shape shape = Shape::Array(DType::kF32, {2});
  Instruction* x = *b.Named("7 days=1").Parameter(0, shape);
  Instruction* y = *b.Named("ROOT").Parameter(1, shape);
  Instruction* f32 = *b.Named("f32").Binary(Opcode::kAdd, x, y);
  Instruction* negative = *b.Named("-1").Unary(Opcode::kNegate, f32);
  entry->set_root(*b.Named("ünïcode").Tuple({negative, x}));
  EXPECT_EQ(x->name(), "7_days_1");
  for (bool verbose : {false, true}) {
    PrintOptions options;
    options.percent = options.signatures = options.operand_shapes = verbose;
    for (bool signatures : {false, true}) {
      options.signatures = signatures;
      const std::string text = ToText(module, options);
      auto again = ParseHlo(text);
      ASSERT_TRUE(again.ok()) << again.status().message() << text;
      std::string why;
      EXPECT_TRUE(ModulesEqual(module, **again, &why)) << why << text;
    }
  }
}

TEST(Printer, LeavesMetadataOutOnRequest) {
  auto module = ParseHlo(
      "HloModule m\n\nFileNames\n1 \"f.py\"\n\n\nENTRY e {\n"
      "  ROOT x = f32[] parameter(0), metadata={op_name=\"x\" stack_frame_id=1}\n}\n");
  ASSERT_TRUE(module.ok()) << module.status().message();
  EXPECT_THAT(ToText(**module), HasSubstr("op_name=\"x\" stack_frame_id=1"));
  PrintOptions options;
  options.metadata = false;
  EXPECT_EQ(ToText(**module, options),
            "HloModule m\n\nENTRY e {\n  ROOT x = f32[] parameter(0)\n}\n");
}

TEST(Printer, PrintsOneInstruction) {
  auto module = ParseHlo(
      "HloModule m\nENTRY e {\n x = f32[2,3]{1,0} parameter(0)\n"
      " ROOT y = f32[3,2]{1,0} transpose(x), dimensions={1,0}\n}\n");
  ASSERT_TRUE(module.ok()) << module.status().message();
  EXPECT_EQ((*module)->entry()->root()->ToString(),
            "ROOT y = f32[3,2]{1,0} transpose(x), dimensions={1,0}");
}

TEST(ModulesEqual, TellsTheFirstDifference) {
  const auto parse = [](const std::string& line) {
    return *ParseHlo("HloModule m\nENTRY e {\n x = f32[2] parameter(0)\n " + line + "\n}\n");
  };
  const auto base = parse("ROOT y = f32[2] add(x, x)");
  const std::pair<std::string, std::string> cases[] = {
      {"ROOT z = f32[2] add(x, x)", "names y / z differ"},
      {"ROOT y = f32[2] subtract(x, x)", "opcodes of y differ"},
      {"ROOT y = f32[2]{0} add(x, x)", "shapes of y differ"},
      {"ROOT y = f32[2] add(x, x), metadata={op_name=\"a\"}", "metadata of y differ"},
      {"ROOT y = f32[2] add(x, x), sharding={replicated}", "raw attributes of y differ"},
      {"y = f32[2] add(x, x)\n ROOT z = f32[2] add(x, y)", "instruction counts of e differ"},
  };
  for (const auto& [line, expected] : cases) {
    std::string why;
    EXPECT_FALSE(ModulesEqual(*base, *parse(line), &why)) << line;
    EXPECT_EQ(why, expected);
  }
}

}  // namespace
}  // namespace swage::ir
