// Arguments that are moved in give their memory to results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <sstream>
#include <utility>
#include <vector>

#include "runtime/swage.h"
#include "tests/runtime/tensor_testing.h"

namespace swage {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor Counted(int64_t n, float first = 0) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), first);
  return array(values, {n});
}

const void* AddressOf(const Tensor& x) { return x.data<float>(); }

TEST(DonationTest, AMovedArgumentBecomesTheResult) {
  auto f = jit([](Tensor x, Tensor y) { return x * 2 + y; });
  for (int64_t n : {3, 1000, 1 << 20}) {
    Tensor x = Counted(n);
    const Tensor y = Counted(n);
    const void* address = AddressOf(x);
    const Tensor z = f(std::move(x), y);
    EXPECT_EQ(AddressOf(z), address);
    EXPECT_FALSE(x.defined());  // NOLINT: what the header promises
    EXPECT_EQ(z.to_vector<float>()[2], 6);
  }
  EXPECT_EQ(f.stats().donations, 3);
}

TEST(DonationTest, ATemporaryIsMovedIn) {
  auto f = jit([](Tensor x) { return x + 1; });
  EXPECT_THAT(f(Counted(3)).to_vector<float>(), ElementsAre(1, 2, 3));
  EXPECT_EQ(f.stats().donations, 1);
}

TEST(DonationTest, WhatSomebodyElseHoldsStaysAsItIs) {
  auto f = jit([](Tensor x, Tensor y) { return x + y; });
  Tensor x = Counted(3);
  const Tensor other = x;
  EXPECT_THAT(f(std::move(x), Counted(3)).to_vector<float>(), ElementsAre(0, 2, 4));
  EXPECT_THAT(other.to_vector<float>(), ElementsAre(0, 1, 2));

  Tensor same = Counted(3);
  EXPECT_THAT(f(std::move(same), same).to_vector<float>(), ElementsAre(0, 2, 4));  // NOLINT
  const Tensor constant = Counted(3);
  EXPECT_THAT(f(std::move(constant), constant).to_vector<float>(), ElementsAre(0, 2, 4));  // NOLINT
  EXPECT_THAT(constant.to_vector<float>(), ElementsAre(0, 1, 2));
}

TEST(DonationTest, WhatIsReadLaterIsNotGiven) {
  // The sum is over all of x, so that no element may be replaced before it.
  auto f = jit([](Tensor x) { return x - sum(x); });
  Tensor x = Counted(1000);
  EXPECT_EQ(f(std::move(x)).to_vector<float>()[0], -499500);
  auto reversed = jit([](Tensor x) { return x - flip(x, {0}); });
  EXPECT_THAT(reversed(Counted(3)).to_vector<float>(), ElementsAre(-2, 0, 2));
  EXPECT_EQ(reversed.stats().donations, 0);
}

TEST(DonationTest, AResultThatIsTheArgumentItselfKeepsItsValue) {
  auto f = jit([](Tensor x) { return std::pair(x, x + 1); });
  Tensor x = Counted(3);
  const auto [same, next] = f(std::move(x));
  EXPECT_THAT(same.to_vector<float>(), ElementsAre(0, 1, 2));
  EXPECT_THAT(next.to_vector<float>(), ElementsAre(1, 2, 3));
}

TEST(DonationTest, TreesGiveTheirLeaves) {
  auto f = jit([](std::vector<Tensor> state) {
    for (Tensor& x : state) x = x + 1;
    return state;
  });
  std::vector<Tensor> state = {Counted(3), Counted(4)};
  const void* address = AddressOf(state[1]);
  for (int i = 0; i < 3; ++i) state = f(std::move(state));
  EXPECT_EQ(AddressOf(state[1]), address);
  EXPECT_THAT(state[0].to_vector<float>(), ElementsAre(3, 4, 5));
  EXPECT_EQ(f.stats().donations, 6);
}

TEST(DonationTest, AnUpdateOfAPartLeavesTheRestWhereItIs) {
  auto f = jit([](Tensor cache, Tensor row, Scalar<int32_t> at) {
    return dynamic_update_slice(cache, reshape(row * 2, {1, 64}), {at, 0});
  });
  Tensor cache = zeros({500, 64});
  const Tensor before = cache + 0;
  const void* address = AddressOf(cache);
  for (int i : {7, 8, 1000}) cache = f(std::move(cache), Counted(64), i);
  EXPECT_EQ(AddressOf(cache), address);
  EXPECT_EQ(f.stats().donations, 3);
  const std::vector<float> values = cache.to_vector<float>();
  for (int row : {7, 8, 499}) EXPECT_EQ(values[row * 64 + 5], 10) << row;
  EXPECT_EQ(values[6 * 64 + 5], 0);
  EXPECT_EQ(values[498 * 64 + 5], 0);
  // Without std::move the cache stays as it is, and the result is a copy of it but for the row.
  const Tensor copy = f(cache, Counted(64, 100), 9);
  EXPECT_EQ(cache.to_vector<float>(), values);
  EXPECT_EQ(copy.to_vector<float>()[9 * 64], 200);
  EXPECT_EQ(copy.to_vector<float>()[8 * 64 + 5], 10);
  EXPECT_THAT(before.to_vector<float>(), Each(0));
}

TEST(DonationTest, OpenSizesGiveToo) {
  auto f = jit([](Tensor x) { return x * 3; }, {.dims = {"[n]"}});
  for (int64_t n : {5, 50, 500}) {
    Tensor x = Counted(n);
    const void* address = AddressOf(x);
    EXPECT_EQ(AddressOf(f(std::move(x))), address);
  }
  EXPECT_EQ(f.stats().compiles, 1);
}

TEST(DonationTest, ALoadedProgramTakesArgumentsThatAreMovedIn) {
  const HloProgram program = parse_hlo(R"(
HloModule m
ENTRY e {
  x = f32[100,8] parameter(0)
  u = f32[1,8] parameter(1)
  at = s32[] parameter(2)
  zero = s32[] constant(0)
  ROOT d = f32[100,8] dynamic-update-slice(x, u, at, zero)
})");
  const Tensor row = reshape(Counted(8), {1, 8});
  std::vector<Tensor> arguments = {zeros({100, 8}), row, array<int32_t>({7}, {})};
  const void* address = AddressOf(arguments[0]);
  const Tensor result = program(std::move(arguments))[0];
  EXPECT_EQ(AddressOf(result), address);
  EXPECT_EQ(result.to_vector<float>()[7 * 8 + 3], 3);
  EXPECT_TRUE(row.defined());
  EXPECT_EQ(program.stats().donations, 1);
}

TEST(DonationTest, TheCountersTextNamesIt) {
  auto f = jit([](Tensor x) { return x + 1; });
  f(Counted(3));
  std::ostringstream text;
  text << f.stats();
  EXPECT_THAT(text.str(), HasSubstr("donated 1"));
}

}  // namespace
}  // namespace swage
