// jit functions whose sizes stay open, with physical padding forced.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/runtime/tensor_testing.h"

namespace swage {
namespace {

class PaddingJitTest : public ::testing::Test {
 protected:
  PaddingJitTest() {
    setenv("SWAGE_PADDING", "forced", 1);
    setenv("SWAGE_PADDING_FILL", "nan", 1);
  }
  ~PaddingJitTest() override {
    unsetenv("SWAGE_PADDING");
    unsetenv("SWAGE_PADDING_FILL");
    unsetenv("SWAGE_CHECK");
  }
};

Tensor Softmax(const Tensor& x) { return softmax(x, 0); }

TEST_F(PaddingJitTest, ResultsHaveTheSizeAndTheValuesOfTheCall) {
  auto f = jit(Softmax, {.name = "padded_softmax", .dims = {"[n<=8]"}});
  auto exact = jit(Softmax, {.name = "exact_softmax"});
  for (const int64_t n : {1, 3, 7, 8}) {
    const Tensor x = arange(n, f32);
    const Tensor got = f(x), want = exact(x);
    ASSERT_EQ(got.shape(), want.shape());
    EXPECT_THAT(got.to_vector<float>(), ::testing::ElementsAreArray(want.to_vector<float>()));
  }
  EXPECT_EQ(f.stats().compiles, 1);
  EXPECT_EQ(f.stats().exact_fallbacks, 0);
}

TEST_F(PaddingJitTest, SizesWithoutABoundAreExactAndCounted) {
  auto f = jit(Softmax, {.name = "unbounded_softmax", .mode = Mode::kSymbolic});
  const Tensor x = zeros({4});
  EXPECT_THAT(f(x).to_vector<float>(), ::testing::Each(0.25f));
  EXPECT_EQ(f.stats().exact_fallbacks, 1);
}

TEST_F(PaddingJitTest, TheCheckRunsWithEachCall) {
  unsetenv("SWAGE_PADDING");
  setenv("SWAGE_CHECK", "padding", 1);
  auto f = jit(Softmax, {.name = "checked_softmax", .dims = {"[n<=8]"}});
  EXPECT_THAT(f(zeros({4})).to_vector<float>(), ::testing::Each(0.25f));
  EXPECT_THAT(f(zeros({5})).to_vector<float>(), ::testing::Each(0.2f));
}

}  // namespace
}  // namespace swage
