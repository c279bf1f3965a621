// File: tests/card_check/ptx_texts.h
//
// Kernels that are written by hand, in PTX for sm_80; the entry of each is `k`.
#ifndef SWAGE_TESTS_CARD_CHECK_PTX_TEXTS_H_
#define SWAGE_TESTS_CARD_CHECK_PTX_TEXTS_H_

#include <string>

namespace swage::card {

// A module around a body with the parameters %in and %out, two addresses.
inline std::string InOutKernel(const std::string& body) {
  return R"(.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .b64 %in, %out;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
)" + body +
         "\n  ret;\n}\n";
}

// One warp. Lane l has its fragments of A, B and C in the words 0, 4 and 8 of the 16 from 16 l on;
// its fragment of A B + C goes to the words from 4 l on.
inline std::string MmaText() {
  return InOutKernel(R"(
  .reg .b32 %lane; .reg .b32 %a<4>; .reg .b32 %b<2>; .reg .f32 %c<4>; .reg .b64 %at<2>;
  mov.u32 %lane, %laneid;
  mad.wide.u32 %at0, %lane, 64, %in;
  mad.wide.u32 %at1, %lane, 16, %out;
  ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%at0];
  ld.global.v2.b32 {%b0, %b1}, [%at0+16];
  ld.global.v4.f32 {%c0, %c1, %c2, %c3}, [%at0+32];
  mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
    {%c0, %c1, %c2, %c3}, {%a0, %a1, %a2, %a3}, {%b0, %b1}, {%c0, %c1, %c2, %c3};
  st.global.v4.f32 [%at1], {%c0, %c1, %c2, %c3};)");
}

// One warp. A (16 x 16) and behind it B (16 x 8), bf16 and row-major, through shared memory and
// ldmatrix; lane l writes its fragment of A B to the words from 4 l on.
inline std::string LoadMatrixText() {
  return InOutKernel(R"(
  .shared .align 16 .b8 rows[768];
  .reg .b32 %lane, %row, %half; .reg .b32 %w<4>; .reg .b32 %a<4>; .reg .b32 %b<2>; .reg .f32 %c<4>;
  .reg .b64 %at<5>; .reg .b64 %shared; .reg .pred %low;
  mov.u32 %lane, %laneid;
  mov.u64 %shared, rows;
  mad.wide.u32 %at0, %lane, 16, %in;
  mad.wide.u32 %at1, %lane, 16, %shared;
  ld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%at0];
  st.shared.v4.b32 [%at1], {%w0, %w1, %w2, %w3};
  setp.lt.u32 %low, %lane, 16;
  @!%low bra $filled;
  ld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%at0+512];
  st.shared.v4.b32 [%at1+512], {%w0, %w1, %w2, %w3};
$filled:
  bar.warp.sync -1;
  and.b32 %row, %lane, 15;
  shr.u32 %half, %lane, 4;
  mad.wide.u32 %at2, %row, 32, %shared;
  mad.wide.u32 %at3, %half, 16, %at2;
  mad.wide.u32 %at4, %row, 16, %shared;
  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%a0, %a1, %a2, %a3}, [%at3];
  ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%b0, %b1}, [%at4+512];
  mov.f32 %c0, 0f00000000; mov.f32 %c1, 0f00000000; mov.f32 %c2, 0f00000000; mov.f32 %c3, 0f00000000;
  mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
    {%c0, %c1, %c2, %c3}, {%a0, %a1, %a2, %a3}, {%b0, %b1}, {%c0, %c1, %c2, %c3};
  mad.wide.u32 %at0, %lane, 16, %out;
  st.global.v4.f32 [%at0], {%c0, %c1, %c2, %c3};)");
}

// Thread i: out[i] = op(in[i]), f32.
inline std::string UnaryText(const std::string& op) {
  return InOutKernel(R"(
  .reg .b32 %i, %block, %size, %thread; .reg .f32 %x; .reg .b64 %at<2>;
  mov.u32 %block, %ctaid.x; mov.u32 %size, %ntid.x; mov.u32 %thread, %tid.x;
  mad.lo.u32 %i, %block, %size, %thread;
  mad.wide.u32 %at0, %i, 4, %in;
  mad.wide.u32 %at1, %i, 4, %out;
  ld.global.f32 %x, [%at0];
  )" + op + R"( %x, %x;
  st.global.f32 [%at1], %x;)");
}

// Thread i copies 16 bytes.
inline std::string CopyText() {
  return InOutKernel(R"(
  .reg .b32 %i, %block, %size, %thread; .reg .b32 %w<4>; .reg .b64 %at<2>;
  mov.u32 %block, %ctaid.x; mov.u32 %size, %ntid.x; mov.u32 %thread, %tid.x;
  mad.lo.u32 %i, %block, %size, %thread;
  mad.wide.u32 %at0, %i, 16, %in;
  mad.wide.u32 %at1, %i, 16, %out;
  ld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%at0];
  st.global.v4.b32 [%at1], {%w0, %w1, %w2, %w3};)");
}

inline std::string EmptyText() { return InOutKernel(""); }

}  // namespace swage::card

#endif  // SWAGE_TESTS_CARD_CHECK_PTX_TEXTS_H_
