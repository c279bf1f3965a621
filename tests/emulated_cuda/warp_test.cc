// Blocks whose threads work together: barriers, shared memory, warp operations.
#include <gmock/gmock.h>

#include <functional>
#include <numeric>

#include "tests/emulated_cuda/test_driver.h"

namespace swage::emulated_cuda {
namespace {

using ::testing::Each;
using ::testing::ElementsAreArray;

constexpr char kOut[] = ".param .u64 k_param_0";

std::vector<uint32_t> RunBlock(const std::string& ptx, unsigned threads, unsigned blocks = 1,
                               const char* seed = "0") {
  TestDriver driver;
  driver.Set("EMULATED_CUDA_SEED", seed);
  const DeviceArray<uint32_t> out(driver, std::vector<uint32_t>(threads * blocks));
  EXPECT_EQ(driver.Launch(ptx, "k", {.grid = blocks, .block = threads}, {out.address()}),
            CUDA_SUCCESS)
      << driver.Detail() << driver.load_log();
  return out.Read();
}

// Every thread computes %r0 from its lane %r1 and stores it.
std::string PerThread(const std::string& code) {
  return Kernel(kOut, R"(
    .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>;
    mov.u32 %r1, %laneid;
    mov.u32 %r2, %tid.x;
    )" + code + R"(
    ld.param.u64 %rd1, [k_param_0];
    mov.u32 %r10, %ctaid.x;
    mov.u32 %r11, %ntid.x;
    mad.lo.s32 %r12, %r10, %r11, %r2;
    mul.wide.u32 %rd2, %r12, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r0;)");
}

std::vector<uint32_t> Lanes(const std::function<uint32_t(uint32_t)>& value, uint32_t count = 32) {
  std::vector<uint32_t> values;
  for (uint32_t lane = 0; lane < count; ++lane) values.push_back(value(lane));
  return values;
}

TEST(Warp, ShufflesOfEveryMode) {
  EXPECT_THAT(RunBlock(PerThread("shfl.sync.bfly.b32 %r0, %r1, 5, 31, -1;"), 32),
              ElementsAreArray(Lanes([](uint32_t l) { return l ^ 5; })));
  EXPECT_THAT(RunBlock(PerThread("shfl.sync.down.b32 %r0, %r1, 3, 31, -1;"), 32),
              ElementsAreArray(Lanes([](uint32_t l) { return l + 3 < 32 ? l + 3 : l; })));
  EXPECT_THAT(RunBlock(PerThread("shfl.sync.up.b32 %r0, %r1, 3, 0, -1;"), 32),
              ElementsAreArray(Lanes([](uint32_t l) { return l >= 3 ? l - 3 : l; })));
  EXPECT_THAT(RunBlock(PerThread("shfl.sync.idx.b32 %r0, %r1, 7, 31, -1;"), 32), Each(7u));
}

TEST(Warp, ShufflesOfSegments) {
  // Segments of 8: c = (32 - 8) << 8 | 31, and 0 as the clamp of `up`.
  EXPECT_THAT(RunBlock(PerThread("shfl.sync.down.b32 %r0, %r1, 4, 0x181f, -1;"), 32),
              ElementsAreArray(Lanes([](uint32_t l) { return l % 8 < 4 ? l + 4 : l; })));
  EXPECT_THAT(RunBlock(PerThread("shfl.sync.up.b32 %r0, %r1, 4, 0x1800, -1;"), 32),
              ElementsAreArray(Lanes([](uint32_t l) { return l % 8 >= 4 ? l - 4 : l; })));
  EXPECT_THAT(RunBlock(PerThread("shfl.sync.idx.b32 %r0, %r1, 2, 0x181f, -1;"), 32),
              ElementsAreArray(Lanes([](uint32_t l) { return l / 8 * 8 + 2; })));
  // The predicate says whether the source is inside.
  EXPECT_THAT(
      RunBlock(PerThread("shfl.sync.down.b32 %r3|%p1, %r1, 1, 31, -1; selp.u32 %r0, 1, 0, %p1;"),
               32),
      ElementsAreArray(Lanes([](uint32_t l) { return l < 31; })));
}

TEST(Warp, ShufflesOfHalfAWarp) {
  const std::string code = R"(
    mov.u32 %r0, 99;
    setp.lt.u32 %p1, %r1, 16;
    @!%p1 bra $done;
    shfl.sync.bfly.b32 %r0, %r1, 1, 31, 0xffff;
  $done:)";
  EXPECT_THAT(RunBlock(PerThread(code), 32),
              ElementsAreArray(Lanes([](uint32_t l) { return l < 16 ? l ^ 1 : 99; })));
}

TEST(Warp, VotesMatchesAndReductions) {
  const std::string even = "and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0;";
  EXPECT_THAT(RunBlock(PerThread(even + "vote.sync.ballot.b32 %r0, %p1, -1;"), 32),
              Each(0x55555555u));
  EXPECT_THAT(
      RunBlock(PerThread(even + "vote.sync.any.pred %p2, %p1, -1; selp.u32 %r0, 1, 0, %p2;"), 32),
      Each(1u));
  EXPECT_THAT(
      RunBlock(PerThread(even + "vote.sync.all.pred %p2, %p1, -1; selp.u32 %r0, 1, 0, %p2;"), 32),
      Each(0u));
  EXPECT_THAT(
      RunBlock(PerThread(even + "vote.sync.uni.pred %p2, !%p1, -1; selp.u32 %r0, 1, 0, %p2;"), 32),
      Each(0u));
  EXPECT_THAT(RunBlock(PerThread("redux.sync.add.u32 %r0, %r1, -1;"), 32), Each(496u));
  EXPECT_THAT(RunBlock(PerThread("sub.s32 %r3, %r1, 5; redux.sync.min.s32 %r0, %r3, -1;"), 32),
              Each(static_cast<uint32_t>(-5)));
  EXPECT_THAT(RunBlock(PerThread("shr.u32 %r3, %r1, 3; match.any.sync.b32 %r0, %r3, -1;"), 32),
              ElementsAreArray(Lanes([](uint32_t l) { return 0xffu << (l / 8 * 8); })));
}

TEST(Warp, SpecialRegisters) {
  EXPECT_THAT(
      RunBlock(
          PerThread("mov.u32 %r3, %warpid; mov.u32 %r4, %ctaid.x; mad.lo.u32 %r0, %r4, 10, %r3;"),
          64, 2),
      ElementsAreArray(Lanes([](uint32_t i) { return i / 64 * 10 + i % 64 / 32; }, 128)));
  EXPECT_THAT(RunBlock(PerThread("mov.u32 %r0, %lanemask_lt;"), 32),
              ElementsAreArray(Lanes([](uint32_t l) { return (1u << l) - 1; })));
  EXPECT_THAT(RunBlock(PerThread("mov.u32 %r0, WARP_SZ;"), 1), Each(32u));
}

// A sum over a block: shuffles in warps, shared memory between them. The same for all schedules.
std::string BlockSum() {
  return PerThread(R"(
    .shared .align 4 .b8 partial[128];
    .reg .b64 %at<4>;
    mad.lo.u32 %r0, %r2, %r2, 1;
    shfl.sync.bfly.b32 %r3, %r0, 16, 31, -1; add.u32 %r0, %r0, %r3;
    shfl.sync.bfly.b32 %r3, %r0, 8, 31, -1; add.u32 %r0, %r0, %r3;
    shfl.sync.bfly.b32 %r3, %r0, 4, 31, -1; add.u32 %r0, %r0, %r3;
    shfl.sync.bfly.b32 %r3, %r0, 2, 31, -1; add.u32 %r0, %r0, %r3;
    shfl.sync.bfly.b32 %r3, %r0, 1, 31, -1; add.u32 %r0, %r0, %r3;
    mov.u64 %at1, partial;
    setp.ne.u32 %p1, %r1, 0;
    mov.u32 %r4, %warpid;
    mul.wide.u32 %at2, %r4, 4;
    add.u64 %at2, %at1, %at2;
    @!%p1 st.shared.u32 [%at2], %r0;
    bar.sync 0;
    mov.u32 %r0, 0;
    mov.u32 %r5, 0;
    mov.u32 %r6, %nwarpid;
  $loop:
    ld.shared.u32 %r3, [%at1];
    add.u32 %r0, %r0, %r3;
    add.u64 %at1, %at1, 4;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p2, %r5, %r6;
    @%p2 bra $loop;)");
}

TEST(Warp, BlockSumIsTheSameInEverySchedule) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 256; ++i) sum += i * i + 1;
  for (const char* seed : {"0", "1", "2", "12345"})
    EXPECT_THAT(RunBlock(BlockSum(), 256, 3, seed), Each(sum)) << seed;
}

// Blocks take numbers from a counter: the order in which they ran.
TEST(Warp, SeedsShuffleBlocks) {
  const std::string ptx = Kernel(".param .u64 k_param_0", R"(
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [k_param_0];
    atom.global.add.u32 %r1, [%rd1], 1;
    mov.u32 %r2, %ctaid.x;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3+4], %r1;)");
  const auto order = [&](const char* seed) {
    TestDriver driver;
    driver.Set("EMULATED_CUDA_SEED", seed);
    const DeviceArray<uint32_t> out(driver, std::vector<uint32_t>(17));
    EXPECT_EQ(driver.Launch(ptx, "k", {.grid = 16}, {out.address()}), CUDA_SUCCESS)
        << driver.Detail();
    const std::vector<uint32_t> all = out.Read();
    return std::vector<uint32_t>(all.begin() + 1, all.end());
  };
  std::vector<uint32_t> plain(16);
  std::iota(plain.begin(), plain.end(), 0u);
  EXPECT_EQ(order("0"), plain);
  EXPECT_NE(order("1"), plain);
  EXPECT_NE(order("1"), order("2"));
  EXPECT_EQ(order("1"), order("1"));
}

TEST(Warp, DynamicSharedMemoryIsBehindTheStatic) {
  const std::string globals = ".extern .shared .align 16 .b8 dynamic[];\n";
  const std::string ptx = Kernel(kOut, R"(
    .shared .align 4 .b8 fixed[20];
    .reg .b32 %r<8>; .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [k_param_0];
    mov.u64 %rd2, fixed;
    mov.u64 %rd3, dynamic;
    sub.u64 %rd4, %rd3, %rd2;
    cvt.u32.u64 %r1, %rd4;
    st.shared.u32 [%rd3+60], %r1;
    cvta.shared.u64 %rd5, %rd3;
    ld.u32 %r2, [%rd5+60];
    mov.u32 %r3, %dynamic_smem_size;
    st.global.v2.u32 [%rd1], {%r2, %r3};)",
                                 globals);
  TestDriver driver;
  const DeviceArray<uint32_t> out(driver, {0, 0});
  ASSERT_EQ(driver.Launch(ptx, "k", {.shared = 64}, {out.address()}), CUDA_SUCCESS)
      << driver.Detail() << driver.load_log();
  EXPECT_THAT(out.Read(), ElementsAreArray({32u, 64u}));
}

TEST(Warp, LocalConstAndGlobalVariables) {
  const std::string globals =
      ".const .align 4 .b8 table[8] = {1, 0, 0, 0, 2, 1, 0, 0};\n.global .align 4 .u32 counter = "
      "5;\n.global .align 4 .f32 pair[2] = {0f3F800000, 0f40000000};\n";
  const std::string ptx = Kernel(kOut, R"(
    .local .align 8 .b8 __local_depot0[16];
    .reg .b32 %r<8>; .reg .b64 %rd<8>, %SP, %SPL; .reg .f32 %f<4>;
    mov.u64 %SPL, __local_depot0;
    cvta.local.u64 %SP, %SPL;
    add.u64 %rd6, %SP, 8;
    mov.u32 %r1, 44;
    st.u32 [%rd6], %r1;
    ld.local.u32 %r2, [%SPL+8];
    ld.param.u64 %rd1, [k_param_0];
    mov.u64 %rd2, table;
    ld.const.u32 %r3, [%rd2+4];
    ld.global.u32 %r4, [counter];
    ld.global.f32 %f1, [pair+4];
    cvt.rzi.u32.f32 %r5, %f1;
    st.global.v4.u32 [%rd1], {%r2, %r3, %r4, %r5};)",
                                 globals);
  TestDriver driver;
  const DeviceArray<uint32_t> out(driver, {0, 0, 0, 0});
  ASSERT_EQ(driver.Launch(ptx, "k", {}, {out.address()}), CUDA_SUCCESS)
      << driver.Detail() << driver.load_log();
  EXPECT_THAT(out.Read(), ElementsAreArray({44u, 258u, 5u, 2u}));
}

// Threads of one block wait for each other by memory alone.
TEST(Warp, SpinningOnSharedMemoryEnds) {
  const std::string code = R"(
    .shared .align 4 .u32 flag;
    setp.ne.u32 %p1, %r2, 0;
    @!%p1 st.shared.u32 [flag], %r2;
    bar.sync 0;
    @%p1 bra $signal;
  $wait:
    atom.shared.cas.b32 %r3, [flag], 1, 2;
    setp.ne.u32 %p2, %r3, 1;
    @%p2 bra $wait;
    bra $done;
  $signal:
    atom.shared.exch.b32 %r3, [flag], 1;
  $done:
    mov.u32 %r0, 7;)";
  EXPECT_THAT(RunBlock(PerThread(code), 2), Each(7u));
}

TEST(Warp, NamedBarriersOfSomeWarps) {
  // Warps 0 and 1 meet at barrier 1 without the others.
  const std::string code = R"(
    .shared .align 4 .b8 words[256];
    .reg .b64 %at<4>;
    mov.u32 %r0, 5;
    setp.ge.u32 %p1, %r2, 64;
    @%p1 bra $done;
    mov.u64 %at1, words;
    mul.wide.u32 %at2, %r2, 4;
    add.u64 %at2, %at1, %at2;
    st.shared.u32 [%at2], %r2;
    barrier.sync 1, 64;
    xor.b32 %r3, %r2, 63;
    mul.wide.u32 %at2, %r3, 4;
    add.u64 %at2, %at1, %at2;
    ld.shared.u32 %r0, [%at2];
  $done:)";
  EXPECT_THAT(RunBlock(PerThread(code), 128),
              ElementsAreArray(Lanes([](uint32_t i) { return i < 64 ? 63 - i : 5; }, 128)));
}

}  // namespace
}  // namespace swage::emulated_cuda
