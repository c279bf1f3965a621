// File: codegen/cpu/onednn.h
//
// Products of matrices by oneDNN, one at a time on the calling thread.
//
//   SWAGE_ASSIGN_OR_RETURN(auto matmul, onednn::Matmul::Get({.m = 256, .n = 512, .k = 64, ...}));
//   SWAGE_RETURN_IF_ERROR(matmul->Run(a, b, c));
//
// - A Matmul is for one problem and never changes: any number of threads may run it at once. Those
//   of late are kept, the least recently used go first; oneDNN's own cache is switched off.
// - Sides are read where they lie, by their strides. The right one may instead have been packed in
//   the order that oneDNN likes best: once, for all runs.
// - No thread is started: while oneDNN is called, the thread's share of OpenMP is one thread.
// - Products are sums of f32, whatever the sides; f32 is never rounded to bf16. The floating-point
//   mode is the caller's (codegen/cpu/mxcsr.h).
#ifndef SWAGE_CODEGEN_CPU_ONEDNN_H_
#define SWAGE_CODEGEN_CPU_ONEDNN_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "compiler/ir/dtype.h"

namespace swage::cpu::onednn {

// c = a b: m x k times k x n, all extents at least 1. Strides are in elements.
struct MatmulProblem {
  ir::DType dtype = ir::DType::kF32;   // of both sides: f32 or bf16
  ir::DType result = ir::DType::kF32;  // f32, or that of bf16 sides
  int64_t m = 1, n = 1, k = 1;
  int64_t a_row = 1, a_k = 1;     // one of them 1
  int64_t b_k = 1, b_column = 1;  // one of them 1
  int64_t c_row = 1;
  // The right side is packed, in the order for problems of so many rows; 0: it is not.
  int64_t packed_for_rows = 0;

  auto operator<=>(const MatmulProblem&) const = default;
  std::string ToString() const;
};

class Matmul {
 public:
  static constexpr size_t kMaxKept = 256;

  // Unimplemented where oneDNN has nothing for it but its reference.
  static StatusOr<std::shared_ptr<const Matmul>> Get(const MatmulProblem& problem);
  static size_t kept();

  virtual ~Matmul() = default;
  // `b` is packed if the problem says so.
  virtual Status Run(const void* a, const void* b, void* c) const = 0;

  // Of a problem with packed_for_rows: what Pack writes.
  virtual size_t packed_bytes() const = 0;
  // From a right side that lies as the strides say; `packed` is aligned to 64 bytes.
  virtual Status Pack(const void* b, void* packed) const = 0;
};

}  // namespace swage::cpu::onednn

#endif  // SWAGE_CODEGEN_CPU_ONEDNN_H_
