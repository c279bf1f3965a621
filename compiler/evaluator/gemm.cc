#include "compiler/evaluator/gemm.h"

namespace swage::evaluator {
namespace {

template <typename T>
inline void MultiplyAdd(T a, T b, T& sum) {
  sum += a * b;
}
inline void MultiplyAdd(Complex128 a, Complex128 b, Complex128& sum) {
  sum.re += a.re * b.re - a.im * b.im;
  sum.im += a.re * b.im + a.im * b.re;
}

}  // namespace

// Built with -O3, so that the loops over the tile become vector code.
template <typename Acc>
void MultiplyTile(int64_t k, const Acc* a, const Acc* b, Acc* c) {
  constexpr int kRows = Tile<Acc>::kRows, kCols = Tile<Acc>::kCols;
  Acc sums[kRows][kCols];
  for (int row = 0; row < kRows; ++row) {
    for (int col = 0; col < kCols; ++col) sums[row][col] = c[row * kCols + col];
  }
  for (int64_t i = 0; i < k; ++i, a += kRows, b += kCols) {
    for (int row = 0; row < kRows; ++row) {
      for (int col = 0; col < kCols; ++col) MultiplyAdd(a[row], b[col], sums[row][col]);
    }
  }
  for (int row = 0; row < kRows; ++row) {
    for (int col = 0; col < kCols; ++col) c[row * kCols + col] = sums[row][col];
  }
}

template void MultiplyTile(int64_t, const float*, const float*, float*);
template void MultiplyTile(int64_t, const double*, const double*, double*);
template void MultiplyTile(int64_t, const uint64_t*, const uint64_t*, uint64_t*);
template void MultiplyTile(int64_t, const Complex128*, const Complex128*, Complex128*);

}  // namespace swage::evaluator
