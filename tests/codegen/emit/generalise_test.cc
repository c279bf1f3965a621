// Which extents become arguments of a kernel.
#include "codegen/emit/generalise.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "codegen/emit/bake.h"
#include "codegen/emit/schedule.h"
#include "compiler/ir/fingerprint.h"
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

std::string TextOf(const std::string& body) { return General(body).fusion->ToString(); }

// Rows of an array with `rows` rows, from each of `starts` on.
std::string RowsFrom(const std::vector<int>& starts, int rows = 40, int size = 1) {
  std::string text = "  x = f32[" + std::to_string(rows) + ",6] parameter(0)\n", sum;
  const std::string shape = "f32[" + std::to_string(size) + ",6]";
  for (size_t i = 0; i < starts.size(); ++i) {
    const std::string number = std::to_string(i);
    text += "  s" + number + " = " + shape + " slice(x), slice={[" + std::to_string(starts[i]) +
            ":" + std::to_string(starts[i] + size) + "], [0:6]}\n";
    if (i == 0) continue;
    text += "  a" + number + " = " + shape + " add(" +
            (i == 1 ? "s0" : "a" + std::to_string(i - 1)) + ", s" + number + ")\n";
  }
  const std::string last = (starts.size() == 1 ? "s" : "a") + std::to_string(starts.size() - 1);
  return text + "  ROOT r = " + shape + " negate(" + last + ")";
}

TEST(Generalise, WhereASliceOfAParameterBeginsIsAnArgument) {
  const GeneralisedFusion g = General(RowsFrom({3}));
  ASSERT_EQ(g.values.size(), 3u);
  EXPECT_EQ(g.values[2], 3);
  for (const int start : {1, 2, 17, 38, 39}) {
    EXPECT_EQ(TextOf(RowsFrom({start})), g.fusion->ToString()) << start;
  }
  EXPECT_EQ(TextOf(RowsFrom({8}, 40, 4)), TextOf(RowsFrom({9}, 40, 4)));
  EXPECT_EQ(TextOf(RowsFrom({8}, 40, 4)), TextOf(RowsFrom({36}, 40, 4)));
  EXPECT_NE(TextOf(RowsFrom({0})), g.fusion->ToString()) << "0 is known";
}

TEST(Generalise, OtherSlicesOfTheParameterLieAtADistance) {
  EXPECT_EQ(TextOf(RowsFrom({3, 4, 6})), TextOf(RowsFrom({7, 8, 10})));
  EXPECT_EQ(TextOf(RowsFrom({4, 3})), TextOf(RowsFrom({7, 6})));
  EXPECT_EQ(TextOf(RowsFrom({3, 3})), TextOf(RowsFrom({7, 7})));
  EXPECT_NE(TextOf(RowsFrom({3, 4})), TextOf(RowsFrom({7, 9})));
  // Equal pieces do so at any size.
  EXPECT_EQ(TextOf(RowsFrom({4, 8, 0}, 40, 4)), TextOf(RowsFrom({5, 10, 0}, 40, 5)));
  EXPECT_EQ(TextOf(RowsFrom({8, 12}, 40, 4)), TextOf(RowsFrom({20, 25}, 40, 5)));
}

TEST(Generalise, BehindAReshapeAStartStays) {
  const std::string body = R"(
  x = f32[4,24] parameter(0)
  y = f32[4,6,4] reshape(x)
  ROOT r = f32[4,1,4] slice(y), slice={[0:4], [$A:$B], [0:4]})";
  EXPECT_NE(TextOf(WithSizes(body, {{"$A", 2}, {"$B", 3}})),
            TextOf(WithSizes(body, {{"$A", 3}, {"$B", 4}})));
}

TEST(Generalise, WhereAPadPutsItsOperandIsAnArgument) {
  const std::string body = R"(
  x = f32[1,6] parameter(0)
  z = f32[] parameter(1)
  ROOT r = f32[40,6] pad(x, z), padding=$A_$Bx0_0)";
  const std::string text = TextOf(WithSizes(body, {{"$A", 1}, {"$B", 38}}));
  EXPECT_EQ(TextOf(WithSizes(body, {{"$A", 7}, {"$B", 32}})), text);
  EXPECT_EQ(TextOf(WithSizes(body, {{"$A", 38}, {"$B", 1}})), text);
  EXPECT_NE(TextOf(WithSizes(body, {{"$A", 0}, {"$B", 39}})), text) << "0 is known";
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

// Baking the extents of a call into what generalising made of it gives that call's fusion again.
void ExpectSameWhenBaked(const std::string& hlo) {
  SCOPED_TRACE(hlo);
  auto module = ir::ParseHlo(hlo);
  ASSERT_TRUE(module.ok()) << module.status().message();
  auto fusion = Generalise(*(*module)->entry());
  const auto want = Generalise(*(*module)->entry(), /*baked=*/true);
  ASSERT_TRUE(fusion.ok() && want.ok());
  std::vector<int64_t> values;
  for (const ir::Dim value : fusion->values) values.push_back(*value.static_value());
  EXPECT_FALSE(values.empty());
  const Status baked = BakeExtents(values, &*fusion);
  ASSERT_TRUE(baked.ok()) << baked.message();
  EXPECT_TRUE(fusion->symbols.empty());
  EXPECT_EQ(ir::CanonicalText(*fusion->fusion), ir::CanonicalText(*want->fusion));
}

TEST(Bake, GivesBackWhatWasGeneralised) {
  ExpectSameWhenBaked(WithSizes(Softmax(), {{"$R", 64}, {"$N", 33}}));
  const std::string bodies[] = {
      "  x = f32[12,30] parameter(0)\n"
      "  s = f32[12,10] slice(x), slice={[0:12], [20:30]}\n"
      "  t = f32[12,10] slice(x), slice={[0:12], [10:20]}\n"
      "  ROOT c = f32[12,20] concatenate(s, t), dimensions={1}",
      RowsFrom({3, 7, 39, 2}),
      RowsFrom({8, 12, 0, 36}, 40, 4),
      "  x = f32[5] parameter(0)\n  z = f32[] constant(0)\n"
      "  p = f32[13] pad(x, z), padding=4_4\n  q = f32[13] pad(x, z), padding=2_6\n"
      "  ROOT s = f32[13] add(p, q)",
      "  x = f32[9] parameter(0)\n  z = f32[] constant(0)\n"
      "  p = f32[13] pad(x, z), padding=4_0\n"
      "  ROOT q = f32[26] pad(p, z), padding=0_1_1",
      "  x = f32[8,6] parameter(0)\n  i = s32[] parameter(1)\n"
      "  ROOT d = f32[3,6] dynamic-slice(x, i, i), dynamic_slice_sizes={3,6}",
      "  x = f32[8,6] parameter(0)\n  i = s32[5,1] parameter(1)\n"
      "  ROOT g = f32[5,6] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=1, slice_sizes={1,6}",
      "  x = f32[4,6,5] parameter(0)\n  r = f32[24,5] reshape(x)\n"
      "  u = f32[5,24] transpose(r), dimensions={1,0}\n"
      "  ROOT t = (f32[24,5], f32[5,24]) tuple(r, u)"};
  for (const std::string& body : bodies) {
    ExpectSameWhenBaked("HloModule m\nENTRY e {\n" + body + "\n}");
  }
}

// One loop nest writes both, so that they must be equal whatever the sizes are.
TEST(Generalise, OutputsOfEqualExtentsShareThem) {
  const GeneralisedFusion fusion = General(
      "  x = f32[12,30] parameter(0)\n  y = f32[12,30] parameter(1)\n  z = f32[12] parameter(2)\n"
      "  a = f32[12,30] negate(x)\n  b = f32[12,30] abs(y)\n  c = f32[12] negate(z)\n"
      "  ROOT t = (f32[12,30], f32[12,30], f32[12]) tuple(a, b, c)");
  EXPECT_EQ(fusion.symbols.size(), 2u);
}

TEST(Bake, ValuesMustFitTheSymbols) {
  GeneralisedFusion fusion =
      General("  x = f32[12,30] parameter(0)\n  ROOT n = f32[12,30] negate(x)");
  ASSERT_EQ(fusion.symbols.size(), 2u);
  EXPECT_EQ(BakeExtents({12}, &fusion).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(BakeExtents({1, 30}, &fusion).ok());
  EXPECT_EQ(BakeExtents({7, 8}, &fusion), OkStatus());
  EXPECT_EQ(fusion.fusion->root()->shape().ToString(false), "f32[7,8]");
}

}  // namespace
}  // namespace swage::emit
