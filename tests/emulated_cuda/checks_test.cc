// Each check of the emulator finds the bug that is planted for it, and names the place.
#include <gmock/gmock.h>

#include "tests/emulated_cuda/test_driver.h"

namespace swage::emulated_cuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kOut[] = ".param .u64 k_param_0";

class Checks : public ::testing::Test {
 protected:
  // Launches one kernel over 64 words; the result and what the emulator says.
  CUresult Run(const std::string& body, unsigned threads = 64, const std::string& globals = "") {
    const DeviceArray<uint32_t> memory(driver_, std::vector<uint32_t>(64));
    return driver_.Launch(Kernel(kOut, kRegisters + body, globals), "k", {.block = threads},
                          {memory.address()});
  }
  std::string Detail() { return driver_.Detail() + driver_.load_log(); }

  static inline const std::string kRegisters = R"(
    .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<16>;
    .shared .align 4 .b8 words[256];
    ld.param.u64 %rd1, [k_param_0];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    mov.u64 %rd4, words;
    add.s64 %rd5, %rd4, %rd2;
    xor.b32 %r2, %r1, 1;
    mul.wide.u32 %rd6, %r2, 4;
    add.s64 %rd7, %rd4, %rd6;
  )";
  TestDriver driver_;
};

TEST_F(Checks, GoodKernelsRaiseNothing) {
  EXPECT_EQ(Run("st.shared.u32 [%rd5], %r1;\nbar.sync 0;\nld.shared.u32 %r3, "
                "[%rd7];\nst.global.u32 [%rd3], %r3;"),
            CUDA_SUCCESS)
      << Detail();
  EXPECT_EQ(Run("st.shared.u32 [%rd5], %r1;\nbar.warp.sync -1;\nld.shared.u32 %r3, "
                "[%rd7];\nbar.warp.sync -1;\nst.shared.u32 [%rd5], %r3;"),
            CUDA_SUCCESS)
      << Detail();
  // Everybody reads what one wrote, then the next one writes.
  EXPECT_EQ(Run(R"(
    setp.eq.u32 %p1, %r1, 0;
    @%p1 st.shared.u32 [words], %r1;
    bar.sync 0;
    ld.shared.u32 %r3, [words];
    bar.sync 0;
    setp.eq.u32 %p1, %r1, 40;
    @%p1 st.shared.u32 [words], %r1;)"),
            CUDA_SUCCESS)
      << Detail();
}

TEST_F(Checks, GlobalAccessBehindTheEnd) {
  EXPECT_EQ(Run("st.global.u32 [%rd3+4], %r1;"), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(Detail(), AllOf(HasSubstr("kernel k, block (0,0,0), thread (63,0,0)"),
                              HasSubstr("`st.global.u32 [%rd3+4], %r1`"),
                              HasSubstr("0 bytes behind the allocation of 256 bytes")));
}

TEST_F(Checks, GlobalAccessBeforeTheStart) {
  EXPECT_EQ(Run("ld.global.u32 %r3, [%rd3-4];"), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(Detail(),
              AllOf(HasSubstr("thread (0,0,0)"), HasSubstr("4 bytes before the allocation")));
}

TEST_F(Checks, AccessThatStraddlesTheEnd) {
  EXPECT_EQ(Run("setp.eq.u32 %p1, %r1, 62;\n@%p1 ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd3+8];"),
            CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(Checks, GlobalAccessAfterFree) {
  CUdeviceptr freed;
  {
    const DeviceArray<uint32_t> gone(driver_, {1});
    freed = gone.address();
  }
  const std::string ptx = Kernel(kOut,
                                 ".reg .b32 %r<2>; .reg .b64 %rd<2>;\nld.param.u64 %rd1, "
                                 "[k_param_0];\nld.global.u32 %r1, [%rd1];");
  EXPECT_EQ(driver_.Launch(ptx, "k", {}, {freed}), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(Detail(), HasSubstr("which was freed"));
}

TEST_F(Checks, NullAndHostAddresses) {
  int on_host = 0;
  const std::string ptx = Kernel(
      kOut,
      ".reg .b32 %r<2>; .reg .b64 %rd<2>;\nld.param.u64 %rd1, [k_param_0];\nld.u32 %r1, [%rd1];");
  for (int* address : {static_cast<int*>(nullptr), &on_host}) {
    TestDriver driver;
    EXPECT_EQ(driver.Launch(ptx, "k", {}, {address}), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_THAT(driver.Detail(), HasSubstr("is in no allocation"));
  }
}

TEST_F(Checks, MisalignedAccess) {
  EXPECT_EQ(Run("ld.global.u32 %r3, [%rd3+2];"), CUDA_ERROR_MISALIGNED_ADDRESS);
  EXPECT_EQ(TestDriver::Call<CUdevice>("cuDevicePrimaryCtxReset_v2", 0), CUDA_SUCCESS);
  const DeviceArray<uint32_t> memory(driver_, std::vector<uint32_t>(64));
  EXPECT_EQ(driver_.Launch(Kernel(kOut, kRegisters + "ld.global.v2.u32 {%r3, %r4}, [%rd1+4];"), "k",
                           {}, {memory.address()}),
            CUDA_ERROR_MISALIGNED_ADDRESS);
}

TEST_F(Checks, StoreToConstantMemory) {
  EXPECT_EQ(Run("mov.u64 %rd8, table;\ncvta.const.u64 %rd9, %rd8;\nst.u32 [%rd9], %r1;", 1,
                ".const .align 4 .b8 table[4] = {1, 2, 3, 4};\n"),
            CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(Detail(), HasSubstr("a store to constant memory"));
}

TEST_F(Checks, SharedAccessBehindTheEnd) {
  EXPECT_EQ(Run("st.shared.u32 [%rd5+4], %r1;"), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(Detail(), AllOf(HasSubstr("thread (63,0,0)"), HasSubstr("bytes 256 to 260 of 256")));
}

TEST_F(Checks, LocalAccessBehindTheEnd) {
  EXPECT_EQ(Run(".local .align 4 .b8 depot[8];\nmov.u64 %rd8, depot;\nadd.s64 %rd8, %rd8, "
                "%rd2;\nst.local.u32 [%rd8], %r1;"),
            CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(Detail(), HasSubstr("thread (2,0,0)"));
}

TEST_F(Checks, ReadOfUninitialisedSharedMemory) {
  EXPECT_EQ(Run("setp.lt.u32 %p1, %r1, 63;\n@%p1 st.shared.u32 [%rd5], %r1;\nbar.sync "
                "0;\nld.shared.u32 %r3, [%rd5];"),
            CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(Detail(), AllOf(HasSubstr("uninitialised shared memory"),
                              HasSubstr("thread (63,0,0)"), HasSubstr("byte 252")));
}

// A block does not find what the block before it wrote.
TEST_F(Checks, SharedMemoryOfAnotherBlock) {
  const std::string body = kRegisters +
                           "mov.u32 %r5, %ctaid.x;\nsetp.eq.u32 %p1, %r5, 0;\n@%p1 st.shared.u32 "
                           "[%rd5], %r1;\nld.shared.u32 %r3, [%rd5];";
  EXPECT_EQ(driver_.Launch(Kernel(kOut, body), "k", {.grid = 2, .block = 1}, {uint64_t{0}}),
            CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(Detail(), AllOf(HasSubstr("uninitialised"), HasSubstr("block (1,0,0)")));
}

TEST_F(Checks, RaceOfWriteAndRead) {
  for (const char* seed : {"0", "1", "2"}) {
    TestDriver driver;
    driver.Set("EMULATED_CUDA_SEED", seed);
    const DeviceArray<uint32_t> memory(driver, std::vector<uint32_t>(64));
    const std::string ptx =
        Kernel(kOut, kRegisters +
                         "st.shared.u32 [%rd5], %r1;\nbar.sync 0;\nld.shared.u32 %r3, "
                         "[%rd7];\nst.shared.u32 [%rd5], %r3;");
    EXPECT_EQ(driver.Launch(ptx, "k", {.block = 64}, {memory.address()}), CUDA_ERROR_LAUNCH_FAILED)
        << seed;
    EXPECT_THAT(driver.Detail(), HasSubstr("data race on shared memory")) << seed;
  }
}

TEST_F(Checks, RaceOfTwoWrites) {
  EXPECT_EQ(Run("st.shared.u32 [words], %r1;"), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(Detail(),
              AllOf(HasSubstr("data race"),
                    HasSubstr("thread 0 wrote byte 0 with no barrier before thread 1 writes it")));
}

// The first reader is found although others read after it.
TEST_F(Checks, RaceWithOneOfManyReaders) {
  EXPECT_EQ(Run(R"(
    setp.eq.u32 %p1, %r1, 0;
    @%p1 st.shared.u32 [words], %r1;
    bar.sync 0;
    ld.shared.u32 %r3, [words];
    setp.eq.u32 %p1, %r1, 63;
    @%p1 st.shared.u32 [words], %r1;)"),
            CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(Detail(), HasSubstr("data race"));
}

// Within a warp, too, order needs bar.warp.sync; between warps that is not enough.
TEST_F(Checks, RaceBetweenWarpsInSpiteOfWarpBarriers) {
  const std::string body =
      "st.shared.u32 [%rd5], %r1;\nbar.warp.sync -1;\nxor.b32 %r2, %r1, 32;\nmul.wide.u32 %rd6, "
      "%r2, 4;\nadd.s64 %rd7, %rd4, %rd6;\nld.shared.u32 %r3, [%rd7];";
  EXPECT_EQ(Run(body), CUDA_ERROR_LAUNCH_FAILED);
}

TEST_F(Checks, AtomicsDoNotRaceWithEachOther) {
  const std::string start =
      "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [words], 0;\nbar.sync 0;\natom.shared.add.u32 "
      "%r3, [words], 1;\n";
  EXPECT_EQ(Run(start + "bar.sync 0;\nld.shared.u32 %r3, [words];"), CUDA_SUCCESS) << Detail();
  EXPECT_EQ(Run(start + "ld.shared.u32 %r3, [words];"), CUDA_ERROR_LAUNCH_FAILED);
}

TEST_F(Checks, BarrierInABranch) {
  EXPECT_EQ(Run("setp.lt.u32 %p1, %r1, 32;\n@%p1 bra $skip;\nbar.sync 0;\n$skip:"),
            CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(Detail(), AllOf(HasSubstr("divergent barrier: 32 of 64 threads wait"),
                              HasSubstr("32 have exited")));
}

TEST_F(Checks, ThreadsOfOneWarpAtTwoBarriers) {
  EXPECT_EQ(Run("setp.lt.u32 %p1, %r1, 16;\n@%p1 bra $other;\nbar.sync 0;\nbra "
                "$end;\n$other:\nbar.sync 0;\n$end:"),
            CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(Detail(), HasSubstr("divergent barrier"));
}

TEST_F(Checks, ShuffleWithLanesThatExited) {
  EXPECT_EQ(
      Run("setp.ge.u32 %p1, %r1, 20;\n@%p1 ret;\nshfl.sync.down.b32 %r3, %r1, 1, 31, -1;", 32),
      CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(Detail(), AllOf(HasSubstr("divergent warp operation"), HasSubstr("20-31")));
}

TEST_F(Checks, ShuffleWithLanesElsewhere) {
  EXPECT_EQ(Run("setp.lt.u32 %p1, %r1, 4;\n@%p1 bra $sync;\nshfl.sync.down.b32 %r3, %r1, 1, 31, "
                "-1;\n$sync:\nbar.sync 0;",
                32),
            CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(Detail(), AllOf(HasSubstr("divergent warp operation"),
                              HasSubstr("lanes 0-3 of the mask never come")));
}

TEST_F(Checks, ShuffleOfALaneOutsideItsMask) {
  EXPECT_EQ(Run("shfl.sync.bfly.b32 %r3, %r1, 1, 31, 0xff;", 32), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(Detail(), HasSubstr("lane 8 is not in its mask"));
}

TEST_F(Checks, ShuffleFromALaneOutsideTheMask) {
  EXPECT_EQ(
      Run("setp.lt.u32 %p1, %r1, 16;\n@!%p1 ret;\nshfl.sync.bfly.b32 %r3, %r1, 16, 31, 0xffff;",
          32),
      CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(Detail(), HasSubstr("reads lane 16, which is not in the mask"));
}

TEST_F(Checks, ShuffleInABlockThatIsNoWholeWarp) {
  EXPECT_EQ(Run("shfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;", 48), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(Detail(), HasSubstr("lanes 16-31, which the block does not have"));
}

TEST_F(Checks, EndlessLoopsTimeOut) {
  driver_.Set("EMULATED_CUDA_TIMEOUT", "0.1");
  EXPECT_EQ(Run("$again:\nbra $again;", 1), CUDA_ERROR_LAUNCH_TIMEOUT);
}

TEST_F(Checks, TrapsAreErrors) {
  EXPECT_EQ(Run("trap;", 1), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(Detail(), HasSubstr("trapped"));
}

TEST_F(Checks, ErrorsStickUntilTheContextIsReset) {
  EXPECT_EQ(Run("trap;", 1), CUDA_ERROR_LAUNCH_FAILED);
  CUdeviceptr pointer;
  EXPECT_EQ((TestDriver::Call<CUdeviceptr*, size_t>("cuMemAlloc_v2", &pointer, 16)),
            CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(TestDriver::Call<>("cuCtxSynchronize"), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(TestDriver::Call<CUdevice>("cuDevicePrimaryCtxReset_v2", 0), CUDA_SUCCESS);
  EXPECT_EQ(Run("st.global.u32 [%rd3], %r1;"), CUDA_SUCCESS) << Detail();
}

// --- What the reader does not know, it names.

TEST_F(Checks, UnknownInstructionsAreNamed) {
  EXPECT_EQ(Run("vadd.s32.s32.s32 %r3, %r1, %r1;"), CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(driver_.load_log(),
              AllOf(HasSubstr("`vadd`"), HasSubstr("not emulated"), HasSubstr("line ")));
}

TEST_F(Checks, UnknownModifiersAreNamed) {
  EXPECT_EQ(Run("add.foo.s32 %r3, %r1, %r1;"), CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(driver_.load_log(), HasSubstr("the modifier .foo of `add` is not emulated"));
  EXPECT_EQ(Run("ld.global.L9::keep.u32 %r3, [%rd1];"), CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(driver_.load_log(), HasSubstr(".L9::keep"));
}

TEST_F(Checks, WhatIsNotPtxIsNamed) {
  for (const auto& [body, text] : std::vector<std::pair<const char*, const char*>>{
           {"mov.u32 %r3, %nosuch;", "%nosuch"},
           {"mov.u32 %x9, %r1;", "%x9"},
           {"bra $nowhere;", "$nowhere"},
           {"add.s32 %r3, %r1;", "3 operands"},
           {"add.s64 %rd3, %r1, %rd1;", "32 bits"},
           {"mov.u32 %r3, missing;", "missing"},
           {".quux 3;", ".quux"},
           {"add.s32 %r3, %r1, 1", "expected `;`"},
       }) {
    EXPECT_EQ(Run(body), CUDA_ERROR_INVALID_PTX) << body;
    EXPECT_THAT(driver_.load_log(), HasSubstr(text)) << body;
  }
}

// Whatever is cut off, the text is refused; whatever is changed, it is refused or loads, and
// nothing else happens.
TEST_F(Checks, DamagedTextsAreRefused) {
  const std::string ptx = Kernel(kOut, kRegisters + R"(
    setp.lt.u32 %p1|%p2, %r1, 3;
    @%p1 bra $there;
    shfl.sync.bfly.b32 %r3|%p3, %r1, 1, 31, -1;
    mov.b64 {%r4, %r5}, %rd1;
    ld.shared.v2.u32 {%r6, %r7}, [words+8];
  $there:
    fma.rn.f32 %r3, %r3, 0f3F800000, %r3;)",
                                 ".const .align 4 .b8 table[4] = {1, 2, 3, 4};\n");
  CUresult result;
  driver_.Load(ptx, "k", &result);
  ASSERT_EQ(result, CUDA_SUCCESS) << driver_.load_log();
  const std::string body = ptx.substr(0, ptx.rfind('}'));
  for (size_t length = 0; length < body.size(); ++length) {
    driver_.Load(ptx.substr(0, length), "k", &result);
    EXPECT_NE(result, CUDA_SUCCESS) << ptx.substr(0, length);
  }
  for (size_t at = 0; at < ptx.size(); at += 3) {
    std::string damaged = ptx;
    damaged[at] = ";,{}[]%.x0"[at % 10];
    driver_.Load(damaged, "k", &result);
  }
}

TEST_F(Checks, ModulesForANewerCardAreRefused) {
  CUresult result;
  driver_.Load(".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n",
               "k", &result);
  EXPECT_EQ(result, CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_THAT(driver_.load_log(), HasSubstr("sm_90"));
}

}  // namespace
}  // namespace swage::emulated_cuda
