// File: codegen/emit/emit_options.h
//
// What the emitter may assume of the target, and its limits. Part of a kernel's key: ToString.
#ifndef SWAGE_CODEGEN_EMIT_EMIT_OPTIONS_H_
#define SWAGE_CODEGEN_EMIT_EMIT_OPTIONS_H_

#include <cstdint>
#include <string>

namespace swage::emit {

// A GPU kernel relies on it; every allocation of a driver has more.
inline constexpr int64_t kGpuBufferAlignment = 16;

// A CPU kernel runs a range of tasks with vectors of many lanes; a GPU kernel is one thread of
// many, which takes one task, or a share of one.
enum class TargetKind : uint8_t { kCpu, kGpu };

struct EmitOptions {
  TargetKind kind = TargetKind::kCpu;
  int vector_bytes = 32;        // CPU: 32 or 64; GPU: the widest load of a thread, 16 or 4
  bool masked_tails = false;    // AVX-512: the rest of a lane loop is one masked vector
  bool has_avx512bf16 = false;  // vdpbf16ps
  // CPU: full vectors of outputs go around the caches, which are too small for them.
  bool streaming_stores = false;
  int64_t ir_cap = 10000;  // LLVM instructions of one kernel; beyond: ResourceExhausted

  // For a machine with these vectors.
  static EmitOptions For(int vector_bytes, bool has_avx512bf16) {
    EmitOptions options;
    options.vector_bytes = vector_bytes;
    options.masked_tails = vector_bytes == 64;
    options.has_avx512bf16 = has_avx512bf16 && vector_bytes == 64;
    return options;
  }
  // For a GPU thread. `vector_bytes` of 4 gives less code and needs fewer registers.
  static EmitOptions ForGpu(int vector_bytes = 16) {
    EmitOptions options;
    options.kind = TargetKind::kGpu;
    options.vector_bytes = vector_bytes;
    return options;
  }
  bool is_gpu() const { return kind == TargetKind::kGpu; }

  std::string ToString() const {
    if (is_gpu()) return "gpu vector_bytes=" + std::to_string(vector_bytes);
    return "vector_bytes=" + std::to_string(vector_bytes) +
           " masked_tails=" + std::to_string(masked_tails) +
           " avx512bf16=" + std::to_string(has_avx512bf16) +
           " streaming_stores=" + std::to_string(streaming_stores);
  }
};

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_EMIT_OPTIONS_H_
