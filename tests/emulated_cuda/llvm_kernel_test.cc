// Whole kernels that LLVM's NVPTX backend prints, on the emulator.
#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "tests/emulated_cuda/llvm_ptx.h"
#include "tests/emulated_cuda/test_driver.h"

namespace swage::emulated_cuda {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr char kDeclarations[] = R"(
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier0()
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32)
declare void @llvm.nvvm.cp.async.ca.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32)
declare {i32, i32, i32, i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3))
declare {float, float, float, float} @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32, i32, i32, i32, i32, i32, float, float, float, float)
)";

CUresult RunIr(TestDriver& driver, const std::string& ir, const LaunchShape& shape,
               std::initializer_list<Arg> args) {
  return driver.Launch(PtxOf(kDeclarations + ir, "sm_80"), "k", shape, args);
}

TEST(LlvmKernel, VectorLoadsAndStores) {
  TestDriver driver;
  std::vector<float> values(4096);
  std::iota(values.begin(), values.end(), 0.0f);
  const DeviceArray<float> x(driver, values), y(driver, std::vector<float>(4096));
  ASSERT_EQ(RunIr(driver, R"(
define ptx_kernel void @k(ptr addrspace(1) noalias readonly align 16 %x, ptr addrspace(1) noalias align 16 %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %o = shl i32 %b, 8
  %i = add i32 %o, %t
  %l = zext i32 %i to i64
  %px = getelementptr <4 x float>, ptr addrspace(1) %x, i64 %l
  %v = load <4 x float>, ptr addrspace(1) %px, align 16
  %w = fmul <4 x float> %v, <float 2.0, float 2.0, float 2.0, float 2.0>
  %py = getelementptr <4 x float>, ptr addrspace(1) %y, i64 %l
  store <4 x float> %w, ptr addrspace(1) %py, align 16
  ret void
})",
                  {.grid = 4, .block = 256}, {x.address(), y.address()}),
            CUDA_SUCCESS)
      << driver.Detail() << driver.load_log();
  const std::vector<float> result = y.Read();
  for (size_t i = 0; i < result.size(); ++i) ASSERT_EQ(result[i], 2 * values[i]);
}

// Each block sums 256 numbers: shuffles within warps, then shared memory.
constexpr char kBlockSum[] = R"(
@partial = internal addrspace(3) global [8 x float] undef, align 4
define ptx_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %y) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %o = shl i32 %b, 8
  %i = add i32 %o, %t
  %px = getelementptr float, ptr addrspace(1) %x, i32 %i
  %v = load float, ptr addrspace(1) %px
  br label %fold
fold:
  %d = phi i32 [16, %entry], [%half, %fold]
  %s = phi float [%v, %entry], [%sum, %fold]
  %other = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %s, i32 %d, i32 31)
  %sum = fadd float %s, %other
  %half = lshr i32 %d, 1
  %more = icmp ne i32 %half, 0
  br i1 %more, label %fold, label %share
share:
  %lane = and i32 %t, 31
  %w = lshr i32 %t, 5
  %first = icmp eq i32 %lane, 0
  br i1 %first, label %write, label %wait
write:
  %pw = getelementptr [8 x float], ptr addrspace(3) @partial, i32 0, i32 %w
  store float %sum, ptr addrspace(3) %pw
  br label %wait
wait:
  BARRIER
  %isfirst = icmp eq i32 %t, 0
  br i1 %isfirst, label %total, label %end
total:
  %k = phi i32 [0, %wait], [%kn, %total]
  %acc = phi float [0.0, %wait], [%accn, %total]
  %pk = getelementptr [8 x float], ptr addrspace(3) @partial, i32 0, i32 %k
  %vk = load float, ptr addrspace(3) %pk
  %accn = fadd float %acc, %vk
  %kn = add i32 %k, 1
  %go = icmp ult i32 %kn, 8
  br i1 %go, label %total, label %store
store:
  %py = getelementptr float, ptr addrspace(1) %y, i32 %b
  store float %accn, ptr addrspace(1) %py
  br label %end
end:
  ret void
})";

std::string BlockSum(const std::string& barrier) {
  std::string ir = kBlockSum;
  return ir.replace(ir.find("BARRIER"), 7, barrier);
}

TEST(LlvmKernel, BlockReduction) {
  for (const char* seed : {"0", "5", "6"}) {
    TestDriver driver;
    driver.Set("EMULATED_CUDA_SEED", seed);
    const DeviceArray<float> x(driver, std::vector<float>(1024, 0.5f)),
        y(driver, std::vector<float>(4));
    ASSERT_EQ(RunIr(driver, BlockSum("call void @llvm.nvvm.barrier0()"), {.grid = 4, .block = 256},
                    {x.address(), y.address()}),
              CUDA_SUCCESS)
        << driver.Detail() << driver.load_log();
    EXPECT_THAT(y.Read(), Each(128.0f));
  }
}

TEST(LlvmKernel, ForgottenBarrierIsFound) {
  for (const char* seed : {"0", "5", "6"}) {
    TestDriver driver;
    driver.Set("EMULATED_CUDA_SEED", seed);
    const DeviceArray<float> x(driver, std::vector<float>(1024, 0.5f)),
        y(driver, std::vector<float>(4));
    EXPECT_EQ(RunIr(driver, BlockSum(""), {.grid = 4, .block = 256}, {x.address(), y.address()}),
              CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_THAT(driver.Detail(),
                ::testing::AnyOf(HasSubstr("uninitialised"), HasSubstr("data race")))
        << seed;
  }
}

TEST(LlvmKernel, LocalArraysSwitchesAndConstants) {
  TestDriver driver;
  const DeviceArray<int32_t> out(driver, std::vector<int32_t>(32));
  ASSERT_EQ(RunIr(driver, R"(
@table = internal addrspace(4) constant [4 x i32] [i32 10, i32 20, i32 30, i32 40]
define ptx_kernel void @k(ptr addrspace(1) %y, {i32, i32} %s) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = alloca [4 x i32]
  %i = and i32 %t, 3
  %pt = getelementptr [4 x i32], ptr addrspace(4) @table, i32 0, i32 %i
  %c = load i32, ptr addrspace(4) %pt
  %p = getelementptr [4 x i32], ptr %a, i32 0, i32 %i
  store volatile i32 %c, ptr %p
  switch i32 %i, label %other [i32 0, label %one i32 1, label %two i32 2, label %one]
one:
  br label %join
two:
  br label %join
other:
  br label %join
join:
  %k = phi i32 [1, %one], [2, %two], [3, %other]
  %l = load volatile i32, ptr %p
  %f = extractvalue {i32, i32} %s, 1
  %m = mul i32 %l, %k
  %n = add i32 %m, %f
  %q = getelementptr i32, ptr addrspace(1) %y, i32 %t
  store i32 %n, ptr addrspace(1) %q
  ret void
})",
                  {.block = 32}, {out.address(), std::pair<int32_t, int32_t>{5, 7}}),
            CUDA_SUCCESS)
      << driver.Detail() << driver.load_log();
  const std::vector<int32_t> result = out.Read();
  const int expected[] = {17, 47, 37, 127};
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(result[i], expected[i % 4]);
}

TEST(LlvmKernel, Atomics) {
  TestDriver driver;
  const DeviceArray<int32_t> out(driver, {0, 0, 0, 100});
  ASSERT_EQ(RunIr(driver, R"(
define ptx_kernel void @k(ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = atomicrmw add ptr addrspace(1) %y, i32 2 monotonic
  %y1 = getelementptr i32, ptr addrspace(1) %y, i32 1
  %b = atomicrmw umax ptr addrspace(1) %y1, i32 %t monotonic
  %y2 = getelementptr i32, ptr addrspace(1) %y, i32 2
  %c = atomicrmw fadd ptr addrspace(1) %y2, float 1.0 monotonic
  %y3 = getelementptr i32, ptr addrspace(1) %y, i32 3
  %d = cmpxchg ptr addrspace(1) %y3, i32 100, i32 %t monotonic monotonic
  ret void
})",
                  {.block = 64}, {out.address()}),
            CUDA_SUCCESS)
      << driver.Detail() << driver.load_log();
  EXPECT_THAT(out.Read(), ::testing::ElementsAre(128, 63, 0x42800000, 0));
}

TEST(LlvmKernel, MatrixInstructions) {
  TestDriver driver;
  // A and B are full of ones (bf16): every element of A * B is 16.
  const DeviceArray<uint16_t> ones(driver, std::vector<uint16_t>(256, 0x3f80));
  const DeviceArray<float> out(driver, std::vector<float>(128));
  ASSERT_EQ(RunIr(driver, R"(
@tile = internal addrspace(3) global [512 x i8] undef, align 16
define ptx_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %o = shl i32 %t, 4
  %s = getelementptr i8, ptr addrspace(3) @tile, i32 %o
  %g = getelementptr i8, ptr addrspace(1) %x, i32 %o
  call void @llvm.nvvm.cp.async.ca.shared.global.16(ptr addrspace(3) %s, ptr addrspace(1) %g)
  call void @llvm.nvvm.cp.async.commit.group()
  call void @llvm.nvvm.cp.async.wait.group(i32 0)
  call void @llvm.nvvm.barrier0()
  %m = call {i32, i32, i32, i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %s)
  %a0 = extractvalue {i32, i32, i32, i32} %m, 0
  %a1 = extractvalue {i32, i32, i32, i32} %m, 1
  %a2 = extractvalue {i32, i32, i32, i32} %m, 2
  %a3 = extractvalue {i32, i32, i32, i32} %m, 3
  %d = call {float, float, float, float} @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32 %a0, i32 %a1, i32 %a2, i32 %a3, i32 %a0, i32 %a1, float 0.0, float 0.0, float 0.0, float 0.0)
  %d0 = extractvalue {float, float, float, float} %d, 0
  %p = getelementptr float, ptr addrspace(1) %y, i32 %t
  store float %d0, ptr addrspace(1) %p
  ret void
})",
                  {.block = 32}, {ones.address(), out.address()}),
            CUDA_SUCCESS)
      << driver.Detail() << driver.load_log();
  std::vector<float> result = out.Read();
  result.resize(32);
  EXPECT_THAT(result, Each(16.0f));
}

}  // namespace
}  // namespace swage::emulated_cuda
