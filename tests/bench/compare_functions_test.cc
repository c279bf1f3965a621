#include "bench/compare_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace swage::bench {
namespace {

Work MakeWork(const std::string& function, const std::vector<std::string>& inputs,
              const std::string& detail = "") {
  Work work{.first = false, .function = function, .detail = detail, .inputs = {}};
  for (const std::string& input : inputs) {
    work.inputs.push_back(MakeInput(input, static_cast<uint32_t>(work.inputs.size())));
  }
  return work;
}

std::vector<float> Results(const Work& work) {
  const Array out = CompareTask(work).results().at(0);
  if (out.dtype != "f32") return {};
  return {out.as<float>(), out.as<float>() + out.size()};
}

TEST(CompareFunctions, ComputeWhatTheyAreCalled) {
  const Work matrix = MakeWork("rowsum", {"f32[3,4]"});
  const float* const x = matrix.inputs[0].as<float>();
  EXPECT_FLOAT_EQ(Results(matrix)[1], x[4] + x[5] + x[6] + x[7]);
  EXPECT_FLOAT_EQ(Results(MakeWork("colsum", {"f32[3,4]"}))[1], x[1] + x[5] + x[9]);
  EXPECT_EQ(Results(MakeWork("transpose", {"f32[3,4]"}))[1], x[4]);
  EXPECT_FLOAT_EQ(Results(MakeWork("exp", {"f32[3,4]"}))[2], std::exp(x[2]));
  const Work triad = MakeWork("triad", {"f32[2]=2", "f32[2]=5"});
  EXPECT_THAT(Results(triad), testing::ElementsAre(11, 11));
  EXPECT_THAT(Results(MakeWork("chain", {"f32[2]=1"}, "10")),
              testing::Each(testing::FloatNear(
                  std::fmax(std::exp(std::tanh(1.4f) - 0.5f) + 1, 0) * 0.7f - 1, 1e-6)));
}

TEST(CompareFunctions, AProductOfAnySizesIsThatOfTheseSizes) {
  for (const std::string function : {"dot", "dot_t"}) {
    const std::string right = function == "dot" ? "f32[6,4]" : "f32[4,6]";
    const std::vector<float> any = Results(MakeWork(function, {"f32[5,6]", right}));
    EXPECT_EQ(any.size(), 20u);
    EXPECT_THAT(Results(MakeWork(function, {"f32[5,6]", right}, "fixed")),
                testing::Pointwise(testing::FloatNear(1e-5), any));
  }
}

TEST(CompareFunctions, AFirstCallCompilesAgain) {
  Work work = MakeWork("attend", {"f32[4,8]", "f32[4,8]", "f32[4,8]"});
  work.first = true;
  const Task task = CompareTask(work);
  ASSERT_NE(task.forget, nullptr);
  task.forget();
  task.call();
  EXPECT_EQ(CompareTask(MakeWork("softmax", {"f32[2,3]"})).forget, nullptr);
}

TEST(CompareFunctions, NetworksRun) {
  const std::vector<std::string> layer = {
      "f32[8]=1", "f32[8]*0.1", "f32[8,24]*0.1", "f32[24]*0.1", "f32[8,8]*0.1",  "f32[8]*0.1",
      "f32[8]=1", "f32[8]*0.1", "f32[8,32]*0.1", "f32[32]*0.1", "f32[32,8]*0.1", "f32[8]*0.1"};
  std::vector<std::string> inputs = {"f32[5,8]"};
  for (int i = 0; i < 2; ++i) inputs.insert(inputs.end(), layer.begin(), layer.end());
  EXPECT_EQ(Results(MakeWork("gpt", inputs)).size(), 40u);
  EXPECT_EQ(
      Results(MakeWork("mlp", {"f32[2,4]", "f32[4,8]", "f32[8]", "f32[8,4]", "f32[4]"})).size(),
      8u);
  EXPECT_EQ(Results(MakeWork("first", {"f32[2]=1", "f32[2]=5"})), (std::vector<float>{2, 2}));
  EXPECT_EQ(Results(MakeWork("layernorm", {"f32[2,4]", "f32[4]=1", "f32[4]=0"})).size(), 8u);
  EXPECT_EQ(Results(MakeWork("gather", {"f32[9,4]", "s32[2]%9"})).size(), 8u);
}

TEST(CompareFunctions, WhatSwageLacksIsMissing) {
  EXPECT_THROW(CompareTask(MakeWork("cumsum", {"f32[2,3]"})), Missing);
  EXPECT_THROW(CompareTask(MakeWork("triad", {"f32[2]"})), std::invalid_argument);
}

}  // namespace
}  // namespace swage::bench
