// One compile for hundreds of sizes, against a program of each size's own.
#include "tests/runtime/symbolic_programs.h"

#include <gtest/gtest.h>

#include <random>

namespace swage {
namespace {

class SymbolicProgramTest : public ::testing::TestWithParam<SizedProgram> {};

TEST_P(SymbolicProgramTest, OneCompileServesFiveHundredPairsOfSizes) {
  const SizedProgram& program = GetParam();
  const auto call = [&](const std::vector<Tensor>& arguments) { return program.call(arguments); };
  auto open = jit(call, {.name = program.name, .dims = SizedDims(program)});
  auto exact = jit(call, {.name = program.name + "_exact", .mode = Mode::kExact});
  std::mt19937 random(11);
  for (int i = 0; i < 500; ++i) {
    // A few long ones, and many short ones.
    const int64_t batch = 1 + random() % 4;
    const int64_t length = 1 + random() % (i % 50 == 0 ? 400 : 60);
    const std::vector<Tensor> arguments = SizedArguments(program, batch, length);
    const std::vector<float> got = open(arguments).to_vector<float>();
    const std::vector<float> want = exact(arguments).to_vector<float>();
    ASSERT_EQ(got.size(), want.size());
    for (size_t k = 0; k < want.size(); ++k) {
      // Also where one of them is NaN.
      ASSERT_TRUE(std::abs(got[k] - want[k]) <= 2e-6f) << batch << " " << length << " " << k;
    }
  }
  EXPECT_EQ(open.stats().compiles + open.stats().loads, 1);
  EXPECT_EQ(open.stats().exact_fallbacks, 0);
  EXPECT_GT(open.stats().sizings, 90);
}

INSTANTIATE_TEST_SUITE_P(All, SymbolicProgramTest, ::testing::ValuesIn(SizedPrograms()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace swage
