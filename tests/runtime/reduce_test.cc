// Reductions, products and layers against known values, op by op and traced.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "compiler/ir/module.h"
#include "runtime/trace.h"
#include "tests/runtime/tensor_testing.h"

namespace swage {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::IsNan;
using ::testing::Pointwise;

constexpr float kInf = std::numeric_limits<float>::infinity();

using List = const std::vector<Tensor>&;

TEST(ReduceTest, AxesAndKeepdims) {
  const Tensor x = reshape(arange(6), {2, 3});
  EXPECT_EQ(Both([](List v) { return sum(v[0]); }, {x}).item<int>(), 15);
  EXPECT_THAT(ValuesOf<int>([](List v) { return sum(v[0], {0}); }, {x}), ElementsAre(3, 5, 7));
  EXPECT_THAT(sum(x, {-1}, true).shape(), ElementsAre(2, 1));
  EXPECT_THAT(ValuesOf<int>([](List v) { return prod(v[0] + 1, {1}); }, {x}), ElementsAre(6, 120));
  EXPECT_THAT(ValuesOf<int>([](List v) { return max(v[0], {0}); }, {x}), ElementsAre(3, 4, 5));
  EXPECT_THAT(ValuesOf<int>([](List v) { return min(v[0], {1}); }, {x}), ElementsAre(0, 3));
  EXPECT_EQ(sum(zeros({0})).item<float>(), 0);
  EXPECT_EQ(sum(scalar(3.0f)).item<float>(), 3);
}

TEST(ReduceTest, AnyAndAllLookAtTruth) {
  EXPECT_TRUE(bool(any(F32({0, NAN}))));
  EXPECT_FALSE(bool(all(S32({1, 0}))));
  EXPECT_TRUE(bool(all(zeros({0}))));
  EXPECT_FALSE(bool(any(zeros({0}))));
}

TEST(ReduceTest, ExtremesPropagateNan) {
  EXPECT_THAT(max(F32({1, NAN})).item<float>(), IsNan());
  EXPECT_EQ(max(F32({-kInf, -kInf})).item<float>(), -kInf);
  EXPECT_EQ(min(array<uint8_t>({3, 200})).item<uint8_t>(), 3);
}

TEST(ReduceTest, PlacesOfExtremes) {
  const auto place = [](const Tensor& x) {
    return Both([](List v) { return argmax(v[0], -1); }, {x}).item<int>();
  };
  EXPECT_EQ(place(F32({1, 3, 3})), 1);
  EXPECT_EQ(place(F32({1, NAN, 5, NAN})), 1);
  EXPECT_EQ(place(F32({-kInf, -kInf})), 0);
  EXPECT_EQ(place(S32({std::numeric_limits<int>::min()})), 0);
  EXPECT_EQ(argmin(F32({2, 1, 1}), 0).item<int>(), 1);
  EXPECT_EQ(argmin(F32({2, 1, NAN}), 0).item<int>(), 2);
  EXPECT_THAT(argmax(F32({1, 2, 4, 3}, {2, 2}), 1, true).shape(), ElementsAre(2, 1));
  // Longer than any block of the reduction's tree.
  std::vector<float> values(1000, 1.0f);
  values[777] = values[900] = 2;
  EXPECT_EQ(place(array(values, {1000})), 777);
}

TEST(ReduceTest, HalfPrecisionAccumulatesWide) {
  const auto half = [](const Tensor& x) { return convert(x, f16); };
  const Tensor a = half(F32({60000, 49984, 64000, 40000}));
  EXPECT_EQ(float(mean(a).item<float16>()), 53504);
  const Tensor b = broadcast_to(half(F32({3e-5f})), {262144});
  EXPECT_EQ(float(mean(b).item<float16>()), 2.9981136322021484e-05f);
  EXPECT_EQ(float(norm(broadcast_to(half(F32({100})), {9})).item<float16>()), 300);
  const Tensor d = ones({1024}, bf16);
  EXPECT_EQ(float(sum(d).item<bfloat16>()), 1024);
  EXPECT_EQ(float(mean(d).item<bfloat16>()), 1);
}

TEST(ReduceTest, CountsBeyondThirtyTwoBitsAreRight) {
  // Traced only: what a mean divides by is a constant of the graph.
  std::vector<double> constants;
  jit([&](Tensor x) {
    mean(broadcast_to(x, {65536, 65537}));
    for (const ir::Instruction* one :
         runtime::TraceScope::Current()->computation()->Instructions()) {
      if (one->opcode() == ir::Opcode::kConstant) constants.push_back(one->literal().GetDouble(0));
    }
    return x;
  })(scalar(1.5f));
  EXPECT_THAT(constants, ::testing::Contains(float(65536.0 * 65537.0)));
}

TEST(ReduceTest, VarianceTakesTwoPasses) {
  const Tensor x = F32({2048.25f, 2048.5f, 2048.75f, 2049.0f});
  EXPECT_EQ(Both([](List v) { return mean(v[0]); }, {x}).item<float>(), 2048.625f);
  EXPECT_EQ(Both([](List v) { return var(v[0]); }, {x}).item<float>(), 0.078125f);
  const float equal = var(broadcast_to(F32({-11.3f}), {5})).item<float>();
  EXPECT_GE(equal, 0);
  EXPECT_LE(equal, 1e-10f);
  EXPECT_THAT(var(F32({1, 3, 5, 5}, {2, 2}), {1}).to_vector<float>(), ElementsAre(1, 0));
}

TEST(ReduceTest, SoftmaxOfEveryLength) {
  for (const int n : {1, 2, 3, 127, 128, 129, 1024, 4097}) {
    std::vector<float> row(n, -kInf);
    const Tensor none = array(row, {n});
    EXPECT_THAT(softmax(none).to_vector<float>(), Each(IsNan())) << n;
    EXPECT_EQ(logsumexp(none).item<float>(), -kInf) << n;
    row[n / 2] = 0;
    const std::vector<float> one = softmax(array(row, {n})).to_vector<float>();
    for (int i = 0; i < n; ++i) EXPECT_EQ(one[i], i == n / 2 ? 1 : 0) << n;
  }
  EXPECT_THAT(ValuesOf<float>([](List v) { return softmax(v[0]); }, {F32({1000, 1001})}),
              Pointwise(FloatNear(1e-7f), {0.2689414213699951f, 0.7310585786300049f}));
  EXPECT_THAT(softmax(F32({kInf, 0})).to_vector<float>(), Each(IsNan()));
  EXPECT_THAT(softmax(F32({NAN, 1})).to_vector<float>(), Each(IsNan()));
  EXPECT_FLOAT_EQ(logsumexp(F32({1000, 1001})).item<float>(), 1001.3132616875182f);
  EXPECT_EQ(logsumexp(F32({kInf, 0})).item<float>(), kInf);
  EXPECT_THAT(logsumexp(F32({NAN, 1})).item<float>(), IsNan());
  EXPECT_THAT(ValuesOf<float>([](List v) { return log_softmax(v[0]); }, {F32({0.5f, 1.5f})}),
              Pointwise(FloatNear(2e-7f), {-1.3132616875182228f, -0.3132616875182228f}));
  EXPECT_THAT(softmax(zeros({2, 0})).shape(), ElementsAre(2, 0));
  EXPECT_EQ(softmax(ones({2}, f16)).dtype(), f16);
}

TEST(MatmulTest, RanksAreNumpys) {
  const Tensor a = reshape(arange(6, f32), {2, 3}), b = reshape(arange(12, f32), {3, 4});
  const auto product = [](List v) { return matmul(v[0], v[1]); };
  EXPECT_THAT(ValuesOf<float>(product, {a, b}), ElementsAre(20, 23, 26, 29, 56, 68, 80, 92));
  EXPECT_EQ(Both(product, {F32({1, 2, 3}), F32({4, 5, 6})}).item<float>(), 32);
  EXPECT_THAT(ValuesOf<float>(product, {a, F32({1, 0, 1})}), ElementsAre(2, 8));
  EXPECT_THAT(ValuesOf<float>(product, {F32({1, 1}), a}), ElementsAre(3, 5, 7));
  EXPECT_THAT(matmul(zeros({5, 1, 2, 3}), zeros({4, 3, 6})).shape(), ElementsAre(5, 4, 2, 6));
  EXPECT_THAT(matmul(zeros({7, 2, 3}), zeros({3, 6})).shape(), ElementsAre(7, 2, 6));
  EXPECT_THAT(matmul(zeros({2, 3}), zeros({7, 3, 6})).shape(), ElementsAre(7, 2, 6));
  EXPECT_THAT(matmul(zeros({3}), zeros({7, 3, 6})).shape(), ElementsAre(7, 6));
  EXPECT_THAT(matmul(zeros({7, 2, 3}), zeros({3})).shape(), ElementsAre(7, 2));
  EXPECT_THAT(matmul(zeros({2, 0}), zeros({0, 3})).to_vector<float>(), Each(0));
}

TEST(MatmulTest, ResultDtypeAndWideAccumulation) {
  const Tensor x = ones({1, 1000}, bf16);
  EXPECT_EQ(float(matmul(x, transpose(x)).item<bfloat16>()), 1000);
  EXPECT_EQ(matmul(x, transpose(x), f32).item<float>(), 1000);
  const Tensor bytes = full({1, 4}, 100, s8);
  EXPECT_EQ(matmul(bytes, transpose(bytes), s32).item<int>(), 40000);
  EXPECT_EQ(matmul(ones({1, 2}), ones({2, 1}), f64).item<double>(), 2);
}

TEST(MatmulTest, DotOuterAndTensordot) {
  const Tensor a = reshape(arange(6, f32), {2, 3});
  EXPECT_THAT(ValuesOf<float>([](List v) { return outer(v[0], v[1]); }, {F32({1, 2}), F32({3, 4})}),
              ElementsAre(3, 4, 6, 8));
  EXPECT_THAT(dot(zeros({2, 3}), zeros({4, 3, 5})).shape(), ElementsAre(2, 4, 5));
  EXPECT_EQ(dot(scalar(3.0f), scalar(4.0f)).item<float>(), 12);
  EXPECT_THAT(ValuesOf<float>(
                  [](List v) {
                    return tensordot(v[0], v[0], {0, 1}, {0, 1});
                  },
                  {a}),
              ElementsAre(55));
}

TEST(NnTest, Norms) {
  const Tensor x = F32({2048.25f, 2048.5f, 2048.75f, 2049.0f});
  EXPECT_THAT(ValuesOf<float>([](List v) { return layer_norm(v[0]); }, {x}),
              Pointwise(FloatNear(2e-5f), {-1.34155493f, -0.44718498f, 0.44718498f, 1.34155493f}));
  EXPECT_THAT(layer_norm(F32({1, 3}), F32({2, 2}), F32({1, 1}), 0).to_vector<float>(),
              ElementsAre(-1, 3));
  EXPECT_THAT(rms_norm(F32({3, 3}), {}, 0).to_vector<float>(), ElementsAre(1, 1));
  EXPECT_EQ(layer_norm(ones({2, 4}, bf16)).dtype(), bf16);
}

TEST(NnTest, Activations) {
  EXPECT_THAT(ValuesOf<float>([](List v) { return gelu(v[0]); }, {F32({-1, 0, 1})}),
              Pointwise(FloatNear(1e-6f), {-0.15865525f, 0.0f, 0.84134475f}));
  EXPECT_THAT(gelu(F32({1}), true).to_vector<float>(), Pointwise(FloatNear(1e-6f), {0.8411920f}));
  EXPECT_THAT(relu(F32({-1, 2})).to_vector<float>(), ElementsAre(0, 2));
  EXPECT_THAT(silu(F32({0, 1})).to_vector<float>(),
              Pointwise(FloatNear(1e-6f), {0.0f, 0.7310586f}));
  EXPECT_THAT(ValuesOf<float>([](List v) { return one_hot(v[0], 3); }, {S32({2, -1, 0})}),
              ElementsAre(0, 0, 1, 0, 0, 0, 1, 0, 0));
  EXPECT_THAT(one_hot(array<int8_t>({1}), 300).shape(), ElementsAre(1, 300));
}

}  // namespace
}  // namespace swage
