// File: tests/codegen/gpu/cuda_test.h
//
// Tests on device 0: the emulated driver (tests/emulated_cuda), or the one that SWAGE_LIBCUDA
// names. Where there is none they say "skipped: no driver".
#ifndef SWAGE_TESTS_CODEGEN_GPU_CUDA_TEST_H_
#define SWAGE_TESTS_CODEGEN_GPU_CUDA_TEST_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "codegen/gpu/compile.h"
#include "compiler/ir/parser.h"

namespace swage::gpu {

class CudaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!CheckDevice(0).ok()) GTEST_SKIP() << "skipped: no driver";
  }
};

// Of programs as text.
class CudaProgramTest : public CudaTest {
 protected:
  static std::unique_ptr<ir::Module> Parse(const std::string& text) {
    auto module = ir::ParseHlo(text);
    EXPECT_TRUE(module.ok()) << module.status();
    return module.ok() ? *std::move(module) : nullptr;
  }
  static std::shared_ptr<codegen::Executable> CompileText(const std::string& text,
                                                          codegen::EntryStore* store = nullptr) {
    codegen::CompileOptions options;
    options.kernels.store = store;
    auto executable = Compile(Parse(text), 0, options);
    EXPECT_TRUE(executable.ok()) << executable.status();
    return executable.ok() ? *executable : nullptr;
  }
};

}  // namespace swage::gpu

#endif  // SWAGE_TESTS_CODEGEN_GPU_CUDA_TEST_H_
