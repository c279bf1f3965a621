// File: tests/codegen/attention_text.h
//
// Attention over n rows of 64 as HLO text: softmax(q k^T) v. n is a symbol; who wants a size writes
// it in.
#ifndef SWAGE_TESTS_CODEGEN_ATTENTION_TEXT_H_
#define SWAGE_TESTS_CODEGEN_ATTENTION_TEXT_H_

namespace swage::codegen {

inline constexpr char kReducers[] = R"(
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
)";

// The instructions of the entry; it needs kReducers.
inline constexpr char kAttention[] = R"(
  q = f32[n,64] parameter(0)
  k = f32[n,64] parameter(1)
  v = f32[n,64] parameter(2)
  s = f32[n,n] dot(q, k), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
  m = f32[n] reduce(s, low), dimensions={1}, to_apply=max
  mb = f32[n,n] broadcast(m), dimensions={0}
  d = f32[n,n] subtract(s, mb)
  e = f32[n,n] exponential(d)
  t = f32[n] reduce(e, zero), dimensions={1}, to_apply=sum
  tb = f32[n,n] broadcast(t), dimensions={0}
  p = f32[n,n] divide(e, tb)
  ROOT r = f32[n,64] dot(p, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}
)";

}  // namespace swage::codegen

#endif  // SWAGE_TESTS_CODEGEN_ATTENTION_TEXT_H_
