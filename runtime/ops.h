// File: runtime/ops.h
//
// The ops of tensors, in numpy's names with numpy's broadcasting. They run at once on concrete
// tensors and are recorded on traced ones.
//
// Dtypes are never promoted: two tensors of different dtypes are an error that names both (use
// convert). A plain number adapts to the tensor beside it; a float number beside an integer tensor
// is an error. Float math of f16, bf16 and f8 is computed in f32 and rounded once. Axes may be
// negative (from the end). Errors (swage::Error, kInvalidArgument) name the op, what it got, what
// it wants, and the line of the call. All functions are thread-safe.
#ifndef SWAGE_RUNTIME_OPS_H_
#define SWAGE_RUNTIME_OPS_H_

#include <optional>
#include <source_location>
#include <utility>
#include <vector>

#include "runtime/tensor.h"

namespace swage {

using Where = std::source_location;
using Axes = std::vector<int>;

// ---- Elementwise, one operand ----
// V(function, HLO opcode, doc): the same shape and dtype come back.
#define SWAGE_UNARY_OPS(V)                                            \
  V(abs, Abs, "Absolute value.")                                      \
  V(bitwise_not, Not, "Bitwise not; logical not of pred.")            \
  V(cbrt, Cbrt, "Cube root.")                                         \
  V(ceil, Ceil, "Smallest integer not below.")                        \
  V(cos, Cos, "Cosine.")                                              \
  V(count_leading_zeros, Clz, "Leading zero bits of an integer.")     \
  V(erf, Erf, "Error function.")                                      \
  V(exp, Exp, "e to the x.")                                          \
  V(expm1, Expm1, "exp(x) - 1, exact near 0.")                        \
  V(floor, Floor, "Largest integer not above.")                       \
  V(log, Log, "Natural logarithm.")                                   \
  V(log1p, Log1p, "log(1 + x), exact near 0.")                        \
  V(negative, Negate, "-x.")                                          \
  V(popcount, PopulationCount, "One bits of an integer.")             \
  V(round, RoundNearestEven, "To the nearest integer, ties to even.") \
  V(rsqrt, Rsqrt, "1 / sqrt(x).")                                     \
  V(sigmoid, Logistic, "1 / (1 + exp(-x)).")                          \
  V(sign, Sign, "-1, 0 or 1; NaN stays.")                             \
  V(sin, Sin, "Sine.")                                                \
  V(sqrt, Sqrt, "Square root.")                                       \
  V(tan, Tan, "Tangent.")                                             \
  V(tanh, Tanh, "Hyperbolic tangent.")
#define SWAGE_DECLARE_UNARY(function, opcode, doc) \
  SWAGE_API Tensor function(const Tensor& x, Where where = Where::current());
SWAGE_UNARY_OPS(SWAGE_DECLARE_UNARY)
#undef SWAGE_DECLARE_UNARY

SWAGE_API Tensor square(const Tensor& x, Where where = Where::current());       // x * x
SWAGE_API Tensor reciprocal(const Tensor& x, Where where = Where::current());   // 1 / x
SWAGE_API Tensor trunc(const Tensor& x, Where where = Where::current());        // towards zero
SWAGE_API Tensor isfinite(const Tensor& x, Where where = Where::current());     // pred
SWAGE_API Tensor isnan(const Tensor& x, Where where = Where::current());        // pred
SWAGE_API Tensor isinf(const Tensor& x, Where where = Where::current());        // pred
SWAGE_API Tensor logical_not(const Tensor& x, Where where = Where::current());  // x == 0

// ---- Elementwise, two operands, broadcast; at least one is a tensor ----
#define SWAGE_BINARY_OPS(V)                                            \
  V(add, Add, "Sum; integers wrap.")                                   \
  V(arctan2, Atan2, "Angle of the point (second, first).")             \
  V(bitwise_and, And, "Bitwise and; logical and of pred.")             \
  V(bitwise_or, Or, "Bitwise or; logical or of pred.")                 \
  V(bitwise_xor, Xor, "Bitwise exclusive or.")                         \
  V(fmod, Remainder, "Exact remainder with the sign of the dividend.") \
  V(left_shift, ShiftLeft, "Counts of the width or more give 0.")      \
  V(maximum, Maximum, "Larger; NaN wins; -0 < +0.")                    \
  V(minimum, Minimum, "Smaller; NaN wins; -0 < +0.")                   \
  V(multiply, Multiply, "Product; integers wrap.")                     \
  V(pow, Power, "First to the power of second.")                       \
  V(subtract, Subtract, "Difference; integers wrap.")
#define SWAGE_DECLARE_BINARY(function, opcode, doc) \
  SWAGE_API Tensor function(const Operand& a, const Operand& b, Where where = Where::current());
SWAGE_BINARY_OPS(SWAGE_DECLARE_BINARY)
#undef SWAGE_DECLARE_BINARY

// Float quotient. Integers are an error that names floor_divide and div.
SWAGE_API Tensor divide(const Operand& a, const Operand& b, Where where = Where::current());
// HLO's divide: floats as divide, integers truncate towards zero; of integers x / 0 has all bits
// one (-1, or the largest unsigned). Numpy's, the two below and fmod, give 0 there.
SWAGE_API Tensor div(const Operand& a, const Operand& b, Where where = Where::current());
// Rounds towards minus infinity.
SWAGE_API Tensor floor_divide(const Operand& a, const Operand& b, Where where = Where::current());
// %: the sign of the divisor.
SWAGE_API Tensor remainder(const Operand& a, const Operand& b, Where where = Where::current());
// Arithmetic for signed integers, logical for unsigned; counts of the width or more fill.
SWAGE_API Tensor right_shift(const Operand& a, const Operand& b, Where where = Where::current());

// Comparisons give pred. NaN compares false, but not_equal true.
SWAGE_API Tensor equal(const Operand& a, const Operand& b, Where where = Where::current());
SWAGE_API Tensor not_equal(const Operand& a, const Operand& b, Where where = Where::current());
SWAGE_API Tensor less(const Operand& a, const Operand& b, Where where = Where::current());
SWAGE_API Tensor less_equal(const Operand& a, const Operand& b, Where where = Where::current());
SWAGE_API Tensor greater(const Operand& a, const Operand& b, Where where = Where::current());
SWAGE_API Tensor greater_equal(const Operand& a, const Operand& b, Where where = Where::current());
SWAGE_API Tensor logical_and(const Operand& a, const Operand& b, Where where = Where::current());
SWAGE_API Tensor logical_or(const Operand& a, const Operand& b, Where where = Where::current());

// a where condition (pred) holds, else b; all three broadcast.
SWAGE_API Tensor where(const Tensor& condition, const Operand& a, const Operand& b,
                       Where where = Where::current());
// minimum(maximum(x, low), high): NaN stays, crossed bounds give `high`.
SWAGE_API Tensor clip(const Operand& x, const Operand& low, const Operand& high,
                      Where where = Where::current());

// ---- Types ----
// Another element type: floats round to nearest even; to an integer truncates and saturates, NaN
// gives 0; to pred is x != 0.
SWAGE_API Tensor convert(const Tensor& x, DType dtype, Where where = Where::current());
// The same bits as another dtype of the same width.
SWAGE_API Tensor bitcast(const Tensor& x, DType dtype, Where where = Where::current());

// ---- Making values ----
SWAGE_API Tensor full(const Dims& shape, const Operand& value, DType dtype,
                      Where where = Where::current());
SWAGE_API Tensor zeros(const Dims& shape, DType dtype = f32, Where where = Where::current());
SWAGE_API Tensor ones(const Dims& shape, DType dtype = f32, Where where = Where::current());
SWAGE_API Tensor full_like(const Tensor& x, const Operand& value, Where where = Where::current());
SWAGE_API Tensor zeros_like(const Tensor& x, Where where = Where::current());
SWAGE_API Tensor ones_like(const Tensor& x, Where where = Where::current());
// 0, 1, ..., n - 1.
SWAGE_API Tensor arange(const Dim& n, DType dtype = s32, Where where = Where::current());
// Position along `axis`, of the given shape.
SWAGE_API Tensor iota(const Dims& shape, int axis, DType dtype = s32,
                      Where where = Where::current());
// The extent of dimension i as a rank-0 s32; the way to read a symbolic dim.
SWAGE_API Tensor size(const Tensor& x, int i, Where where = Where::current());

// ---- Shape ----
SWAGE_API Tensor reshape(const Tensor& x, const Dims& shape,
                         Where where = Where::current());  // one -1
SWAGE_API Tensor ravel(const Tensor& x, Where where = Where::current());
SWAGE_API Tensor squeeze(const Tensor& x, const Axes& axes, Where where = Where::current());
SWAGE_API Tensor expand_dims(const Tensor& x, int axis, Where where = Where::current());
SWAGE_API Tensor broadcast_to(const Tensor& x, const Dims& shape, Where where = Where::current());
// Without axes: reverses all dimensions, as numpy (a matrix is transposed).
SWAGE_API Tensor transpose(const Tensor& x, const Axes& axes, Where where = Where::current());
SWAGE_API Tensor transpose(const Tensor& x, Where where = Where::current());
SWAGE_API Tensor swapaxes(const Tensor& x, int a, int b, Where where = Where::current());
SWAGE_API Tensor concatenate(const std::vector<Tensor>& xs, int axis = 0,
                             Where where = Where::current());
SWAGE_API Tensor stack(const std::vector<Tensor>& xs, int axis = 0, Where where = Where::current());
SWAGE_API std::vector<Tensor> split(const Tensor& x, int parts, int axis = 0,
                                    Where where = Where::current());
SWAGE_API Tensor flip(const Tensor& x, const Axes& axes, Where where = Where::current());
SWAGE_API Tensor roll(const Tensor& x, int64_t shift, int axis, Where where = Where::current());
// Constant padding; one {before, behind} per dimension, not negative.
SWAGE_API Tensor pad(const Tensor& x, const std::vector<std::pair<int64_t, int64_t>>& widths,
                     const Operand& value = 0, Where where = Where::current());

// A range of one dimension, as numpy's start:stop:step: negatives wrap, out of range clamps; step >
// 0 or < 0.
struct SWAGE_API Slice {
  std::optional<int64_t> start = {}, stop = {};
  int64_t step = 1;
};
// x[slices...]: one Slice per leading dimension; the rest is kept whole.
SWAGE_API Tensor slice(const Tensor& x, const std::vector<Slice>& slices,
                       Where where = Where::current());
// One index of one dimension, which goes away; negative wraps, out of range is an error.
SWAGE_API Tensor index(const Tensor& x, int64_t i, int axis = 0, Where where = Where::current());
// A window at traced starts (integer tensors, rank 0), which are clamped so that it fits.
SWAGE_API Tensor dynamic_slice(const Tensor& x, const std::vector<Operand>& starts,
                               const Dims& sizes, Where where = Where::current());
SWAGE_API Tensor dynamic_update_slice(const Tensor& x, const Tensor& update,
                                      const std::vector<Operand>& starts,
                                      Where where = Where::current());
// Rows (along axis) at the listed places: negative wraps, out of range clamps.
SWAGE_API Tensor take(const Tensor& x, const Tensor& indices, int axis = 0,
                      Where where = Where::current());
SWAGE_API Tensor take_along_axis(const Tensor& x, const Tensor& indices, int axis,
                                 Where where = Where::current());
SWAGE_API Tensor tril(const Tensor& x, int64_t k = 0, Where where = Where::current());
SWAGE_API Tensor triu(const Tensor& x, int64_t k = 0, Where where = Where::current());

// ---- Reductions ----
// Over the listed axes (none listed: all). f16, bf16 and f8 are summed in f32 and rounded once. The
// order of a float sum is fixed (docs/semantics.md): the same on every device and thread count.
SWAGE_API Tensor sum(const Tensor& x, const Axes& axes = {}, bool keepdims = false,
                     Where where = Where::current());
SWAGE_API Tensor prod(const Tensor& x, const Axes& axes = {}, bool keepdims = false,
                      Where where = Where::current());
SWAGE_API Tensor mean(const Tensor& x, const Axes& axes = {}, bool keepdims = false,
                      Where where = Where::current());
SWAGE_API Tensor var(const Tensor& x, const Axes& axes = {}, bool keepdims = false,
                     Where where = Where::current());
SWAGE_API Tensor max(const Tensor& x, const Axes& axes = {}, bool keepdims = false,
                     Where where = Where::current());
SWAGE_API Tensor min(const Tensor& x, const Axes& axes = {}, bool keepdims = false,
                     Where where = Where::current());
SWAGE_API Tensor any(const Tensor& x, const Axes& axes = {}, bool keepdims = false,
                     Where where = Where::current());
SWAGE_API Tensor all(const Tensor& x, const Axes& axes = {}, bool keepdims = false,
                     Where where = Where::current());
SWAGE_API Tensor logsumexp(const Tensor& x, const Axes& axes = {}, bool keepdims = false,
                           Where where = Where::current());
SWAGE_API Tensor norm(const Tensor& x, const Axes& axes = {}, bool keepdims = false,
                      Where where = Where::current());
// s32 place of the first largest (smallest) element along an axis; NaN counts as such.
SWAGE_API Tensor argmax(const Tensor& x, int axis, bool keepdims = false,
                        Where where = Where::current());
SWAGE_API Tensor argmin(const Tensor& x, int axis, bool keepdims = false,
                        Where where = Where::current());

// ---- Products ----
// numpy's: the last two dimensions are matrices, leading ones broadcast; rank 1 is a vector. f16
// and bf16 accumulate in f32 and round once; `result` asks for another result dtype (bf16 x bf16 ->
// f32).
SWAGE_API Tensor matmul(const Tensor& a, const Tensor& b, std::optional<DType> result = {},
                        Where where = Where::current());
SWAGE_API Tensor dot(const Tensor& a, const Tensor& b, Where where = Where::current());
SWAGE_API Tensor outer(const Tensor& a, const Tensor& b, Where where = Where::current());
SWAGE_API Tensor tensordot(const Tensor& a, const Tensor& b, const Axes& a_axes, const Axes& b_axes,
                           Where where = Where::current());

// ---- Operators ----
inline Tensor operator+(const Operand& a, const Operand& b) { return add(a, b, a.where()); }
inline Tensor operator-(const Operand& a, const Operand& b) { return subtract(a, b, a.where()); }
inline Tensor operator*(const Operand& a, const Operand& b) { return multiply(a, b, a.where()); }
inline Tensor operator/(const Operand& a, const Operand& b) { return divide(a, b, a.where()); }
inline Tensor operator%(const Operand& a, const Operand& b) { return remainder(a, b, a.where()); }
inline Tensor operator&(const Operand& a, const Operand& b) { return bitwise_and(a, b, a.where()); }
inline Tensor operator|(const Operand& a, const Operand& b) { return bitwise_or(a, b, a.where()); }
inline Tensor operator^(const Operand& a, const Operand& b) { return bitwise_xor(a, b, a.where()); }
inline Tensor operator<<(const Operand& a, const Operand& b) { return left_shift(a, b, a.where()); }
inline Tensor operator>>(const Operand& a, const Operand& b) {
  return right_shift(a, b, a.where());
}
inline Tensor operator==(const Operand& a, const Operand& b) { return equal(a, b, a.where()); }
inline Tensor operator!=(const Operand& a, const Operand& b) { return not_equal(a, b, a.where()); }
inline Tensor operator<(const Operand& a, const Operand& b) { return less(a, b, a.where()); }
inline Tensor operator<=(const Operand& a, const Operand& b) { return less_equal(a, b, a.where()); }
inline Tensor operator>(const Operand& a, const Operand& b) { return greater(a, b, a.where()); }
inline Tensor operator>=(const Operand& a, const Operand& b) {
  return greater_equal(a, b, a.where());
}
inline Tensor operator-(const Operand& a) { return negative(a.tensor(), a.where()); }
inline Tensor operator~(const Operand& a) { return bitwise_not(a.tensor(), a.where()); }
// Of a Tensor, lest the conversion to bool be as good; so it does not know its line.
inline Tensor operator!(const Tensor& x) { return logical_not(x, Where()); }

}  // namespace swage

#endif  // SWAGE_RUNTIME_OPS_H_
