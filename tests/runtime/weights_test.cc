// Tensors that a function captures are brought into another order once, where that is faster.
#include "runtime/weights.h"

#include <gtest/gtest.h>

#include "compiler/cost/library_dot.h"
#include "runtime/swage.h"
#include "runtime/tensor_impl.h"

namespace swage {
namespace {

constexpr int64_t kDepth = 512, kWidth = 2048;

// Small whole numbers, of which every order gives the same sums.
std::vector<float> Numbers(int64_t count, int period) {
  std::vector<float> numbers(count);
  for (int64_t i = 0; i < count; ++i) numbers[i] = static_cast<float>(i % period);
  return numbers;
}
Tensor Left(int64_t rows) { return array(Numbers(rows * kDepth, 7), {rows, kDepth}); }
Tensor Weights() { return array(Numbers(kDepth * kWidth, 5), {kDepth, kWidth}); }

size_t FormsOf(const Tensor& tensor) { return tensor.impl()->buffer()->forms().size(); }

class WeightsTest : public testing::Test {
 protected:
  void SetUp() override {
    const cost::DotSizes sizes = {.m = 64, .n = kWidth, .k = kDepth, .constant_b = true};
    if (cost::LibrarySaving(sizes, cost::HostCpu()) <= 0) {
      GTEST_SKIP() << "this machine packs no weights";
    }
  }
};

TEST_F(WeightsTest, WhatIsCapturedIsPackedOnceForAllNumbersOfRows) {
  const Tensor w = Weights();
  const auto f = jit([w](Tensor x) { return matmul(x, w); });
  const auto plain = jit([](Tensor x, Tensor w) { return matmul(x, w); });
  for (const int64_t rows : {64, 100, 300}) {
    EXPECT_EQ(f(Left(rows)).to_vector<float>(), plain(Left(rows), w).to_vector<float>()) << rows;
    EXPECT_EQ(FormsOf(w), 1u) << rows;
  }
}

TEST_F(WeightsTest, OpenSizesShareWhatIsPacked) {
  const Tensor w = Weights();
  const auto f = jit([w](Tensor x) { return tanh(matmul(x, w)); }, {.dims = {"[n<=1024,512]"}});
  const auto exact = jit([](Tensor x, Tensor w) { return tanh(matmul(x, w)); });
  for (const int64_t rows : {64, 96, 700}) {
    EXPECT_EQ(f(Left(rows)).to_vector<float>(), exact(Left(rows), w).to_vector<float>()) << rows;
  }
  EXPECT_LE(FormsOf(w), 1u);
  EXPECT_EQ(f.stats().compiles, 1);
}

TEST_F(WeightsTest, ArgumentsAndOperandsOfOpsAreNotPacked) {
  const Tensor w = Weights();
  matmul(Left(64), w);
  jit([](Tensor x, Tensor w) { return matmul(x, w); })(Left(64), w);
  EXPECT_EQ(FormsOf(w), 0u);
}

TEST_F(WeightsTest, WhatAnOuterFunctionCallsMayCaptureToo) {
  const Tensor w = Weights();
  const auto inner = jit([w](Tensor x) { return matmul(x, w); });
  const auto outer = jit([inner](Tensor x) { return inner(x) + 1; });
  const Tensor got = outer(Left(64));
  EXPECT_EQ(FormsOf(w), 1u);
  EXPECT_EQ(got.to_vector<float>(), (matmul(Left(64), w) + 1).to_vector<float>());
}

TEST_F(WeightsTest, MemoryOfTheCallerIsReadAtEveryCall) {
  std::vector<float> numbers = Numbers(kDepth * kWidth, 5);
  const Tensor w = from_blob(numbers.data(), {kDepth, kWidth});
  const auto f = jit([w](Tensor x) { return matmul(x, w); });
  f(Left(64));
  for (float& x : numbers) x += 1;
  const Tensor changed = array(numbers, {kDepth, kWidth});
  EXPECT_EQ(f(Left(64)).to_vector<float>(), matmul(Left(64), changed).to_vector<float>());
}

TEST_F(WeightsTest, TwoFunctionsOfOneProgramHaveTheirOwnWeights) {
  const auto times = [](Tensor w) { return jit([w](Tensor x) { return matmul(x, w); }); };
  const Tensor one = Weights(), two = Weights() + 1;
  const auto f = times(one), g = times(two);
  EXPECT_EQ(f(Left(64)).to_vector<float>(), matmul(Left(64), one).to_vector<float>());
  EXPECT_EQ(g(Left(64)).to_vector<float>(), matmul(Left(64), two).to_vector<float>());
  EXPECT_EQ(f(Left(64)).to_vector<float>(), matmul(Left(64), one).to_vector<float>());
}

TEST_F(WeightsTest, WhatWasPackedStaysWhenProgramsGo) {
  const Tensor w = Weights();
  const auto f = jit([w](Tensor x) { return matmul(x, w); });
  const std::vector<float> before = f(Left(64)).to_vector<float>();
  clear_cache();
  EXPECT_EQ(f(Left(64)).to_vector<float>(), before);
  EXPECT_EQ(FormsOf(w), 1u);
}

}  // namespace
}  // namespace swage
