// File: tests/codegen/cuda/matmul_fixture.h
//
// Matrix products by the emulated cuBLASLt on the emulated driver, for tests.
//
//   class MyTest : public MatmulTest {};
//   TEST_F(MyTest, X) { ExpectRight({.m = 3, .n = 4, .k = 5}); }
#ifndef SWAGE_TESTS_CODEGEN_CUDA_MATMUL_FIXTURE_H_
#define SWAGE_TESTS_CODEGEN_CUDA_MATMUL_FIXTURE_H_

#include <memory>
#include <vector>

#include "base/status.h"
#include "codegen/cuda/blas.h"
#include "tests/codegen/cuda/emulator_fixture.h"

namespace swage::cuda {

class MatmulTest : public EmulatorTest {
 protected:
  MatmulTest();
  ~MatmulTest() override;

  // Handles and descriptors that live in the emulated library.
  static size_t LiveObjects();

  // What a product is run with: the host's copies of the three buffers.
  struct Operands {
    std::vector<double> a, b, c;  // every element of the buffers, gaps included
  };
  // Numbers for `problem`, whose gaps hold NaN, as c does.
  static Operands MakeOperands(const MatmulProblem& problem);
  // Runs `matmul` on `stream`; gives the elements of c's buffer.
  static StatusOr<std::vector<double>> Run(const Matmul& matmul, const Stream& stream,
                                           const Operands& operands);
  // Whether `c` is what the interpreter of this file computes, and its gaps are untouched.
  static void ExpectEqual(const MatmulProblem& problem, const Operands& operands,
                          const std::vector<double>& c);
  // Plans, runs, compares.
  void ExpectRight(const MatmulProblem& problem);

  std::unique_ptr<ContextScope> scope_;
  std::unique_ptr<CublasLt> library_;
  std::unique_ptr<Blas> blas_;
};

}  // namespace swage::cuda

#endif  // SWAGE_TESTS_CODEGEN_CUDA_MATMUL_FIXTURE_H_
