#include "compiler/passes/lossless.h"

#include <gtest/gtest.h>

#include <string>

#include "compiler/passes/algebraic_simplifier.h"
#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

using ir::DType;

std::string TwoConverts(DType from, DType via, DType to) {
  const std::string a(ir::DTypeName(from)), b(ir::DTypeName(via)), c(ir::DTypeName(to));
  return "HloModule m\nENTRY e {\n  x = " + a + "[200] parameter(0)\n  v = " + b +
         "[200] convert(x)\n  ROOT r = " + c + "[200] convert(v)\n}\n";
}

// All triples, on special values; there and back again among them.
TEST(Lossless, SkippingTheTypeBetweenChangesNothing) {
  int skipped = 0;
  for (DType from : ir::kAllDTypes) {
    for (DType via : ir::kAllDTypes) {
      for (DType to : ir::kAllDTypes) {
        if (from == DType::kToken || via == DType::kToken || to == DType::kToken) continue;
        if (!SkipsVia(from, via, to)) continue;
        ++skipped;
        const auto module = ParseForTest(TwoConverts(from, via, to));
        ASSERT_NE(module, nullptr);
        AlgebraicSimplifier pass("convert-twice");
        EXPECT_TRUE(RunForTest(*module, pass));
        ASSERT_FALSE(HasFailure()) << TwoConverts(from, via, to);
      }
    }
  }
  EXPECT_GT(skipped, 800);
}

TEST(Lossless, KnowsWhatIsLost) {
  EXPECT_TRUE(IsLossless(DType::kS32, DType::kF64));
  EXPECT_FALSE(IsLossless(DType::kS32, DType::kF32));
  EXPECT_FALSE(IsLossless(DType::kF16, DType::kBF16));
  EXPECT_FALSE(IsLossless(DType::kBF16, DType::kF16));
  EXPECT_FALSE(IsLossless(DType::kU8, DType::kS8));
  EXPECT_TRUE(IsLossless(DType::kU8, DType::kS16));
  EXPECT_FALSE(IsLossless(DType::kF8E5M2, DType::kF8E4M3FN));
  EXPECT_FALSE(IsLossless(DType::kF32, DType::kPred));
  // 200 as u8 wraps to -56, as f32 it saturates to 127.
  EXPECT_FALSE(SkipsVia(DType::kU8, DType::kF32, DType::kS8));
  EXPECT_TRUE(SkipsVia(DType::kU8, DType::kS32, DType::kS8));
  EXPECT_FALSE(SkipsVia(DType::kF32, DType::kBF16, DType::kF32));
}

}  // namespace
}  // namespace swage::passes
