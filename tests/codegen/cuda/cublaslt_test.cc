// Opening cuBLASLt, and how that fails; and whether NVIDIA's own, where it is installed, takes our
// numbers.
#include "codegen/cuda/cublaslt.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/codegen/cuda/matmul_fixture.h"

namespace swage::cuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using CublasLtTest = MatmulTest;
using CublasLtDeathTest = MatmulTest;

TEST_F(CublasLtTest, TheFirstOfTheLibrariesThatIsThereIsOpened) {
  const auto library =
      CublasLt::Open(std::vector<std::string>{"/nowhere/libcublasLt.so.13", EMULATED_LIBCUBLASLT});
  ASSERT_TRUE(library.ok()) << library.status();
  EXPECT_EQ((*library)->path(), EMULATED_LIBCUBLASLT);
  EXPECT_EQ((*library)->version(), "12.8");
}

TEST_F(CublasLtTest, NoLibraryIsAnErrorWithTheReason) {
  const auto none = CublasLt::Open(std::vector<std::string>{"/nowhere/libcublasLt.so.12"});
  EXPECT_EQ(none.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(ErrorOf(none.status()),
              AllOf(HasSubstr("[cuda] no cuBLASLt: "), HasSubstr("/nowhere/libcublasLt.so.12")));
}

TEST_F(CublasLtTest, ALibraryThatLacksFunctionsIsRefusedByName) {
  const auto old = CublasLt::Open(std::vector<std::string>{EMULATED_LIBCUBLASLT_OLD});
  EXPECT_EQ(old.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(ErrorOf(old.status()),
              AllOf(HasSubstr("has no cublasLtMatmulPreferenceCreate (nor 3 others)"),
                    HasSubstr("update it")));
}

TEST_F(CublasLtTest, AHandleThatIsRefusedIsUnavailable) {
  Set("EMULATED_CUBLASLT_FAULT", "no_handle");
  const auto blas = Blas::Create(*device_, *library_);
  EXPECT_EQ(blas.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(ErrorOf(blas.status()),
              HasSubstr("cublasLtCreate: CUBLAS_STATUS_NOT_INITIALIZED (1)"));
}

// Of a process of its own each: the library is opened once.
TEST_F(CublasLtDeathTest, TheEnvironmentNamesTheLibraryOrTurnsItOff) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto exit_with = [](const char* value, const char* path, const char* error) {
    Set("SWAGE_LIBCUBLASLT", value);
    const auto library = CublasLt::Get();
    const std::string text = library.ok() ? (*library)->path() : ErrorOf(library.status());
    const bool right = library.ok() ? text == path : text.find(error) != std::string::npos;
    std::exit(right ? 0 : 1);
  };
  EXPECT_EXIT(exit_with(EMULATED_LIBCUBLASLT, EMULATED_LIBCUBLASLT, "no error"),
              ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(exit_with("off", "", "[cuda] no cuBLASLt: SWAGE_LIBCUBLASLT=off"),
              ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(exit_with("/nowhere/x.so", "", "; SWAGE_LIBCUBLASLT may name a libcublasLt.so.13"),
              ::testing::ExitedWithCode(0), "");
}

// Without a card it makes descriptors, and gives back what they were set to.
TEST(NvidiasCublasLt, TakesTheNumbersAndSizesThatWeDeclare) {
  StatusOr<std::unique_ptr<CublasLt>> opened = CublasLt::Open(std::vector<std::string>{
      "libcublasLt.so.13", "libcublasLt.so.12", "/usr/local/cuda/lib64/libcublasLt.so.13",
      "/usr/local/cuda/lib64/libcublasLt.so.12"});
  if (!opened.ok()) GTEST_SKIP() << "skipped: no cuBLASLt";
  const CublasLt& library = **opened;
  const auto expect_ok = [&](cublasStatus_t result) {
    EXPECT_EQ(result, kBlasSuccess) << library.cublasLtGetStatusName(result);
  };
  EXPECT_STREQ(library.cublasLtGetStatusName(kBlasNotSupported), "CUBLAS_STATUS_NOT_SUPPORTED");
  EXPECT_STREQ(library.cublasLtGetStatusName(kBlasExecutionFailed),
               "CUBLAS_STATUS_EXECUTION_FAILED");

  cublasLtMatmulDesc_t desc = nullptr;
  expect_ok(library.cublasLtMatmulDescCreate(&desc, ComputeType::k32F, CudaDataType::k32F));
  const BlasOperation transpose = BlasOperation::kTranspose;
  for (const auto side : {MatmulDescAttribute::kTransposeA, MatmulDescAttribute::kTransposeB})
    expect_ok(library.cublasLtMatmulDescSetAttribute(desc, side, &transpose, sizeof(transpose)));
  expect_ok(library.cublasLtMatmulDescDestroy(desc));

  cublasLtMatrixLayout_t layout = nullptr;
  expect_ok(library.cublasLtMatrixLayoutCreate(&layout, CudaDataType::k16BF, 4, 5, 6));
  const int32_t batch = 3;
  const int64_t stride = 40;
  expect_ok(library.cublasLtMatrixLayoutSetAttribute(layout, MatrixLayoutAttribute::kBatchCount,
                                                     &batch, sizeof(batch)));
  expect_ok(library.cublasLtMatrixLayoutSetAttribute(layout, MatrixLayoutAttribute::kBatchStride,
                                                     &stride, sizeof(stride)));
  expect_ok(library.cublasLtMatrixLayoutDestroy(layout));

  cublasLtMatmulPreference_t preference = nullptr;
  expect_ok(library.cublasLtMatmulPreferenceCreate(&preference));
  using A = MatmulPreferenceAttribute;
  for (const auto& [attribute, bytes] : {std::pair<A, size_t>{A::kMaxWorkspaceBytes, 8},
                                         {A::kReductionSchemeMask, 4},
                                         {A::kMinAlignmentA, 4},
                                         {A::kMinAlignmentB, 4},
                                         {A::kMinAlignmentC, 4},
                                         {A::kMinAlignmentD, 4},
                                         {A::kImplementationMask, 8}}) {
    const uint64_t value = 16;
    expect_ok(library.cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, bytes));
    EXPECT_NE(
        library.cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, bytes ^ 12),
        kBlasSuccess);
  }
  expect_ok(library.cublasLtMatmulPreferenceDestroy(preference));
}

}  // namespace
}  // namespace swage::cuda
