// File: tests/runtime/cuda/cuda_testing.h
//
// Tests of cuda:0 run on the emulated driver (tests/emulated_cuda), or on the one that
// SWAGE_LIBCUDA names. Where there is none they say "skipped: no driver".
#ifndef SWAGE_TESTS_RUNTIME_CUDA_CUDA_TESTING_H_
#define SWAGE_TESTS_RUNTIME_CUDA_CUDA_TESTING_H_

#include <gtest/gtest.h>

#include <string>

#include "codegen/gpu/compile.h"
#include "codegen/gpu/cuda_queue.h"
#include "tests/runtime/tensor_testing.h"

namespace swage {

inline constexpr char kCuda[] = "cuda:0";

class CudaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!gpu::CheckDevice(0).ok()) GTEST_SKIP() << "skipped: no driver";
  }
};

inline gpu::CudaQueue& Queue() { return **gpu::CudaQueue::Get(0); }

// The bits of both are the same.
inline void ExpectSame(const Tensor& a, const Tensor& b) {
  const Tensor x = a.to("cpu"), y = b.to("cpu");
  ASSERT_EQ(x.dtype(), y.dtype());
  ASSERT_EQ(x.shape(), y.shape());
  EXPECT_EQ(std::memcmp(x.raw_data(), y.raw_data(), static_cast<size_t>(x.byte_size())), 0)
      << x << "\n" << y;
}

}  // namespace swage

#endif  // SWAGE_TESTS_RUNTIME_CUDA_CUDA_TESTING_H_
