// Faults on demand: each gives the driver's code, and later calls behave.
#include <gmock/gmock.h>

#include "tests/emulated_cuda/test_driver.h"

namespace swage::emulated_cuda {
namespace {

using ::testing::HasSubstr;

const std::string kNothing = Kernel("", "");

class FaultTest : public ::testing::Test {
 protected:
  template <typename... Args>
  static CUresult Call(const char* name, Args... args) {
    return TestDriver::Call<Args...>(name, args...);
  }
  void Inject(const std::string& fault) { driver_.Set("EMULATED_CUDA_FAULT", fault); }
  CUresult Find(const char* name) {
    void* function = nullptr;
    int status = 0;
    return Call<const char*, void**, int, uint64_t, int*>("cuGetProcAddress_v2", name, &function,
                                                          12000, 0, &status);
  }
  CUresult Allocate() {
    CUdeviceptr pointer = 0;
    return Call("cuMemAlloc_v2", &pointer, size_t{16});
  }
  TestDriver driver_;
};

TEST_F(FaultTest, NoDevice) {
  Inject("no_device");
  EXPECT_EQ(Call("cuInit", 0u), CUDA_ERROR_NO_DEVICE);
}

TEST_F(FaultTest, DriverTooOld) {
  Inject("driver_too_old");
  int version = 0;
  EXPECT_EQ(Call("cuDriverGetVersion", &version), CUDA_SUCCESS);
  EXPECT_EQ(version, 11020);
  EXPECT_EQ(Find("cuGraphInstantiate"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(Find("cuMemAlloc"), CUDA_SUCCESS);
}

TEST_F(FaultTest, NoPools) {
  const auto pools = [&] {
    int value = -1;
    EXPECT_EQ(Call("cuDeviceGetAttribute", &value, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
                   CUdevice{0}),
              CUDA_SUCCESS);
    return value;
  };
  EXPECT_EQ(pools(), 1);
  Inject("no_pools");
  EXPECT_EQ(pools(), 0);
  CUdeviceptr pointer = 0;
  EXPECT_EQ(Call("cuMemAllocAsync", &pointer, size_t{16}, CUstream{nullptr}),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(Allocate(), CUDA_SUCCESS);
}

TEST_F(FaultTest, SymbolMissing) {
  Inject("symbol_missing=cuLaunchKernel");
  EXPECT_EQ(Find("cuLaunchKernel"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(Find("cuMemAlloc"), CUDA_SUCCESS);
}

TEST_F(FaultTest, OutOfMemoryAtTheThirdAllocation) {
  Inject("oom=3");
  EXPECT_EQ(Allocate(), CUDA_SUCCESS);
  EXPECT_EQ(Allocate(), CUDA_SUCCESS);
  EXPECT_EQ(Allocate(), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(Allocate(), CUDA_SUCCESS);
  Inject("oom=1+");
  EXPECT_EQ(Allocate(), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(Allocate(), CUDA_ERROR_OUT_OF_MEMORY);
}

TEST_F(FaultTest, KernelErrorSticksUntilReset) {
  Inject("kernel_error=2");
  EXPECT_EQ(driver_.Launch(kNothing, "k", {}, {}), CUDA_SUCCESS);
  EXPECT_EQ(driver_.Launch(kNothing, "k", {}, {}), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(driver_.Detail(), HasSubstr("injected"));
  EXPECT_EQ(Allocate(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(Call("cuDevicePrimaryCtxReset_v2", CUdevice{0}), CUDA_SUCCESS);
  EXPECT_EQ(driver_.Launch(kNothing, "k", {}, {}), CUDA_SUCCESS);
}

TEST_F(FaultTest, ModuleRejected) {
  Inject("module_rejected=1");
  CUresult result;
  driver_.Load(kNothing, "k", &result);
  EXPECT_EQ(result, CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(driver_.load_log(), HasSubstr("rejected"));
  driver_.Load(kNothing, "k", &result);
  EXPECT_EQ(result, CUDA_SUCCESS);
}

TEST_F(FaultTest, DeviceLost) {
  Inject("device_lost=2");
  EXPECT_EQ(Allocate(), CUDA_SUCCESS);
  EXPECT_EQ(Allocate(), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(Call("cuCtxSynchronize"), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(Call("cuDevicePrimaryCtxReset_v2", CUdevice{0}), CUDA_ERROR_DEVICE_UNAVAILABLE);
  Inject("");
  EXPECT_EQ(Call("cuDevicePrimaryCtxReset_v2", CUdevice{0}), CUDA_SUCCESS);
  EXPECT_EQ(Allocate(), CUDA_SUCCESS);
}

TEST_F(FaultTest, ANameThatIsNoFaultIsNotIgnored) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        Inject("no_devices");
        Call("cuInit", 0u);
      },
      ::testing::ExitedWithCode(3), "EMULATED_CUDA_FAULT: 'no_devices' is no fault");
}

TEST_F(FaultTest, DetailsGoToTheLog) {
  const std::string path = ::testing::TempDir() + "emulated_cuda.log";
  std::remove(path.c_str());
  driver_.Set("EMULATED_CUDA_LOG", path);
  Inject("oom=1");
  EXPECT_EQ(Allocate(), CUDA_ERROR_OUT_OF_MEMORY);
  std::FILE* const file = std::fopen(path.c_str(), "r");
  ASSERT_NE(file, nullptr);
  char line[256] = "";
  EXPECT_NE(std::fgets(line, sizeof(line), file), nullptr);
  std::fclose(file);
  EXPECT_THAT(line, HasSubstr("error 2: allocation of 16 bytes (injected)"));
  std::remove(path.c_str());
}

}  // namespace
}  // namespace swage::emulated_cuda
