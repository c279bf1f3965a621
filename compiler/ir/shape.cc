#include "compiler/ir/shape.h"

#include <algorithm>
#include <utility>

namespace swage::ir {

Layout Layout::RowMajor(int rank) {
  Layout layout;
  for (int i = rank - 1; i >= 0; --i) layout.minor_to_major.push_back(i);
  return layout;
}

bool Layout::IsRowMajor() const {
  int expected = static_cast<int>(minor_to_major.size());
  return std::all_of(minor_to_major.begin(), minor_to_major.end(),
                     [&expected](int32_t dim) { return dim == --expected; });
}

std::string Layout::ToString() const {
  std::string text = "{";
  for (size_t i = 0; i < minor_to_major.size(); ++i) {
    if (i > 0) text += ",";
    text += std::to_string(minor_to_major[i]);
  }
  if (!suffix.empty()) text += ":" + suffix;
  return text + "}";
}

Shape Shape::Array(DType dtype, absl::Span<const Dim> dims) {
  SWAGE_CHECK(dtype != DType::kToken);
  Shape shape;
  shape.dtype_ = dtype;
  shape.dims_.assign(dims.begin(), dims.end());
  return shape;
}

Shape Shape::Array(DType dtype, absl::Span<const Dim> dims, Layout layout) {
  Shape shape = Array(dtype, dims);
  shape.set_layout(std::move(layout));
  return shape;
}

Shape Shape::Tuple(std::vector<Shape> shapes) {
  Shape shape;
  shape.kind_ = Kind::kTuple;
  shape.elements_ = std::move(shapes);
  return shape;
}

Shape Shape::Token() {
  Shape shape;
  shape.kind_ = Kind::kToken;
  shape.dtype_ = DType::kToken;
  return shape;
}

void Shape::set_dim(int i, Dim dim) {
  SWAGE_CHECK(i >= 0 && i < rank());
  dims_[i] = dim;
}

void Shape::set_dtype(DType dtype) {
  SWAGE_CHECK(is_array() && dtype != DType::kToken);
  dtype_ = dtype;
}

const Shape& Shape::tuple_shape(int i) const {
  SWAGE_CHECK(is_tuple() && i >= 0 && i < tuple_size());
  return elements_[i];
}

Shape* Shape::mutable_tuple_shape(int i) {
  SWAGE_CHECK(is_tuple() && i >= 0 && i < tuple_size());
  return &elements_[i];
}

void Shape::set_layout(Layout layout) {
  SWAGE_CHECK(is_array());
  if (rank() == 0 && layout.suffix.empty()) {
    layout_.reset();
  } else {
    layout_ = std::move(layout);
  }
}

void Shape::clear_layout() {
  layout_.reset();
  for (Shape& element : elements_) element.clear_layout();
}

bool Shape::is_static() const {
  return std::all_of(dims_.begin(), dims_.end(), [](Dim dim) { return dim.is_static(); }) &&
         std::all_of(elements_.begin(), elements_.end(),
                     [](const Shape& element) { return element.is_static(); });
}

bool Shape::LayoutIsComplete() const {
  if (is_array()) return rank() == 0 || has_layout();
  return std::all_of(elements_.begin(), elements_.end(),
                     [](const Shape& element) { return element.LayoutIsComplete(); });
}

bool Shape::HasAnyLayout() const {
  return has_layout() || std::any_of(elements_.begin(), elements_.end(),
                                     [](const Shape& element) { return element.HasAnyLayout(); });
}

Status Shape::Check() const { return CheckNested(0); }

Status Shape::CheckNested(int depth) const {
  if (depth > kMaxTupleDepth) {
    return InvalidArgument("[shape] tuples nest deeper than ", kMaxTupleDepth);
  }
  for (const Shape& element : elements_) {
    SWAGE_RETURN_IF_ERROR(element.CheckNested(depth + 1));
  }
  if (!is_array()) return OkStatus();
  if (rank() > kMaxRank) return InvalidArgument("[shape] rank ", rank(), " is above ", kMaxRank);
  for (int i = 0; i < rank(); ++i) {
    if (dims_[i].is_poisoned()) {
      return InvalidArgument("[shape] dimension ", i, " of ", ToString(),
                             " overflows int64 or its expression is too large");
    }
    if (dims_[i].upper_bound() < 0) {
      return InvalidArgument("[shape] dimension ", i, " of ", ToString(), " is negative");
    }
  }
  if (!has_layout()) return OkStatus();
  std::vector<bool> seen(rank(), false);
  for (int32_t dim : layout_->minor_to_major) {
    if (dim < 0 || dim >= rank() || seen[dim]) {
      return InvalidArgument("[shape] the layout of ", ToString(), " is not a permutation");
    }
    seen[dim] = true;
  }
  if (layout_->minor_to_major.size() != dims_.size()) {
    return InvalidArgument("[shape] the layout of ", ToString(), " names ",
                           layout_->minor_to_major.size(), " dimensions, the rank is ", rank());
  }
  return OkStatus();
}

StatusOr<int64_t> Shape::NumElements() const {
  if (!is_array())
    return InvalidArgument("[shape] ", ToString(), " is no array: it has no elements");
  bool empty = false, overflow = false;
  int64_t count = 1;
  for (Dim dim : dims_) {
    const std::optional<int64_t> extent = dim.static_value();
    if (!extent) {
      return InvalidArgument("[shape] the number of elements of ", ToString(false),
                             " is not known: a dimension is not static");
    }
    if (*extent < 0)
      return InvalidArgument("[shape] ", ToString(false), " has a negative dimension");
    empty |= *extent == 0;
    overflow |= __builtin_mul_overflow(count, *extent, &count);
  }
  if (empty) return 0;
  if (overflow) {
    return InvalidArgument("[shape] ", ToString(false), " has more than 2^63-1 elements");
  }
  return count;
}

Dim Shape::num_elements_dim() const {
  Dim count = 1;
  for (Dim dim : dims_) {
    if (dim == Dim(0)) return 0;
    count *= dim;
  }
  return count;
}

StatusOr<int64_t> Shape::ByteSize() const {
  if (is_token()) return 0;
  int64_t bytes = 0;
  if (is_array()) {
    SWAGE_ASSIGN_OR_RETURN(const int64_t count, NumElements());
    if (!__builtin_mul_overflow(count, int64_t{DTypeBytes(dtype_)}, &bytes)) return bytes;
  } else {
    bool overflow = false;
    for (const Shape& element : elements_) {
      SWAGE_ASSIGN_OR_RETURN(const int64_t size, element.ByteSize());
      overflow |= __builtin_add_overflow(bytes, size, &bytes);
    }
    if (!overflow) return bytes;
  }
  return InvalidArgument("[shape] ", ToString(false), " takes more than 2^63-1 bytes");
}

bool SameDims(const Shape& a, const Shape& b) {
  return a.is_array() && b.is_array() && a.dims() == b.dims();
}

namespace {

template <typename DimsMatch>
bool SameButFor(const Shape& a, const Shape& b, const DimsMatch& match) {
  if (a.is_tuple() || b.is_tuple()) {
    if (!a.is_tuple() || !b.is_tuple() || a.tuple_size() != b.tuple_size()) return false;
    for (int i = 0; i < a.tuple_size(); ++i) {
      if (!SameButFor(a.tuple_shape(i), b.tuple_shape(i), match)) return false;
    }
    return true;
  }
  if (a.dtype() != b.dtype() || a.rank() != b.rank()) return false;
  return std::equal(a.dims().begin(), a.dims().end(), b.dims().begin(), match);
}

}  // namespace

bool Compatible(const Shape& a, const Shape& b) {
  return SameButFor(a, b, [](Dim x, Dim y) { return x == y; });
}

bool MaybeCompatible(const Shape& a, const Shape& b) {
  return SameButFor(a, b, [](Dim x, Dim y) { return ProveEqual(x, y) != Ternary::kNo; });
}

const Shape* Subshape(const Shape& shape, const ShapeIndex& index) {
  const Shape* at = &shape;
  for (int64_t i : index) {
    if (!at->is_tuple() || i < 0 || i >= at->tuple_size()) return nullptr;
    at = &at->tuple_shape(static_cast<int>(i));
  }
  return at;
}

Shape* MutableSubshape(Shape* shape, const ShapeIndex& index) {
  for (int64_t i : index) {
    if (!shape->is_tuple() || i < 0 || i >= shape->tuple_size()) return nullptr;
    shape = shape->mutable_tuple_shape(static_cast<int>(i));
  }
  return shape;
}

int64_t LeafCount(const Shape& shape) {
  int64_t count = 0;
  ForEachLeaf(shape, [&count](const ShapeIndex&, const Shape&) { ++count; });
  return count;
}

std::vector<Shape> PlainLeaves(const Shape& shape) {
  std::vector<Shape> leaves;
  ForEachLeaf(shape, [&](const ShapeIndex&, const Shape& leaf) {
    leaves.push_back(leaf);
    leaves.back().clear_layout();
  });
  return leaves;
}

}  // namespace swage::ir
