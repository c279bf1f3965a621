#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "tests/compiler/math/eval.h"
#include "tests/compiler/math/reference.h"

namespace swage::math {
namespace {

using ir::DType;

constexpr int64_t kSamples = 6000;

// Errors against exact values at sampled arguments. The bound for float over all 2^32 arguments is
// tested by accuracy_full_test.
class Accuracy : public testing::TestWithParam<FunctionCase> {
 protected:
  bool IsBinary() const { return ir::InfoOf(GetParam().opcode).arity == 2; }
};

TEST_P(Accuracy, OfDoubleAtSampledArguments) {
  const FunctionCase& function = GetParam();
  const std::vector<double> x = SampledDoubles(function, kSamples, 1);
  const std::vector<double> y = SampledDoubles(function, kSamples, 2);
  const std::vector<double> got = IsBinary() ? Eval(function.opcode, DType::kF64, {x, y})
                                             : Eval(function.opcode, DType::kF64, {x});
  double worst = 0;
  for (int64_t i = 0; i < kSamples; ++i) {
    const double error = UlpError(function.opcode, x[i], y[i], got[i]);
    worst = std::max(worst, error);
    ASSERT_LE(error, function.max_double_ulp)
        << "at " << std::hexfloat << x[i] << " " << y[i] << " got " << got[i];
  }
  RecordProperty("worst_ulp", std::to_string(worst));
}

TEST_P(Accuracy, OfFloatAtSampledArguments) {
  const FunctionCase& function = GetParam();
  std::vector<float> x, y;
  for (double v : SampledDoubles(function, kSamples, 3)) x.push_back(static_cast<float>(v));
  for (double v : SampledDoubles(function, kSamples, 4)) y.push_back(static_cast<float>(v));
  // A double of random bits is rarely a finite float.
  for (int64_t i = 0; i < kSamples; i += 3) {
    x[i] = std::bit_cast<float>(static_cast<uint32_t>(i) * 2654435761u);
    y[i] = std::bit_cast<float>(static_cast<uint32_t>(i + 1) * 2246822519u);
  }
  const std::vector<float> got = IsBinary() ? Eval(function.opcode, DType::kF32, {x, y})
                                            : Eval(function.opcode, DType::kF32, {x});
  double worst = 0;
  for (int64_t i = 0; i < kSamples; ++i) {
    const double error = UlpErrorOfFloat(function.opcode, x[i], y[i], got[i]);
    worst = std::max(worst, error);
    ASSERT_LE(error, MaxFloatUlp(function.opcode))
        << "at " << std::hexfloat << x[i] << " " << y[i] << " got " << got[i];
  }
  RecordProperty("worst_ulp", std::to_string(worst));
}

TEST(AccuracyTest, EveryBoundOfTheOpTableIsMeasured) {
  for (int i = 0; i < ir::kNumOpcodes; ++i) {
    const auto opcode = static_cast<ir::Opcode>(i);
    if (ir::InfoOf(opcode).max_ulp == 0) continue;
    const bool measured =
        std::any_of(FunctionCases().begin(), FunctionCases().end(),
                    [&](const FunctionCase& function) { return function.opcode == opcode; });
    EXPECT_TRUE(measured) << ir::OpcodeName(opcode) << " states a bound; add its exact value to "
                          << "reference.cc";
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, Accuracy, testing::ValuesIn(FunctionCases()),
                         [](const auto& info) {
                           std::string name(ir::OpcodeName(info.param.opcode));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace swage::math
