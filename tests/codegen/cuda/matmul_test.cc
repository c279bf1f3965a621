// Matrix products by the emulated cuBLASLt: every dtype and way to lie, plans, and each failure.
#include "codegen/cuda/matmul.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "codegen/cuda/graph.h"
#include "tests/codegen/cuda/matmul_fixture.h"

namespace swage::cuda {
namespace {

using ir::DType;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::pair<DType, DType> kTypes[] = {
    {DType::kF32, DType::kF32},   {DType::kF64, DType::kF64}, {DType::kF16, DType::kF16},
    {DType::kBF16, DType::kBF16}, {DType::kF16, DType::kF32}, {DType::kBF16, DType::kF32}};

TEST_F(MatmulTest, EveryDTypeAndTransposeIsRight) {
  for (const auto& [dtype, result] : kTypes) {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        ExpectRight({.dtype = dtype,
                     .result = result,
                     .m = 5,
                     .n = 7,
                     .k = 3,
                     .transpose_a = transpose_a,
                     .transpose_b = transpose_b});
      }
    }
  }
}

TEST_F(MatmulTest, BatchesAndStridesAreRight) {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      const MatmulProblem packed = {.m = 4,
                                    .n = 6,
                                    .k = 5,
                                    .batch = 3,
                                    .transpose_a = transpose_a,
                                    .transpose_b = transpose_b};
      ExpectRight(packed);
      MatmulProblem gaps = packed;
      gaps.row_stride_a = gaps.row_stride_b = gaps.row_stride_c = 9;
      gaps.batch_stride_a = 100;
      gaps.batch_stride_b = 64;
      gaps.batch_stride_c = 41;
      ExpectRight(gaps);
      MatmulProblem between = packed;  // [row][batch][column]
      between.row_stride_c = 3 * 6;
      between.batch_stride_c = 6;
      ExpectRight(between);
      MatmulProblem same = packed;
      same.batch_stride_a = 0;
      ExpectRight(same);
      same = packed;
      same.batch_stride_b = 0;
      ExpectRight(same);
    }
  }
}

TEST_F(MatmulTest, VectorsAndSingleElementsAreRight) {
  ExpectRight({.m = 1, .n = 1, .k = 1});
  ExpectRight({.m = 1, .n = 9, .k = 4});
  ExpectRight({.m = 9, .n = 1, .k = 4});
  ExpectRight({.dtype = DType::kBF16, .m = 1, .n = 1, .k = 300});
}

TEST_F(MatmulTest, WithoutTermsTheResultIsZeros) {
  Set("EMULATED_CUBLASLT_FAULT", "no_algorithm");  // the library is not asked
  ExpectRight({.m = 3, .n = 4, .k = 0});
  ExpectRight({.dtype = DType::kF16, .m = 3, .n = 4, .k = 0, .batch = 2});
  ExpectRight({.m = 3, .n = 4, .k = 0, .batch = 2, .row_stride_c = 5, .batch_stride_c = 19});
}

TEST_F(MatmulTest, WithoutElementsNothingIsDone) {
  Set("EMULATED_CUBLASLT_FAULT", "no_algorithm");
  ExpectRight({.m = 0, .n = 4, .k = 5});
  ExpectRight({.m = 4, .n = 0, .k = 5});
  ExpectRight({.m = 4, .n = 3, .k = 5, .batch = 0});
  ExpectRight({.m = 0, .n = 0, .k = 0});
}

TEST_F(MatmulTest, LongSumsGetAWorkspaceWithinTheBound) {
  MatmulProblem problem = {.m = 3, .n = 5, .k = 200};
  const auto bounded = Matmul::Create(*blas_, problem);
  ASSERT_TRUE(bounded.ok()) << bounded.status();
  EXPECT_GT(bounded->workspace_bytes(), 0);
  EXPECT_EQ(bounded->problem().max_workspace_bytes, 4 << 20);
  ExpectRight(problem);
  problem.max_workspace_bytes = 100;
  const auto without = Matmul::Create(*blas_, problem);
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_EQ(without->workspace_bytes(), 0);
  ExpectRight(problem);
}

// 1 + 2^-12 squared is 1 + 2^-11 + 2^-24; cut to tf32 first, it would be 1.
TEST_F(MatmulTest, F32IsNeverTf32) {
  Set("EMULATED_CUBLASLT_FAULT", "tf32");  // the library offers that first
  const MatmulProblem problem = {.m = 1, .n = 1, .k = 1};
  const auto matmul = Matmul::Create(*blas_, problem);
  ASSERT_TRUE(matmul.ok()) << matmul.status();
  const auto stream = Stream::Create(*device_);
  const double x = 1 + std::ldexp(1, -12);
  const auto c = Run(*matmul, *stream, {.a = {x}, .b = {x}, .c = {0}});
  ASSERT_TRUE(c.ok()) << c.status();
  EXPECT_EQ((*c)[0], static_cast<float>(x * x));
}

// The halves of the sum cancel but for what f16 does not hold next to them.
TEST_F(MatmulTest, SumsOf16BitsAreNotRoundedInParts) {
  const MatmulProblem problem = {.dtype = DType::kF16, .m = 1, .n = 1, .k = 100};
  Operands operands = {.a = std::vector<double>(100, 1), .b = {}, .c = {0}};
  operands.b.assign(50, 41);
  operands.b.resize(100, -41);
  operands.b[0] = 42;  // 2051, which f16 rounds to 2052, less 2050
  const auto matmul = Matmul::Create(*blas_, problem);
  ASSERT_TRUE(matmul.ok()) << matmul.status();
  const auto stream = Stream::Create(*device_);
  const auto c = Run(*matmul, *stream, operands);
  ASSERT_TRUE(c.ok()) << c.status();
  EXPECT_EQ((*c)[0], 1);
}

TEST_F(MatmulTest, WhatTheLibraryCannotDoIsUnimplementedByName) {
  for (const DType dtype : ir::kAllDTypes) {
    if (dtype == DType::kF32 || dtype == DType::kF64 || ir::DTypeBits(dtype) == 0) continue;
    if (dtype == DType::kF16 || dtype == DType::kBF16) continue;
    const auto none = Matmul::Create(*blas_, {.dtype = dtype, .m = 2, .n = 3, .k = 4});
    EXPECT_EQ(none.status().code(), absl::StatusCode::kUnimplemented) << none.status();
    EXPECT_THAT(ErrorOf(none.status()), HasSubstr(absl::StrCat(ToAbsl(DTypeName(dtype)), "[2,4]")));
  }
  const auto narrower =
      Matmul::Create(*blas_, {.dtype = DType::kF32, .result = DType::kF16, .m = 2, .n = 3, .k = 4});
  EXPECT_THAT(ErrorOf(narrower.status()), HasSubstr("f32[2,4] x f32[4,3] to f16"));
  const auto large = Matmul::Create(*blas_, {.m = int64_t{1} << 31, .n = 1, .k = 1});
  EXPECT_EQ(large.status().code(), absl::StatusCode::kUnimplemented);
}

TEST_F(MatmulTest, SizesAreRefusedBeforeTheyAreMultiplied) {
  constexpr int64_t kHuge = int64_t{1} << 40, kMost = (int64_t{1} << 31) - 1;
  const MatmulProblem problems[] = {
      {.m = kHuge, .n = kHuge, .k = kHuge},
      {.m = kHuge, .n = kHuge, .k = 0, .batch = kHuge},
      {.m = 4, .n = 4, .k = 4, .batch = 2, .row_stride_a = int64_t{1} << 62},
  };
  for (const MatmulProblem& problem : problems) {
    const auto none = Matmul::Create(*blas_, problem);
    EXPECT_EQ(none.status().code(), absl::StatusCode::kUnimplemented) << none.status();
  }
  const auto bytes = Matmul::Create(*blas_, {.m = kMost, .n = kMost, .k = 0, .batch = kMost});
  EXPECT_THAT(ErrorOf(bytes.status()), HasSubstr("more bytes than an int64_t counts"));
}

TEST_F(MatmulTest, ProblemsThatMakeNoSenseAreErrorsOfOurs) {
  const MatmulProblem problems[] = {
      {.m = -1, .n = 3, .k = 4},
      {.m = 2, .n = 3, .k = 4, .row_stride_a = 3},
      {.m = 2, .n = 3, .k = 4, .row_stride_c = 2},
      {.m = 2, .n = 3, .k = 4, .batch = 2, .batch_stride_c = 5},
      {.m = 2, .n = 3, .k = 4, .batch = 2, .batch_stride_b = -7},
      {.m = 2, .n = 3, .k = 4, .alignment = 12},
      {.m = 2, .n = 3, .k = 4, .max_workspace_bytes = -5},
  };
  for (const MatmulProblem& problem : problems) {
    const auto none = Matmul::Create(*blas_, problem);
    EXPECT_EQ(none.status().code(), absl::StatusCode::kInternal) << none.status();
  }
}

TEST_F(MatmulTest, NoAlgorithmIsUnimplemented) {
  const MatmulProblem problem = {.m = 2, .n = 3, .k = 4, .transpose_b = true};
  for (const char* fault : {"no_algorithm", "no_results"}) {
    Set("EMULATED_CUBLASLT_FAULT", fault);
    const auto none = Matmul::Create(*blas_, problem);
    EXPECT_EQ(none.status().code(), absl::StatusCode::kUnimplemented) << fault;
    EXPECT_THAT(ErrorOf(none.status()), HasSubstr("; asked for f32[2,4] x f32[3,4]^T"));
  }
  Set("EMULATED_CUBLASLT_FAULT", "first_result_invalid");
  ExpectRight(problem);
}

TEST_F(MatmulTest, AFailedCallIsAnErrorAndPasses) {
  const MatmulProblem problem = {.m = 2, .n = 3, .k = 4};
  Set("EMULATED_CUBLASLT_FAULT", "execution_failed=1");
  const auto matmul = Matmul::Create(*blas_, problem);
  ASSERT_TRUE(matmul.ok()) << matmul.status();
  const auto stream = Stream::Create(*device_);
  const Operands operands = MakeOperands(problem);
  const auto failed = Run(*matmul, *stream, operands);
  EXPECT_EQ(failed.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(ErrorOf(failed.status()),
              AllOf(HasSubstr("CUBLAS_STATUS_EXECUTION_FAILED (13)"), HasSubstr("f32[2,4]")));
  EXPECT_TRUE(device_->Usable().ok());
  EXPECT_TRUE(Run(*matmul, *stream, operands).ok());
}

TEST_F(MatmulTest, AMatrixBeyondItsAllocationIsAnErrorOfTheDevice) {
  const auto stream = Stream::Create(*device_);
  const auto matmul = Matmul::Create(*blas_, {.m = 8, .n = 8, .k = 8});
  ASSERT_TRUE(matmul.ok()) << matmul.status();
  const auto whole = DeviceMemory::Allocate(*stream, 256);
  const auto part = DeviceMemory::Allocate(*stream, 255);
  ASSERT_TRUE(whole.ok() && part.ok());
  EXPECT_TRUE(matmul->Run(*stream, whole->pointer(), part->pointer(), whole->pointer(), 0).ok());
  EXPECT_THAT(ErrorOf(stream->Synchronize()), HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
  // The library cannot say why, the driver can.
  const Status later =
      matmul->Run(*stream, whole->pointer(), whole->pointer(), whole->pointer(), 0);
  EXPECT_THAT(ErrorOf(later), HasSubstr("cublasLtMatmul: CUDA_ERROR_ILLEGAL_ADDRESS"));
  EXPECT_FALSE(device_->Usable().ok());
}

TEST_F(MatmulTest, PointersThatDoNotFitAreErrorsOfOurs) {
  const auto stream = Stream::Create(*device_);
  const auto matmul = Matmul::Create(*blas_, {.m = 8, .n = 8, .k = 100});
  ASSERT_TRUE(matmul.ok() && matmul->workspace_bytes() > 0);
  const auto memory = DeviceMemory::Allocate(*stream, 1 << 16);
  const CUdeviceptr x = memory->pointer();
  EXPECT_EQ(matmul->Run(*stream, x + 4, x, x, x).code(), absl::StatusCode::kInternal);
  EXPECT_EQ(matmul->Run(*stream, x, x, x, 0).code(), absl::StatusCode::kInternal);
  EXPECT_EQ(matmul->Run(*stream, x, x, x, x + 16).code(), absl::StatusCode::kInternal);
  // What the plan was promised is what the library is told.
  MatmulProblem loose = matmul->problem();
  loose.alignment = 4;
  const auto other = Matmul::Create(*blas_, loose);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_TRUE(other->Run(*stream, x + 4, x + 8192, x + 32772, x + 16384).ok());
  EXPECT_TRUE(stream->Synchronize().ok());
}

TEST_F(MatmulTest, ProductsRunInTheOrderOfTheStreamAndInGraphs) {
  const auto stream = Stream::Create(*device_);
  const auto matmul = Matmul::Create(*blas_, {.m = 4, .n = 4, .k = 4});
  ASSERT_TRUE(matmul.ok() && stream.ok());
  const auto memory = DeviceMemory::Allocate(*stream, 192);
  const CUdeviceptr x = memory->pointer(), y = x + 64, z = y + 64;
  const std::vector<float> ones(16, 1.0f);
  const auto two = [&]() -> Status {
    SWAGE_RETURN_IF_ERROR(matmul->Run(*stream, x, x, y, 0));
    SWAGE_RETURN_IF_ERROR(matmul->Run(*stream, x, y, z, 0));
    return stream->Copy(x, z, 64);
  };
  ASSERT_TRUE(stream->CopyIn(x, ones.data(), 64).ok());
  const auto graph = Graph::Record(*stream, two);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_TRUE(graph->Launch(*stream).ok());
  EXPECT_TRUE(graph->Launch(*stream).ok());
  std::vector<float> cube(16);
  EXPECT_TRUE(stream->CopyOut(cube.data(), x, 64).ok());
  EXPECT_TRUE(stream->Synchronize().ok());
  // x^3 is 16 of ones; its cube 16^3 * 16.
  EXPECT_THAT(cube, ::testing::Each(65536.0f));
}

TEST_F(MatmulTest, PlansAreKeptAndTheLeastRecentlyUsedGo) {
  const auto plan = [&](int64_t n) { return *blas_->Plan({.m = 2, .n = n, .k = 3}); };
  const auto first = plan(1), second = plan(2);
  EXPECT_EQ(plan(1), first);
  for (int64_t n = 3; n <= 5; ++n) {
    plan(n);
    EXPECT_EQ(plan(1), first);
  }
  EXPECT_EQ(blas_->plans(), 4u);
  EXPECT_NE(plan(2), second);  // it went; who holds it may go on
  EXPECT_EQ(second->problem().n, 2);
  EXPECT_EQ(plan(5), plan(5));
}

TEST_F(MatmulTest, ThatSomethingIsUnimplementedIsKeptButNoPassingFailure) {
  const MatmulProblem problem = {.m = 2, .n = 3, .k = 4};
  Set("EMULATED_CUBLASLT_FAULT", "no_algorithm");
  EXPECT_EQ(blas_->Plan(problem).status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(blas_->plans(), 1u);
  Set("EMULATED_CUBLASLT_FAULT", "");
  EXPECT_FALSE(blas_->Plan(problem).ok());
  EXPECT_FALSE(blas_->Plan({.m = -2}).ok());
  EXPECT_EQ(blas_->plans(), 1u);
}

TEST_F(MatmulTest, ThreadsShareThePlansOfADevice) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      const ContextScope scope(*device_);
      const auto stream = Stream::Create(*device_);
      ASSERT_TRUE(stream.ok()) << stream.status();
      for (int i = 0; i < 12; ++i) {
        const MatmulProblem problem = {.m = 3, .n = 2 + (i + t) % 6, .k = 4};
        const auto matmul = blas_->Plan(problem);
        ASSERT_TRUE(matmul.ok()) << matmul.status();
        const Operands operands = MakeOperands(problem);
        const auto c = Run(**matmul, *stream, operands);
        ASSERT_TRUE(c.ok()) << c.status();
        ExpectEqual(problem, operands, *c);
        EXPECT_LE(blas_->plans(), 4u);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(MatmulTest, ADeviceHasOneHandleThatGoesWithIt) {
  const auto blas = Blas::Of(*device_);
  ASSERT_TRUE(blas.ok()) << blas.status();
  EXPECT_EQ(*Blas::Of(*device_), *blas);
  EXPECT_TRUE(Matmul::Create(*device_, {.m = 1, .n = 1, .k = 1}).ok());
  EXPECT_EQ(LiveObjects(), 2u);  // this one's, and the fixture's
}

TEST_F(MatmulTest, ALibraryThatDoesNotStartIsAskedOnce) {
  Set("EMULATED_CUBLASLT_FAULT", "no_handle");
  EXPECT_EQ(Blas::Of(*device_).status().code(), absl::StatusCode::kUnavailable);
  Set("EMULATED_CUBLASLT_FAULT", "");
  const Status later = Matmul::Create(*device_, {.m = 1, .n = 1, .k = 1}).status();
  EXPECT_THAT(ErrorOf(later), HasSubstr("CUBLAS_STATUS_NOT_INITIALIZED"));
}

}  // namespace
}  // namespace swage::cuda
