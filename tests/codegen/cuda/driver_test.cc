// The driver layer on the emulated driver: what works, and each way in which it may fail.
#include "codegen/cuda/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <optional>

#include "codegen/cuda/graph.h"
#include "codegen/cuda/module.h"
#include "tests/codegen/cuda/emulator_fixture.h"

namespace swage::cuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// y[i] += a for the first n, with one thread each.
constexpr char kAdd[] = R"(
.version 7.8
.target sm_80
.address_size 64
.visible .entry add(.param .u64 y, .param .u32 n, .param .f32 a) {
  .reg .pred %p; .reg .u32 %t, %b, %d, %i, %n; .reg .u64 %y, %o; .reg .f32 %v, %a;
  ld.param.u64 %y, [y];
  ld.param.u32 %n, [n];
  ld.param.f32 %a, [a];
  cvta.to.global.u64 %y, %y;
  mov.u32 %t, %tid.x;
  mov.u32 %b, %ctaid.x;
  mov.u32 %d, %ntid.x;
  mad.lo.u32 %i, %b, %d, %t;
  setp.ge.u32 %p, %i, %n;
  @%p bra done;
  mul.wide.u32 %o, %i, 4;
  add.u64 %y, %y, %o;
  ld.global.f32 %v, [%y];
  add.rn.f32 %v, %v, %a;
  st.global.f32 [%y], %v;
done:
  ret;
}
)";

class DriverTest : public EmulatorTest {
 protected:
  // The device; `fault` holds from here on.
  Device& Start(const std::string& fault = "") {
    Device& device = OpenDevice();
    Set("EMULATED_CUDA_FAULT", fault);
    return device;
  }

  // 0, 1, ... 99 on the device, `times` times plus 1.5.
  static StatusOr<std::vector<float>> AddOn(const Stream& stream, int times = 1,
                                            bool graph = false) {
    SWAGE_ASSIGN_OR_RETURN(const Module module, Module::LoadPtx(stream.device(), kAdd));
    return AddOn(stream, module, times, graph);
  }
  static StatusOr<std::vector<float>> AddOn(const Stream& stream, const Module& module, int times,
                                            bool graph) {
    std::vector<float> values(100);
    std::iota(values.begin(), values.end(), 0.0f);
    SWAGE_ASSIGN_OR_RETURN(const Function add, module.Find("add"));
    SWAGE_ASSIGN_OR_RETURN(const DeviceMemory y, DeviceMemory::Allocate(stream, 400));
    SWAGE_RETURN_IF_ERROR(stream.CopyIn(y.pointer(), values.data(), 400));
    CUdeviceptr pointer = y.pointer();
    unsigned n = 100;
    float a = 1.5f;
    void* const parameters[] = {&pointer, &n, &a};
    const auto launches = [&] {
      for (int i = 0; i < times; ++i) {
        SWAGE_RETURN_IF_ERROR(
            add.Launch(stream, {.grid = {4, 1, 1}, .block = {32, 1, 1}}, parameters));
      }
      return OkStatus();
    };
    if (graph) {
      SWAGE_ASSIGN_OR_RETURN(const Graph recorded, Graph::Record(stream, launches));
      SWAGE_RETURN_IF_ERROR(recorded.Launch(stream));
      SWAGE_RETURN_IF_ERROR(stream.Synchronize());
    } else {
      SWAGE_RETURN_IF_ERROR(launches());
    }
    SWAGE_RETURN_IF_ERROR(stream.CopyOut(values.data(), y.pointer(), 400));
    SWAGE_RETURN_IF_ERROR(stream.Synchronize());
    return values;
  }
};

TEST_F(DriverTest, KernelsRunFromTextAndFromWhatTheDriverLinked) {
  Device& device = Start();
  EXPECT_EQ(device.properties().name, "emulator");
  EXPECT_EQ(device.name(), "cuda:0");
  EXPECT_GE(device.properties().major, 8);
  EXPECT_GT(device.properties().multiprocessors, 0);
  const ContextScope scope(device);
  ASSERT_TRUE(scope.status().ok()) << scope.status();
  const auto stream = Stream::Create(device);
  ASSERT_TRUE(stream.ok()) << stream.status();
  const auto cubin = LinkPtx(device, kAdd);
  ASSERT_TRUE(cubin.ok()) << cubin.status();
  for (const bool linked : {false, true}) {
    const auto module = linked ? Module::LoadCubin(device, *cubin) : Module::LoadPtx(device, kAdd);
    ASSERT_TRUE(module.ok()) << module.status();
    const auto values = AddOn(*stream, *module, 1, false);
    ASSERT_TRUE(values.ok()) << values.status();
    for (int i = 0; i < 100; ++i) ASSERT_EQ((*values)[i], static_cast<float>(i) + 1.5f);
  }
}

TEST_F(DriverTest, AGraphIsTheLaunchesThatItRecorded) {
  Device& device = Start();
  const ContextScope scope(device);
  const auto stream = Stream::Create(device);
  ASSERT_TRUE(stream.ok()) << stream.status();
  const auto values = AddOn(*stream, /*times=*/3, /*graph=*/true);
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[7], 7 + 4.5f);
  // A recording that fails leaves the stream as it was.
  const auto failed = Graph::Record(*stream, [] { return Internal("no"); });
  EXPECT_EQ(failed.status().message(), "no");
  EXPECT_TRUE(AddOn(*stream).ok());
}

TEST_F(DriverTest, EventsOrderStreamsAndMeasure) {
  Device& device = Start();
  const ContextScope scope(device);
  const auto first = Stream::Create(device), second = Stream::Create(device);
  ASSERT_TRUE(first.ok() && second.ok());
  const auto memory = DeviceMemory::Allocate(*first, 64);
  const auto copy = DeviceMemory::Allocate(*first, 64);
  const auto host = HostMemory::Allocate(device, 64);
  ASSERT_TRUE(memory.ok() && copy.ok() && host.ok());
  const auto begin = Event::Create(device, true), end = Event::Create(device, true);
  ASSERT_TRUE(begin.ok() && end.ok());
  EXPECT_TRUE(first->Record(*begin).ok());
  EXPECT_TRUE(first->Fill(memory->pointer(), 7, 64).ok());
  EXPECT_TRUE(first->Copy(copy->pointer(), memory->pointer(), 64).ok());
  EXPECT_TRUE(first->Record(*end).ok());
  EXPECT_TRUE(second->Wait(*end).ok());
  EXPECT_TRUE(second->CopyOut(host->data(), copy->pointer(), 64).ok());
  EXPECT_TRUE(second->Synchronize().ok());
  EXPECT_EQ(static_cast<const uint8_t*>(host->data())[63], 7);
  EXPECT_TRUE(end->Synchronize().ok());
  const auto ms = end->ElapsedMs(*begin);
  ASSERT_TRUE(ms.ok()) << ms.status();
  EXPECT_GE(*ms, 0);
}

TEST_F(DriverTest, ResourcesOfAKernelAreRead) {
  Device& device = Start();
  const ContextScope scope(device);
  const auto module = Module::LoadPtx(device, kAdd);
  ASSERT_TRUE(module.ok()) << module.status();
  const auto add = module->Find("add");
  ASSERT_TRUE(add.ok()) << add.status();
  const auto resources = add->ReadResources();
  ASSERT_TRUE(resources.ok()) << resources.status();
  EXPECT_GT(resources->registers, 0);
  EXPECT_EQ(resources->shared_bytes, 0);
  EXPECT_GE(resources->max_threads, 32);
  EXPECT_TRUE(add->AllowSharedBytes(100 << 10).ok());
  EXPECT_FALSE(add->AllowSharedBytes(1 << 20).ok());
  EXPECT_THAT(ErrorOf(module->Find("sub").status()), HasSubstr("asked for 'sub'"));
}

TEST_F(DriverTest, CodeThatTheDriverRefusesIsAnErrorWithItsLog) {
  Device& device = Start();
  const ContextScope scope(device);
  const std::string bad = std::string(kAdd).substr(0, 60) + "  frobnicate %t;\n}";
  for (const Status& status :
       {Module::LoadPtx(device, bad).status(), LinkPtx(device, bad).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(ErrorOf(status),
                AllOf(HasSubstr("CUDA_ERROR_INVALID_PTX"), HasSubstr("\nemulator: ptx line 5: ")));
  }
  EXPECT_THAT(ErrorOf(Module::LoadPtx(device, std::string("\0ptx", 4)).status()),
              HasSubstr("zero byte"));
  EXPECT_TRUE(Module::LoadPtx(device, kAdd).ok());
}

TEST_F(DriverTest, NoDriverIsAnErrorThatSaysWhatToDo) {
  const auto none = Driver::Open(std::vector<std::string>{"/nowhere/libcuda.so.1"});
  EXPECT_EQ(none.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(ErrorOf(none.status()),
              AllOf(HasSubstr("[cuda] no driver: "), HasSubstr("/nowhere/libcuda.so.1")));
}

TEST_F(DriverTest, ADriverThatIsTooOldOrLacksAFunctionIsRefusedByName) {
  Set("EMULATED_CUDA_FAULT", "driver_too_old");
  EXPECT_THAT(ErrorOf(OpenDriver().status()), HasSubstr("expected"));
  EXPECT_EQ(OpenDriver().status().code(), absl::StatusCode::kUnavailable);
  Set("EMULATED_CUDA_FAULT", "symbol_missing=cuLaunchKernel");
  EXPECT_THAT(ErrorOf(OpenDriver().status()), HasSubstr("has no cuLaunchKernel"));
  Set("EMULATED_CUDA_FAULT", "symbol_missing=cuGraphLaunch");
  const auto without_graphs = OpenDriver();
  ASSERT_TRUE(without_graphs.ok()) << without_graphs.status();
  EXPECT_FALSE((*without_graphs)->has_graphs());
  Set("EMULATED_CUDA_FAULT", "no_device");
  EXPECT_EQ(OpenDriver().status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(DriverTest, ADeviceThatIsNotThereIsAnError) {
  Start();
  const auto other = Device::Open(*driver_, 7);
  EXPECT_EQ(other.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(ErrorOf(other.status()), HasSubstr("cuda:7"));
}

TEST_F(DriverTest, OutOfMemorySaysHowMuchIsFreeAndPasses) {
  Device& device = Start();
  const ContextScope scope(device);
  const auto stream = Stream::Create(device);
  ASSERT_TRUE(stream.ok());
  const auto huge = DeviceMemory::Allocate(*stream, int64_t{1} << 50);
  EXPECT_EQ(huge.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(ErrorOf(huge.status()), AllOf(HasSubstr("asked for 1125899906842624 bytes"),
                                            HasSubstr("are free on cuda:0")));
  EXPECT_TRUE(AddOn(*stream).ok());
  Set("EMULATED_CUDA_FAULT", "oom=1");  // once: what streams gave back helps
  EXPECT_TRUE(DeviceMemory::Allocate(*stream, 64).ok());
}

TEST_F(DriverTest, ADeviceOrDriverWithoutPoolsAllocatesWithoutThem) {
  for (const char* fault : {"no_pools", "symbol_missing=cuMemFreeAsync"}) {
    Set("EMULATED_CUDA_FAULT", fault);
    Device& device = Start(fault);
    EXPECT_FALSE(device.properties().memory_pools) << fault;
    const ContextScope scope(device);
    const auto stream = Stream::Create(device);
    ASSERT_TRUE(stream.ok()) << stream.status();
    const auto values = AddOn(*stream);
    ASSERT_TRUE(values.ok()) << values.status();
    EXPECT_EQ((*values)[7], 7 + 1.5f);
  }
  Set("EMULATED_CUDA_FAULT", "");
  EXPECT_TRUE(Start().properties().memory_pools);
}

TEST_F(DriverTest, AfterAKernelErrorTheDeviceIsOfNoUseAndSaysWhy) {
  Device& device = Start();
  {
    const ContextScope scope(device);
    const auto stream = Stream::Create(device);
    ASSERT_TRUE(stream.ok());
    Set("EMULATED_CUDA_FAULT", "kernel_error=1");
    EXPECT_THAT(ErrorOf(AddOn(*stream).status()), HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
    Set("EMULATED_CUDA_FAULT", "");
  }
  const ContextScope scope(device);
  EXPECT_EQ(scope.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(ErrorOf(scope.status()),
              AllOf(HasSubstr("cuda:0 is of no use since an earlier error"),
                    HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS")));
}

TEST_F(DriverTest, ALostDeviceIsAnErrorOfEveryCall) {
  Device& device = Start("device_lost=1");
  const ContextScope scope(device);
  const auto stream = Stream::Create(device);
  const Status status = stream.ok() ? AddOn(*stream).status() : stream.status();
  EXPECT_FALSE(status.ok());
  EXPECT_FALSE(device.Usable().ok());
}

}  // namespace
}  // namespace swage::cuda
