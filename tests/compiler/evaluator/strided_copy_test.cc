#include "compiler/evaluator/strided_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace swage::evaluator {
namespace {

// Every element of a permuted, reversed copy against the index arithmetic that defines it.
template <typename T>
void CheckTransposes(const std::vector<int64_t>& dims) {
  std::vector<T> src(Product(dims));
  for (size_t i = 0; i < src.size(); ++i) src[i] = static_cast<T>(i * 7 + 1);
  std::vector<int64_t> order(dims.size());
  for (size_t d = 0; d < dims.size(); ++d) order[d] = d;
  do {
    std::vector<int64_t> permuted;
    for (const int64_t d : order) permuted.push_back(dims[d]);
    const std::vector<int64_t> in = RowMajorStrides(dims), out = RowMajorStrides(permuted);
    std::vector<int64_t> read;
    for (const int64_t d : order) read.push_back(in[d]);
    std::vector<T> dst(src.size(), T{});
    CopyStrided(sizeof(T), permuted, src.data(), read, dst.data(), out);
    std::vector<int64_t> index(dims.size(), 0);
    do {
      int64_t from = 0, to = 0;
      for (size_t d = 0; d < dims.size(); ++d) {
        from += index[d] * read[d];
        to += index[d] * out[d];
      }
      ASSERT_EQ(dst[to], src[from]);
    } while (NextIndex(permuted, absl::MakeSpan(index)));
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(StridedCopyTest, AllPermutationsOfSeveralShapesAndWidths) {
  for (const std::vector<int64_t>& dims :
       std::vector<std::vector<int64_t>>{{}, {1}, {5}, {33, 70}, {3, 40, 65}, {2, 1, 35, 3}}) {
    CheckTransposes<uint8_t>(dims);
    CheckTransposes<uint16_t>(dims);
    CheckTransposes<uint32_t>(dims);
    CheckTransposes<uint64_t>(dims);
    CheckTransposes<__uint128_t>(dims);
  }
}

TEST(StridedCopyTest, NegativeStridesReadBackwards) {
  const std::vector<int32_t> src = {1, 2, 3, 4, 5, 6};
  std::vector<int32_t> dst(6);
  const int64_t dims[] = {2, 3}, read[] = {-3, -1}, write[] = {1, 2};
  CopyStrided(4, dims, src.data() + 5, read, dst.data(), write);
  EXPECT_EQ(dst, (std::vector<int32_t>{6, 3, 5, 2, 4, 1}));
}

TEST(StridedCopyTest, AnEmptyBlockTouchesNothing) {
  const int64_t dims[] = {int64_t{1} << 62, 0, int64_t{1} << 62}, strides[] = {1, 1, 1};
  CopyStrided(8, dims, nullptr, strides, nullptr, strides);
}

TEST(StridedCopyTest, StridesOfAnEmptyArrayDoNotOverflow) {
  const std::vector<int64_t> dims = {int64_t{1} << 40, 0, int64_t{1} << 40};
  EXPECT_EQ(RowMajorStrides(dims).size(), 3u);
  EXPECT_EQ(Product(dims), 0);
}

}  // namespace
}  // namespace swage::evaluator
