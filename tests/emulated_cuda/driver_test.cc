// The driver's functions: devices, memory, modules, streams, events, graphs.
#include <gmock/gmock.h>

#include <thread>

#include "tests/emulated_cuda/test_driver.h"

namespace swage::emulated_cuda {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StrEq;

// x[i] = a x[i] + 1 for i < n
const std::string kScale = Kernel(".param .u64 x, .param .f32 a, .param .u32 n", R"(
    .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .f32 %f<4>;
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    ld.param.u32 %r5, [n];
    setp.ge.u32 %p1, %r4, %r5;
    @%p1 ret;
    ld.param.u64 %rd1, [x];
    ld.param.f32 %f1, [a];
    mul.wide.u32 %rd2, %r4, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.f32 %f2, [%rd3];
    fma.rn.f32 %f3, %f1, %f2, 0f3F800000;
    st.global.f32 [%rd3], %f3;)");

class DriverTest : public ::testing::Test {
 protected:
  template <typename... Args>
  static CUresult Call(const char* name, Args... args) {
    return TestDriver::Call<Args...>(name, args...);
  }
  CUfunction Scale() {
    CUresult result;
    CUfunction const function = driver_.Load(kScale, "k", &result);
    EXPECT_EQ(result, CUDA_SUCCESS) << driver_.load_log();
    return function;
  }
  static CUstream NewStream(unsigned flags = CU_STREAM_NON_BLOCKING) {
    CUstream stream = nullptr;
    EXPECT_EQ(Call("cuStreamCreate", &stream, flags), CUDA_SUCCESS);
    return stream;
  }
  static CUevent NewEvent() {
    CUevent event = nullptr;
    EXPECT_EQ(Call("cuEventCreate", &event, 0u), CUDA_SUCCESS);
    return event;
  }
  template <typename T>
  static T* Pinned(size_t count) {
    void* pointer = nullptr;
    EXPECT_EQ(Call("cuMemHostAlloc", &pointer, count * sizeof(T), 0u), CUDA_SUCCESS);
    return static_cast<T*>(pointer);
  }
  static int Attribute(CUdevice_attribute attribute) {
    int value = -1;
    EXPECT_EQ(Call("cuDeviceGetAttribute", &value, attribute, CUdevice{0}), CUDA_SUCCESS);
    return value;
  }

  TestDriver driver_;
};

TEST_F(DriverTest, NamesItselfEmulator) {
  int count = 0, version = 0;
  CUdevice device = -1;
  char name[64];
  size_t bytes = 0;
  EXPECT_EQ(Call("cuDeviceGetCount", &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(Call("cuDeviceGet", &device, 0), CUDA_SUCCESS);
  EXPECT_EQ(Call("cuDeviceGet", &device, 1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(Call("cuDeviceGetName", static_cast<char*>(name), 64, device), CUDA_SUCCESS);
  EXPECT_THAT(name, StrEq("emulator"));
  EXPECT_EQ(Call("cuDeviceTotalMem_v2", &bytes, device), CUDA_SUCCESS);
  EXPECT_GT(bytes, size_t{1} << 30);
  EXPECT_EQ(Call("cuDriverGetVersion", &version), CUDA_SUCCESS);
  EXPECT_GE(version, 12000);
  EXPECT_EQ(Attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE), 32);
  EXPECT_EQ(Attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), 8);
  driver_.Set("EMULATED_CUDA_CC", "90");
  EXPECT_EQ(Attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), 9);
}

TEST_F(DriverTest, ErrorsHaveNamesAndTexts) {
  const char* text = nullptr;
  EXPECT_EQ(Call("cuGetErrorName", CUDA_ERROR_ILLEGAL_ADDRESS, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(Call("cuGetErrorString", CUDA_ERROR_OUT_OF_MEMORY, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "out of memory");
  EXPECT_EQ(Call("cuGetErrorName", static_cast<CUresult>(12345), &text), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverTest, FunctionsAreFoundByNameAndVersion) {
  void* function = nullptr;
  int status = -1;
  const auto find = [&](const char* name, int version) {
    return Call<const char*, void**, int, uint64_t, int*>("cuGetProcAddress_v2", name, &function,
                                                          version, 0, &status);
  };
  EXPECT_EQ(find("cuMemAlloc", 12000), CUDA_SUCCESS);
  EXPECT_EQ(function, TestDriver::Symbol("cuMemAlloc_v2"));
  EXPECT_EQ(find("cuGraphInstantiate", 12000), CUDA_SUCCESS);
  EXPECT_EQ(function, TestDriver::Symbol("cuGraphInstantiateWithFlags"));
  EXPECT_EQ(find("cuGetProcAddress", 12000), CUDA_SUCCESS);
  EXPECT_EQ(function, TestDriver::Symbol("cuGetProcAddress_v2"));
  EXPECT_EQ(find("cuMemAllocAsync", 11000), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(status, 2);
  EXPECT_EQ(find("cuNoSuchThing", 12000), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(status, 1);
  EXPECT_EQ(function, nullptr);
}

TEST_F(DriverTest, CallsNeedAContext) {
  std::thread([] {
    CUdeviceptr pointer;
    EXPECT_EQ(Call("cuMemAlloc_v2", &pointer, size_t{16}), CUDA_ERROR_INVALID_CONTEXT);
  }).join();
}

TEST_F(DriverTest, KernelsRun) {
  const DeviceArray<float> x(driver_, std::vector<float>(1000, 2));
  ASSERT_EQ(driver_.Launch(kScale, "k", {.grid = 4, .block = 256}, {x.address(), 3.0f, 1000}),
            CUDA_SUCCESS)
      << driver_.Detail();
  EXPECT_THAT(x.Read(), Each(7.0f));
}

TEST_F(DriverTest, ArgumentsInOneBuffer) {
  const DeviceArray<float> x(driver_, {1, 2});
  struct {
    CUdeviceptr x;
    float a;
    uint32_t n;
  } args{x.address(), 2, 2};
  size_t size = sizeof(args);
  void* extra[] = {reinterpret_cast<void*>(1), &args, reinterpret_cast<void*>(2), &size, nullptr};
  EXPECT_EQ((Call<CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  CUstream, void**, void**>("cuLaunchKernel", Scale(), 1, 1, 1, 32, 1, 1, 0,
                                            nullptr, nullptr, extra)),
            CUDA_SUCCESS);
  EXPECT_THAT(x.Read(), ElementsAre(3, 5));
}

TEST_F(DriverTest, LaunchesOutOfBoundsAreRefused) {
  CUfunction const scale = Scale();
  const DeviceArray<float> x(driver_, {1});
  EXPECT_EQ(driver_.Enqueue(scale, {.grid = 0}, {x.address(), 1.0f, 1}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver_.Enqueue(scale, {.block = 1025}, {x.address(), 1.0f, 1}),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver_.Enqueue(scale, {.shared = 49153}, {x.address(), 1.0f, 1}),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(
      Call("cuFuncSetAttribute", scale, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000),
      CUDA_SUCCESS);
  EXPECT_EQ(driver_.Enqueue(scale, {.shared = 49153}, {x.address(), 1.0f, 1}), CUDA_SUCCESS);
  CUresult result;
  std::string bounded = kScale;
  bounded.insert(bounded.find("\n{"), "\n.maxntid 64, 1, 1");
  CUfunction const limited = driver_.Load(bounded, "k", &result);
  ASSERT_EQ(result, CUDA_SUCCESS) << driver_.load_log();
  int threads = 0;
  EXPECT_EQ(Call("cuFuncGetAttribute", &threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, limited),
            CUDA_SUCCESS);
  EXPECT_EQ(threads, 64);
  EXPECT_EQ(driver_.Enqueue(limited, {.block = 65}, {x.address(), 1.0f, 1}),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverTest, OccupancyKnowsThreadsAndSharedMemory) {
  CUfunction const scale = Scale();
  int blocks = 0, grid = 0, block = 0;
  EXPECT_EQ(Call("cuOccupancyMaxActiveBlocksPerMultiprocessor", &blocks, scale, 256, size_t{0}),
            CUDA_SUCCESS);
  EXPECT_EQ(blocks, 8);
  EXPECT_EQ(
      Call("cuOccupancyMaxActiveBlocksPerMultiprocessor", &blocks, scale, 256, size_t{80 << 10}),
      CUDA_SUCCESS);
  EXPECT_EQ(blocks, 2);
  EXPECT_EQ((Call<int*, int*, CUfunction, size_t (*)(int), size_t, int>(
                "cuOccupancyMaxPotentialBlockSize", &grid, &block, scale, nullptr, 0, 0)),
            CUDA_SUCCESS);
  EXPECT_EQ(block, 1024);
  EXPECT_EQ(grid, 8);
}

TEST_F(DriverTest, NewMemoryIsFullOfRubbish) {
  CUdeviceptr pointer = 0;
  ASSERT_EQ(Call("cuMemAlloc_v2", &pointer, size_t{8}), CUDA_SUCCESS);
  uint32_t words[2];
  ASSERT_EQ((Call<void*, CUdeviceptr, size_t>("cuMemcpyDtoH_v2", words, pointer, 8)), CUDA_SUCCESS);
  EXPECT_THAT(words, Each(0xCDCDCDCDu));
  EXPECT_EQ(Call("cuMemFree_v2", pointer), CUDA_SUCCESS);
  EXPECT_EQ(Call("cuMemFree_v2", pointer), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverTest, CopiesOutsideOfAllocationsAreRefused) {
  const DeviceArray<float> x(driver_, {1, 2});
  float host[4] = {};
  EXPECT_EQ((Call<void*, CUdeviceptr, size_t>("cuMemcpyDtoH_v2", host, x.address(), 12)),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ((Call<CUdeviceptr, const void*, size_t>("cuMemcpyHtoD_v2", x.address() + 4, host, 8)),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Call("cuMemsetD32_v2", x.address(), 7u, size_t{3}), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverTest, OutOfMemory) {
  CUdeviceptr pointer = 0;
  size_t free_bytes = 0, total = 0;
  ASSERT_EQ(Call("cuMemGetInfo_v2", &free_bytes, &total), CUDA_SUCCESS);
  EXPECT_EQ(Call("cuMemAlloc_v2", &pointer, total + 1), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(Call("cuMemAlloc_v2", &pointer, size_t{16}), CUDA_SUCCESS);
}

// --- Streams

TEST_F(DriverTest, WorkIsNotDoneBeforeSomebodyWaits) {
  CUstream const stream = NewStream();
  const DeviceArray<float> x(driver_, {1});
  auto* const host = Pinned<float>(1);
  *host = -1;
  ASSERT_EQ(driver_.Enqueue(Scale(), {}, {x.address(), 2.0f, 1}, stream), CUDA_SUCCESS);
  ASSERT_EQ((Call<void*, CUdeviceptr, size_t, CUstream>("cuMemcpyDtoHAsync_v2", host, x.address(),
                                                        4, stream)),
            CUDA_SUCCESS);
  EXPECT_EQ(*host, -1);
  EXPECT_EQ(Call("cuStreamQuery", stream), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(Call("cuStreamSynchronize", stream), CUDA_SUCCESS);
  EXPECT_EQ(*host, 3);
  EXPECT_EQ(Call("cuStreamQuery", stream), CUDA_SUCCESS);
  EXPECT_EQ((Call<void*>("cuMemFreeHost", host)), CUDA_SUCCESS);
}

TEST_F(DriverTest, PinnedSourcesAreReadWhenTheCopyRuns) {
  CUstream const stream = NewStream();
  const DeviceArray<float> x(driver_, {0});
  auto* const pinned = Pinned<float>(1);
  float pageable = 5;
  *pinned = 5;
  ASSERT_EQ((Call<CUdeviceptr, const void*, size_t, CUstream>("cuMemcpyHtoDAsync_v2", x.address(),
                                                              &pageable, 4, stream)),
            CUDA_SUCCESS);
  pageable = 6;
  ASSERT_EQ(Call("cuStreamSynchronize", stream), CUDA_SUCCESS);
  EXPECT_THAT(x.Read(), ElementsAre(5));
  ASSERT_EQ((Call<CUdeviceptr, const void*, size_t, CUstream>("cuMemcpyHtoDAsync_v2", x.address(),
                                                              pinned, 4, stream)),
            CUDA_SUCCESS);
  *pinned = 6;
  ASSERT_EQ(Call("cuStreamSynchronize", stream), CUDA_SUCCESS);
  EXPECT_THAT(x.Read(), ElementsAre(6));
}

TEST_F(DriverTest, EventsOrderStreamsAndTellTime) {
  CUstream const first = NewStream(), second = NewStream();
  CUevent const start = NewEvent(), done = NewEvent();
  const DeviceArray<float> x(driver_, {1});
  CUfunction const scale = Scale();
  ASSERT_EQ(Call("cuEventRecord", start, first), CUDA_SUCCESS);
  ASSERT_EQ(driver_.Enqueue(scale, {}, {x.address(), 2.0f, 1}, first), CUDA_SUCCESS);
  ASSERT_EQ(Call("cuEventRecord", done, first), CUDA_SUCCESS);
  EXPECT_EQ(Call("cuEventQuery", done), CUDA_ERROR_NOT_READY);
  ASSERT_EQ(Call("cuStreamWaitEvent", second, done, 0u), CUDA_SUCCESS);
  ASSERT_EQ(driver_.Enqueue(scale, {}, {x.address(), 10.0f, 1}, second), CUDA_SUCCESS);
  ASSERT_EQ(Call("cuStreamSynchronize", second), CUDA_SUCCESS);
  EXPECT_EQ(Call("cuEventQuery", done), CUDA_SUCCESS);
  float milliseconds = -1;
  EXPECT_EQ(Call("cuEventElapsedTime", &milliseconds, start, done), CUDA_SUCCESS);
  EXPECT_GE(milliseconds, 0);
  EXPECT_THAT(x.Read(), ElementsAre(31));
}

TEST_F(DriverTest, TheDefaultStreamWaitsForBlockingStreams) {
  CUstream const blocking = NewStream(0), free_stream = NewStream();
  const DeviceArray<float> x(driver_, {1}), y(driver_, {1});
  CUfunction const scale = Scale();
  ASSERT_EQ(driver_.Enqueue(scale, {}, {x.address(), 2.0f, 1}, blocking), CUDA_SUCCESS);
  ASSERT_EQ(driver_.Enqueue(scale, {}, {y.address(), 2.0f, 1}, free_stream), CUDA_SUCCESS);
  EXPECT_THAT(x.Read(), ElementsAre(3));
  EXPECT_THAT(y.Read(), ElementsAre(1));
  EXPECT_EQ((Call<CUstream>("cuStreamSynchronize", nullptr)), CUDA_SUCCESS);
  EXPECT_THAT(y.Read(), ElementsAre(1));
  EXPECT_EQ(Call("cuCtxSynchronize"), CUDA_SUCCESS);
  EXPECT_THAT(y.Read(), ElementsAre(3));
}

TEST_F(DriverTest, MemoryInStreamOrder) {
  CUstream const stream = NewStream();
  const size_t before = driver_.LiveObjects();
  CUdeviceptr pointer = 0;
  ASSERT_EQ(Call("cuMemAllocAsync", &pointer, size_t{64}, stream), CUDA_SUCCESS);
  ASSERT_EQ(Call("cuMemsetD32Async", pointer, 9u, size_t{16}, stream), CUDA_SUCCESS);
  ASSERT_EQ(Call("cuMemFreeAsync", pointer, stream), CUDA_SUCCESS);
  EXPECT_EQ(Call("cuMemFreeAsync", pointer, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver_.LiveObjects(), before + 1);
  ASSERT_EQ(Call("cuStreamSynchronize", stream), CUDA_SUCCESS);
  EXPECT_EQ(driver_.LiveObjects(), before);
}

TEST_F(DriverTest, HostFunctionsRunInOrder) {
  CUstream const stream = NewStream();
  int value = 1;
  const CUhostFn triple = [](void* data) { *static_cast<int*>(data) *= 3; };
  ASSERT_EQ((Call<CUstream, CUhostFn, void*>("cuLaunchHostFunc", stream, triple, &value)),
            CUDA_SUCCESS);
  EXPECT_EQ(value, 1);
  ASSERT_EQ(Call("cuStreamSynchronize", stream), CUDA_SUCCESS);
  EXPECT_EQ(value, 3);
}

TEST_F(DriverTest, EagerStreamsRunAtOnce) {
  driver_.Set("EMULATED_CUDA_STREAMS", "eager");
  int value = 1;
  const CUhostFn triple = [](void* data) { *static_cast<int*>(data) *= 3; };
  ASSERT_EQ((Call<CUstream, CUhostFn, void*>("cuLaunchHostFunc", NewStream(), triple, &value)),
            CUDA_SUCCESS);
  EXPECT_EQ(value, 3);
}

TEST_F(DriverTest, DeadHandlesAreInvalid) {
  CUstream const stream = NewStream();
  ASSERT_EQ(Call("cuStreamDestroy_v2", stream), CUDA_SUCCESS);
  EXPECT_EQ(Call("cuStreamSynchronize", stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(Call("cuStreamDestroy_v2", stream), CUDA_ERROR_INVALID_HANDLE);
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_EQ((Call<CUmodule*, const void*>("cuModuleLoadData", &module, kScale.c_str())),
            CUDA_SUCCESS);
  EXPECT_EQ((Call<CUfunction*, CUmodule, const char*>("cuModuleGetFunction", &function, module,
                                                      "nosuch")),
            CUDA_ERROR_NOT_FOUND);
  ASSERT_EQ(
      (Call<CUfunction*, CUmodule, const char*>("cuModuleGetFunction", &function, module, "k")),
      CUDA_SUCCESS);
  ASSERT_EQ(Call("cuModuleUnload", module), CUDA_SUCCESS);
  EXPECT_EQ(driver_.Enqueue(function, {}, {uint64_t{0}, 1.0f, 0}), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(DriverTest, ManyThreadsAtOnce) {
  CUfunction const scale = Scale();
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      EXPECT_EQ(Call("cuCtxSetCurrent", driver_.context()), CUDA_SUCCESS);
      CUstream const stream = NewStream();
      const DeviceArray<float> x(driver_, std::vector<float>(100, static_cast<float>(t)));
      for (int i = 0; i < 10; ++i)
        EXPECT_EQ(driver_.Enqueue(scale, {.block = 128}, {x.address(), 1.0f, 100}, stream),
                  CUDA_SUCCESS);
      EXPECT_EQ(Call("cuStreamSynchronize", stream), CUDA_SUCCESS);
      EXPECT_THAT(x.Read(), Each(static_cast<float>(t + 10)));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// --- Graphs

TEST_F(DriverTest, GraphsReplayWhatWasCaptured) {
  CUstream const stream = NewStream();
  const DeviceArray<float> x(driver_, {1});
  CUfunction const scale = Scale();
  ASSERT_EQ(Call("cuStreamBeginCapture_v2", stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  CUstreamCaptureStatus status;
  EXPECT_EQ(Call("cuStreamIsCapturing", stream, &status), CUDA_SUCCESS);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(Call("cuStreamSynchronize", stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(driver_.Enqueue(scale, {}, {x.address(), 2.0f, 1}, stream), CUDA_SUCCESS);
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  size_t nodes = 0;
  ASSERT_EQ(Call("cuStreamEndCapture", stream, &graph), CUDA_SUCCESS);
  EXPECT_EQ((Call<CUgraph, void**, size_t*>("cuGraphGetNodes", graph, nullptr, &nodes)),
            CUDA_SUCCESS);
  EXPECT_EQ(nodes, 3u);
  ASSERT_EQ(Call("cuGraphInstantiateWithFlags", &exec, graph, 0ull), CUDA_SUCCESS);
  EXPECT_EQ(Call("cuGraphDestroy", graph), CUDA_SUCCESS);
  EXPECT_THAT(x.Read(), ElementsAre(1));
  ASSERT_EQ(Call("cuGraphLaunch", exec, stream), CUDA_SUCCESS);
  ASSERT_EQ(Call("cuGraphLaunch", exec, stream), CUDA_SUCCESS);
  ASSERT_EQ(Call("cuStreamSynchronize", stream), CUDA_SUCCESS);
  EXPECT_THAT(x.Read(), ElementsAre(127));
  EXPECT_EQ(Call("cuGraphExecDestroy", exec), CUDA_SUCCESS);
  EXPECT_EQ(Call("cuGraphLaunch", exec, stream), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(DriverTest, CapturesForkAndJoinByEvents) {
  CUstream const stream = NewStream(), side = NewStream();
  CUevent const fork = NewEvent(), join = NewEvent();
  const DeviceArray<float> x(driver_, {1});
  CUfunction const scale = Scale();
  ASSERT_EQ(Call("cuStreamBeginCapture_v2", stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  ASSERT_EQ(Call("cuEventRecord", fork, stream), CUDA_SUCCESS);
  ASSERT_EQ(Call("cuStreamWaitEvent", side, fork, 0u), CUDA_SUCCESS);
  ASSERT_EQ(driver_.Enqueue(scale, {}, {x.address(), 2.0f, 1}, side), CUDA_SUCCESS);
  ASSERT_EQ(Call("cuEventRecord", join, side), CUDA_SUCCESS);
  ASSERT_EQ(Call("cuStreamWaitEvent", stream, join, 0u), CUDA_SUCCESS);
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  EXPECT_EQ(Call("cuStreamEndCapture", side, &graph), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  ASSERT_EQ(Call("cuStreamEndCapture", stream, &graph), CUDA_SUCCESS);
  ASSERT_EQ(Call("cuGraphInstantiateWithFlags", &exec, graph, 0ull), CUDA_SUCCESS);
  ASSERT_EQ(Call("cuGraphLaunch", exec, stream), CUDA_SUCCESS);
  ASSERT_EQ(Call("cuStreamSynchronize", stream), CUDA_SUCCESS);
  EXPECT_THAT(x.Read(), ElementsAre(3));
}

TEST_F(DriverTest, CapturesEndWithTheirStream) {
  CUstream const stream = NewStream();
  const size_t before = driver_.LiveObjects();
  CUstream const other = NewStream();
  CUevent const fork = NewEvent();
  ASSERT_EQ(Call("cuStreamBeginCapture_v2", other, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  ASSERT_EQ(Call("cuEventRecord", fork, other), CUDA_SUCCESS);
  EXPECT_EQ(Call("cuEventSynchronize", fork), CUDA_ERROR_CAPTURED_EVENT);
  ASSERT_EQ(Call("cuStreamWaitEvent", stream, fork, 0u), CUDA_SUCCESS);
  EXPECT_EQ(Call("cuStreamDestroy_v2", other), CUDA_SUCCESS);
  EXPECT_EQ(Call("cuEventDestroy_v2", fork), CUDA_SUCCESS);
  EXPECT_EQ(Call("cuStreamSynchronize", stream), CUDA_SUCCESS);
  EXPECT_EQ(driver_.LiveObjects(), before);
}

TEST_F(DriverTest, EventsOfAFinishedCaptureJoinNothing) {
  CUstream const stream = NewStream(), side = NewStream();
  CUevent const fork = NewEvent();
  ASSERT_EQ(Call("cuStreamBeginCapture_v2", stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  ASSERT_EQ(Call("cuEventRecord", fork, stream), CUDA_SUCCESS);
  EXPECT_EQ((Call<CUstream, CUevent, unsigned>("cuStreamWaitEvent", nullptr, fork, 0)),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CUgraph graph = nullptr;
  ASSERT_EQ(Call("cuStreamEndCapture", stream, &graph), CUDA_SUCCESS);
  ASSERT_EQ(Call("cuGraphDestroy", graph), CUDA_SUCCESS);
  ASSERT_EQ(Call("cuStreamWaitEvent", side, fork, 0u), CUDA_SUCCESS);
  CUstreamCaptureStatus status;
  EXPECT_EQ(Call("cuStreamIsCapturing", side, &status), CUDA_SUCCESS);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
}

// --- The linker

TEST_F(DriverTest, TheLinkerGivesPtxThatLoads) {
  CUlinkState link = nullptr;
  void* cubin = nullptr;
  size_t size = 0;
  ASSERT_EQ((Call<unsigned, CUjit_option*, void**, CUlinkState*>("cuLinkCreate_v2", 0, nullptr,
                                                                 nullptr, &link)),
            CUDA_SUCCESS);
  ASSERT_EQ(
      (Call<CUlinkState, CUjitInputType, void*, size_t, const char*, unsigned, CUjit_option*,
            void**>("cuLinkAddData_v2", link, CU_JIT_INPUT_PTX, const_cast<char*>(kScale.c_str()),
                    kScale.size() + 1, "scale", 0, nullptr, nullptr)),
      CUDA_SUCCESS);
  ASSERT_EQ(Call("cuLinkComplete", link, &cubin, &size), CUDA_SUCCESS);
  const std::string kept(static_cast<const char*>(cubin), size);
  ASSERT_EQ(Call("cuLinkDestroy", link), CUDA_SUCCESS);
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_EQ((Call<CUmodule*, const void*>("cuModuleLoadData", &module, kept.data())), CUDA_SUCCESS);
  ASSERT_EQ(
      (Call<CUfunction*, CUmodule, const char*>("cuModuleGetFunction", &function, module, "k")),
      CUDA_SUCCESS);
  const DeviceArray<float> x(driver_, {1});
  ASSERT_EQ(driver_.Enqueue(function, {}, {x.address(), 2.0f, 1}), CUDA_SUCCESS);
  EXPECT_THAT(x.Read(), ElementsAre(3));
}

TEST_F(DriverTest, RealCubinsAreRefused) {
  CUresult result;
  driver_.Load(
      "\x7f"
      "ELF and more",
      "k", &result);
  EXPECT_EQ(result, CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_THAT(driver_.load_log(), HasSubstr("emulator"));
}

}  // namespace
}  // namespace swage::emulated_cuda
