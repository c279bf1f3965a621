// File: runtime/tensor.h
//
// Tensor: the one array type. A cheap, immutable handle (one pointer) that is either
//   concrete   dtype, shape, device and a buffer of dense row-major elements, or
//   traced     a node of the graph that is being built while a jit function runs.
// The same code works on both. Reading a traced value (item, data, to_vector, bool) throws an Error
// that names the op, the line where the value was made, and what to use instead.
//
//   auto x = swage::array({1.f, 2.f, 3.f, 4.f}, {2, 2});
//   auto y = x * 2 + 1;                     // scalars adapt to the tensor's dtype
//   std::cout << y << y.item<float>({1, 0});
//
// Handles may be copied and destroyed on any thread. Elements are never changed once made, so any
// number of threads may read.
#ifndef SWAGE_RUNTIME_TENSOR_H_
#define SWAGE_RUNTIME_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/dtype.h"
#include "runtime/export.h"

namespace swage {

namespace internal {
class TensorImpl;
struct DimAccess;
}  // namespace internal

// The extent of one dimension: a number, or, while a function with symbolic sizes is traced, an
// expression of its symbols ("seq", "2*seq+1"). Conversion to a number is explicit:
// int64_t(t.dim(0)), float(t.dim(-1)). On a symbolic extent it is an error that names the line;
// `size(t, i)` is the same as a traced scalar, and shapes take a Dim as it is:
//
//   x = reshape(x, {x.dim(0) * x.dim(1), 64});
class SWAGE_API Dim {
 public:
  Dim(int64_t value) : value_(value) {}
  template <typename T, typename = std::enable_if_t<std::is_floating_point_v<T>>, typename = void>
  Dim(T value) = delete;
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  explicit operator T() const {
    if (symbolic()) ThrowSymbolic();
    return static_cast<T>(value_);
  }
  bool symbolic() const { return node_ != nullptr; }
  std::string ToString() const;

  // Equal for all sizes; of two symbolic extents that are not, nothing is known.
  friend bool operator==(const Dim& a, const Dim& b) {
    return a.value_ == b.value_ && a.node_ == b.node_;
  }
  // An extent that does not fit 63 bits is an error of the op that gets it.
  friend SWAGE_API Dim operator+(const Dim& a, const Dim& b);
  friend SWAGE_API Dim operator-(const Dim& a, const Dim& b);
  friend SWAGE_API Dim operator*(const Dim& a, const Dim& b);
  // Rounded down. A divisor of 0 is an error.
  friend SWAGE_API Dim operator/(const Dim& a, const Dim& b);

 private:
  friend struct internal::DimAccess;
  [[noreturn]] void ThrowSymbolic() const;

  int64_t value_;
  const void* node_ = nullptr;       // of the expression
  std::source_location where_ = {};  // of the call of dim()
};

using ShapeVector = std::vector<int64_t>;

// The extents of a shape to be made: {2, 3}, {x.dim(0), 64}, or a ShapeVector.
class SWAGE_API Dims {
 public:
  Dims() = default;
  Dims(std::initializer_list<Dim> dims) : dims_(dims) {}
  Dims(const ShapeVector& shape) : dims_(shape.begin(), shape.end()) {}
  Dims(std::vector<Dim> dims) : dims_(std::move(dims)) {}
  size_t size() const { return dims_.size(); }
  const Dim& operator[](size_t i) const { return dims_[i]; }
  auto begin() const { return dims_.begin(); }
  auto end() const { return dims_.end(); }

 private:
  std::vector<Dim> dims_;
};

class SWAGE_API Tensor {
 public:
  // An empty handle: defined() is false, and every op on it is an error.
  Tensor() noexcept = default;

  bool defined() const noexcept { return impl_ != nullptr; }
  bool is_traced() const noexcept;
  DType dtype() const;
  int rank() const;
  // Extent of dimension i; negative counts from the end. Out of range is an error.
  Dim dim(int i, std::source_location where = std::source_location::current()) const;
  // All extents.
  Dims dims(std::source_location where = std::source_location::current()) const;
  // The same as numbers, and their product. Errors as Dim's conversions.
  ShapeVector shape() const;
  int64_t size() const;

  // Where the elements are: "cpu", or "cuda:0" and up. An error on a traced tensor, as is to().
  std::string device() const;
  // The same elements on another device; this very tensor if it is there. Copies from a device wait
  // for what computes them. Unavailable without such a device.
  Tensor to(const std::string& device) const;

  // The elements in row-major order; T must be the C++ type of dtype(). Valid while any handle to
  // this tensor lives. Of a tensor on another device an error, while to_vector, item, printing and
  // save_npy copy what they read.
  template <typename T>
  const T* data() const {
    return static_cast<const T*>(RawData(DTypeOf<T>()));
  }
  template <typename T>
  std::vector<T> to_vector() const {
    const Tensor host = to("cpu");
    const T* first = host.data<T>();
    return std::vector<T>(first, first + size());
  }
  // The only element (size() is 1), or the one at `index`.
  template <typename T>
  T item() const {
    return item<T>({});
  }
  template <typename T>
  T item(const ShapeVector& index) const {
    T value;
    CopyItem(&value, DTypeOf<T>(), index);
    return value;
  }
  // Bytes of any dtype.
  const void* raw_data() const;
  int64_t byte_size() const;

  // True when the only element is not zero. An error on a traced tensor: `if (x)` cannot be traced.
  explicit operator bool() const;

  std::string ToString() const;  // as numpy prints

  // For the library.
  explicit Tensor(std::shared_ptr<internal::TensorImpl> impl) noexcept : impl_(std::move(impl)) {}
  const std::shared_ptr<internal::TensorImpl>& impl() const noexcept { return impl_; }
  std::shared_ptr<internal::TensorImpl> TakeImpl() && noexcept { return std::move(impl_); }

 private:
  const void* RawData(DType expected) const;
  void CopyItem(void* value, DType expected, const ShapeVector& index) const;
  int64_t PositionOf(const ShapeVector& index) const;  // in elements

  std::shared_ptr<internal::TensorImpl> impl_;
};

SWAGE_API std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

template <typename T>
class Scalar;  // tree.h

// What an op takes: a tensor, or a plain number that adapts to the dtype of the tensors beside it.
// It remembers the line of the call.
class SWAGE_API Operand {
 public:
  using Where = std::source_location;
  Operand(const Tensor& tensor, Where where = Where::current()) : tensor_(tensor), where_(where) {}
  Operand(Tensor&& tensor, Where where = Where::current())
      : tensor_(std::move(tensor)), where_(where) {}
  template <typename T>
  Operand(const Scalar<T>& scalar, Where where = Where::current())
      : tensor_(scalar.tensor()), where_(where) {}
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Operand(T number, Where where = Where::current()) : where_(where) {
    if constexpr (std::is_same_v<T, bool>)
      kind_ = Kind::kBool, integer_ = number;
    else if constexpr (std::is_floating_point_v<T>)
      kind_ = Kind::kFloat, float_ = number;
    else if constexpr (std::is_signed_v<T>)
      kind_ = Kind::kSigned, integer_ = number;
    else
      kind_ = Kind::kUnsigned, integer_ = static_cast<int64_t>(static_cast<uint64_t>(number));
  }

  enum class Kind : uint8_t { kTensor, kBool, kSigned, kUnsigned, kFloat };
  Kind kind() const { return kind_; }
  bool is_tensor() const { return kind_ == Kind::kTensor; }
  const Tensor& tensor() const { return tensor_; }
  double float_value() const { return float_; }
  int64_t integer_value() const { return integer_; }  // kUnsigned: the bits
  const Where& where() const { return where_; }

 private:
  Tensor tensor_;
  Kind kind_ = Kind::kTensor;
  double float_ = 0;
  int64_t integer_ = 0;
  Where where_;
};

// Whether "cpu", "cuda:0" or another device is there and works; if not, `why` (may be null) gets
// the reason. The first question about a GPU opens the CUDA driver.
SWAGE_API bool has_device(const std::string& device, std::string* why = nullptr);

// ---- Making concrete tensors ----

// Copies `bytes` (dense, row-major) into a new tensor. An absurd or mismatching size is an error.
SWAGE_API Tensor from_bytes(const void* bytes, size_t byte_count, DType dtype,
                            const ShapeVector& shape);

template <typename T>
Tensor from_data(const T* data, const ShapeVector& shape) {
  size_t count = 1;
  for (int64_t extent : shape) count *= static_cast<size_t>(extent < 0 ? 0 : extent);
  return from_bytes(data, count * sizeof(T), DTypeOf<T>(), shape);
}
// A vector of the elements; without a shape it has rank 1.
template <typename T>
Tensor array(std::initializer_list<T> values, const ShapeVector& shape) {
  return from_bytes(std::data(values), values.size() * sizeof(T), DTypeOf<T>(), shape);
}
template <typename T>
Tensor array(std::initializer_list<T> values) {
  return array(values, {static_cast<int64_t>(values.size())});
}
template <typename T>
Tensor array(const std::vector<T>& values, const ShapeVector& shape) {
  static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no elements to copy");
  return from_bytes(values.data(), values.size() * sizeof(T), DTypeOf<T>(), shape);
}
// A rank-0 tensor.
template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
Tensor scalar(T value) {
  return from_bytes(&value, sizeof(T), DTypeOf<T>(), {});
}

// ---- Over memory of the caller ----

// What frees the memory of a tensor made by from_blob; it gets the pointer that from_blob got. It
// is called exactly once: by whichever thread lets the last handle go, or by from_blob before it
// throws. It must not throw. A jit function that captured the tensor, and a result that is the
// tensor itself, are handles too.
using BlobDeleter = std::function<void(void*)>;

// A tensor over `data`, dense and row-major, without a copy. The elements are only ever read, by
// results of ops and programs never written, so read-only memory will do. The caller
//   - keeps them valid until the last handle is gone (the deleter says when),
//   - may change them while nothing runs that reads them: ops, programs and functions that captured
//     the tensor see the new values the next time they run, results that are there stay the same,
//   - leaves every element of pred 0 or 1, which is checked once, here.
// An address that is no multiple of the size of an element (from_bytes copies from any), a null
// pointer to more than no elements, and shapes that from_bytes refuses are errors.
//
//   std::vector<float> frame(640 * 480);
//   const Tensor x = from_blob(frame.data(), {640, 480});
//   for (;;) { Fill(frame); Show(f(x)); }
SWAGE_API Tensor from_blob(const void* data, DType dtype, const ShapeVector& shape,
                           BlobDeleter deleter = {});
template <typename T>
Tensor from_blob(const T* data, const ShapeVector& shape, BlobDeleter deleter = {}) {
  return from_blob(static_cast<const void*>(data), DTypeOf<T>(), shape, std::move(deleter));
}

// A row-major copy of elements that are not: element [i, j] lies at
// `data` + i * strides[0] + j * strides[1], counted in elements. Strides may be negative or 0, the
// address of any alignment.
//
//   const Tensor t = from_strided(matrix, f32, {columns, rows}, {1, columns});   // transposed
SWAGE_API Tensor from_strided(const void* data, DType dtype, const ShapeVector& shape,
                              const ShapeVector& strides);

// .npy files; bf16 and f8 are stored as their bits, so `dtype` says what they are.
SWAGE_API Tensor load_npy(const std::string& path);
SWAGE_API Tensor load_npy(const std::string& path, DType dtype);
SWAGE_API void save_npy(const std::string& path, const Tensor& tensor);

}  // namespace swage

#endif  // SWAGE_RUNTIME_TENSOR_H_
