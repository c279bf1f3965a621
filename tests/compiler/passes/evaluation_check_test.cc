#include "compiler/passes/evaluation_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

using ir::DType;
using ir::Literal;
using ::testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

Literal Floats(std::vector<float> values) {
  Literal literal =
      *Literal::Create(ir::Shape::Array(DType::kF32, {static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), literal.mutable_data<float>().begin());
  return literal;
}

TEST(FirstDifference, ComparesBits) {
  EXPECT_EQ(FirstDifference(Floats({1, -0.0f, kInf}), Floats({1, -0.0f, kInf}), false),
            std::nullopt);
  EXPECT_EQ(FirstDifference(Floats({1, 0.0f}), Floats({1, -0.0f}), false),
            "result[1] is -0, expected 0");
  EXPECT_NE(FirstDifference(Floats({1}), Floats({std::nextafter(1.0f, 2.0f)}), false),
            std::nullopt);
}

TEST(FirstDifference, AnyNanIsANan) {
  EXPECT_EQ(FirstDifference(Floats({kNan}), Floats({-kNan}), false), std::nullopt);
  EXPECT_NE(FirstDifference(Floats({kNan}), Floats({1}), false), std::nullopt);
  EXPECT_NE(FirstDifference(Floats({1}), Floats({kNan}), true), std::nullopt);
}

TEST(FirstDifference, ToleranceIsRelativeToTheLargest) {
  EXPECT_EQ(FirstDifference(Floats({100, 1e-4f}), Floats({100, 2e-4f}), true), std::nullopt);
  EXPECT_NE(FirstDifference(Floats({100, 1}), Floats({100, 1.1f}), true), std::nullopt);
  EXPECT_NE(FirstDifference(Floats({kInf, 1}), Floats({1e30f, 1}), true), std::nullopt);
}

TEST(FirstDifference, IntegersAreAlwaysExact) {
  const Literal a = Literal::Scalar(DType::kS32, 1000000);
  const Literal b = Literal::Scalar(DType::kS32, 1000001);
  EXPECT_NE(FirstDifference(a, b, true), std::nullopt);
}

TEST(FirstDifference, NamesTheElementOfATuple) {
  const Literal want = Literal::Tuple({Floats({1}), Literal::Tuple({Floats({1, 2})})});
  const Literal got = Literal::Tuple({Floats({1}), Literal::Tuple({Floats({1, 3})})});
  EXPECT_EQ(FirstDifference(want, got, false), "result.1.0[1] is 3, expected 2");
  EXPECT_NE(FirstDifference(want, Floats({1}), false), std::nullopt);
  EXPECT_THAT(FirstDifference(Floats({1}), Floats({1, 2}), false).value_or(""),
              HasSubstr("is f32[2], expected f32[1]"));
}

TEST(RandomArguments, CoverEveryDtypeAndRepeat) {
  std::string hlo = "HloModule m\nENTRY main {\n";
  int number = 0;
  for (DType dtype : ir::kAllDTypes) {
    if (dtype == DType::kToken) continue;
    hlo += "  p" + std::to_string(number) + " = " + std::string(ir::DTypeName(dtype)) +
           "[7] parameter(" + std::to_string(number) + ")\n";
    ++number;
  }
  hlo += "  ROOT r = f32[] constant(0)\n}";
  const auto module = ParseForTest(hlo);
  ASSERT_NE(module, nullptr);
  for (InputKind kind : {InputKind::kOrdinary, InputKind::kSpecial}) {
    const auto once = RandomArguments(*module, kind);
    ASSERT_TRUE(once.ok()) << once.status();
    EXPECT_EQ(static_cast<int>(once->size()), number);
    EXPECT_EQ(*once, *RandomArguments(*module, kind));
  }
}

TEST(RandomArguments, SymbolsGetOneValueEach) {
  const auto module = ParseForTest(R"(
HloModule m
ENTRY main {
  x = f32[n<=512,2] parameter(0)
  y = s32[2*n] parameter(1)
  ROOT r = f32[n,2] negate(x)
})");
  ASSERT_NE(module, nullptr);
  const auto arguments = RandomArguments(*module, InputKind::kOrdinary);
  ASSERT_TRUE(arguments.ok()) << arguments.status();
  EXPECT_EQ((*arguments)[0].shape().ToString(), "f32[3,2]");
  EXPECT_EQ((*arguments)[1].shape().ToString(), "s32[6]");
}

TEST(EvaluationCheck, SaysWhenAModuleCannotBeEvaluated) {
  const auto module = ParseForTest(R"(
HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  ROOT r = f32[4] custom-call(x), custom_call_target="unknown"
})");
  ASSERT_NE(module, nullptr);
  PassContext context;
  EXPECT_EQ(EvaluationCheck::Start(*module, context), nullptr);
  ASSERT_EQ(context.messages().size(), 1u);
  EXPECT_THAT(context.messages()[0].text, HasSubstr("module 'm' are not checked by evaluation"));
}

TEST(EvaluationCheck, DoesNotMakeHugeArguments) {
  const auto module =
      ParseForTest("HloModule m\nENTRY main {\n  ROOT x = f32[100000,100000] parameter(0)\n}");
  ASSERT_NE(module, nullptr);
  PassContext context;
  EXPECT_EQ(EvaluationCheck::Start(*module, context), nullptr);
  EXPECT_EQ(context.messages().size(), 1u);
}

}  // namespace
}  // namespace swage::passes
