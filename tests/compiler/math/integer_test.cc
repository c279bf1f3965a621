#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/compiler/math/eval.h"

namespace swage::math {
namespace {

using ir::DType;
using ir::Opcode;
using testing::ElementsAre;

constexpr int32_t kMin32 = std::numeric_limits<int32_t>::min();
constexpr int64_t kMin64 = std::numeric_limits<int64_t>::min();

TEST(IntegerOps, DivisionByZeroGivesAllOnesAndMinByMinusOneWraps) {
  const std::vector<int32_t> a = {kMin32, 17, -17, 0, kMin32}, b = {-1, 0, 0, 0, 0};
  EXPECT_THAT(Eval(Opcode::kDivide, DType::kS32, {a, b}), ElementsAre(kMin32, -1, -1, -1, -1));
  EXPECT_THAT(Eval(Opcode::kRemainder, DType::kS32, {a, b}), ElementsAre(0, 17, -17, 0, kMin32));
  EXPECT_THAT(Eval<int64_t>(Opcode::kDivide, DType::kS64, {{kMin64, 5}, {-1, 0}}),
              ElementsAre(kMin64, -1));
  EXPECT_THAT(Eval<int8_t>(Opcode::kDivide, DType::kS8, {{-128, 7}, {-1, -2}}),
              ElementsAre(-128, -3));
  EXPECT_THAT(Eval<int8_t>(Opcode::kRemainder, DType::kS8, {{-128, 7}, {-1, -2}}),
              ElementsAre(0, 1));
  EXPECT_THAT(Eval<uint32_t>(Opcode::kDivide, DType::kU32, {{9, 0}, {0, 0}}),
              ElementsAre(4294967295u, 4294967295u));
  EXPECT_THAT(Eval<uint32_t>(Opcode::kRemainder, DType::kU32, {{9, 0}, {0, 0}}), ElementsAre(9, 0));
}

TEST(IntegerOps, FourBitTypesWrapToFourBits) {
  EXPECT_THAT(Eval<int8_t>(Opcode::kAdd, DType::kS4, {{7, -8}, {1, -1}}), ElementsAre(-8, 7));
  EXPECT_THAT(Eval<int8_t>(Opcode::kDivide, DType::kS4, {{-8, 3}, {-1, 0}}), ElementsAre(-8, -1));
  EXPECT_THAT(Eval<uint8_t>(Opcode::kDivide, DType::kU4, {{3}, {0}}), ElementsAre(15));
  EXPECT_THAT(Eval<uint8_t>(Opcode::kNot, DType::kU4, {{5}}), ElementsAre(10));
  EXPECT_THAT(Eval<int8_t>(Opcode::kClz, DType::kS4, {{-1, 1, 0}}), ElementsAre(0, 3, 4));
  EXPECT_THAT(Eval<int8_t>(Opcode::kPopulationCount, DType::kS4, {{-1, 5}}), ElementsAre(4, 2));
  EXPECT_THAT(Eval<int8_t>(Opcode::kShiftRightLogical, DType::kS4, {{-1, -8}, {1, 3}}),
              ElementsAre(7, 1));
  EXPECT_THAT(Eval<int8_t>(Opcode::kShiftLeft, DType::kS4, {{3, 3}, {2, 4}}), ElementsAre(-4, 0));
}

TEST(IntegerOps, ShiftsByTheWidthOrMoreAreDefined) {
  const std::vector<int32_t> x = {-5, -5, -5, 5, 1}, n = {1, 32, -1, 100, 31};
  EXPECT_THAT(Eval(Opcode::kShiftLeft, DType::kS32, {x, n}), ElementsAre(-10, 0, 0, 0, kMin32));
  EXPECT_THAT(Eval(Opcode::kShiftRightArithmetic, DType::kS32, {x, n}),
              ElementsAre(-3, -1, -1, 0, 0));
  EXPECT_THAT(Eval(Opcode::kShiftRightLogical, DType::kS32, {x, n}),
              ElementsAre(0x7ffffffd, 0, 0, 0, 0));
  // The sign of an unsigned value is its highest bit.
  EXPECT_THAT(Eval<uint8_t>(Opcode::kShiftRightArithmetic, DType::kU8, {{0x80, 0x80}, {1, 9}}),
              ElementsAre(0xc0, 0xff));
}

TEST(IntegerOps, PowerWrapsAndNegativeExponentsGiveZeroButForUnits) {
  EXPECT_THAT(Eval<int32_t>(Opcode::kPower, DType::kS32,
                            {{3, -2, 2, 0, 1, -1, -1, 5, 0}, {4, 3, 32, 0, -7, -3, -4, -1, -1}}),
              ElementsAre(81, -8, 0, 1, 1, -1, 1, 0, 0));
  EXPECT_THAT(Eval<uint8_t>(Opcode::kPower, DType::kU8, {{3}, {255}}), ElementsAre(171));
}

TEST(IntegerOps, UnaryOpsWrap) {
  EXPECT_THAT(Eval<int32_t>(Opcode::kAbs, DType::kS32, {{kMin32, -3, 4}}),
              ElementsAre(kMin32, 3, 4));
  EXPECT_THAT(Eval<int32_t>(Opcode::kNegate, DType::kS32, {{kMin32, -3}}), ElementsAre(kMin32, 3));
  EXPECT_THAT(Eval<int32_t>(Opcode::kSign, DType::kS32, {{kMin32, 0, 9}}), ElementsAre(-1, 0, 1));
  EXPECT_THAT(Eval<uint64_t>(Opcode::kSign, DType::kU64, {{0, ~uint64_t{0}}}), ElementsAre(0, 1));
  EXPECT_THAT(Eval<uint16_t>(Opcode::kClz, DType::kU16, {{0, 1, 0x8000}}), ElementsAre(16, 15, 0));
  EXPECT_THAT(Eval<int64_t>(Opcode::kPopulationCount, DType::kS64, {{-1, 5}}), ElementsAre(64, 2));
}

TEST(IntegerOps, ClampWithCrossedBoundsGivesTheUpper) {
  EXPECT_THAT(Eval<int32_t>(Opcode::kClamp, DType::kS32, {{-2, 9}, {7, 0}, {3, 1}}),
              ElementsAre(3, 1));
}

TEST(IntegerOps, PredIsALogicalType) {
  const std::vector<uint8_t> a = {0, 0, 1, 1}, b = {0, 1, 0, 1};
  EXPECT_THAT(Eval(Opcode::kAdd, DType::kPred, {a, b}), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(Eval(Opcode::kMultiply, DType::kPred, {a, b}), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(Eval(Opcode::kXor, DType::kPred, {a, b}), ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(Eval<uint8_t>(Opcode::kNot, DType::kPred, {a}), ElementsAre(1, 1, 0, 0));
  ElementwiseAttrs less;
  less.compare.direction = ir::CompareDirection::kLt;
  EXPECT_THAT((Eval<uint8_t, uint8_t>(Opcode::kCompare, DType::kPred, DType::kPred, {a, b}, less)),
              ElementsAre(0, 1, 0, 0));
}

TEST(IntegerOps, ScalarOperandsStandForAllElements) {
  const int32_t three = 3;
  std::vector<int32_t> x(1000), out(1000);
  for (int i = 0; i < 1000; ++i) x[i] = i;
  const DType types[] = {DType::kS32, DType::kS32};
  const HostOperand operands[] = {{x.data()}, {&three, true}};
  ASSERT_TRUE(
      EvalElementwise(Opcode::kMultiply, DType::kS32, types, {}, operands, out.data(), 1000).ok());
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(out[i], 3 * i);
}

TEST(IntegerOps, WrongTypesAreErrorsThatNameThem) {
  const int32_t x = 1;
  int32_t out;
  const HostOperand operands[] = {{&x}, {&x}};
  const DType one[] = {DType::kS32}, mixed[] = {DType::kS32, DType::kS64}, wide[] = {DType::kC64};
  EXPECT_THAT(
      std::string(
          EvalElementwise(Opcode::kExp, DType::kS32, one, {}, {operands, 1}, &out, 1).message()),
      testing::HasSubstr("[exponential] is not defined on s32"));
  EXPECT_THAT(
      std::string(
          EvalElementwise(Opcode::kAdd, DType::kS32, mixed, {}, operands, &out, 1).message()),
      testing::HasSubstr("operand 1 is s64, expected s32"));
  EXPECT_EQ(EvalElementwise(Opcode::kExp, DType::kC64, wide, {}, {operands, 1}, &out, 1).code(),
            absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace swage::math
