// numpy's results of ops that rearrange, index and make tensors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "cache/module_cache.h"
#include "tests/runtime/tensor_testing.h"

namespace swage {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

using List = const std::vector<Tensor>&;

TEST(ShapeOpsTest, ReshapeSolvesOneExtent) {
  EXPECT_THAT(reshape(arange(12), {3, -1}).shape(), ElementsAre(3, 4));
  EXPECT_THAT(reshape(arange(1), {}).shape(), ElementsAre());
  EXPECT_THAT(ravel(zeros({2, 3})).shape(), ElementsAre(6));
  EXPECT_THAT(reshape(zeros({0, 4}), {2, 0}).shape(), ElementsAre(2, 0));
}

TEST(ShapeOpsTest, HugeExtentsAreCountedInSixtyFourBits) {
  // Traced only: nothing of this size is ever made.
  ShapeVector seen;
  jit([&](Tensor x) {
    seen = reshape(broadcast_to(x, {65536, 65537}), {-1}).shape();
    return x;
  })(scalar(1.5f));
  EXPECT_THAT(seen, ElementsAre(int64_t{65536} * 65537));
}

TEST(ShapeOpsTest, TransposeReversesOrPermutes) {
  const Tensor x = reshape(arange(6), {2, 3});
  EXPECT_THAT(ValuesOf<int>([](List v) { return transpose(v[0]); }, {x}),
              ElementsAre(0, 3, 1, 4, 2, 5));
  const Tensor p = reshape(arange(16), {1, 2, 1, 2, 1, 2, 1, 2, 1, 1});
  const Tensor q = Both(
      [](List v) {
        return transpose(v[0], {9, 7, 5, 3, 1, 0, 2, 4, 6, 8});
      },
      {p});
  EXPECT_THAT(q.shape(), ElementsAre(1, 2, 2, 2, 2, 1, 1, 1, 1, 1));
  EXPECT_THAT(q.to_vector<int>(),
              ElementsAre(0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15));
  EXPECT_THAT(swapaxes(zeros({2, 3, 4}), 0, -1).shape(), ElementsAre(4, 3, 2));
}

TEST(ShapeOpsTest, ViewsReadInLogicalOrder) {
  const Tensor u = Both(
      [](List v) {
        const Tensor reversed = flip(transpose(v[0], {2, 0, 1}), {0});
        const Tensor cut = slice(reversed, {{0, 4, 2}, {}, {1, 3}});
        return ravel(transpose(reshape(ravel(cut), {2, 4})));
      },
      {reshape(arange(24), {2, 3, 4})});
  EXPECT_THAT(u.to_vector<int>(), ElementsAre(7, 5, 11, 9, 19, 17, 23, 21));
}

TEST(ShapeOpsTest, ExtentsOfOneComeAndGo) {
  EXPECT_THAT(squeeze(zeros({1, 2, 1}), {0}).shape(), ElementsAre(2, 1));
  EXPECT_THAT(squeeze(zeros({1, 2, 1}), {}).shape(), ElementsAre(2));
  EXPECT_THAT(expand_dims(zeros({2}), -1).shape(), ElementsAre(2, 1));
  EXPECT_THAT(broadcast_to(F32({1, 2}, {2, 1}), {3, 2, 2}).to_vector<float>(),
              ElementsAre(1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2));
}

TEST(ShapeOpsTest, JoiningAndSplitting) {
  const Tensor a = S32({1, 2}), b = S32({3, 4});
  EXPECT_THAT(ValuesOf<int>(
                  [](List v) {
                    return concatenate({v[0], v[1]});
                  },
                  {a, b}),
              ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(ValuesOf<int>(
                  [](List v) {
                    return stack({v[0], v[1]}, 1);
                  },
                  {a, b}),
              ElementsAre(1, 3, 2, 4));
  const std::vector<Tensor> parts = split(arange(6), 3);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(split(zeros({0}), 3).size(), 3u);
  EXPECT_EQ(ErrorOf([] { split(zeros({0}), std::numeric_limits<int>::max()); }),
            "[split] got 2147483647 parts of axis 0 of f32[0], expected at most 65536 empty ones");
  EXPECT_THAT(parts[2].to_vector<int>(), ElementsAre(4, 5));
}

TEST(ShapeOpsTest, FlipRollAndPad) {
  EXPECT_THAT(flip(arange(3), {}).to_vector<int>(), ElementsAre(2, 1, 0));
  EXPECT_THAT(ValuesOf<int>([](List v) { return roll(v[0], 1, 0); }, {arange(4)}),
              ElementsAre(3, 0, 1, 2));
  EXPECT_THAT(roll(arange(4), -5, 0).to_vector<int>(), ElementsAre(1, 2, 3, 0));
  EXPECT_THAT(ValuesOf<int>(
                  [](List v) {
                    return pad(v[0], {{1, 2}}, 9);
                  },
                  {arange(2)}),
              ElementsAre(9, 0, 1, 9, 9));
  EXPECT_THAT(pad(array({true}), {{1, 0}}).to_vector<bool>(), ElementsAre(false, true));
}

TEST(ShapeOpsTest, SlicesAreNumpys) {
  const Tensor x = arange(10);
  const auto cut = [&](Slice s) { return slice(x, {s}).to_vector<int>(); };
  EXPECT_THAT(cut({2, 5}), ElementsAre(2, 3, 4));
  EXPECT_THAT(cut({-3, {}}), ElementsAre(7, 8, 9));
  EXPECT_THAT(cut({0, 100, 4}), ElementsAre(0, 4, 8));
  EXPECT_THAT(cut({5, 2}), ElementsAre());
  EXPECT_THAT(cut({{}, {}, -3}), ElementsAre(9, 6, 3, 0));
  EXPECT_THAT(cut({7, 2, -2}), ElementsAre(7, 5, 3));
  EXPECT_THAT(cut({-100, 2}), ElementsAre(0, 1));
  EXPECT_THAT(cut({2, {}, -1}), ElementsAre(2, 1, 0));
  EXPECT_THAT(cut({2, -100, -1}), ElementsAre(2, 1, 0));
  EXPECT_THAT(index(reshape(x, {2, 5}), -1).to_vector<int>(), ElementsAre(5, 6, 7, 8, 9));
}

TEST(ShapeOpsTest, ALoopOverRowsCompilesOnce) {
  const Tensor x = reshape(arange(60), {20, 3});
  const auto misses = [] { return cache::ModuleCache::Global().stats().misses; };
  index(x, 0);
  slice(x, {{0, 2}});
  const int64_t before = misses();
  for (int i = 0; i < 18; ++i) {
    EXPECT_THAT(index(x, i).to_vector<int>(), ElementsAre(3 * i, 3 * i + 1, 3 * i + 2));
    EXPECT_EQ(slice(x, {{i, i + 2}}).item<int>({1, 0}), 3 * i + 3);
  }
  EXPECT_EQ(misses(), before);
}

TEST(ShapeOpsTest, DynamicWindowsAreClampedOneByOne) {
  const Tensor buffer = arange(12) + 100;
  const auto window = [](List v) {
    return dynamic_slice(dynamic_slice(v[0], {v[1]}, {5}), {v[2]}, {2});
  };
  const auto at = [&](int i, int j) {
    return ValuesOf<int>(window, {buffer, scalar(i), scalar(j)});
  };
  EXPECT_THAT(at(11, 4), ElementsAre(110, 111));
  EXPECT_THAT(at(3, 9), ElementsAre(106, 107));
  EXPECT_THAT(at(-2, 1), ElementsAre(101, 102));
  EXPECT_THAT(at(7, 0), ElementsAre(107, 108));
  EXPECT_THAT(at(2, -5), ElementsAre(102, 103));
  EXPECT_THAT(ValuesOf<float>(
                  [](List v) {
                    return dynamic_update_slice(v[0], v[1], {v[2], 5});
                  },
                  {zeros({2, 6}), ones({1, 3}), scalar(5)}),
              ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1));
  EXPECT_THAT(dynamic_slice(buffer, {~uint64_t{0} >> 1}, {1}).to_vector<int>(), ElementsAre(111));
  EXPECT_THAT(
      dynamic_slice(reshape(buffer, {3, 4}), {scalar(uint8_t{1}), scalar(int64_t{-3})}, {1, 2})
          .to_vector<int>(),
      ElementsAre(104, 105));
}

TEST(ShapeOpsTest, TakeWrapsNegativesAndClamps) {
  const Tensor x = S32({10, 20, 30});
  EXPECT_THAT(ValuesOf<int>([](List v) { return take(v[0], v[1]); }, {x, S32({-1, 1, 99, -4})}),
              ElementsAre(30, 20, 30, 10));
  EXPECT_THAT(take(arange(260), array<uint8_t>({250})).to_vector<int>(), ElementsAre(250));
  EXPECT_THAT(take(arange(260), array<int8_t>({-1, 100})).to_vector<int>(), ElementsAre(259, 100));
  EXPECT_THAT(take(x, array<uint64_t>({uint64_t{1} << 63})).to_vector<int>(), ElementsAre(30));
  const Tensor m = reshape(arange(6), {2, 3});
  const Tensor columns = Both([](List v) { return take(v[0], v[1], 1); }, {m, S32({2, 0}, {1, 2})});
  EXPECT_THAT(columns.shape(), ElementsAre(2, 1, 2));
  EXPECT_THAT(columns.to_vector<int>(), ElementsAre(2, 0, 5, 3));
}

TEST(ShapeOpsTest, TakeAlongAxis) {
  const Tensor m = reshape(arange(6), {2, 3});
  EXPECT_THAT(ValuesOf<int>([](List v) { return take_along_axis(v[0], v[1], 1); },
                            {m, S32({-1, 0, 1, 9}, {2, 2})}),
              ElementsAre(2, 0, 4, 5));
}

TEST(ShapeOpsTest, Triangles) {
  const Tensor m = ones({2, 3});
  EXPECT_THAT(ValuesOf<float>([](List v) { return tril(v[0]); }, {m}),
              ElementsAre(1, 0, 0, 1, 1, 0));
  EXPECT_THAT(ValuesOf<float>([](List v) { return triu(v[0], 1); }, {m}),
              ElementsAre(0, 1, 1, 0, 0, 1));
  EXPECT_THAT(tril(m, std::numeric_limits<int64_t>::max()).to_vector<float>(), Each(1));
  EXPECT_THAT(tril(m, std::numeric_limits<int64_t>::min()).to_vector<float>(), Each(0));
}

TEST(ShapeOpsTest, MakingValues) {
  EXPECT_THAT(full({2}, 3, s8).to_vector<int8_t>(), ElementsAre(3, 3));
  EXPECT_THAT(ones({2}, pred).to_vector<bool>(), ElementsAre(true, true));
  EXPECT_THAT(full_like(S32({1, 2}), 7).to_vector<int>(), ElementsAre(7, 7));
  EXPECT_THAT(iota({2, 2}, 0).to_vector<int>(), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(arange(3, f32).to_vector<float>(), ElementsAre(0, 1, 2));
  EXPECT_EQ(Both([](List v) { return size(v[0], -1); }, {zeros({2, 5})}).item<int>(), 5);
  const Tensor large = zeros({0, 2147483648});
  EXPECT_EQ(size(zeros({0, 2147483647}), 1).item<int>(), 2147483647);
  EXPECT_EQ(
      ErrorOf([&] { size(large, 1); }),
      "[size] got dimension 1 of f32[0,2147483648], expected at most 2147483647 elements, since "
      "the result is s32; use dim()");
}

}  // namespace
}  // namespace swage
