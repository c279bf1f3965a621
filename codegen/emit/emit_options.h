// File: codegen/emit/emit_options.h
//
// What the emitter may assume of the target, and its limits. Part of a kernel's key: ToString.
#ifndef SWAGE_CODEGEN_EMIT_EMIT_OPTIONS_H_
#define SWAGE_CODEGEN_EMIT_EMIT_OPTIONS_H_

#include <cstdint>
#include <string>

namespace swage::emit {

struct EmitOptions {
  int vector_bytes = 32;        // 32 or 64
  bool masked_tails = false;    // AVX-512: the rest of a lane loop is one masked vector
  bool has_avx512bf16 = false;  // vdpbf16ps
  int64_t ir_cap = 10000;       // LLVM instructions of one kernel; beyond: ResourceExhausted

  // For a machine with these vectors.
  static EmitOptions For(int vector_bytes, bool has_avx512bf16) {
    EmitOptions options;
    options.vector_bytes = vector_bytes;
    options.masked_tails = vector_bytes == 64;
    options.has_avx512bf16 = has_avx512bf16 && vector_bytes == 64;
    return options;
  }
  std::string ToString() const {
    return "vector_bytes=" + std::to_string(vector_bytes) +
           " masked_tails=" + std::to_string(masked_tails) +
           " avx512bf16=" + std::to_string(has_avx512bf16);
  }
};

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_EMIT_OPTIONS_H_
