#include "codegen/program/literal_table.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/fingerprint.h"
#include "compiler/ir/parser.h"

namespace swage::codegen {
namespace {

// A chain of `ops` additions, each with a number of its own.
std::unique_ptr<ir::Module> Chain(int ops, double first, const std::string& dtype = "f32") {
  std::string text =
      absl::StrCat("HloModule m\nENTRY main {\n  x0 = ", dtype, "[3] parameter(0)\n");
  for (int i = 0; i < ops; ++i) {
    absl::StrAppend(&text, "  c", i, " = ", dtype, "[] constant(", first + i, ")\n  b", i, " = ",
                    dtype, "[3] broadcast(c", i, "), dimensions={}\n  ",
                    i + 1 == ops ? "ROOT " : "", "x", i + 1, " = ", dtype, "[3] add(x", i, ", b", i,
                    ")\n");
  }
  auto module = ir::ParseHlo(text + "}\n");
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

TEST(LiteralTable, TheNumbersBecomeAParameterAndTheValueStays) {
  const auto module = Chain(80, 0.5);
  const ir::Literal x =
      *ir::Literal::Broadcast(ir::Literal::Scalar(ir::DType::kF32, 3.0), {ir::Dim(3)});
  const ir::Literal want = *evaluator::Evaluate(*module, {x});
  const auto tables = TakeOutLiterals(module->entry());
  ASSERT_TRUE(tables.ok()) << tables.status();
  ASSERT_EQ(tables->size(), 1u);
  EXPECT_EQ((*tables)[0].element_count(), 80);
  EXPECT_EQ(module->entry()->parameter_count(), 2);
  EXPECT_EQ(*evaluator::Evaluate(*module, {x, (*tables)[0]}), want);
}

TEST(LiteralTable, FusionsThatDifferInNumbersGetOneText) {
  const auto a = Chain(80, 0.5), b = Chain(80, 100);
  EXPECT_NE(ir::CanonicalText(*a->entry()), ir::CanonicalText(*b->entry()));
  ASSERT_TRUE(TakeOutLiterals(a->entry()).ok());
  ASSERT_TRUE(TakeOutLiterals(b->entry()).ok());
  EXPECT_EQ(ir::CanonicalText(*a->entry()), ir::CanonicalText(*b->entry()));
}

TEST(LiteralTable, FewNumbersAndIntegersStay) {
  for (const auto& module : {Chain(10, 0.5), Chain(80, 1, "s32")}) {
    const std::string before = ir::CanonicalText(*module->entry());
    const auto tables = TakeOutLiterals(module->entry());
    ASSERT_TRUE(tables.ok()) << tables.status();
    EXPECT_TRUE(tables->empty());
    EXPECT_EQ(ir::CanonicalText(*module->entry()), before);
  }
}

}  // namespace
}  // namespace swage::codegen
