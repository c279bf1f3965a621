// File: compiler/evaluator/gemm.h
//
// The multiply-add loops of the evaluator's dot: C[m,n] = sum over k of A[m,k] * B[k,n], blocked
// for registers, on packed operands of the accumulating type. The caller packs (and converts) rows
// of A and columns of B into the panels described below, so every dtype and layout shares these
// loops.
//
// k runs from first to last for every element, so a result does not depend on m, n or the blocking.
#ifndef SWAGE_COMPILER_EVALUATOR_GEMM_H_
#define SWAGE_COMPILER_EVALUATOR_GEMM_H_

#include <cstdint>

namespace swage::evaluator {

struct Complex128 {
  double re = 0, im = 0;
};

template <typename Acc>
struct Tile;
template <>
struct Tile<float> {
  static constexpr int kRows = 4, kCols = 8;
};
template <>
struct Tile<double> {
  static constexpr int kRows = 4, kCols = 8;
};
template <>
struct Tile<uint64_t> {
  static constexpr int kRows = 4, kCols = 4;
};
template <>
struct Tile<Complex128> {
  static constexpr int kRows = 2, kCols = 2;
};

// Adds to c. a: [k][kRows], b: [k][kCols], c: [kRows][kCols]. Unused rows and columns of the panels
// hold zeros.
template <typename Acc>
void MultiplyTile(int64_t k, const Acc* a, const Acc* b, Acc* c);

}  // namespace swage::evaluator

#endif  // SWAGE_COMPILER_EVALUATOR_GEMM_H_
