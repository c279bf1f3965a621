// File: tests/emulated_cuda/test_driver.h
//
// The emulated driver as a program sees it: opened with dlopen, every function by name.
//
//   TestDriver driver;                                  // cuInit, context, EMULATED_CUDA_LOG=off
//   DeviceArray<float> x(driver, {1, 2, 3});
//   CUresult result = driver.Launch(ptx, "add", {.grid = 1, .block = 3}, {x.address(), 2.0f});
//   EXPECT_THAT(x.Read(), ElementsAre(...));
//
// A new TestDriver starts with a new context; variables that it set are unset with it.
#ifndef SWAGE_TESTS_EMULATED_CUDA_TEST_DRIVER_H_
#define SWAGE_TESTS_EMULATED_CUDA_TEST_DRIVER_H_

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/emulated_cuda/cuda_types.h"

namespace swage::emulated_cuda {

// One kernel argument.
struct Arg {
  template <typename T>
  Arg(T value) {  // NOLINT: implicit on purpose
    std::memcpy(bytes, &value, sizeof(T));
  }
  alignas(16) uint8_t bytes[16] = {};
};

struct LaunchShape {
  unsigned grid = 1, block = 1, shared = 0;
  unsigned grid_y = 1, block_y = 1;
};

class TestDriver {
 public:
  TestDriver() {
    Set("EMULATED_CUDA_LOG", "off");
    EXPECT_EQ(Call<unsigned>("cuInit", 0u), CUDA_SUCCESS);
    EXPECT_EQ((Call<CUcontext*, CUdevice>("cuDevicePrimaryCtxRetain", &context_, 0)), CUDA_SUCCESS);
    EXPECT_EQ(Call<CUcontext>("cuCtxSetCurrent", context_), CUDA_SUCCESS);
  }
  ~TestDriver() {
    for (const std::string& name : variables_) unsetenv(name.c_str());
    Call<CUdevice>("cuDevicePrimaryCtxReset_v2", 0);
    Call<CUdevice>("cuDevicePrimaryCtxRelease_v2", 0);
  }
  TestDriver(const TestDriver&) = delete;
  TestDriver& operator=(const TestDriver&) = delete;

  // The address of an exported function, or null.
  static void* Symbol(const char* name) {
    static void* const library = dlopen(EMULATED_LIBCUDA, RTLD_NOW | RTLD_LOCAL);
    return library == nullptr ? nullptr : dlsym(library, name);
  }
  // Calls it with exactly these argument types.
  template <typename... Args>
  static CUresult Call(const char* name, Args... args) {
    void* const function = Symbol(name);
    if (function == nullptr) {
      ADD_FAILURE() << name << " is not exported by " << EMULATED_LIBCUDA;
      return CUDA_ERROR_NOT_FOUND;
    }
    return reinterpret_cast<CUresult (*)(Args...)>(function)(args...);
  }

  void Set(const std::string& name, const std::string& value) {
    setenv(name.c_str(), value.c_str(), 1);
    variables_.push_back(name);
  }

  // Loads `ptx` and gives its kernel; the code of the load is in *result.
  CUfunction Load(const std::string& ptx, const char* kernel, CUresult* result) {
    CUmodule module = nullptr;
    char log[4096] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof(log))};
    *result = Call<CUmodule*, const void*, unsigned, CUjit_option*, void**>(
        "cuModuleLoadDataEx", &module, ptx.c_str(), 2, options, values);
    load_log_ = log;
    CUfunction function = nullptr;
    if (*result == CUDA_SUCCESS) {
      *result = Call<CUfunction*, CUmodule, const char*>("cuModuleGetFunction", &function, module,
                                                         kernel);
    }
    return function;
  }

  CUresult Enqueue(CUfunction function, const LaunchShape& shape, std::initializer_list<Arg> args,
                   CUstream stream = nullptr) {
    std::vector<Arg> copies(args);
    std::vector<void*> pointers;
    for (Arg& arg : copies) pointers.push_back(arg.bytes);
    return Call<CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                CUstream, void**, void**>("cuLaunchKernel", function, shape.grid, shape.grid_y, 1u,
                                          shape.block, shape.block_y, 1u, shape.shared, stream,
                                          pointers.data(), nullptr);
  }

  // Loads, launches and waits.
  CUresult Launch(const std::string& ptx, const char* kernel, const LaunchShape& shape,
                  std::initializer_list<Arg> args) {
    CUresult result;
    CUfunction const function = Load(ptx, kernel, &result);
    if (result != CUDA_SUCCESS) return result;
    if (result = Enqueue(function, shape, args); result != CUDA_SUCCESS) return result;
    return Call<>("cuCtxSynchronize");
  }

  std::string Detail() const {
    return reinterpret_cast<const char* (*)()>(Symbol("emulatedCudaLastDetail"))();
  }
  size_t LiveObjects() const {
    return reinterpret_cast<size_t (*)()>(Symbol("emulatedCudaLiveObjects"))();
  }
  const std::string& load_log() const { return load_log_; }
  CUcontext context() const { return context_; }

 private:
  CUcontext context_ = nullptr;
  std::string load_log_;
  std::vector<std::string> variables_;
};

template <typename T>
class DeviceArray {
 public:
  DeviceArray(TestDriver& driver, const std::vector<T>& values) : size_(values.size()) {
    EXPECT_EQ((TestDriver::Call<CUdeviceptr*, size_t>("cuMemAlloc_v2", &address_, bytes())),
              CUDA_SUCCESS)
        << driver.Detail();
    EXPECT_EQ((TestDriver::Call<CUdeviceptr, const void*, size_t>("cuMemcpyHtoD_v2", address_,
                                                                  values.data(), bytes())),
              CUDA_SUCCESS);
  }
  ~DeviceArray() { TestDriver::Call<CUdeviceptr>("cuMemFree_v2", address_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  std::vector<T> Read() const {
    std::vector<T> values(size_);
    EXPECT_EQ((TestDriver::Call<void*, CUdeviceptr, size_t>("cuMemcpyDtoH_v2", values.data(),
                                                            address_, bytes())),
              CUDA_SUCCESS);
    return values;
  }
  CUdeviceptr address() const { return address_; }
  size_t bytes() const { return size_ * sizeof(T); }

 private:
  CUdeviceptr address_ = 0;
  size_t size_;
};

// A module around the body of one kernel `k`; `params` is the text between its parentheses.
inline std::string Kernel(const std::string& params, const std::string& body,
                          const std::string& globals = "") {
  return ".version 7.8\n.target sm_80\n.address_size 64\n" + globals + "\n.visible .entry k(" +
         params + ")\n{\n" + body + "\n\tret;\n}\n";
}

}  // namespace swage::emulated_cuda

#endif  // SWAGE_TESTS_EMULATED_CUDA_TEST_DRIVER_H_
