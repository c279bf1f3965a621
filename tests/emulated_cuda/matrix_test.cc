// mma.sync, ldmatrix and cp.async, with layouts written down a second time from the PTX manual.
#include <gmock/gmock.h>

#include <bit>
#include <random>

#include "tests/emulated_cuda/ptxas.h"
#include "tests/emulated_cuda/test_driver.h"

namespace swage::emulated_cuda {
namespace {

using ::testing::HasSubstr;

uint16_t Bfloat(float value) { return static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16); }

// Small whole numbers as f16.
uint16_t Half(int value) {
  if (value == 0) return 0;
  const int magnitude = std::abs(value);
  const int exponent = std::bit_width(static_cast<unsigned>(magnitude)) - 1;
  return static_cast<uint16_t>((value < 0 ? 0x8000 : 0) | (exponent + 15) << 10 |
                               (magnitude << (10 - exponent) & 1023));
}

// The fragment element i of lane `lane`, as the manual's figures for m16n8k16 give row and column.
struct Place {
  int row, column;
};
Place PlaceOfA(int lane, int i) {
  const int group = lane >> 2, in_group = lane % 4;
  const bool upper = (i >= 0 && i < 2) || (i >= 4 && i < 6);
  return {upper ? group : group + 8, i < 4 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8};
}
Place PlaceOfB(int lane, int i) {
  const int group = lane >> 2, in_group = lane % 4;
  return {i < 2 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8, group};
}
Place PlaceOfC(int lane, int i) {
  const int group = lane >> 2, in_group = lane % 4;
  return {i < 2 ? group : group + 8, in_group * 2 + (i & 1)};
}

struct Matrices {
  int a[16][16], b[16][8], c[16][8];
  Matrices() {
    std::mt19937 random(7);
    const auto fill = [&](auto& matrix) {
      for (auto& row : matrix) {
        for (int& value : row) value = static_cast<int>(random() % 17) - 8;
      }
    };
    fill(a);
    fill(b);
    fill(c);
  }
  int Product(int row, int column, int depth) const {
    int sum = c[row][column];
    for (int k = 0; k < depth; ++k) sum += a[row][k] * b[k][column];
    return sum;
  }
};

// Lane l reads its ten words from 16 l on, and writes its four results there.
std::string MmaModule(const std::string& instruction) {
  return Kernel(".param .u64 k_param_0", R"(
    .reg .b32 %r<8>; .reg .b32 %a<4>; .reg .b32 %b<2>; .reg .f32 %c<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [k_param_0];
    mov.u32 %r1, %laneid;
    mul.wide.u32 %rd2, %r1, 64;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.v4.u32 {%a0, %a1, %a2, %a3}, [%rd3];
    ld.global.v2.u32 {%b0, %b1}, [%rd3+16];
    ld.global.v4.f32 {%c0, %c1, %c2, %c3}, [%rd3+32];
    )" + instruction + R"(
    st.global.v4.f32 [%rd3], {%c0, %c1, %c2, %c3};)");
}

void CheckMma(const std::string& type, int depth, const std::string& instruction) {
  TestDriver driver;
  const Matrices matrices;
  const auto small = [&](int value) {
    return type == "bf16" ? Bfloat(static_cast<float>(value)) : Half(value);
  };
  std::vector<uint32_t> words(32 * 16);
  for (int lane = 0; lane < 32; ++lane) {
    uint32_t* const own = words.data() + 16 * lane;
    for (int i = 0; i < depth / 2; ++i) {
      const Place place = PlaceOfA(lane, i);
      own[i / 2] |= static_cast<uint32_t>(small(matrices.a[place.row][place.column]))
                    << (16 * (i % 2));
    }
    for (int i = 0; i < depth / 4; ++i) {
      const Place place = PlaceOfB(lane, i);
      own[4 + i / 2] |= static_cast<uint32_t>(small(matrices.b[place.row][place.column]))
                        << (16 * (i % 2));
    }
    for (int i = 0; i < 4; ++i) {
      const Place place = PlaceOfC(lane, i);
      own[8 + i] = std::bit_cast<uint32_t>(static_cast<float>(matrices.c[place.row][place.column]));
    }
  }
  const std::string ptx = MmaModule(instruction);
  ExpectPtxasAccepts(ptx, "sm_80");
  const DeviceArray<uint32_t> memory(driver, words);
  ASSERT_EQ(driver.Launch(ptx, "k", {.block = 32}, {memory.address()}), CUDA_SUCCESS)
      << driver.Detail() << driver.load_log();
  const std::vector<uint32_t> results = memory.Read();
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const Place place = PlaceOfC(lane, i);
      EXPECT_EQ(std::bit_cast<float>(results[static_cast<size_t>(16 * lane + i)]),
                static_cast<float>(matrices.Product(place.row, place.column, depth)))
          << "lane " << lane << ", element " << i;
    }
  }
}

TEST(Matrix, MmaOfBfloat) {
  CheckMma("bf16", 16,
           "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%c0,%c1,%c2,%c3}, "
           "{%a0,%a1,%a2,%a3}, {%b0,%b1}, {%c0,%c1,%c2,%c3};");
}

TEST(Matrix, MmaOfHalf) {
  CheckMma("f16", 16,
           "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c0,%c1,%c2,%c3}, "
           "{%a0,%a1,%a2,%a3}, {%b0,%b1}, {%c0,%c1,%c2,%c3};");
}

TEST(Matrix, MmaOfHalfTheDepth) {
  CheckMma("bf16", 8,
           "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%c0,%c1,%c2,%c3}, {%a0,%a1}, "
           "{%b0}, {%c0,%c1,%c2,%c3};");
}

TEST(Matrix, MmaWithoutAWholeWarpIsAnError) {
  TestDriver driver;
  const DeviceArray<uint32_t> memory(driver, std::vector<uint32_t>(512));
  const std::string ptx = MmaModule(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c0,%c1,%c2,%c3}, {%a0,%a1,%a2,%a3}, "
      "{%b0,%b1}, {%c0,%c1,%c2,%c3};");
  EXPECT_EQ(driver.Launch(ptx, "k", {.block = 16}, {memory.address()}), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(driver.Detail(), HasSubstr("divergent warp operation"));
}

TEST(Matrix, FormsOfMmaThatAreNotThereAreNamed) {
  TestDriver driver;
  CUresult result;
  driver.Load(MmaModule("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%c0,%c1,%c2,%c3}, "
                        "{%a0,%a1,%a2,%a3}, {%b0,%b1}, {%c0,%c1,%c2,%c3};"),
              "k", &result);
  EXPECT_EQ(result, CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(driver.load_log(), HasSubstr("tf32"));
}

// Shared memory holds 32 rows of 8 b16, element = 100 row + column; lane l names row l.
std::string LoadMatrixModule(const std::string& instruction) {
  return Kernel(".param .u64 k_param_0", R"(
    .shared .align 16 .b8 rows[512];
    .reg .b32 %r<8>; .reg .b16 %h<8>; .reg .b64 %rd<8>; .reg .b32 %m<4>; .reg .pred %p<2>;
    ld.param.u64 %rd1, [k_param_0];
    mov.u32 %r1, %laneid;
    mul.wide.u32 %rd2, %r1, 16;
    mov.u64 %rd3, rows;
    add.s64 %rd4, %rd3, %rd2;
    mul.lo.u32 %r2, %r1, 100;
    mov.u32 %r3, 0;
    mov.u64 %rd5, %rd4;
  $fill:
    cvt.u16.u32 %h1, %r2;
    st.shared.u16 [%rd5], %h1;
    add.s64 %rd5, %rd5, 2;
    add.u32 %r2, %r2, 1;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, 8;
    @%p1 bra $fill;
    bar.warp.sync -1;
    mov.u32 %m0, 0; mov.u32 %m1, 0; mov.u32 %m2, 0; mov.u32 %m3, 0;
    )" + instruction + R"(
    add.s64 %rd6, %rd1, %rd2;
    st.global.v4.u32 [%rd6], {%m0, %m1, %m2, %m3};)");
}

void CheckLoadMatrix(int count, bool transposed) {
  TestDriver driver;
  const std::string registers = count == 4   ? "{%m0, %m1, %m2, %m3}"
                                : count == 2 ? "{%m0, %m1}"
                                             : "{%m0}";
  const std::string ptx =
      LoadMatrixModule("ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
                       (transposed ? ".trans" : "") + ".shared.b16 " + registers + ", [%rd4];");
  ExpectPtxasAccepts(ptx, "sm_80");
  const DeviceArray<uint32_t> out(driver, std::vector<uint32_t>(128));
  ASSERT_EQ(driver.Launch(ptx, "k", {.block = 32}, {out.address()}), CUDA_SUCCESS)
      << driver.Detail() << driver.load_log();
  const std::vector<uint32_t> words = out.Read();
  for (int lane = 0; lane < 32; ++lane) {
    for (int m = 0; m < count; ++m) {
      const int i = lane / 4, j = lane % 4 * 2;
      const int low = transposed ? 100 * (8 * m + j) + i : 100 * (8 * m + i) + j;
      const int high = transposed ? low + 100 : low + 1;
      EXPECT_EQ(words[static_cast<size_t>(4 * lane + m)], static_cast<uint32_t>(low | high << 16))
          << lane << " " << m;
    }
  }
}

TEST(Matrix, LoadMatrix) {
  for (int count : {1, 2, 4}) {
    CheckLoadMatrix(count, false);
    CheckLoadMatrix(count, true);
  }
}

TEST(Matrix, LoadMatrixOutsideOfSharedMemory) {
  TestDriver driver;
  const DeviceArray<uint32_t> out(driver, std::vector<uint32_t>(128));
  EXPECT_EQ(driver.Launch(
                LoadMatrixModule(
                    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%m0, %m1, %m2, %m3}, [%rd4+16];"),
                "k", {.block = 32}, {out.address()}),
            CUDA_ERROR_ILLEGAL_ADDRESS);
}

// Copies 16 bytes for each of 32 lanes; `wait` is what stands before they are read.
std::string CopyModule(const std::string& wait) {
  return Kernel(".param .u64 k_param_0", R"(
    .shared .align 16 .b8 rows[1024];
    .reg .b32 %r<8>; .reg .b64 %rd<12>;
    ld.param.u64 %rd1, [k_param_0];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 16;
    mov.u64 %rd3, rows;
    add.s64 %rd4, %rd3, %rd2;
    add.s64 %rd5, %rd1, %rd2;
    cp.async.cg.shared.global [%rd4], [%rd5], 16;
    cp.async.commit_group;
    cp.async.ca.shared.global [%rd4+512], [%rd5], 4, 0;
    cp.async.commit_group;
    )" + wait + R"(
    ld.shared.u32 %r3, [%rd4];
    xor.b32 %r4, %r1, 31;
    mul.wide.u32 %rd6, %r4, 16;
    add.s64 %rd7, %rd3, %rd6;
    ld.shared.u32 %r5, [%rd7+12];
    add.u32 %r3, %r3, %r5;
    ld.shared.u32 %r6, [%rd4+512];
    add.u32 %r3, %r3, %r6;
    st.global.u32 [%rd5+4], %r3;)");
}

TEST(Matrix, AsynchronousCopies) {
  TestDriver driver;
  std::vector<uint32_t> words(128);
  for (size_t i = 0; i < words.size(); ++i) words[i] = static_cast<uint32_t>(i);
  const std::string ptx = CopyModule("cp.async.wait_group 0;\nbar.sync 0;");
  ExpectPtxasAccepts(ptx, "sm_80");
  const DeviceArray<uint32_t> memory(driver, words);
  ASSERT_EQ(driver.Launch(ptx, "k", {.block = 32}, {memory.address()}), CUDA_SUCCESS)
      << driver.Detail() << driver.load_log();
  const std::vector<uint32_t> results = memory.Read();
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(results[4 * lane + 1], 4 * lane + 4 * (31 - lane) + 3);
}

TEST(Matrix, AsynchronousCopiesWithoutTheirWait) {
  for (const char* wait :
       {"bar.sync 0;", "cp.async.wait_group 1;\nbar.sync 0;", "cp.async.wait_all;"}) {
    TestDriver driver;
    const DeviceArray<uint32_t> memory(driver, std::vector<uint32_t>(128));
    EXPECT_EQ(driver.Launch(CopyModule(wait), "k", {.block = 32}, {memory.address()}),
              CUDA_ERROR_LAUNCH_FAILED)
        << wait;
    EXPECT_THAT(driver.Detail(),
                ::testing::AnyOf(HasSubstr("uninitialised"), HasSubstr("data race")))
        << wait;
  }
}

}  // namespace
}  // namespace swage::emulated_cuda
