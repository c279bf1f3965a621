// File: tests/emulated_cuda/instruction_harness.h
//
// Runs a few PTX instructions on given inputs.
//
//   Evaluate("add.s32 %r0, %r1, %r2;", {1, 2})   // -> 3
//
// Inputs (up to four, 64 bits each) are in %rd1..%rd4, their low parts in %r1.. (b32), %h1.. (b16),
// %f1.. (f32) and %d1.. (f64). The result is what the instructions leave in %rd0, %r0, %h0, %f0,
// %d0 or %p0: exactly one of these must be written, since the others stay zero.
#ifndef SWAGE_TESTS_EMULATED_CUDA_INSTRUCTION_HARNESS_H_
#define SWAGE_TESTS_EMULATED_CUDA_INSTRUCTION_HARNESS_H_

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/emulated_cuda/test_driver.h"

namespace swage::emulated_cuda {

inline std::string InstructionModule(const std::string& code) {
  std::string body = R"(
    .reg .pred %p<8>;
    .reg .b16 %h<16>;
    .reg .b32 %r<16>;
    .reg .b64 %rd<16>;
    .reg .f32 %f<16>;
    .reg .f64 %d<16>;
    .reg .b32 %w<4>;
    .reg .b64 %address, %sum, %part;
    ld.param.u64 %address, [k_param_0];
    mov.u64 %rd0, 0; mov.u32 %r0, 0; mov.u16 %h0, 0; mov.f32 %f0, 0f00000000; mov.f64 %d0, 0d0000000000000000;
    setp.ne.u32 %p0, 0, 0;
)";
  for (int i = 1; i <= 4; ++i) {
    const std::string n = std::to_string(i), at = "[%address+" + std::to_string(8 * i) + "];\n";
    body += "ld.global.u64 %rd" + n + ", " + at + "ld.global.u32 %r" + n + ", " + at +
            "ld.global.u16 %h" + n + ", " + at;
    body += "ld.global.f32 %f" + n + ", " + at + "ld.global.f64 %d" + n + ", " + at;
  }
  body += code + R"(
    cvt.u64.u32 %sum, %r0;
    or.b64 %sum, %sum, %rd0;
    cvt.u64.u16 %part, %h0;
    or.b64 %sum, %sum, %part;
    mov.b32 %w0, %f0;
    cvt.u64.u32 %part, %w0;
    or.b64 %sum, %sum, %part;
    mov.b64 %part, %d0;
    or.b64 %sum, %sum, %part;
    selp.u64 %part, 1, 0, %p0;
    or.b64 %sum, %sum, %part;
    st.global.u64 [%address], %sum;
)";
  return Kernel(".param .u64 k_param_0", body);
}

inline uint64_t Evaluate(const std::string& code, std::vector<uint64_t> inputs) {
  TestDriver driver;
  inputs.resize(4);
  inputs.insert(inputs.begin(), 0);
  const DeviceArray<uint64_t> memory(driver, inputs);
  EXPECT_EQ(driver.Launch(InstructionModule(code), "k", {}, {memory.address()}), CUDA_SUCCESS)
      << code << ": " << driver.Detail();
  return memory.Read()[0];
}

inline uint64_t Bits(float value) { return std::bit_cast<uint32_t>(value); }
inline uint64_t Bits(double value) { return std::bit_cast<uint64_t>(value); }
inline float AsFloat(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }

}  // namespace swage::emulated_cuda

#endif  // SWAGE_TESTS_EMULATED_CUDA_INSTRUCTION_HARNESS_H_
