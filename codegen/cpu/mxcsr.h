// File: codegen/cpu/mxcsr.h
//
// The floating-point mode that kernels expect: round to nearest even, denormals kept, exceptions
// masked. Another library may have set flush-to-zero on this thread (any object built with
// -ffast-math does, at load), so every task that runs kernels holds one of these.
//
//   ScopedMxcsr mode;
//   kernel(&args, begin, end);
#ifndef SWAGE_CODEGEN_CPU_MXCSR_H_
#define SWAGE_CODEGEN_CPU_MXCSR_H_

#include <immintrin.h>

namespace swage::cpu {

class ScopedMxcsr {
 public:
  ScopedMxcsr() : saved_(_mm_getcsr()), changed_((saved_ & ~kFlags) != kDefault) {
    if (changed_) _mm_setcsr(kDefault);
  }
  ~ScopedMxcsr() {
    if (changed_) _mm_setcsr(saved_);
  }
  ScopedMxcsr(const ScopedMxcsr&) = delete;
  ScopedMxcsr& operator=(const ScopedMxcsr&) = delete;

 private:
  static constexpr unsigned kDefault = 0x1f80;
  static constexpr unsigned kFlags = 0x3f;  // sticky exception flags, which are not a mode

  unsigned saved_;
  bool changed_;
};

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_MXCSR_H_
