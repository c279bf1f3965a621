// Which extents become arguments of a kernel.
#include "codegen/emit/generalise.h"

#include <gtest/gtest.h>

#include <string>

#include "codegen/emit/schedule.h"
#include "compiler/ir/parser.h"
#include "tests/codegen/emit/kernel_texts.h"

namespace swage::emit {
namespace {

GeneralisedFusion General(const std::string& body, bool baked = false) {
  auto module = ir::ParseHlo("HloModule m\nENTRY e {\n" + body + "\n}");
  EXPECT_TRUE(module.ok()) << module.status().message();
  auto general = Generalise(*(*module)->entry(), baked);
  EXPECT_TRUE(general.ok()) << general.status().message();
  return std::move(*general);
}

std::string RootShape(const GeneralisedFusion& general) {
  std::string text;
  for (ir::Dim dim : general.fusion->root()->shape().dims()) text += dim.ToString() + " ";
  return text;
}

TEST(Generalise, EqualExtentsShareASymbolAndOnesStay) {
  const GeneralisedFusion g = General(R"(
  x = f32[4,1,9] parameter(0)
  b = f32[9] parameter(1)
  c = f32[4,1,9] broadcast(b), dimensions={2}
  ROOT r = f32[4,1,9] add(x, c))");
  EXPECT_EQ(RootShape(g), "d0 1 d1 ");
  ASSERT_EQ(g.values.size(), 2u);
  EXPECT_EQ(g.values[0], 4);
  EXPECT_EQ(g.values[1], 9);
}

TEST(Generalise, EqualNumbersThatNeedNotBeEqualStayApart) {
  EXPECT_EQ(RootShape(General(R"(
  x = f32[8,8] parameter(0)
  ROOT r = f32[8,8] transpose(x), dimensions={1,0})")),
            "d1 d0 ");
}

TEST(Generalise, DerivedExtentsAreExpressions) {
  EXPECT_EQ(RootShape(General(R"(
  x = f32[3,5] parameter(0)
  y = f32[3,1] parameter(1)
  ROOT r = f32[3,6] concatenate(x, y), dimensions={1})")),
            "d0 d1+1 ");
  EXPECT_EQ(RootShape(General(R"(
  x = f32[3,5,4] parameter(0)
  ROOT r = f32[3,20] reshape(x))")),
            "d0 d1*d2 ");
}

TEST(Generalise, GapsBetweenNoElementsAreNone) {
  EXPECT_EQ(RootShape(General(R"(
  x = f32[0,5] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[3,12] pad(x, z), padding=1_2_1x1_2_1)")),
            "3 2*d0+2 ");
}

TEST(Generalise, TextsOfNeighbouringLengthsAreEqual) {
  const std::string body = R"(
  x = f32[3,$A] parameter(0)
  z = f32[] parameter(1)
  s = f32[3,$B] slice(x), slice={[0:3], [1:$A]}
  h = f32[3,$C] pad(s, z), padding=0_0x0_3
  ROOT r = f32[3,$C] negate(h))";
  std::string first;
  for (int n : {31, 32, 33}) {
    const std::string text =
        General(WithSizes(body, {{"$A", n}, {"$B", n - 1}, {"$C", n + 2}})).fusion->ToString();
    if (first.empty()) first = text;
    EXPECT_EQ(text, first);
  }
}

TEST(Generalise, WhatALiteralFixesStays) {
  const GeneralisedFusion g = General(R"(
  x = f32[2,3] parameter(0)
  c = f32[3] constant({1, 2, 3})
  b = f32[2,3] broadcast(c), dimensions={1}
  ROOT r = f32[2,3] add(x, b))");
  EXPECT_EQ(RootShape(g), "d0 3 ");
}

TEST(Generalise, ConflictingDefinitionsAreBaked) {
  // 6 = 2*3 here and 5 + 1 there: no one kernel serves both for other extents.
  const GeneralisedFusion g = General(R"(
  x = f32[2,3] parameter(0)
  y = f32[5] parameter(1)
  z = f32[1] parameter(2)
  r = f32[6] reshape(x)
  c = f32[6] concatenate(y, z), dimensions={0}
  ROOT s = f32[6] add(r, c))");
  EXPECT_EQ(RootShape(g), "6 ");
  EXPECT_TRUE(g.symbols.empty());
}

TEST(Generalise, BakedKeepsEverything) {
  const GeneralisedFusion g = General("  x = f32[4,9] parameter(0)\n  ROOT r = f32[4,9] negate(x)",
                                      /*baked=*/true);
  EXPECT_EQ(RootShape(g), "4 9 ");
  EXPECT_TRUE(g.symbols.empty());
}

}  // namespace
}  // namespace swage::emit
