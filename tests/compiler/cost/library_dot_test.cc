// Which dots a CPU leaves to its library, and how they are cut.
#include "compiler/cost/library_dot.h"

#include <gtest/gtest.h>

namespace swage::cost {
namespace {

DeviceDescription Machine() {
  DeviceDescription device = TestCpu();
  device.dot_library = true;
  device.bf16_products = true;
  return device;
}

TEST(LibraryDotCost, LargeProductsWithConstantWeightsAreTheLibrarys) {
  const DotSizes large = {.m = 1024, .n = 1024, .k = 1024, .constant_b = true};
  EXPECT_GT(LibrarySaving(large, Machine()), 0);
}

TEST(LibraryDotCost, SmallProductsAreEmitted) {
  EXPECT_LT(LibrarySaving({.m = 64, .n = 64, .k = 64}, Machine()), 0);
  EXPECT_LT(LibrarySaving({.m = 256, .n = 256, .k = 256}, Machine()), 0);
}

TEST(LibraryDotCost, ARightSideThatIsTurnedForEachChunkOfRowsIsTheLibrarys) {
  const DotSizes turned = {.m = 1024, .n = 1024, .k = 1024, .transposed_b = true};
  DotSizes plain = turned;
  plain.transposed_b = false;
  EXPECT_GT(LibrarySaving(turned, Machine()), LibrarySaving(plain, Machine()));
}

TEST(LibraryDotCost, WithoutALibraryNothingIsSaved) {
  const DotSizes large = {.m = 1024, .n = 1024, .k = 1024, .constant_b = true};
  EXPECT_LT(LibrarySaving(large, TestCpu()), 0);
  EXPECT_LT(LibrarySaving(large, TestCpu(), LibraryDots::kAlways), 0);
}

TEST(LibraryDotCost, ManyCoresNeedManySlices) {
  DeviceDescription many = Machine();
  many.cores = 64;
  DotSizes sizes = {.m = 1024, .n = 1024, .k = 1024, .constant_b = true};
  EXPECT_LT(LibrarySaving(sizes, many), 0);
  sizes.m = sizes.n = 8192;
  EXPECT_GT(LibrarySaving(sizes, many), 0);
}

TEST(LibraryDotCost, TheChoiceIsTheCallers) {
  const DotSizes small = {.m = 1, .n = 1, .k = 1};
  EXPECT_GT(LibrarySaving(small, Machine(), LibraryDots::kAlways), 0);
  const DotSizes large = {.m = 1024, .n = 1024, .k = 1024, .constant_b = true};
  EXPECT_LT(LibrarySaving(large, Machine(), LibraryDots::kOff), 0);
}

TEST(LibraryDotCost, OtherTypesAreEmitted) {
  for (const ir::DType dtype : {ir::DType::kF64, ir::DType::kF16, ir::DType::kS32}) {
    EXPECT_FALSE(LibraryHas({.dtype = dtype, .result = dtype}, Machine()));
  }
  const DotSizes bf16 = {.dtype = ir::DType::kBF16, .result = ir::DType::kF32};
  EXPECT_TRUE(LibraryHas(bf16, Machine()));
  DeviceDescription older = Machine();
  older.bf16_products = false;
  EXPECT_FALSE(LibraryHas(bf16, older));
}

TEST(LibraryDotCost, SlicesCoverAnyProduct) {
  for (const int64_t m : {0, 1, 100, 1000, 100000}) {
    for (const int64_t n : {0, 1, 130, 7000}) {
      const DotSlices slices = SlicesOf({.m = m, .n = n, .k = 8});
      EXPECT_GE(slices.rows, 1);
      EXPECT_GE(slices.columns, 1);
      EXPECT_LE(slices.rows, std::max<int64_t>(m, 1));
      EXPECT_LE(slices.columns, std::max<int64_t>(n, 1));
    }
  }
}

TEST(LibraryDotCost, PackedColumnsAreCutTheSameWayForAnyNumberOfRows) {
  for (const int64_t n : {100, 512, 2048, 50000}) {
    DotSizes sizes = {.n = n, .k = 512, .constant_b = true};
    sizes.m = 1;
    const int64_t columns = SlicesOf(sizes).columns;
    for (const int64_t m : {16, 64, 500, 10000}) {
      sizes.m = m;
      EXPECT_EQ(SlicesOf(sizes).columns, columns) << m << " x " << n;
    }
  }
}

TEST(LibraryDotCost, ABatchIsNotCutSmaller) {
  const DotSlices alone = SlicesOf({.m = 256, .n = 512, .k = 8});
  EXPECT_GE(alone.rows * alone.columns, 8);
  const DotSlices many = SlicesOf({.batch = 64, .m = 256, .n = 512, .k = 8});
  EXPECT_EQ(many.rows * many.columns, 1);
}

}  // namespace
}  // namespace swage::cost
