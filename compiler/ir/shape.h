// File: compiler/ir/shape.h
//
// Shape: what a value looks like. One of
//   array    a dtype, dims, and (after layout assignment) a layout
//   tuple    an ordered list of shapes
//   token    orders side effects, holds no data
//
// Text, as in HLO: `f32[2,3]{1,0}`, `pred[]`, `f32[seq<=512,64]`, `(f32[2]{0}, s32[])`, `token[]`.
// A scalar has nothing to lay out: it prints without braces, and every "has a layout" rule exempts
// it (LayoutIsComplete, HasAnyLayout).
#ifndef SWAGE_COMPILER_IR_SHAPE_H_
#define SWAGE_COMPILER_IR_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "base/status.h"
#include "compiler/ir/dim.h"
#include "compiler/ir/dtype.h"
#include "compiler/ir/symbol_scope.h"

namespace swage::ir {

// Limits of the text parser and of Shape::Check.
inline constexpr int kMaxRank = 64;
inline constexpr int kMaxTupleDepth = 64;

using Dims = absl::InlinedVector<Dim, 4>;

// The dims from the fastest varying to the slowest, and XLA's tiling and memory space, which Swage
// keeps as text (`T(8,128)S(1)`) so that it survives a round trip.
struct Layout {
  absl::InlinedVector<int32_t, 4> minor_to_major;
  std::string suffix;

  static Layout RowMajor(int rank);  // {rank-1, ..., 1, 0}
  bool IsRowMajor() const;           // by order alone
  std::string ToString() const;      // "{1,0}", "{1,0:T(8,128)}"

  friend bool operator==(const Layout& a, const Layout& b) {
    return a.minor_to_major == b.minor_to_major && a.suffix == b.suffix;
  }
  template <typename H>
  friend H AbslHashValue(H h, const Layout& layout) {
    return H::combine(std::move(h), layout.minor_to_major, layout.suffix);
  }
};

// A path through nested tuples: {} is the shape itself, {1, 0} element 0 of element 1.
using ShapeIndex = absl::InlinedVector<int64_t, 4>;

class Shape {
 public:
  // An f32 scalar, so that containers can hold shapes.
  Shape() = default;
  static Shape Array(DType dtype, absl::Span<const Dim> dims);
  static Shape Array(DType dtype, absl::Span<const Dim> dims, Layout layout);
  static Shape Array(DType dtype, std::initializer_list<Dim> dims) {
    return Array(dtype, absl::MakeConstSpan(dims.begin(), dims.size()));
  }
  static Shape Scalar(DType dtype) { return Array(dtype, absl::Span<const Dim>()); }
  static Shape Tuple(std::vector<Shape> shapes);
  static Shape Token();

  bool is_array() const { return kind_ == Kind::kArray; }
  bool is_tuple() const { return kind_ == Kind::kTuple; }
  bool is_token() const { return kind_ == Kind::kToken; }
  bool is_scalar() const { return is_array() && dims_.empty(); }

  // Arrays. The dtype of a token is kToken; asking a tuple for any of these is an internal error
  // that stops the process, as is an index out of range.
  DType dtype() const {
    SWAGE_CHECK(kind_ != Kind::kTuple);
    return dtype_;
  }
  int rank() const { return static_cast<int>(dims_.size()); }
  Dim dim(int i) const {
    SWAGE_CHECK(i >= 0 && i < rank());
    return dims_[i];
  }
  absl::Span<const Dim> dims() const { return dims_; }
  void set_dim(int i, Dim dim);
  void set_dtype(DType dtype);

  // Tuples.
  const std::vector<Shape>& tuple_shapes() const { return elements_; }
  int tuple_size() const { return static_cast<int>(elements_.size()); }
  const Shape& tuple_shape(int i) const;
  Shape* mutable_tuple_shape(int i);

  // The layout of an array. A scalar never has one: setting it is ignored unless it has a suffix.
  bool has_layout() const { return layout_.has_value(); }
  const Layout& layout() const {
    SWAGE_CHECK(layout_.has_value());
    return *layout_;
  }
  void set_layout(Layout layout);
  void clear_layout();  // of every array inside

  // Over every array inside: all dims static; every array but scalars has a layout; some array has.
  bool is_static() const;
  bool LayoutIsComplete() const;
  bool HasAnyLayout() const;

  // The dtypes, ranks, dims and layouts make sense: no poisoned or surely negative dim, a layout
  // that is a permutation, rank and nesting within the limits.
  Status Check() const;

  // Elements of a static array; a symbolic or poisoned dim and a product beyond int64 are errors.
  StatusOr<int64_t> NumElements() const;
  Dim num_elements_dim() const;
  // Dense bytes: elements times DTypeBytes, summed over a tuple; a token has none.
  StatusOr<int64_t> ByteSize() const;

  // Symbols that `scope` has seen print without their range; without a scope each shape stands
  // alone.
  std::string ToString(bool with_layout = true) const;
  std::string ToString(bool with_layout, SymbolScope& scope) const;

  // Layout included. Dims compare as Dim does: equal means equal for every value of the symbols.
  friend bool operator==(const Shape& a, const Shape& b) {
    return a.kind_ == b.kind_ && a.dtype_ == b.dtype_ && a.dims_ == b.dims_ &&
           a.layout_ == b.layout_ && a.elements_ == b.elements_;
  }
  template <typename H>
  friend H AbslHashValue(H h, const Shape& shape) {
    h = H::combine(std::move(h), shape.kind_, shape.dtype_, shape.dims_, shape.elements_,
                   shape.has_layout());
    return shape.has_layout() ? H::combine(std::move(h), *shape.layout_) : std::move(h);
  }

 private:
  enum class Kind : uint8_t { kArray, kTuple, kToken };

  Status CheckNested(int depth) const;

  Kind kind_ = Kind::kArray;
  DType dtype_ = DType::kF32;
  Dims dims_;
  std::optional<Layout> layout_;
  std::vector<Shape> elements_;
};

// Two arrays with equal dims, whatever their dtypes and layouts.
bool SameDims(const Shape& a, const Shape& b);
// Equal but for layouts.
bool Compatible(const Shape& a, const Shape& b);
// Whether they differ only in dims that are not known to be unequal: a guard at run time could make
// them equal.
bool MaybeCompatible(const Shape& a, const Shape& b);

// The part of `shape` at `index`; null when there is none.
const Shape* Subshape(const Shape& shape, const ShapeIndex& index);
Shape* MutableSubshape(Shape* shape, const ShapeIndex& index);

// Calls fn(index, leaf) for each array or token inside, left to right.
template <typename Fn>
void ForEachLeaf(const Shape& shape, Fn&& fn, ShapeIndex index = {}) {
  if (!shape.is_tuple()) {
    fn(static_cast<const ShapeIndex&>(index), shape);
    return;
  }
  index.push_back(0);
  for (const Shape& element : shape.tuple_shapes()) {
    ForEachLeaf(element, fn, index);
    ++index.back();
  }
}
int64_t LeafCount(const Shape& shape);
// Its leaves, left to right, without layouts.
std::vector<Shape> PlainLeaves(const Shape& shape);

// Parses the shape at text[*pos] and moves *pos past it; for the HLO parser. Any bytes are safe.
StatusOr<Shape> ParseShape(std::string_view text, size_t* pos, SymbolScope& scope);
// The whole text is one shape, in a scope of its own.
StatusOr<Shape> ParseShape(std::string_view text);

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_SHAPE_H_
