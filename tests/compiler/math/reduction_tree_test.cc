#include "compiler/math/reduction_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace swage::math {
namespace {

// The order of combination as text, straight from the definition in docs/semantics.md.
std::string Op(const std::string& a, const std::string& b) { return "(" + a + b + ")"; }

int64_t NextPowerOfTwo(int64_t n) {
  int64_t power = 1;
  while (power < n) power *= 2;
  return power;
}

// A binary tree over the next power of two of the leaves; empty ones are skipped.
std::string NeighbourTree(const std::vector<std::string>& leaves, int64_t begin, int64_t width) {
  const int64_t count = static_cast<int64_t>(leaves.size());
  if (begin >= count) return "";
  if (width == 1) return leaves[begin];
  const std::string left = NeighbourTree(leaves, begin, width / 2);
  const std::string right = NeighbourTree(leaves, begin + width / 2, width / 2);
  return right.empty() ? left : Op(left, right);
}

std::string Expected(int64_t n, int64_t partials) {
  std::vector<std::string> chunks;
  for (int64_t begin = 0; begin < n; begin += partials * kPartialDepth) {
    const int64_t count = std::min(n - begin, partials * kPartialDepth);
    std::vector<std::string> p(std::min(count, partials));
    for (int64_t i = 0; i < count; ++i) {
      const std::string element = std::to_string(begin + i) + ",";
      std::string& partial = p[i % partials];
      partial = partial.empty() ? element : Op(partial, element);
    }
    const int64_t m = static_cast<int64_t>(p.size());
    for (int64_t s = NextPowerOfTwo(m) / 2; s >= 1; s /= 2) {
      for (int64_t i = 0; i < s; ++i) {
        if (i + s < m) p[i] = Op(p[i], p[i + s]);
      }
    }
    chunks.push_back(p[0]);
  }
  return NeighbourTree(chunks, 0, NextPowerOfTwo(chunks.size()));
}

template <int kPartials>
std::string Actual(int64_t n) {
  return ReduceLine<kPartials>(
      n, [](int64_t i) { return std::to_string(i) + ","; },
      [](const std::string& a, const std::string& b) { return Op(a, b); });
}

TEST(ReductionTree, FollowsTheDefinitionAtEveryExtent) {
  for (int64_t n : {1,  2,  3,   5,   7,   8,   9,    15,   16,   17,   40,   63,
                    64, 65, 100, 511, 512, 513, 1024, 1025, 1500, 2100, 3000, 3600}) {
    EXPECT_EQ(Actual<kMajorPartials>(n), Expected(n, kMajorPartials)) << n;
  }
  for (int64_t n : {1, 2, 31, 33, 63, 64, 65, 96, 127, 128, 129, 4095, 4096, 4097, 12345, 20481}) {
    EXPECT_EQ(Actual<kMinorPartials>(n), Expected(n, kMinorPartials)) << n;
  }
}

TEST(ReductionTree, CombinesTuples) {
  struct MaxAt {
    float value;
    int64_t index;
  };
  const auto best = ReduceLine<kMinorPartials>(
      5000,
      [](int64_t i) {
        return MaxAt{i == 4321 ? 7.0f : 1.0f, i};
      },
      [](MaxAt a, MaxAt b) { return b.value > a.value ? b : a; });
  EXPECT_EQ(best.index, 4321);
}

TEST(ReductionTree, KeepsTheSignOfASumOfNegativeZeros) {
  const float sum = ReduceLine<kMinorPartials>(
      100, [](int64_t) { return -0.0f; }, [](float a, float b) { return a + b; });
  EXPECT_TRUE(std::signbit(sum));
}

}  // namespace
}  // namespace swage::math
