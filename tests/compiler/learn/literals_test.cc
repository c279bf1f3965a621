// Literals that vary. What is learned is evaluated at a size that no lowering had.
#include <gmock/gmock.h>

#include <cmath>

#include "compiler/evaluator/evaluator.h"
#include "tests/compiler/learn/learn_testing.h"

namespace swage::learn {
namespace {

using ::testing::HasSubstr;

ir::Literal Zeros(const std::string& shape) { return *ir::Literal::Create(*ir::ParseShape(shape)); }

// The program `x: f32[$n,3] -> constant`, learned from the literals at 7 and 12 (and 33), at n
// = 20. The error, where there is one.
std::string At20(const std::string& shape, const std::vector<std::string>& literals) {
  const std::string text = Main(R"(
  x = f32[$n,3] parameter(0)
  ROOT c = $shape constant($c)
)");
  std::vector<Replacements> all;
  const char* sizes[] = {"7", "12", "33"};
  for (size_t i = 0; i < literals.size(); ++i) {
    all.push_back({{"$shape", shape}, {"$n", sizes[i]}, {"$c", literals[i]}});
  }
  const StatusOr<Learned> learned = LearnFrom(text, all);
  if (!learned.ok()) return std::string(learned.status().message());
  const StatusOr<ir::Literal> result = evaluator::Evaluate(*learned->module, {Zeros("f32[20,3]")});
  return result.ok() ? result->ToString() : std::string(result.status().message());
}

template <typename T>
std::string Number(ir::DType dtype, T value) {
  return ir::Literal::Scalar(dtype, value).ToString();
}

TEST(Literals, IntegersAreExpressionsOfTheSizes) {
  EXPECT_EQ(At20("s32[]", {"7", "12"}), "20");
  EXPECT_EQ(At20("s64[]", {"-7", "-12"}), "-20");
  EXPECT_EQ(At20("u8[]", {"6", "11"}), "19");
  EXPECT_EQ(At20("s32[]", {"49", "144"}), "400");
  EXPECT_EQ(At20("s32[]", {"3", "6"}), "10");
  EXPECT_EQ(At20("s16[]", {"15", "25"}), "41");
}

TEST(Literals, FloatsAreToo) {
  EXPECT_EQ(At20("f32[]", {"7", "12"}), "20");
  EXPECT_EQ(At20("f64[]", {"6", "11"}), "19");
  EXPECT_EQ(At20("bf16[]", {"21", "36"}), "60");
  EXPECT_EQ(At20("f16[]", {"-7", "-12"}), "-20");
}

TEST(Literals, ReciprocalsAndRootsAreExactToTheBit) {
  for (const ir::DType dtype :
       {ir::DType::kF32, ir::DType::kF64, ir::DType::kBF16, ir::DType::kF16}) {
    const std::string shape = absl::StrCat(ToAbsl(ir::DTypeName(dtype)), "[]");
    const auto at = [&](const auto& f) {
      return At20(shape, {Number(dtype, f(7.0)), Number(dtype, f(12.0))});
    };
    for (double (*f)(double) :
         {+[](double n) { return 1 / n; }, +[](double n) { return -1 / n; },
          +[](double n) { return 2 / n; }, +[](double n) { return 1 / (n - 1); },
          +[](double n) { return 1 / (3 * n); }, +[](double n) { return std::sqrt(n); },
          +[](double n) { return 1 / std::sqrt(n); }, +[](double n) { return std::log(n); }}) {
      if (f(7.0) == std::log(7.0) && dtype == ir::DType::kF64) continue;
      EXPECT_EQ(at(f), Number(dtype, f(20.0))) << shape << " " << f(7);
    }
  }
}

TEST(Literals, ARootThatWasRoundedToF32BeforeItsReciprocalIsToo) {
  const auto f = [](float n) { return Number(ir::DType::kF32, 1 / std::sqrt(n)); };
  EXPECT_EQ(At20("f32[]", {f(7), f(12)}), f(20));
}

TEST(Literals, WhatIsNoExpressionIsRefusedByNameWithBothValues) {
  EXPECT_EQ(At20("s32[]", {"7", "13"}),
            "[learn] c (main), literal: got 7 and 13, expected an expression of n (7 and 12): no "
            "simple expression fits");
  EXPECT_THAT(At20("f32[]", {"0.3", "0.7"}),
              HasSubstr("c (main), literal: got 0.3 and 0.7, expected an expression of n (7 and "
                        "12), its reciprocal, its square root"));
  EXPECT_THAT(At20("pred[]", {"true", "false"}), HasSubstr("got true and false"));
  EXPECT_THAT(At20("s32[]", {"7", "12", "34"}), HasSubstr("got 7, 12 and 34"));
  EXPECT_THAT(At20("f32[]", {"nan", "7"}), HasSubstr("got nan and 7"));
  EXPECT_THAT(At20("c64[]", {"(1, 2)", "(3, 4)"}), HasSubstr("c (main), literal"));
}

TEST(Literals, AThirdLoweringSettlesWhatNothingConfirms) {
  EXPECT_THAT(At20("s32[]", {"257", "357"}), HasSubstr("which nothing confirms"));
  EXPECT_EQ(At20("s32[]", {"257", "357", "777"}), "517");
  EXPECT_EQ(At20("s32[]", {"3", "5", "16"}), "9");   // floordiv(n-1,2)
  EXPECT_EQ(At20("s32[]", {"-1", "1", "12"}), "5");  // floordiv(n-9,2)
}

TEST(Literals, ArraysOfOneValueAreBroadcast) {
  EXPECT_EQ(At20("f32[2]", {"{7, 7}", "{12, 12}"}), "{20, 20}");
}

TEST(Literals, FewElementsAreSolvedOneByOne) {
  EXPECT_EQ(At20("s32[2,2]", {"{ {0, 7}, {6, 49} }", "{ {0, 12}, {11, 144} }"}),
            "{ {0, 20}, {19, 400} }");
  EXPECT_THAT(At20("s32[3]", {"{0, 5, 7}", "{0, 5, 13}"}),
              HasSubstr("c (main), element 2: got 7 and 13"));
}

// The same with shapes that vary: {"f32[3]", "{1, 2, 3}"} at n = 3.
std::string AtSize(int size, const std::vector<std::pair<std::string, std::string>>& constants) {
  std::vector<std::string> texts;
  const char* sizes[] = {"3", "5"};
  for (size_t i = 0; i < constants.size(); ++i) {
    texts.push_back(absl::StrCat("HloModule f\nENTRY main {\n x = f32[", sizes[i],
                                 "] parameter(0)\n ROOT c = ", constants[i].first, " constant(",
                                 constants[i].second, ")\n}"));
  }
  const StatusOr<Learned> learned = LearnTexts(texts);
  if (!learned.ok()) return std::string(learned.status().message());
  const StatusOr<ir::Literal> result =
      evaluator::Evaluate(*learned->module, {Zeros(absl::StrCat("f32[", size, "]"))});
  return result.ok() ? result->ToString() : std::string(result.status().message());
}

TEST(Literals, ArraysThatGrowAreUniformOrCountUp) {
  EXPECT_EQ(AtSize(4, {{"f32[3]", "{2, 2, 2}"}, {"f32[5]", "{2, 2, 2, 2, 2}"}}), "{2, 2, 2, 2}");
  EXPECT_EQ(AtSize(4, {{"f32[3]", "{3, 3, 3}"}, {"f32[5]", "{5, 5, 5, 5, 5}"}}), "{4, 4, 4, 4}");
  EXPECT_EQ(AtSize(4, {{"s32[3]", "{0, 1, 2}"}, {"s32[5]", "{0, 1, 2, 3, 4}"}}), "{0, 1, 2, 3}");
  EXPECT_EQ(AtSize(4, {{"f32[3]", "{2, 1, 0}"}, {"f32[5]", "{4, 3, 2, 1, 0}"}}), "{3, 2, 1, 0}");
  EXPECT_EQ(AtSize(2, {{"s32[3,2]", "{ {5, 5}, {7, 7}, {9, 9} }"},
                       {"s32[5,2]", "{ {5, 5}, {7, 7}, {9, 9}, {11, 11}, {13, 13} }"}}),
            "{ {5, 5}, {7, 7} }");
}

TEST(Literals, TrianglesAndDiagonalsGrow) {
  const std::string three = "{ {0, -inf, -inf}, {0, 0, -inf}, {0, 0, 0} }";
  const std::string five =
      "{ {0, -inf, -inf, -inf, -inf}, {0, 0, -inf, -inf, -inf}, {0, 0, 0, -inf, -inf}, "
      "{0, 0, 0, 0, -inf}, {0, 0, 0, 0, 0} }";
  EXPECT_EQ(AtSize(4, {{"f32[3,3]", three}, {"f32[5,5]", five}}),
            "{ {0, -inf, -inf, -inf}, {0, 0, -inf, -inf}, {0, 0, 0, -inf}, {0, 0, 0, 0} }");
  EXPECT_EQ(AtSize(2, {{"s8[3,3]", "{ {2, 1, 0}, {2, 2, 1}, {2, 2, 2} }"},
                       {"s8[5,5]",
                        "{ {2, 1, 0, 0, 0}, {2, 2, 1, 0, 0}, {2, 2, 2, 1, 0}, {2, 2, 2, 2, 1}, "
                        "{2, 2, 2, 2, 2} }"}}),
            "{ {2, 1}, {2, 2} }");
  EXPECT_EQ(AtSize(2, {{"pred[3,3]", "{ {1, 0, 0}, {0, 1, 0}, {0, 0, 1} }"},
                       {"pred[5,5]",
                        "{ {1, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 1, 0, 0}, {0, 0, 0, 1, 0}, "
                        "{0, 0, 0, 0, 1} }"}}),
            "{ {1, 0}, {0, 1} }");
}

TEST(Literals, ABeginningOfALongerArrayBoundsTheSize) {
  const std::vector<std::pair<std::string, std::string>> table = {{"f32[3]", "{1, 4, 9}"},
                                                                  {"f32[5]", "{1, 4, 9, 16, 25}"}};
  EXPECT_EQ(AtSize(4, table), "{1, 4, 9, 16}");
  EXPECT_THAT(AtSize(6, table), HasSubstr("n<=5"));
}

TEST(Literals, ArraysOfNoPatternAreRefused) {
  EXPECT_THAT(AtSize(4, {{"f32[3]", "{1, 4, 9}"}, {"f32[5]", "{1, 4, 8, 16, 25}"}}),
              HasSubstr("c (main), literal: got {1, 4, 9} and {1, 4, 8, 16, 25}, expected one "
                        "value everywhere"));
  EXPECT_THAT(AtSize(4, {{"f32[3]", "{-0.0, 1, 2}"}, {"f32[5]", "{0, 1, 2, 3, 4}"}}),
              HasSubstr("expected one value everywhere"));
}

TEST(Literals, ACalledComputationWithoutTheSizeBringsItsOwn) {
  const std::string text = R"(
HloModule f
half {
  p = f32[] parameter(0)
  c = f32[] constant($n)
  ROOT q = f32[] divide(p, c)
}
ENTRY main {
  x = f32[$n] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] call(y), to_apply=half
})";
  const StatusOr<Learned> learned = LearnFrom(text, At({{7}, {12}}));
  ASSERT_TRUE(learned.ok()) << learned.status();
  const auto result = evaluator::Evaluate(
      *learned->module, {Zeros("f32[20]"), ir::Literal::Scalar(ir::DType::kF32, 10)});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->ToString(), "0.5");
}

TEST(Literals, AReductionsComputationCannotKnowSizes) {
  EXPECT_THAT(LearnedText(R"(
HloModule f
scaled {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] constant($n)
  d = f32[] multiply(b, c)
  ROOT s = f32[] add(a, d)
}
ENTRY main {
  x = f32[$n] parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[] reduce(x, zero), dimensions={0}, to_apply=scaled
})",
                          At({{7}, {12}})),
              HasSubstr("c (scaled): got 7 and another value, which is not supported in the "
                        "computation of a reduction"));
}

TEST(Literals, TheReportSaysWhatWasSolved) {
  const StatusOr<Learned> learned = LearnFrom(Main(R"(
  x = f32[$n] parameter(0)
  c = f32[] constant($n)
  d = f32[$n] broadcast(c), dimensions={}
  ROOT r = f32[$n] divide(x, d)
)"),
                                              At({{7}, {12}}));
  ASSERT_TRUE(learned.ok()) << learned.status();
  EXPECT_EQ(learned->report.ToString(),
            "symbol n: 7 and 12 (x, dimension 0)\n"
            "literal n: 7 and 12 (c (main), literal)\n");
}

}  // namespace
}  // namespace swage::learn
