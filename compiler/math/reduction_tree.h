// File: compiler/math/reduction_tree.h
//
// The one order in which a reduce combines its elements (docs/semantics.md defines it), as a
// template over any combiner. It depends on the reduced extent and on whether the dimension is the
// operand's minor one, on nothing else: not on vector width, threads or tiles.
//
//   const float sum = ReduceLine<kMinorPartials>(n, [&](int64_t i) { return x[i * stride]; },
//                                                [](float a, float b) { return a + b; });
//   result = init + sum;     // the initial value comes last, once; n = 0 is init alone
//
// A value may be any struct: a variadic reduce combines tuples. With a plain combiner and dense
// loads the inner loop becomes vector code.
#ifndef SWAGE_COMPILER_MATH_REDUCTION_TREE_H_
#define SWAGE_COMPILER_MATH_REDUCTION_TREE_H_

#include <algorithm>
#include <cstdint>

namespace swage::math {

// Strided partials of a chunk, where the reduced dimension is the operand's minor one and
// elsewhere, and the elements that one partial combines before the next chunk begins.
inline constexpr int kMinorPartials = 64;
inline constexpr int kMajorPartials = 8;
inline constexpr int64_t kPartialDepth = 64;

constexpr int PartialsOf(bool minor) { return minor ? kMinorPartials : kMajorPartials; }

// p[0..count) to one value: p[i] = p[i] op p[i + s] for s = kPartials/2 ... 1, where p[i + s]
// exists.
template <int kPartials, class Value, class Combine>
Value JoinPartials(Value* p, int64_t count, const Combine& combine) {
  for (int64_t s = kPartials / 2; s >= 1; s /= 2) {
    for (int64_t i = 0; i < s && i + s < count; ++i) p[i] = combine(p[i], p[i + s]);
  }
  return p[0];
}

// The elements [begin, begin + count) of one chunk, count in [1, kPartials * kPartialDepth].
template <int kPartials, class Load, class Combine>
auto ReduceChunk(int64_t begin, int64_t count, const Load& load, const Combine& combine) {
  using Value = decltype(load(begin));
  Value p[kPartials];
  const int64_t used = std::min<int64_t>(count, kPartials);
  for (int64_t l = 0; l < used; ++l) p[l] = load(begin + l);
  const int64_t full_rows = count / kPartials;
  for (int64_t row = 1; row < full_rows; ++row) {
    const int64_t at = begin + row * kPartials;
    for (int l = 0; l < kPartials; ++l) p[l] = combine(p[l], load(at + l));
  }
  const int64_t rest = full_rows == 0 ? 0 : count % kPartials;
  for (int64_t l = 0; l < rest; ++l) p[l] = combine(p[l], load(begin + full_rows * kPartials + l));
  return JoinPartials<kPartials>(p, used, combine);
}

// All n >= 1 elements: the results of the chunks, joined by a binary tree of neighbours. The stack
// holds complete subtrees, sizes falling, as the bits of a counter.
template <int kPartials, class Load, class Combine>
auto ReduceLine(int64_t n, const Load& load, const Combine& combine) {
  using Value = decltype(load(n));
  constexpr int64_t kChunk = kPartials * kPartialDepth;
  Value stack[64];
  int depth = 0;
  int64_t chunks = 0;
  for (int64_t begin = 0; begin < n; begin += kChunk) {
    Value value = ReduceChunk<kPartials>(begin, std::min(kChunk, n - begin), load, combine);
    for (int64_t bits = chunks++; (bits & 1) != 0; bits >>= 1) {
      value = combine(stack[--depth], value);
    }
    stack[depth++] = value;
  }
  Value result = stack[--depth];
  while (depth > 0) result = combine(stack[--depth], result);
  return result;
}

}  // namespace swage::math

#endif  // SWAGE_COMPILER_MATH_REDUCTION_TREE_H_
