// File: base/mxcsr.h
//
// The floating-point mode that kernels and the evaluator expect: round to nearest even, denormals
// kept, exceptions masked. Another library may have set flush-to-zero on this thread (any object
// built with -ffast-math does, at load), so every task that runs kernels holds one of these, and so
// does every evaluation on the host.
//
//   ScopedMxcsr mode;
//   kernel(&args, begin, end);
#ifndef SWAGE_BASE_MXCSR_H_
#define SWAGE_BASE_MXCSR_H_

#include <immintrin.h>

namespace swage {

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

}  // namespace swage

#endif  // SWAGE_BASE_MXCSR_H_
