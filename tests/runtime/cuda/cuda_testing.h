// File: tests/runtime/cuda/cuda_testing.h
//
// Tests of cuda:0 (tests/codegen/gpu/cuda_test.h says where they run).
#ifndef SWAGE_TESTS_RUNTIME_CUDA_CUDA_TESTING_H_
#define SWAGE_TESTS_RUNTIME_CUDA_CUDA_TESTING_H_

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "codegen/gpu/cuda_queue.h"
#include "tests/codegen/gpu/cuda_test.h"
#include "tests/runtime/tensor_testing.h"

namespace swage {

inline constexpr char kCuda[] = "cuda:0";

using gpu::CudaTest;

inline gpu::CudaQueue& Queue() { return **gpu::CudaQueue::Get(0); }

// The bits of both are the same.
inline void ExpectSame(const Tensor& a, const Tensor& b) {
  const Tensor x = a.to("cpu"), y = b.to("cpu");
  ASSERT_EQ(x.dtype(), y.dtype());
  ASSERT_EQ(x.shape(), y.shape());
  EXPECT_EQ(std::memcmp(x.raw_data(), y.raw_data(), static_cast<size_t>(x.byte_size())), 0)
      << x << "\n"
      << y;
}

// As dots may differ, which add in any order.
inline void ExpectClose(const Tensor& got, const Tensor& want) {
  const std::vector<float> a = got.to_vector<float>(), b = want.to_vector<float>();
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5) << i;
}

}  // namespace swage

#endif  // SWAGE_TESTS_RUNTIME_CUDA_CUDA_TESTING_H_
