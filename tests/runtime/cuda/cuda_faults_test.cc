// What goes wrong on a device is a clear error, and what follows behaves.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/runtime/cuda/cuda_testing.h"

namespace swage {
namespace {

using ::testing::HasSubstr;

// Each in a process of its own: an error may spoil the device for good.
class CudaFaults : public CudaTest {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    CudaTest::SetUp();
  }
};

void Fault(const char* fault) { setenv("EMULATED_CUDA_FAULT", fault, 1); }

// Prints what `fn` throws.
template <typename Fn>
void Print(const Fn& fn) {
  const std::string text = ErrorOf(fn);
  std::fprintf(stderr, "<%s>\n", text.empty() ? "fine" : text.c_str());
}

TEST_F(CudaFaults, OutOfMemoryIsAnErrorAndTheNextCallWorks) {
  EXPECT_EXIT(
      {
        const Tensor x = Numbers({1000});
        Fault("oom=1+");
        Print([&] { x.to(kCuda); });
        Fault("");
        Print([&] { ExpectSame(x.to(kCuda), x); });
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "out of memory.*\n?.*<fine>");
}

TEST_F(CudaFaults, KeptMemoryIsGivenUpBeforeAnAllocationFails) {
  EXPECT_EXIT(
      {
        { const Tensor kept = Numbers({100'000}).to(kCuda); }
        const Tensor x = Numbers({1000});
        Fault("oom=1");
        Print([&] { ExpectSame(x.to(kCuda), x); });
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "<fine>");
}

TEST_F(CudaFaults, IntermediateValuesOfAnEarlierProgramMakeRoomForATensor) {
  EXPECT_EXIT(
      {
        auto f = jit([](Tensor x) { return sum(softmax(x, -1) * x, {0}); }, {.device = kCuda});
        const Tensor x = Numbers({64, 64});
        f(x).to("cpu");
        trim();
        f(x).to("cpu");
        Fault("oom=1");
        Print([&] { ExpectSame(Numbers({777}).to(kCuda), Numbers({777})); });
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "<fine>");
}

TEST_F(CudaFaults, AKernelErrorComesUpWhereResultsAreReadAndTheDeviceSaysSoFromThenOn) {
  EXPECT_EXIT(
      {
        auto f = jit([](Tensor x) { return x + 1; }, {.name = "bad", .device = kCuda});
        const Tensor x = Numbers({8});
        f.warmup(x);
        Fault("kernel_error=1");
        Print([&] { f(x).to("cpu"); });
        Fault("");
        Print([&] { f(x).to("cpu"); });
        // The host is untouched.
        Print([&] { jit([](Tensor x) { return x + 1; })(x); });
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "700.*cuda:0 is of no use since an earlier error.*<fine>");
}

TEST_F(CudaFaults, ARejectedModuleIsAnErrorOfTheCompileAndTheNextOneWorks) {
  EXPECT_EXIT(
      {
        auto f = jit([](Tensor x) { return x * 3; }, {.name = "rejected", .device = kCuda});
        const Tensor x = Numbers({8});
        Fault("module_rejected=1");
        Print([&] { f(x); });
        Fault("");
        Print([&] { ExpectSame(f(x), x * 3); });
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "rejected.*<fine>");
}

TEST_F(CudaFaults, ALostDeviceIsNamedByEveryLaterCall) {
  EXPECT_EXIT(
      {
        auto f = jit([](Tensor x) { return x * 5; }, {.device = kCuda});
        const Tensor x = Numbers({8}).to(kCuda);
        f(x);
        Fault("device_lost=1");
        Print([&] { f(x).to("cpu"); });
        Print([&] { f(x).to("cpu"); });
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "<.*cuda.*>\n<.*cuda:0 is of no use since.*>");
}

TEST(CudaDriver, WithoutOneOnlyTheGpuIsAway) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        // In this process nothing is opened yet.
        setenv("SWAGE_LIBCUDA", "/nowhere/libcuda.so.1", 1);
        Print([&] { Numbers({3}).to(kCuda); });
        Print([&] { jit([](Tensor x) { return x + 1; }, {.device = kCuda})(Numbers({3})); });
        Print([&] { jit([](Tensor x) { return x + 1; })(Numbers({3})); });
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "no driver.*/nowhere.*no driver.*<fine>");
}

TEST_F(CudaFaults, AForkedChildIsToldThatTheDeviceIsNotItsOwn) {
  EXPECT_EXIT(
      {
        const Tensor x = Numbers({3}).to(kCuda);
        if (fork() == 0) {
          Print([&] { x.to("cpu"); });
          Print([&] { jit([](Tensor x) { return x + 1; })(Numbers({3})); });
          _exit(0);
        }
        int status = 0;
        wait(&status);
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "fork.*<fine>");
}

}  // namespace
}  // namespace swage
