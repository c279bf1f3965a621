#include "compiler/learn/learn.h"

#include <gmock/gmock.h>

#include "tests/compiler/learn/learn_testing.h"

namespace swage::learn {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::vector<Replacements> kTwo = At({{7, 5}, {12, 9}});

TEST(Learn, ParametersWithEqualSizesShareASymbol) {
  EXPECT_EQ(LearnedText(R"(
HloModule f, entry_computation_layout={(f32[$n,$m]{1,0}, f32[$n,4]{1,0})->f32[$m,4]{1,0}}
ENTRY main {
  x = f32[$n,$m] parameter(0)
  y = f32[$n,4] parameter(1)
  ROOT r = f32[$m,4] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}
})",
                        kTwo),
            R"(HloModule f, entry_computation_layout={(f32[n,m]{1,0}, f32[n,4]{1,0})->f32[m,4]{1,0}}

ENTRY main {
  x = f32[n,m] parameter(0)
  y = f32[n,4] parameter(1)
  ROOT r = f32[m,4] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}
}
)");
}

TEST(Learn, SymbolsTakeTheNamesAndRangesOfTheOptions) {
  const std::string text = "HloModule f\nENTRY e { ROOT x = f32[$n,$m] parameter(0) }";
  EXPECT_THAT(LearnedText(text, kTwo, {.symbols = {{"batch", 1, 64}, {"seq", 0, 512}}}),
              HasSubstr("f32[1<=batch<=64,seq<=512]"));
  EXPECT_THAT(LearnedText(text, kTwo, {.symbols = {{"batch", 1, 8}}}),
              HasSubstr("12 for '1<=batch<=8', which is outside its range"));
  EXPECT_THAT(LearnedText(text, kTwo, {.symbols = {{"b"}, {"b"}}}), HasSubstr("named 'b'"));
  // The second would be m by itself.
  EXPECT_THAT(LearnedText(text, kTwo, {.symbols = {{"m"}}}), HasSubstr("f32[m,m_]"));
}

TEST(Learn, TheOrderOfTheLoweringsDoesNotMatter) {
  const std::string text = Main(R"(
  x = f32[$n] parameter(0)
  i = f32[$n] iota(), iota_dimension=0
  ROOT r = f32[$n] add(x, i)
)");
  EXPECT_EQ(LearnedText(text, kTwo), LearnedText(text, {kTwo[1], kTwo[0]}));
}

TEST(Learn, NamesAndSharingOfEqualValuesDoNotMatter) {
  const StatusOr<Learned> learned = LearnTexts({Main(R"(
  x = f32[7,7] parameter(0)
  one = f32[] constant(1)
  ones = f32[7,7] broadcast(one), dimensions={}
  y = f32[7,7] add(x, ones)
  ROOT r = f32[7,7] multiply(y, ones)
)"),
                                                R"(
HloModule g
ENTRY start {
  u = f32[12,7] parameter(0)
  c.1 = f32[] constant(1)
  c.2 = f32[] constant(1)
  b.1 = f32[12,7] broadcast(c.1), dimensions={}
  b.2 = f32[12,7] broadcast(c.2), dimensions={}
  v = f32[12,7] add(u, b.1)
  ROOT w = f32[12,7] multiply(v, b.2)
})"});
  ASSERT_TRUE(learned.ok()) << learned.status();
  EXPECT_THAT(learned->module->ToString(), HasSubstr("f32[n,7] multiply"));
}

TEST(Learn, AnExtentThatIsAskedToBeEqualIsSolvedByThat) {
  // The iota could be n or m-1; that it is added to y says which.
  const std::string text = Main(R"(
  x = f32[$n] parameter(0)
  y = f32[$m] parameter(1)
  i = f32[$m] iota(), iota_dimension=0
  r = f32[$m] add(y, i)
  ROOT t = (f32[$n], f32[$m]) tuple(x, r)
)");
  EXPECT_THAT(LearnedText(text, At({{7, 8}, {12, 13}})), HasSubstr("i = f32[m] iota()"));
}

TEST(Learn, WhatOperandsGiveIsNotGuessed) {
  // By the numbers alone y's size could be n+1 as well.
  const std::string text = Main(R"(
  x = f32[$n] parameter(0)
  y = f32[$m] parameter(1)
  b = f32[$m,3] broadcast(y), dimensions={0}
  c = f32[3,$m] reshape(b)
  ROOT t = (f32[$n], f32[3,$m]) tuple(x, c)
)");
  const StatusOr<Learned> learned = LearnFrom(text, At({{7, 8}, {12, 13}}));
  ASSERT_TRUE(learned.ok()) << learned.status();
  EXPECT_THAT(learned->module->ToString(), HasSubstr("c = f32[3,m] reshape(b)"));
  EXPECT_TRUE(learned->report.extents.empty()) << learned->report.ToString();
}

TEST(Learn, SizesOfParametersThatAreNotIndependentBecomeExpressions) {
  const std::string text = Main(R"(
  x = f32[$m] parameter(0)
  y = f32[$n] parameter(1)
  tail = f32[$n] slice(x), slice={[1:$m]}
  ROOT r = f32[$n] add(tail, y)
)");
  const std::string learned = LearnedText(text, At({{7, 8}, {12, 13}}));
  EXPECT_THAT(learned, HasSubstr("x = f32[n+1] parameter(0)"));
  EXPECT_THAT(learned, HasSubstr("y = f32[n] parameter(1)"));
  EXPECT_THAT(learned, HasSubstr("slice={[1:n+1]}"));
}

TEST(Learn, AReshapeThatSplitsMakesTheSizeAMultiple) {
  EXPECT_THAT(LearnedText(Main(R"(
  x = f32[$m] parameter(0)
  ROOT r = f32[$n,4] reshape(x)
)"),
                          At({{7, 28}, {12, 48}})),
              HasSubstr("x = f32[4*n] parameter(0)"));
  // 6*x = 4*y: both are multiples of one more size.
  EXPECT_THAT(LearnedText(Main(R"(
  x = f32[$n,6] parameter(0)
  ROOT r = f32[$m,4] reshape(x)
)"),
                          At({{8, 12}, {14, 21}})),
              HasSubstr("r = f32[3*n,4] reshape(x)"));
}

TEST(Learn, HalvesOfEvenSizesMakeTheSizeEven) {
  const std::string learned = LearnedText(Main(R"(
  x = f32[$m] parameter(0)
  a = f32[$n] slice(x), slice={[0:$n]}
  b = f32[$n] slice(x), slice={[$n:$m]}
  ROOT r = f32[$n] multiply(a, b)
)"),
                                          At({{7, 14}, {12, 24}}));
  EXPECT_THAT(learned, HasSubstr("x = f32[2*n] parameter(0)"));
  EXPECT_THAT(learned, HasSubstr("slice={[n:2*n]}"));
}

TEST(Learn, MergedAndSplitDimensionsBelongToOneAnother) {
  const std::string learned = LearnedText(Main(R"(
  x = f32[$n,$m,6] parameter(0)
  flat = f32[$p,6] reshape(x)
  twice = f32[$p,6] add(flat, flat)
  ROOT r = f32[$n,$m,2,3] reshape(twice)
)"),
                                          At({{7, 5, 35}, {12, 9, 108}}));
  EXPECT_THAT(learned, HasSubstr("flat = f32[m*n,6]"));
  EXPECT_THAT(learned, HasSubstr("r = f32[n,m,2,3]"));
}

TEST(Learn, RangesAreNarrowedToWhereTheProgramIsRight) {
  EXPECT_THAT(LearnedText(Main(R"(
  x = f32[$n] parameter(0)
  ROOT r = f32[3] slice(x), slice={[2:5]}
)"),
                          kTwo),
              HasSubstr("x = f32[5<=n] parameter(0)"));
  EXPECT_THAT(LearnedText(Main(R"(
  x = f32[$n] parameter(0)
  y = f32[$m] parameter(1)
  c = f32[$p] concatenate(x, y), dimensions={0}
  ROOT r = f32[1] slice(c), slice={[0:1]}
)"),
                          At({{7, 5, 12}, {12, 9, 21}})),
              HasSubstr("x = f32[1<=n] parameter(0)"));
  EXPECT_THAT(LearnedText(Main(R"(
  x = f32[$n] parameter(0)
  y = f32[$m] parameter(1)
  s = f32[$m] slice(x), slice={[0:$m]}
  ROOT r = f32[$m] add(s, y)
)"),
                          kTwo),
              HasSubstr("s (main): needs m to be at most n, which no range of one size gives"));
}

TEST(Learn, CalledComputationsAreMergedForEachListOfShapes) {
  // One function at 5 and 5 is two at 7 and 12.
  const std::string text = R"(
HloModule f
g {
  p = f32[$n] parameter(0)
  ROOT q = f32[$n] negate(p)
}
ENTRY main {
  x = f32[$n] parameter(0)
  a = f32[$n] call(x), to_apply=g
  ROOT b = f32[$n] call(a), to_apply=g
})";
  const StatusOr<Learned> learned = LearnFrom(text, kTwo);
  ASSERT_TRUE(learned.ok()) << learned.status();
  EXPECT_EQ(learned->module->Computations().size(), 2u);
  EXPECT_THAT(learned->module->ToString(), HasSubstr("p = f32[n] parameter(0)"));
}

TEST(Learn, DifferentProgramsAreRefusedByTheInstructionThatDiffers) {
  const std::string text = Main(R"(
  x = f32[$n,3] parameter(0)
  ROOT r = f32[$n,3] $op
)");
  const auto error = [&](const std::string& a, const std::string& b) {
    return LearnedText(text, {{{"$n", "7"}, {"$op", a}}, {{"$n", "12"}, {"$op", b}}});
  };
  EXPECT_EQ(error("negate(x)", "abs(x)"),
            "[learn] the lowerings are not one program: r (main): negate and abs");
  EXPECT_THAT(error("reverse(x), dimensions={0}", "reverse(x), dimensions={1}"),
              HasSubstr("r (main): attributes differ"));
  EXPECT_THAT(error("add(x, x)", "negate(x)"), HasSubstr("add and negate"));
  const std::string other = R"(
HloModule f
ENTRY start {
  x = f32[12,3] parameter(0)
  y = s32[] parameter(1)
  ROOT n = f32[12,3] negate(x)
})";
  EXPECT_THAT(std::string(LearnTexts({Lowered(text, {{"$n", "7"}, {"$op", "negate(x)"}}), other})
                              .status()
                              .message()),
              HasSubstr("has 1 parameters, another 2"));
}

TEST(Learn, ErrorsNameTheLoweringsWhereNamesDiffer) {
  const StatusOr<Learned> learned =
      LearnTexts({"HloModule f\nENTRY a { x = f32[7] parameter(0)\n ROOT y = f32[7] negate(x) }",
                  "HloModule f\nENTRY b { x = f32[9] parameter(0)\n ROOT z = f32[9] abs(x) }"},
                 {.names = {"n7.hlo", "n9.hlo"}});
  EXPECT_THAT(std::string(learned.status().message()),
              HasSubstr("y (a of n7.hlo), z (b of n9.hlo): negate and abs"));
}

TEST(Learn, AnExtentThatIsNoExpressionIsRefusedByName) {
  const std::string text = Main(R"(
  x = f32[$n] parameter(0)
  ROOT i = f32[$m] iota(), iota_dimension=0
)");
  EXPECT_EQ(LearnedText(text, At({{7, 9}, {12, 13}})),
            "[learn] i (main), dimension 0: got 9 and 13, expected an expression of n (7 and 12): "
            "no simple expression fits");
  EXPECT_THAT(LearnedText(text, At({{7, 8}, {12, 13}})), HasSubstr("f32[n+1] iota()"));
  EXPECT_THAT(LearnedText(text, At({{7, 8}, {12, 13}, {33, 35}})),
              HasSubstr("got 8, 13 and 35, expected an expression of n (7, 12 and 33)"));
  EXPECT_THAT(LearnedText(text, At({{7, 9}, {7, 13}})), HasSubstr("no parameter's size varies"));
}

TEST(Learn, WhatTwoLoweringsLeaveOpenIsRefusedUntilAThirdSettlesIt) {
  const std::string text = Main(R"(
  x = f32[$n] parameter(0)
  y = f32[$m] parameter(1)
  ROOT i = f32[$m] iota(), iota_dimension=0
)");
  EXPECT_THAT(LearnedText(text, At({{7, 8}, {12, 13}})),
              HasSubstr("m and n+1 both fit; add a lowering at other sizes"));
  EXPECT_THAT(LearnedText(text, At({{7, 8}, {12, 13}, {20, 30}})), HasSubstr("i = f32[m] iota()"));
}

TEST(Learn, PaddingAndSlicesMayVary) {
  const std::string learned = LearnedText(Main(R"(
  x = f32[$n] parameter(0)
  y = f32[$m] parameter(1)
  zero = f32[] constant(0)
  wide = f32[$p] pad(x, zero), padding=0_$m
  cut = f32[$m] pad(wide, zero), padding=-$n_0
  ROOT r = f32[$m] add(cut, y)
)"),
                                          At({{7, 5, 12}, {12, 9, 21}}));
  EXPECT_THAT(learned, HasSubstr("x = f32[n] parameter(0)"));
  EXPECT_THAT(learned, HasSubstr("padding=0_(m)"));
  EXPECT_THAT(learned, HasSubstr("padding=(-n)_0"));
}

TEST(Learn, SymbolsMustFollowFromTheArguments) {
  EXPECT_THAT(
      LearnedText(Main(R"(
  x = f32[$p] parameter(0)
  ROOT r = f32[$n,$m] reshape(x)
)"),
                  At({{7, 5, 35}, {12, 9, 108}})),
      StartsWith("[learn] the sizes of the arguments do not tell the symbols: argument 0 (x)"));
}

TEST(Learn, LoweringsAreStaticAndTwoAtLeast) {
  const std::string text = "HloModule f\nENTRY e { ROOT x = f32[$n] parameter(0) }";
  EXPECT_THAT(LearnedText(text, At({{7}})), HasSubstr("got 1 lowerings, expected 2 to 16"));
  EXPECT_THAT(LearnedText(text, {{{"$n", "7"}}, {{"$n", "seq"}}}),
              HasSubstr("x of lowering 2 has symbols"));
}

TEST(Learn, EqualLoweringsGiveAProgramWithoutSymbols) {
  const std::string learned =
      LearnedText("HloModule f\nENTRY e { ROOT x = f32[$n] parameter(0) }", At({{7}, {7}}));
  EXPECT_THAT(learned, HasSubstr("f32[7]"));
}

TEST(Learn, ProgramsThatShareWithoutReasonEnd) {
  // Each level uses the level below twice, once in each order: pairs of instructions would double.
  std::string a = "HloModule f\nENTRY e {\n x0 = f32[7] parameter(0)\n y0 = f32[7] parameter(1)\n";
  std::string b = a;
  for (int i = 1; i < 40; ++i) {
    absl::StrAppend(&a, " x", i, " = f32[7] add(x", i - 1, ", y", i - 1, ")\n y", i,
                    " = f32[7] add(x", i - 1, ", y", i - 1, ")\n");
    absl::StrAppend(&b, " x", i, " = f32[7] add(y", i - 1, ", x", i - 1, ")\n y", i,
                    " = f32[7] add(x", i - 1, ", y", i - 1, ")\n");
  }
  absl::StrAppend(&a, " ROOT r = f32[7] add(x39, y39)\n}");
  absl::StrAppend(&b, " ROOT r = f32[7] add(x39, y39)\n}");
  EXPECT_THAT(std::string(LearnTexts({a, b}).status().message()), HasSubstr("not one program"));
}

}  // namespace
}  // namespace swage::learn
