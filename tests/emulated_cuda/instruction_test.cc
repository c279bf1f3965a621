// Single instructions against what the PTX manual says they give.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/emulated_cuda/instruction_harness.h"
#include "tests/emulated_cuda/ptxas.h"

namespace swage::emulated_cuda {
namespace {

struct Case {
  const char* code;
  std::vector<uint64_t> inputs;
  uint64_t expected;
};

constexpr uint64_t kMinusOne32 = 0xffffffff;

void Check(const std::vector<Case>& cases) {
  std::string all;
  for (const Case& test : cases) {
    EXPECT_EQ(Evaluate(test.code, test.inputs), test.expected) << test.code;
    all += std::string(test.code) + "\n";
  }
  // The texts themselves are PTX that NVIDIA's assembler takes.
  ExpectPtxasAccepts(InstructionModule(all), "sm_80");
}

TEST(Instruction, IntegersWrapAndKnowTheirSign) {
  Check({
      {"add.s32 %r0, %r1, %r2;", {0x7fffffff, 1}, 0x80000000},
      {"add.sat.s32 %r0, %r1, %r2;", {0x7fffffff, 1}, 0x7fffffff},
      {"sub.u64 %rd0, %rd1, %rd2;", {0, 1}, ~uint64_t{0}},
      {"sub.s16 %h0, %h1, %h2;", {1, 2}, 0xffff},
      {"mul.lo.s32 %r0, %r1, %r2;", {0x10001, 0x10001}, 0x00020001},
      {"mul.hi.u32 %r0, %r1, %r2;", {kMinusOne32, kMinusOne32}, 0xfffffffe},
      {"mul.hi.s32 %r0, %r1, %r2;", {kMinusOne32, kMinusOne32}, 0},
      {"mul.hi.u64 %rd0, %rd1, %rd2;", {~uint64_t{0}, 16}, 15},
      {"mul.wide.s32 %rd0, %r1, %r2;", {kMinusOne32, 5}, static_cast<uint64_t>(-5)},
      {"mul.wide.u16 %r0, %h1, %h2;", {0xffff, 2}, 0x1fffe},
      {"mad.lo.s32 %r0, %r1, %r2, %r3;", {3, 4, 5}, 17},
      {"mad.wide.u32 %rd0, %r1, %r2, %rd3;", {kMinusOne32, 2, 1}, 0x1ffffffff},
      {"div.s32 %r0, %r1, %r2;", {static_cast<uint32_t>(-7), 2}, static_cast<uint32_t>(-3)},
      {"div.u32 %r0, %r1, %r2;", {static_cast<uint32_t>(-7), 2}, 0x7ffffffc},
      {"rem.s32 %r0, %r1, %r2;", {static_cast<uint32_t>(-7), 2}, kMinusOne32},
      {"rem.u64 %rd0, %rd1, %rd2;", {100, 7}, 2},
      {"div.u32 %r0, %r1, %r2;", {5, 0}, kMinusOne32},
      {"abs.s32 %r0, %r1;", {static_cast<uint32_t>(-7)}, 7},
      {"neg.s64 %rd0, %rd1;", {7}, static_cast<uint64_t>(-7)},
      {"min.s32 %r0, %r1, %r2;", {kMinusOne32, 3}, kMinusOne32},
      {"min.u32 %r0, %r1, %r2;", {kMinusOne32, 3}, 3},
      {"max.s64 %rd0, %rd1, %rd2;", {static_cast<uint64_t>(-2), 3}, 3},
      {"add.cc.u32 %r5, %r1, %r2; addc.u32 %r0, %r3, %r4;", {kMinusOne32, 1, 10, 20}, 31},
      {"sub.cc.u32 %r5, %r1, %r2; subc.u32 %r0, %r3, %r4;", {0, 1, 10, 4}, 5},
  });
}

TEST(Instruction, Bits) {
  Check({
      {"and.b32 %r0, %r1, %r2;", {12, 10}, 8},
      {"or.b64 %rd0, %rd1, %rd2;", {12, 3}, 15},
      {"xor.b16 %h0, %h1, %h2;", {12, 10}, 6},
      {"not.b32 %r0, %r1;", {0}, kMinusOne32},
      {"shl.b32 %r0, %r1, %r2;", {1, 32}, 0},
      {"shl.b32 %r0, %r1, %r2;", {1, 31}, 0x80000000},
      {"shr.u32 %r0, %r1, %r2;", {0x80000000, 31}, 1},
      {"shr.s32 %r0, %r1, %r2;", {0x80000000, 77}, kMinusOne32},
      {"shr.s64 %rd0, %rd1, 4;", {uint64_t{1} << 63}, uint64_t{0xf8} << 56},
      {"shf.l.wrap.b32 %r0, %r1, %r2, %r3;", {0x80000000, 1, 33}, 3},
      {"shf.r.clamp.b32 %r0, %r1, %r2, %r3;", {1, 2, 40}, 2},
      {"clz.b32 %r0, %r1;", {1}, 31},
      {"clz.b64 %r0, %rd1;", {0}, 64},
      {"popc.b64 %r0, %rd1;", {~uint64_t{0}}, 64},
      {"brev.b32 %r0, %r1;", {1}, 0x80000000},
      {"bfind.u32 %r0, %r1;", {0x100}, 8},
      {"bfind.s32 %r0, %r1;", {kMinusOne32}, kMinusOne32},
      {"bfe.u32 %r0, %r1, 4, 8;", {0xabcd}, 0xbc},
      {"bfe.s32 %r0, %r1, 4, 8;", {0xabcd}, 0xffffffbc},
      {"bfe.s32 %r0, %r1, 28, 8;", {0x80000000}, 0xfffffff8},
      {"bfe.u64 %rd0, %rd1, 8, 0;", {0xffff}, 0},
      {"bfi.b32 %r0, %r1, %r2, 8, 4;", {0xff, 0}, 0xf00},
      {"prmt.b32 %r0, %r1, %r2, 0x7531;", {0x33221100, 0x77665544}, 0x77553311},
      {"prmt.b32 %r0, %r1, %r2, 0x8888;", {0x80, 0}, kMinusOne32},
      {"lop3.b32 %r0, %r1, %r2, %r3, 0xe8;", {0b0011, 0b0101, 0b0110}, 0b0111},
      {"mov.b32 %r0, {%h1, %h2};", {0x1234, 0x5678}, 0x56781234},
      {"mov.b32 {%h5, %h0}, %r1;", {0x56781234}, 0x5678},
      {"{ .reg .b16 tmp; mov.b32 {tmp, %h0}, %r1; }", {0x56781234}, 0x5678},
      {"mov.b64 %rd0, {%r1, %r2};", {1, 2}, 0x200000001},
  });
}

TEST(Instruction, PredicatesAndSelections) {
  Check({
      {"setp.lt.s32 %p0, %r1, %r2;", {kMinusOne32, 0}, 1},
      {"setp.lt.u32 %p0, %r1, %r2;", {kMinusOne32, 0}, 0},
      {"setp.lo.u32 %p0, %r1, %r2;", {1, 2}, 1},
      {"setp.lt.f32 %p0, %f1, %f2;", {Bits(NAN), Bits(1.0f)}, 0},
      {"setp.ltu.f32 %p0, %f1, %f2;", {Bits(NAN), Bits(1.0f)}, 1},
      {"setp.ne.f32 %p0, %f1, %f2;", {Bits(NAN), Bits(1.0f)}, 0},
      {"setp.neu.f32 %p0, %f1, %f2;", {Bits(NAN), Bits(1.0f)}, 1},
      {"setp.nan.f64 %p0, %d1, %d2;", {Bits(1.0), Bits(2.0)}, 0},
      {"setp.eq.s32 %p1, 1, 1; setp.eq.and.s32 %p0, %r1, 5, !%p1;", {5}, 0},
      {"setp.eq.s32 %p1|%p0, %r1, 5;", {4}, 1},
      {"setp.eq.s32 %p1, %r1, 5; selp.b32 %r0, 7, 9, %p1;", {4}, 9},
      {"setp.eq.s32 %p1, %r1, 5; not.pred %p0, %p1;", {4}, 1},
      {"setp.eq.s32 %p1, %r1, 5; @%p1 mov.u32 %r0, 3;", {5}, 3},
      {"setp.eq.s32 %p1, %r1, 5; @!%p1 mov.u32 %r0, 3;", {5}, 0},
      {"setp.gt.f16 %p0, %h1, %h2;", {0x4000, 0x3c00}, 1},
  });
}

TEST(Instruction, FloatsRoundOnce) {
  const float third = 1.0f / 3.0f;
  Check({
      {"add.rn.f32 %f0, %f1, %f2;", {Bits(1.0f), Bits(0x1p-24f)}, Bits(1.0f)},
      {"add.rp.f32 %f0, %f1, %f2;", {Bits(1.0f), Bits(0x1p-30f)}, Bits(1.0f + 0x1p-23f)},
      {"add.rz.f32 %f0, %f1, %f2;", {Bits(1.0f), Bits(-0x1p-30f)}, Bits(1.0f - 0x1p-24f)},
      {"mul.f32 %f0, %f1, %f2;", {Bits(3.0f), Bits(0.5f)}, Bits(1.5f)},
      {"mul.sat.f32 %f0, %f1, %f2;", {Bits(3.0f), Bits(0.5f)}, Bits(1.0f)},
      {"mul.ftz.f32 %f0, %f1, %f2;", {Bits(0x1p-120f), Bits(0x1p-10f)}, Bits(0.0f)},
      {"mul.f32 %f0, %f1, %f2;", {Bits(0x1p-120f), Bits(0x1p-10f)}, Bits(0x1p-130f)},
      {"fma.rn.f32 %f0, %f1, %f2, %f3;",
       {Bits(third), Bits(3.0f), Bits(-1.0f)},
       Bits(std::fma(third, 3.0f, -1.0f))},
      {"fma.rn.f64 %d0, %d1, %d2, %d3;",
       {Bits(0.1), Bits(10.0), Bits(-1.0)},
       Bits(std::fma(0.1, 10.0, -1.0))},
      {"div.rn.f32 %f0, %f1, %f2;", {Bits(1.0f), Bits(3.0f)}, Bits(third)},
      {"div.rn.f64 %d0, %d1, %d2;", {Bits(1.0), Bits(3.0)}, Bits(1.0 / 3.0)},
      {"sqrt.rn.f32 %f0, %f1;", {Bits(2.0f)}, Bits(std::sqrt(2.0f))},
      {"rcp.rn.f32 %f0, %f1;", {Bits(3.0f)}, Bits(third)},
      {"add.f32 %f0, %f1, %f2;", {Bits(INFINITY), Bits(-INFINITY)}, 0x7fffffff},
      {"min.f32 %f0, %f1, %f2;", {Bits(NAN), Bits(2.0f)}, Bits(2.0f)},
      {"min.NaN.f32 %f0, %f1, %f2;", {Bits(NAN), Bits(2.0f)}, 0x7fffffff},
      {"max.f32 %f0, %f1, %f2;", {Bits(-0.0f), Bits(0.0f)}, Bits(0.0f)},
      {"min.f64 %d0, %d1, %d2;", {Bits(-0.0), Bits(0.0)}, Bits(-0.0)},
      {"neg.f32 %f0, %f1;", {Bits(0.0f)}, Bits(-0.0f)},
      {"abs.f64 %d0, %d1;", {Bits(-2.0)}, Bits(2.0)},
      {"copysign.f32 %f0, %f1, %f2;", {Bits(-1.0f), Bits(2.0f)}, Bits(-2.0f)},
      {"testp.subnormal.f32 %p0, %f1;", {1}, 1},
      {"testp.finite.f32 %p0, %f1;", {Bits(INFINITY)}, 0},
      {"mov.f32 %f0, 0f3F800000;", {}, Bits(1.0f)},
  });
}

TEST(Instruction, ApproximateFunctionsAreLibms) {
  Check({
      {"ex2.approx.f32 %f0, %f1;", {Bits(3.0f)}, Bits(8.0f)},
      {"ex2.approx.ftz.f32 %f0, %f1;", {Bits(-INFINITY)}, Bits(0.0f)},
      {"lg2.approx.f32 %f0, %f1;", {Bits(8.0f)}, Bits(3.0f)},
      {"rsqrt.approx.f32 %f0, %f1;", {Bits(4.0f)}, Bits(0.5f)},
      {"rcp.approx.ftz.f32 %f0, %f1;", {Bits(4.0f)}, Bits(0.25f)},
      {"sqrt.approx.f32 %f0, %f1;", {Bits(9.0f)}, Bits(3.0f)},
      {"tanh.approx.f32 %f0, %f1;", {Bits(0.5f)}, Bits(static_cast<float>(std::tanh(0.5)))},
      {"sin.approx.f32 %f0, %f1;", {Bits(0.5f)}, Bits(static_cast<float>(std::sin(0.5)))},
      {"cos.approx.f32 %f0, %f1;", {Bits(0.5f)}, Bits(static_cast<float>(std::cos(0.5)))},
      {"div.approx.f32 %f0, %f1, %f2;", {Bits(1.0f), Bits(4.0f)}, Bits(0.25f)},
      {"div.full.f32 %f0, %f1, %f2;", {Bits(1.0f), Bits(4.0f)}, Bits(0.25f)},
      {"tanh.approx.f16 %h0, %h1;", {0}, 0},
  });
}

TEST(Instruction, SmallFloatsRoundOnce) {
  Check({
      {"add.rn.f16 %h0, %h1, %h2;", {0x3c00, 0x1000}, 0x3c00},  // 1 + 2^-11: a tie, to even
      {"mul.rn.f16 %h0, %h1, %h2;", {0x4200, 0x3800}, 0x3e00},  // 3 * 0.5
      {"sub.rn.f16x2 %r0, %r1, %r2;", {0x40003c00, 0x3c003c00}, 0x3c000000},
      {"neg.f16 %h0, %h1;", {0x3c00}, 0xbc00},
      {"abs.bf16x2 %r0, %r1;", {0xbf80bf80}, 0x3f803f80},
      // 1.0009765625^2 + 2^-24 is above the tie at 1 + 2^-9 + 2^-20 ... only one rounding sees it.
      {"fma.rn.f16 %h0, %h1, %h2, %h3;", {0x3c01, 0x3c01, 0x0001}, 0x3c02},
      {"fma.rn.bf16 %h0, %h1, %h2, %h3;", {0x3f80, 0x3f80, 0x3b80}, 0x3f80},  // 1 + 2^-8: a tie
      {"fma.rn.bf16 %h0, %h1, %h2, %h3;", {0x3f81, 0x3f81, 0x3f80}, 0x4001},
      {"max.f16 %h0, %h1, %h2;", {0x7e00, 0x3c00}, 0x3c00},
      {"max.NaN.f16 %h0, %h1, %h2;", {0x7e00, 0x3c00}, 0x7fff},
      {"max.bf16 %h0, %h1, %h2;", {0xbf80, 0x3f80}, 0x3f80},
  });
}

TEST(Instruction, Conversions) {
  Check({
      {"cvt.s64.s32 %rd0, %r1;", {kMinusOne32}, ~uint64_t{0}},
      {"cvt.u64.u32 %rd0, %r1;", {kMinusOne32}, kMinusOne32},
      {"cvt.s32.s8 %r0, %r1;", {0x80}, 0xffffff80},
      {"cvt.u16.u32 %h0, %r1;", {0x12345}, 0x2345},
      {"cvt.sat.u8.s32 %r0, %r1;", {300}, 255},
      {"cvt.sat.s32.u32 %r0, %r1;", {kMinusOne32}, 0x7fffffff},
      {"cvt.rn.f32.s32 %f0, %r1;", {0x1000001}, Bits(16777216.0f)},
      {"cvt.rp.f32.s32 %f0, %r1;", {0x1000001}, Bits(16777218.0f)},
      {"cvt.rn.f32.u64 %f0, %rd1;", {~uint64_t{0}}, Bits(0x1p64f)},
      {"cvt.rn.f64.s64 %d0, %rd1;", {static_cast<uint64_t>(-3)}, Bits(-3.0)},
      {"cvt.rn.f16.s32 %h0, %r1;", {70000}, 0x7c00},
      {"cvt.rzi.s32.f32 %r0, %f1;", {Bits(-1.9f)}, kMinusOne32},
      {"cvt.rni.s32.f32 %r0, %f1;", {Bits(2.5f)}, 2},
      {"cvt.rmi.s32.f32 %r0, %f1;", {Bits(-1.1f)}, static_cast<uint32_t>(-2)},
      {"cvt.rpi.s32.f32 %r0, %f1;", {Bits(1.1f)}, 2},
      {"cvt.rzi.s32.f32 %r0, %f1;", {Bits(1e20f)}, 0x7fffffff},
      {"cvt.rzi.u32.f32 %r0, %f1;", {Bits(-5.0f)}, 0},
      {"cvt.rzi.s32.f32 %r0, %f1;", {Bits(NAN)}, 0},
      {"cvt.rzi.s64.f32 %rd0, %f1;", {Bits(NAN)}, uint64_t{1} << 63},
      {"cvt.rzi.s32.f64 %r0, %d1;", {Bits(static_cast<double>(NAN))}, 0x80000000},
      {"cvt.rni.f32.f32 %f0, %f1;", {Bits(2.5f)}, Bits(2.0f)},
      {"cvt.rmi.f64.f64 %d0, %d1;", {Bits(-2.5)}, Bits(-3.0)},
      {"cvt.rn.f32.f64 %f0, %d1;", {Bits(0.1)}, Bits(0.1f)},
      {"cvt.rz.f32.f64 %f0, %d1;", {Bits(0.1)}, Bits(std::nextafter(0.1f, 0.0f))},
      {"cvt.f64.f32 %d0, %f1;", {Bits(0.5f)}, Bits(0.5)},
      {"cvt.rn.f16.f32 %h0, %f1;", {Bits(65520.0f)}, 0x7c00},
      {"cvt.rz.f16.f32 %h0, %f1;", {Bits(65520.0f)}, 0x7bff},
      {"cvt.rn.f16.f64 %h0, %d1;", {Bits(1.0 + 0x1p-11 + 0x1p-40)}, 0x3c01},
      {"cvt.f32.f16 %f0, %h1;", {0x0001}, Bits(0x1p-24f)},
      {"cvt.rn.bf16.f32 %h0, %f1;", {0x3f808000}, 0x3f80},
      {"cvt.rn.bf16.f32 %h0, %f1;", {0x3f818000}, 0x3f82},
      {"cvt.rn.bf16.f32 %h0, %f1;", {Bits(NAN)}, 0x7fff},
      {"cvt.rn.bf16x2.f32 %r0, %f1, %f2;", {Bits(1.0f), Bits(2.0f)}, 0x3f804000},
      {"cvt.rn.f16x2.f32 %r0, %f1, %f2;", {Bits(1.0f), Bits(2.0f)}, 0x3c004000},
      {"cvt.rn.relu.f16.f32 %h0, %f1;", {Bits(-1.0f)}, 0},
      {"cvt.sat.f32.f32 %f0, %f1;", {Bits(2.0f)}, Bits(1.0f)},
  });
}

TEST(Instruction, VectorsAndWidths) {
  Check({
      {"ld.global.v2.u32 {%r5, %r0}, [%address+8];", {uint64_t{7} << 32 | 1}, 7},
      {"ld.global.s8 %r0, [%address+8];", {0x80}, 0xffffff80},
      {"ld.global.u8 %h0, [%address+8];", {0x80}, 0x80},
      {"st.global.u8 [%address+9], %r2; ld.global.u16 %h0, [%address+8];", {0x1111, 0x22}, 0x2211},
      {"st.global.v4.u16 [%address+8], {%h1, %h2, %h3, %h4}; ld.global.u64 %rd0, [%address+8];",
       {1, 2, 3, 4},
       0x0004000300020001},
      {"atom.global.add.u32 %r0, [%address+8], 5; ld.global.u32 %r0, [%address+8];", {3}, 8},
      {"atom.global.cas.b32 %r5, [%address+8], 3, 9; ld.global.u32 %r0, [%address+8];", {3}, 9},
      {"atom.global.max.s32 %r0, [%address+8], 4;", {kMinusOne32}, kMinusOne32},
      {"atom.global.inc.u32 %r5, [%address+8], 3; ld.global.u32 %r0, [%address+8];", {3}, 0},
      {"atom.global.exch.b64 %rd0, [%address+8], 4;", {77}, 77},
      {"atom.global.add.f32 %f5, [%address+8], 0f3F800000; ld.global.f32 %f0, [%address+8];",
       {Bits(2.0f)},
       Bits(3.0f)},
      {"atom.global.add.f64 %d5, [%address+8], %d2; ld.global.f64 %d0, [%address+8];",
       {Bits(2.0), Bits(0.5)},
       Bits(2.5)},
      {"atom.add.noftz.f16 %h5, [%address+8], %h2; ld.global.u16 %h0, [%address+8];",
       {0x3c00, 0x3c00},
       0x4000},
      {"red.global.or.b32 [%address+8], 6; ld.global.u32 %r0, [%address+8];", {1}, 7},
      {"ld.volatile.global.u32 %r0, [%address+8];", {5}, 5},
      {"ld.global.nc.L1::no_allocate.u32 %r0, [%address+8];", {5}, 5},
      {"membar.gl; fence.acq_rel.gpu; mov.u32 %r0, %nctaid.y;", {}, 1},
  });
}

// What a card with compute capability 9.0 has beyond 8.0.
TEST(Instruction, ArithmeticInBfloatOnSm90) {
  setenv("EMULATED_CUDA_CC", "90", 1);
  EXPECT_EQ(Evaluate("add.rn.bf16 %h0, %h1, %h2;", {0x3f80, 0x3f80}), 0x4000u);
  EXPECT_EQ(Evaluate("mul.rn.bf16x2 %r0, %r1, %r2;", {0x3f804000, 0x40404000}), 0x40404080u);
  EXPECT_EQ(Evaluate("cvt.f32.bf16 %f0, %h1;", {0x3f80}), Bits(1.0f));
  EXPECT_EQ(Evaluate("add.u16x2 %r0, %r1, %r2;", {0xffff0001, 0x00010001}), 0x00000002u);
  unsetenv("EMULATED_CUDA_CC");
}

}  // namespace
}  // namespace swage::emulated_cuda
