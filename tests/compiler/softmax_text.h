// File: tests/compiler/softmax_text.h
//
// Softmax over the rows of an array, as HLO text.
#ifndef SWAGE_TESTS_COMPILER_SOFTMAX_TEXT_H_
#define SWAGE_TESTS_COMPILER_SOFTMAX_TEXT_H_

#include <string>

#include "absl/strings/substitute.h"

namespace swage {

inline constexpr char kSoftmaxCombiners[] = R"(
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] maximum(a, b) }
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
)";

// The instructions of a computation whose parameter x is f32[rows,columns]; they need
// kSoftmaxCombiners.
inline std::string SoftmaxBody(int rows, int columns) {
  return absl::Substitute(R"(
  x = f32[$0,$1] parameter(0)
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
  m = f32[$0] reduce(x, low), dimensions={1}, to_apply=max
  mb = f32[$0,$1] broadcast(m), dimensions={0}
  s = f32[$0,$1] subtract(x, mb)
  e = f32[$0,$1] exponential(s)
  t = f32[$0] reduce(e, zero), dimensions={1}, to_apply=sum
  tb = f32[$0,$1] broadcast(t), dimensions={0}
  ROOT r = f32[$0,$1] divide(e, tb)
)",
                          rows, columns);
}

// A module of one fusion.
inline std::string SoftmaxFusion(int rows, int columns) {
  return absl::Substitute(R"(
HloModule m
$2
f { $3 }
ENTRY e {
  x = f32[$0,$1] parameter(0)
  ROOT r = f32[$0,$1] fusion(x), kind=kLoop, calls=f
})",
                          rows, columns, kSoftmaxCombiners, SoftmaxBody(rows, columns));
}

}  // namespace swage

#endif  // SWAGE_TESTS_COMPILER_SOFTMAX_TEXT_H_
