// Making and reading concrete tensors, and what goes wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>

#include "tests/runtime/tensor_testing.h"
#include "tests/temp_folder.h"

namespace swage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TensorTest, ArraysHaveShapeDtypeAndElements) {
  const Tensor x = F32({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(x.dtype(), f32);
  EXPECT_EQ(x.rank(), 2);
  EXPECT_THAT(x.shape(), ElementsAre(2, 3));
  EXPECT_EQ(x.size(), 6);
  EXPECT_EQ(x.byte_size(), 24);
  EXPECT_EQ(int64_t(x.dim(0)), 2);
  EXPECT_EQ(float(x.dim(-1)), 3.0f);
  EXPECT_EQ(x.item<float>({1, 0}), 4);
  EXPECT_EQ(x.item<float>({-1, -1}), 6);
  EXPECT_THAT(x.to_vector<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_FALSE(x.is_traced());
}

TEST(TensorTest, EmptyAndRankZeroTensors) {
  const Tensor empty = array(std::vector<float>{}, {0, 3});
  EXPECT_EQ(empty.size(), 0);
  EXPECT_EQ(empty.ToString(), "[]");
  EXPECT_EQ(scalar(7).item<int>(), 7);
  EXPECT_EQ(scalar(7).rank(), 0);
  EXPECT_TRUE(bool(scalar(true)));
}

TEST(TensorTest, TruthIsNumpys) {
  EXPECT_FALSE(bool(scalar(-0.0f)));
  EXPECT_TRUE(bool(scalar(NAN)));
  EXPECT_TRUE(bool(F32({2}, {1, 1})));
  EXPECT_EQ(ErrorOf([] {
              (void)bool(F32({1, 2}));
            }),
            "[bool] got f32[2], expected one element; use any() or all() to join several");
}

TEST(TensorTest, ReadingErrorsSayWhatWasExpected) {
  const Tensor x = S32({1, 2, 3});
  EXPECT_EQ(
      ErrorOf([&] { x.data<float>(); }),
      "[data] got s32[3], expected f32, the dtype of the C++ type asked for; use another type, "
      "or convert");
  EXPECT_EQ(ErrorOf([&] { x.item<int>(); }),
            "[item] got no index for s32[3], expected 1, or a tensor of one element");
  EXPECT_EQ(ErrorOf([&] { x.item<int>({3}); }),
            "[item] got index 3 for dimension 0 of s32[3], expected -3 to 2");
  EXPECT_EQ(ErrorOf([&] { x.dim(1); }), "[dim] got dimension 1 of s32[3], expected -1 to 0");
  EXPECT_EQ(
      ErrorOf([&] { Tensor().dtype(); }),
      "[dtype] got an undefined Tensor (default-constructed or moved from), expected a value");
}

TEST(TensorTest, SizesAreChecked) {
  const float value = 1;
  EXPECT_EQ(ErrorOf([&] { from_bytes(&value, 4, f32, {2}); }),
            "[from_bytes] got 4 bytes for f32[2], expected 8");
  EXPECT_EQ(ErrorOf([&] { from_bytes(&value, 4, f32, {-1}); }),
            "[from_bytes] got extent -1 for dimension 0, expected 0 or more");
  EXPECT_NE(ErrorOf([&] { from_bytes(&value, 4, f32, {int64_t{1} << 40, int64_t{1} << 40}); }), "");
  EXPECT_NE(ErrorOf([&] { from_bytes(&value, 4, f32, {int64_t{1} << 62}); }), "");
  EXPECT_EQ(ErrorOf([&] { from_bytes(nullptr, 8, f32, {2}); }),
            "[from_bytes] got a null pointer for f32[2], expected 8 bytes");
  from_bytes(nullptr, 0, f32, {0});
  const uint8_t two = 2;
  EXPECT_EQ(ErrorOf([&] { from_bytes(&two, 1, pred, {}); }),
            "[from_bytes] got 2 at byte 0 of pred data, expected 0 to 1");
  const uint8_t narrow[] = {7, 0xf8, 15, 8};
  from_bytes(narrow, 2, DType::kS4, {2});
  EXPECT_EQ(ErrorOf([&] { from_bytes(narrow, 3, DType::kS4, {3}); }),
            "[from_bytes] got 15 at byte 2 of s4 data, expected -8 to 7");
  from_bytes(narrow + 2, 2, DType::kU4, {2});
  EXPECT_EQ(ErrorOf([&] { from_bytes(narrow, 2, DType::kU4, {2}); }),
            "[from_bytes] got 248 at byte 1 of u4 data, expected 0 to 15");
}

TEST(TensorTest, NumbersThatAreNoElementTypeAreErrors) {
  const Tensor x = ones({2});
  for (const int number : {19, 77, 255}) {
    const auto dtype = static_cast<DType>(number);
    const std::string expected = "[dtype] got the number " + std::to_string(number) +
                                 ", expected an element type such as swage::f32";
    const uint8_t byte = 0;
    const std::function<void()> uses[] = {[&] { zeros({2}, dtype); },
                                          [&] { ones({2}, dtype); },
                                          [&] { full({2}, 1, dtype); },
                                          [&] { arange(3, dtype); },
                                          [&] { iota({3}, 0, dtype); },
                                          [&] { convert(x, dtype); },
                                          [&] { bitcast(x, dtype); },
                                          [&] { matmul(x, x, dtype); },
                                          [&] { from_bytes(&byte, 1, dtype, {1}); },
                                          [&] { load_npy("/nonexistent.npy", dtype); },
                                          [&] { DTypeName(dtype); },
                                          [&] { DTypeBytes(dtype); },
                                          [&] {
                                            jit([](Tensor y) { return y; }).warmup({{dtype, {2}}});
                                          }};
    for (const std::function<void()>& use : uses) EXPECT_EQ(ErrorOf(use), expected);
  }
}

TEST(TensorTest, MemoryThatCannotBeAllocatedIsAnError) {
  try {
    zeros({int64_t{1} << 45});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kResourceExhausted);
    EXPECT_THAT(error.what(), HasSubstr("cannot be allocated"));
  }
}

TEST(TensorTest, SmallFloatsRoundToNearestEven) {
  EXPECT_EQ(bfloat16(1.0f).bits, 0x3f80);
  EXPECT_EQ(bfloat16(1.00390625f).bits, 0x3f80);  // a tie
  EXPECT_EQ(bfloat16(1.01171875f).bits, 0x3f82);  // a tie, to even above
  EXPECT_EQ(float16(65504.0f).bits, 0x7bff);
  EXPECT_TRUE(std::isinf(float(float16(65520.0f))));
  EXPECT_EQ(float(float16(5.9604645e-8f)), 5.9604645e-8f);  // the smallest denormal
  EXPECT_EQ(float(float8_e4m3fn(448.0f)), 448.0f);
  EXPECT_TRUE(std::isnan(float(float8_e4m3fn(1000.0f))));
  EXPECT_TRUE(std::isinf(float(float8_e5m2(1e6f))));
}

TEST(TensorTest, NpyFilesRoundTrip) {
  const TempFolder folder;
  const std::string path = folder.path() + "/a.npy";
  save_npy(path, F32({1, 2, 3, 4}, {2, 2}));
  const Tensor back = load_npy(path);
  EXPECT_THAT(back.shape(), ElementsAre(2, 2));
  EXPECT_THAT(back.to_vector<float>(), ElementsAre(1, 2, 3, 4));

  save_npy(path, convert(F32({1.5, -2}), bf16));
  const Tensor half = load_npy(path, bf16);
  EXPECT_EQ(half.dtype(), bf16);
  EXPECT_EQ(float(half.to_vector<bfloat16>()[0]), 1.5f);
  EXPECT_THAT(ErrorOf([&] { load_npy(path, f64); }), HasSubstr(path));
  std::remove(path.c_str());
  try {
    load_npy(path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  }
}

TEST(TensorTest, HandlesShareOneBuffer) {
  const Tensor x = F32({1, 2});
  const Tensor y = x;
  EXPECT_EQ(x.raw_data(), y.raw_data());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(x.raw_data()) % 8, 0u);
}

}  // namespace
}  // namespace swage
