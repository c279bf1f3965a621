#include "compiler/evaluator/evaluator.h"

#include <gmock/gmock.h>

#include "tests/compiler/evaluator/evaluate.h"

namespace swage::evaluator {
namespace {

using ::testing::HasSubstr;

std::string Message(const StatusOr<ir::Literal>& result) {
  return std::string(result.status().message());
}

TEST(EvaluatorTest, ArgumentsThatDoNotFitAreNamed) {
  const std::string lines =
      "x = f32[2] parameter(0)\ny = f32[2] parameter(1)\nROOT r = f32[2] add(x, y)";
  const ir::Literal x = Value("f32[2]", "{1, 2}");
  EXPECT_THAT(Message(TryEvalLines(lines, {x})), HasSubstr("got 1 arguments, expected 2"));
  EXPECT_THAT(Message(TryEvalLines(lines, {x, Value("f32[3]", "{1, 2, 3}")})),
              HasSubstr("argument 1 is f32[3], expected f32[2]"));
  EXPECT_THAT(Message(TryEvalLines(lines, {Value("s32[2]", "{1, 2}"), x})),
              HasSubstr("argument 0 is s32[2], expected f32[2]"));
  EXPECT_EQ(TryEvalLines(lines, {x}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(EvaluatorTest, AnOpThatIsOnlyDeclaredIsNamed) {
  const StatusOr<ir::Literal> result =
      TryEvalLines("x = f32[2,2] parameter(0)\nROOT r = f32[2,2] cholesky(x), lower=true",
                   {Value("f32[2,2]", "{{1, 0}, {0, 1}}")});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(Message(result), HasSubstr("cholesky"));
}

TEST(EvaluatorTest, InstructionsThatTheRootDoesNotNeedAreNotRun) {
  EXPECT_EQ(EvalLines("x = f32[2,2] parameter(0)\nc = f32[2,2] cholesky(x), lower=true\n"
                      "ROOT r = f32[2,2] negate(x)",
                      {Value("f32[2,2]", "{{1, 2}, {3, 4}}")}),
            Value("f32[2,2]", "{{-1, -2}, {-3, -4}}"));
}

TEST(EvaluatorTest, SymbolsAreSolvedFromTheArguments) {
  const std::string lines =
      "x = f32[seq<=512,2] parameter(0)\ny = f32[2*seq] parameter(1)\n"
      "f = f32[2*seq] reshape(x)\nROOT r = f32[2*seq] add(f, y)";
  EXPECT_EQ(EvalLines(lines, {Value("f32[1,2]", "{{1, 2}}"), Value("f32[2]", "{10, 20}")}),
            Value("f32[2]", "{11, 22}"));
  EXPECT_EQ(EvalLines(lines,
                      {Value("f32[2,2]", "{{1, 2}, {3, 4}}"), Value("f32[4]", "{10, 20, 30, 40}")}),
            Value("f32[4]", "{11, 22, 33, 44}"));
  const StatusOr<ir::Literal> wrong =
      TryEvalLines(lines, {Value("f32[1,2]", "{{1, 2}}"), Value("f32[4]", "{1, 2, 3, 4}")});
  EXPECT_EQ(wrong.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(wrong), HasSubstr("argument 1"));
}

TEST(EvaluatorTest, ASymbolMayBeSolvedByALaterArgument) {
  EXPECT_EQ(EvalLines("x = f32[a+b] parameter(0)\ny = f32[a] parameter(1)\n"
                      "c = f32[2*a+b] concatenate(x, y), dimensions={0}\n"
                      "s = s32[] get-dimension-size(c), dimensions={0}\nROOT r = s32[] negate(s)",
                      {Value("f32[5]", "{1, 2, 3, 4, 5}"), Value("f32[2]", "{6, 7}")}),
            Value("s32[]", "-7"));
}

TEST(EvaluatorTest, CallsFusionsAndTuples) {
  const std::string hlo = R"(HloModule m
pair {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT t = (s32[], s32[]) tuple(b, a)
}
fused {
  p = s32[] parameter(0)
  ROOT r = s32[] negate(p)
}
ENTRY main {
  x = (s32[], s32[]) parameter(0)
  a = s32[] get-tuple-element(x), index=0
  b = s32[] get-tuple-element(x), index=1
  s = (s32[], s32[]) call(a, b), to_apply=pair
  c = s32[] get-tuple-element(s), index=0
  f = s32[] fusion(c), kind=kLoop, calls=fused
  o = s32[] opt-barrier(f)
  k = s32[] copy(o)
  ROOT r = ((s32[], s32[]), s32[]) tuple(s, k)
})";
  const ir::Literal got =
      Eval(hlo, {ir::Literal::Tuple({Value("s32[]", "3"), Value("s32[]", "4")})});
  EXPECT_EQ(got.ToString(), "((4, 3), -4)");
}

TEST(EvaluatorTest, MapAppliesAComputationToEachElement) {
  EXPECT_EQ(Eval("HloModule m\nf {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
                 " c = f32[] constant(2)\n m = f32[] multiply(a, c)\n ROOT r = f32[] add(m, b)\n}\n"
                 "ENTRY main {\n x = f32[2,2] parameter(0)\n y = f32[2,2] parameter(1)\n"
                 " ROOT r = f32[2,2] map(x, y), dimensions={0,1}, to_apply=f\n}\n",
                 {Value("f32[2,2]", "{{1, 2}, {3, 4}}"), Value("f32[2,2]", "{{5, 6}, {7, 8}}")}),
            Value("f32[2,2]", "{{7, 10}, {13, 16}}"));
}

// fib(40) as calls of computations without parameters: 2^40 calls if each were run.
TEST(EvaluatorTest, AComputationWithoutParametersRunsOnce) {
  std::string hlo =
      "HloModule m\nf0 {\n ROOT r = s64[] constant(0)\n}\n"
      "f1 {\n ROOT r = s64[] constant(1)\n}\n";
  for (int i = 2; i <= 60; ++i) {
    const std::string n = std::to_string(i);
    hlo += "f" + n + " {\n a = s64[] call(), to_apply=f" + std::to_string(i - 1) +
           "\n b = s64[] call(), to_apply=f" + std::to_string(i - 2) +
           "\n ROOT r = s64[] add(a, b)\n}\n";
  }
  hlo += "ENTRY main {\n ROOT r = s64[] call(), to_apply=f60\n}\n";
  EXPECT_EQ(Eval(hlo, {}), Value("s64[]", "1548008755920"));
}

TEST(EvaluatorTest, CallsNestedTooDeeplyAreRefused) {
  std::string hlo = "HloModule m\nf0 {\n ROOT p = f32[] parameter(0)\n}\n";
  for (int i = 1; i <= 5000; ++i) {
    hlo += "f" + std::to_string(i) +
           " {\n p = f32[] parameter(0)\n ROOT r = f32[] call(p), to_apply=f" +
           std::to_string(i - 1) + "\n}\n";
  }
  hlo += "ENTRY main {\n p = f32[] parameter(0)\n ROOT r = f32[] call(p), to_apply=f5000\n}\n";
  EXPECT_EQ(TryEval(hlo, {Value("f32[]", "1")}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(EvaluatorTest, AChainOfAHundredThousandOpsRuns) {
  std::string lines = "x0 = f32[] parameter(0)\none = f32[] constant(1)\n";
  for (int i = 1; i <= 100000; ++i) {
    lines += "x" + std::to_string(i) + " = f32[] add(x" + std::to_string(i - 1) + ", one)\n";
  }
  lines += "ROOT r = f32[] negate(x100000)";
  EXPECT_EQ(EvalLines(lines, {Value("f32[]", "1")}), Value("f32[]", "-100001"));
}

TEST(BudgetTest, BytesOfLiveValuesAreLimited) {
  const std::string lines =
      "x = f32[] parameter(0)\nb = f32[1000] broadcast(x), dimensions={}\n"
      "c = f32[1000] negate(b)\nd = f32[1000] negate(c)\nROOT r = f32[1000] negate(d)";
  // Two values live at a time.
  EXPECT_TRUE(TryEvalLines(lines, {Value("f32[]", "1")}, {.max_bytes = 8000}).ok());
  const StatusOr<ir::Literal> refused =
      TryEvalLines(lines, {Value("f32[]", "1")}, {.max_bytes = 7999});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(Message(refused), HasSubstr("c"));
  EXPECT_THAT(Message(refused), HasSubstr("needs 4000 bytes"));
}

TEST(BudgetTest, TimeIsLimitedInsideLongOps) {
  const StatusOr<ir::Literal> refused = TryEvalLines(
      "x = f32[] parameter(0)\nb = f32[4096,4096] broadcast(x), dimensions={}\n"
      "ROOT slow = f32[4096,4096] dot(b, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
      {Value("f32[]", "1")}, {.max_time_ms = 200});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(Message(refused), HasSubstr("slow"));
}

TEST(EvaluateInstructionTest, RunsOneOpOnGivenValues) {
  const auto module = ir::ParseHlo(
      "HloModule m\nENTRY main {\n x = f32[2] parameter(0)\n y = f32[2] parameter(1)\n"
      " ROOT r = f32[2] add(x, y)\n}\n");
  ASSERT_TRUE(module.ok());
  const ir::Instruction& add = *(*module)->entry()->root();
  const std::vector<ir::Literal> operands = {Value("f32[2]", "{1, 2}"), Value("f32[2]", "{3, 4}")};
  const StatusOr<ir::Literal> sum = EvaluateInstruction(add, operands);
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ(*sum, Value("f32[2]", "{4, 6}"));
  EXPECT_FALSE(EvaluateInstruction(add, {operands[0]}).ok());
  EXPECT_FALSE(EvaluateInstruction(*add.operand(0), {}).ok());
}

}  // namespace
}  // namespace swage::evaluator
