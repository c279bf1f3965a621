// File: tests/codegen/cuda/emulator_fixture.h
//
// The emulated driver, opened by its path, for the tests of this folder.
//
//   class MyTest : public EmulatorTest {};
//   TEST_F(MyTest, X) { Device& device = OpenDevice(); ... }
#ifndef SWAGE_TESTS_CODEGEN_CUDA_EMULATOR_FIXTURE_H_
#define SWAGE_TESTS_CODEGEN_CUDA_EMULATOR_FIXTURE_H_

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "codegen/cuda/device.h"

namespace swage::cuda {

class EmulatorTest : public ::testing::Test {
 protected:
  EmulatorTest() { Set("EMULATED_CUDA_LOG", "off"); }
  ~EmulatorTest() override { CloseDevice(); }

  // A variable of the environment; empty: none.
  static void Set(const char* name, const std::string& value) {
    value.empty() ? unsetenv(name) : setenv(name, value.c_str(), 1);
  }
  static std::string ErrorOf(const Status& status) { return std::string(status.message()); }
  // A function of a library that is open, or null.
  template <typename Function>
  static Function* Symbol(const char* library, const char* name) {
    void* const opened = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
    return opened == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(opened, name));
  }

  static StatusOr<std::unique_ptr<Driver>> OpenDriver() {
    return Driver::Open(std::vector<std::string>{EMULATED_LIBCUDA});
  }
  Device& OpenDevice() {
    auto driver = OpenDriver();
    EXPECT_TRUE(driver.ok()) << driver.status();
    device_.reset();  // needs its driver
    driver_ = *std::move(driver);
    auto device = Device::Open(*driver_, 0);
    EXPECT_TRUE(device.ok()) << device.status();
    device_ = *std::move(device);
    return *device_;
  }
  // Without faults.
  void CloseDevice() {
    Set("EMULATED_CUDA_FAULT", "");
    device_.reset();
    if (driver_ == nullptr) return;
    // A context that met an error stays as it is otherwise.
    auto* const reset = Symbol<CUresult(CUdevice)>(EMULATED_LIBCUDA, "cuDevicePrimaryCtxReset_v2");
    if (reset != nullptr) reset(0);
  }

  std::unique_ptr<Driver> driver_;
  std::unique_ptr<Device> device_;
};

}  // namespace swage::cuda

#endif  // SWAGE_TESTS_CODEGEN_CUDA_EMULATOR_FIXTURE_H_
