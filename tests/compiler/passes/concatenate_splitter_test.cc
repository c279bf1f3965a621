#include "compiler/passes/concatenate_splitter.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

std::string Parts(int n) {
  std::string text = "HloModule m\nENTRY e {\n  x = f32[2,3] parameter(0)\n", names;
  for (int i = 0; i < n; ++i) {
    absl::StrAppend(&text, "  s", i, " = f32[2,1] slice(x), slice={[0:2], [", i % 3, ":", i % 3 + 1,
                    "]}\n");
    absl::StrAppend(&names, i > 0 ? ", " : "", "s", i);
  }
  return absl::StrCat(text, "  ROOT c = f32[2,", n, "] concatenate(", names,
                      "), dimensions={1}\n}\n");
}

TEST(ConcatenateSplitter, WhatAKernelCanTakeStays) {
  ExpectUnchanged(Parts(95), ConcatenateSplitter());
}

TEST(ConcatenateSplitter, MoreIsJoinedInGroupsOfAboutEqualSize) {
  ExpectPass(Parts(200), ConcatenateSplitter(), R"(
    CHECK: [[A:[a-z.0-9-]+]] = f32[2,66] concatenate(s0,
    CHECK: [[B:[a-z.0-9-]+]] = f32[2,67] concatenate(s66,
    CHECK: [[C:[a-z.0-9-]+]] = f32[2,67] concatenate(s133,
    CHECK: ROOT {{.*}} = f32[2,200] concatenate([[A]], [[B]], [[C]]), dimensions={1})");
}

TEST(ConcatenateSplitter, VeryManyTakeSeveralLevels) {
  const std::unique_ptr<ir::Module> module = ParseForTest(Parts(10'000));
  ConcatenateSplitter pass;
  EXPECT_TRUE(RunForTest(*module, pass));
  for (const ir::Instruction* op : module->entry()->Instructions()) {
    const bool wide = op->opcode() == ir::Opcode::kConcatenate && op->operand_count() > 95;
    EXPECT_FALSE(wide) << op->name();
  }
  EXPECT_FALSE(RunForTest(*module, pass));
}

}  // namespace
}  // namespace swage::passes
