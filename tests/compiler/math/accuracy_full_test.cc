#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "tests/compiler/math/eval.h"
#include "tests/compiler/math/reference.h"

namespace swage::math {
namespace {

using ir::DType;

class AccuracyOfAllFloats : public testing::TestWithParam<FunctionCase> {};

TEST_P(AccuracyOfAllFloats, StaysWithinTheBound) {
  const FunctionCase& function = GetParam();
  const double bound = MaxFloatUlp(function.opcode);
  if (ir::InfoOf(function.opcode).arity != 1) GTEST_SKIP() << "two operands: sampled only";
  constexpr uint64_t kBlock = 1 << 20;
  std::vector<float> x(kBlock);
  double worst = 0;
  for (uint64_t begin = 0; begin < (uint64_t{1} << 32); begin += kBlock) {
    for (uint64_t i = 0; i < kBlock; ++i) {
      x[i] = std::bit_cast<float>(static_cast<uint32_t>(begin + i));
    }
    const std::vector<float> got = Eval(function.opcode, DType::kF32, {x});
    for (uint64_t i = 0; i < kBlock; ++i) {
      double error = FloatUlps(got[i], ReferenceInDouble(function.opcode, x[i]));
      // The reference itself is off by a little.
      if (error > bound - 1e-6) {
        error = UlpErrorOfFloat(function.opcode, x[i], 0, got[i]);
      }
      worst = std::max(worst, error);
      ASSERT_LE(error, bound) << "at " << std::hexfloat << x[i] << " got " << got[i];
    }
  }
  RecordProperty("worst_ulp", std::to_string(worst));
}

class AccuracyOfManyDoubles : public testing::TestWithParam<FunctionCase> {};

TEST_P(AccuracyOfManyDoubles, StaysWithinTheBound) {
  const FunctionCase& function = GetParam();
  constexpr int64_t kCount = 1000000;
  const std::vector<double> x = SampledDoubles(function, kCount, 11);
  const std::vector<double> y = SampledDoubles(function, kCount, 12);
  const std::vector<double> got = ir::InfoOf(function.opcode).arity == 2
                                      ? Eval(function.opcode, DType::kF64, {x, y})
                                      : Eval(function.opcode, DType::kF64, {x});
  double worst = 0;
  for (int64_t i = 0; i < kCount; ++i) {
    const double error = UlpError(function.opcode, x[i], y[i], got[i]);
    worst = std::max(worst, error);
    ASSERT_LE(error, function.max_double_ulp)
        << "at " << std::hexfloat << x[i] << " " << y[i] << " got " << got[i];
  }
  RecordProperty("worst_ulp", std::to_string(worst));
}

std::string NameOf(const testing::TestParamInfo<FunctionCase>& info) {
  std::string name(ir::OpcodeName(info.param.opcode));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Functions, AccuracyOfAllFloats, testing::ValuesIn(FunctionCases()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Functions, AccuracyOfManyDoubles, testing::ValuesIn(FunctionCases()),
                         NameOf);

}  // namespace
}  // namespace swage::math
