#include "compiler/passes/concatenate_mover.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

std::string Module(std::string_view body) {
  return "HloModule m\nENTRY e {\n" + std::string(body) + "\n}\n";
}

TEST(ConcatenateMover, AFunctionOfAllPartsIsComputedOnce) {
  ExpectPass(Module(R"(
  x = f32[2,3] parameter(0)
  y = f32[2,5] parameter(1)
  a = f32[2,3] exponential(x)
  b = f32[2,5] exponential(y)
  ROOT c = f32[2,8] concatenate(a, b), dimensions={1})"),
             ConcatenateMover(), R"(
    CHECK: [[C:[a-z.0-9-]+]] = f32[2,8] concatenate(x, y), dimensions={1}
    CHECK-NEXT: ROOT {{.*}} = f32[2,8] exponential([[C]]))");
}

TEST(ConcatenateMover, ANumberForAllPartsIsSpreadOverTheWhole) {
  ExpectPass(Module(R"(
  x = f32[3] parameter(0)
  y = f32[n<=5] parameter(1)
  s = f32[] parameter(2)
  f = f32[3] broadcast(s), dimensions={}
  g = f32[n] broadcast(s), dimensions={}
  a = f32[3] subtract(f, x)
  b = f32[n] subtract(g, y)
  ROOT c = f32[3+n] concatenate(a, b), dimensions={0})"),
             ConcatenateMover(), R"(
    CHECK: broadcast(s)
    CHECK: ROOT {{.*}} subtract()");
}

TEST(ConcatenateMover, FollowsAChain) {
  ExpectPass(Module(R"(
  x = f32[3] parameter(0)
  y = f32[5] parameter(1)
  a1 = f32[3] exponential(x)
  b1 = f32[5] exponential(y)
  a2 = f32[3] negate(a1)
  b2 = f32[5] negate(b1)
  ROOT c = f32[8] concatenate(a2, b2), dimensions={0})"),
             ConcatenateMover(), R"(
    CHECK: concatenate(x, y)
    CHECK-NEXT: exponential
    CHECK-NEXT: ROOT {{.*}} negate)");
}

TEST(ConcatenateMover, FollowsALongChainInOneRun) {
  std::string body = "x0 = f32[3] parameter(0)\n y0 = f32[5] parameter(1)\n";
  constexpr int kLength = 100;
  for (int i = 0; i < kLength; ++i) {
    absl::StrAppend(&body, "x", i + 1, " = f32[3] tanh(x", i, ")\n y", i + 1, " = f32[5] tanh(y", i,
                    ")\n");
  }
  absl::StrAppend(&body, "ROOT c = f32[8] concatenate(x", kLength, ", y", kLength,
                  "), dimensions={0}");
  const std::unique_ptr<ir::Module> module = ParseForTest(Module(body));
  ConcatenateMover pass;
  EXPECT_TRUE(RunForTest(*module, pass));
  EXPECT_EQ(module->entry()->instruction_count(), 3 + kLength);
  EXPECT_FALSE(RunForTest(*module, pass));
}

TEST(ConcatenateMover, StaysWhereNothingIsSaved) {
  for (std::string_view body :
       {// Other functions.
        "x = f32[3] parameter(0)\n y = f32[3] parameter(1)\n a = f32[3] exponential(x)\n"
        "b = f32[3] tanh(y)\n ROOT c = f32[6] concatenate(a, b), dimensions={0}",
        // Two operands would be joined for one result.
        "x = f32[3] parameter(0)\n y = f32[3] parameter(1)\n a = f32[3] add(x, y)\n"
        "b = f32[3] add(y, x)\n ROOT c = f32[6] concatenate(a, b), dimensions={0}",
        // Somebody else needs a part.
        "x = f32[3] parameter(0)\n y = f32[3] parameter(1)\n a = f32[3] exponential(x)\n"
        "b = f32[3] exponential(y)\n c = f32[6] concatenate(a, b), dimensions={0}\n"
        "ROOT t = (f32[6], f32[3]) tuple(c, a)",
        // convert-mover knows which side is narrower.
        "x = s32[3] parameter(0)\n y = s32[3] parameter(1)\n a = f32[3] convert(x)\n"
        "b = f32[3] convert(y)\n ROOT c = f32[6] concatenate(a, b), dimensions={0}"}) {
    ExpectUnchanged(Module(body), ConcatenateMover());
  }
}

}  // namespace
}  // namespace swage::passes
