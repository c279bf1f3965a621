// Tensor: reading its shape and elements, and making concrete ones.
#include "runtime/tensor.h"

#include <cstring>

#include "base/block_pool.h"
#include "compiler/ir/npy.h"
#include "runtime/error.h"
#include "runtime/ir_types.h"
#include "runtime/placement.h"
#include "runtime/tensor_impl.h"
#include "runtime/tensor_read.h"
#include "runtime/trace.h"

namespace swage {
namespace internal {

struct DimAccess {
  static ir::Dim ToIr(const Dim& dim) {
    return dim.node_ == nullptr ? ir::Dim(dim.value_)
                                : ir::Dim::OfNode(static_cast<const ir::DimNode*>(dim.node_));
  }
  static Dim FromIr(ir::Dim dim, std::source_location where) {
    Dim result(dim.static_value().value_or(0));
    result.node_ = dim.node();
    result.where_ = where;
    return result;
  }
  static std::source_location Where(const Dim& dim) { return dim.where_; }
};

}  // namespace internal

namespace runtime {

StatusOr<ir::Shape> MakeShape(DType dtype, const Dims& shape) {
  ir::Dims dims;
  for (size_t i = 0; i < shape.size(); ++i) {
    const ir::Dim dim = ToIr(shape[i]);
    if (dim.is_static() && *dim.static_value() < 0) {
      return InvalidArgument("got extent ", *dim.static_value(), " for dimension ", i,
                             ", expected 0 or more");
    }
    dims.push_back(dim);
  }
  ir::Shape result = ir::Shape::Array(ToIr(dtype), dims);
  SWAGE_RETURN_IF_ERROR(result.Check());
  if (result.is_static()) SWAGE_RETURN_IF_ERROR(result.ByteSize().status());
  return result;
}

ir::Dim ToIr(const Dim& dim) { return internal::DimAccess::ToIr(dim); }
Dim FromIr(ir::Dim dim, std::source_location where) {
  return internal::DimAccess::FromIr(dim, where);
}

StatusOr<FreshTensor> NewTensor(ir::Shape shape, codegen::MemorySpace* memory) {
  SWAGE_ASSIGN_OR_RETURN(const int64_t bytes, shape.ByteSize());
  SWAGE_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> buffer, memory == nullptr
                                                             ? Buffer::Allocate(bytes)
                                                             : Buffer::AllocateIn(*memory, bytes));
  return TensorOver(std::move(shape), std::move(buffer));
}

FreshTensor TensorOver(ir::Shape shape, std::shared_ptr<Buffer> buffer) {
  void* data = buffer->data();
  return FreshTensor{
      Tensor(std::allocate_shared<internal::TensorImpl>(BlockAllocator<internal::TensorImpl>(),
                                                        std::move(shape), std::move(buffer))),
      data};
}

const internal::TensorImpl& RequireConcrete(const Tensor& tensor, std::string_view reader,
                                            std::string_view fix) {
  RequireDefined(tensor, reader, {});
  const internal::TensorImpl& impl = *tensor.impl();
  if (!impl.traced()) return impl;
  ThrowStatus(
      InvalidArgument("got a traced ", impl.shape().ToString(false), ", made by ", impl.op(),
                      ", which has no elements while jit traces, expected a concrete tensor; ",
                      ToAbsl(fix), ", or return the value and read the result"),
      reader, impl.where());
}

const uint8_t* HostBytes(const Tensor& tensor, std::string_view reader, std::string_view fix) {
  const internal::TensorImpl& impl = RequireConcrete(tensor, reader, fix);
  const Buffer& buffer = *impl.buffer();
  if (buffer.space() == nullptr) return static_cast<const uint8_t*>(buffer.data());
  ThrowStatus(
      InvalidArgument("got ", impl.shape().ToString(false), " on ", ToAbsl(buffer.space()->name()),
                      ", expected a tensor on the cpu; copy it with to(\"cpu\")"),
      reader, {});
}

}  // namespace runtime

namespace {

using runtime::FromIr;
using runtime::HostBytes;
using runtime::kReadFix;
using runtime::RequireConcrete;
using runtime::RequireDefined;
using runtime::ThrowStatus;
using runtime::ToIr;

constexpr std::source_location kNoLine;

const internal::TensorImpl& Impl(const Tensor& tensor, std::string_view op) {
  RequireDefined(tensor, op, kNoLine);
  return *tensor.impl();
}

std::string ShapeText(const internal::TensorImpl& impl) { return impl.shape().ToString(false); }

constexpr std::string_view kPlaceFix = "place tensors before the call or behind it";
constexpr std::string_view kBoolFix =
    "choose with where(condition, a, b) instead of branching on it";

void RequireDType(const internal::TensorImpl& impl, DType expected, std::string_view reader) {
  if (FromIr(impl.shape().dtype()) == expected) return;
  ThrowStatus(
      InvalidArgument("got ", ShapeText(impl), ", expected ", ToAbsl(DTypeName(expected)),
                      ", the dtype of the C++ type asked for; use another type, or convert"),
      reader, kNoLine);
}

int64_t Extent(const internal::TensorImpl& impl, int i, std::string_view reader) {
  const std::optional<int64_t> extent = impl.shape().dim(i).static_value();
  if (extent.has_value()) return *extent;
  runtime::NoteForced(impl.shape().dim(i));
  ThrowStatus(
      InvalidArgument("got the symbolic extent ", impl.shape().dim(i).ToString(), " of dimension ",
                      i, " of ", ShapeText(impl), ", expected a number; use size(t, ", i,
                      "), which is a traced scalar, or dims(), which shapes take"),
      reader, impl.where());
}

// One of two extents that is not from nowhere.
std::source_location WhereOf(const Dim& a, const Dim& b) {
  const std::source_location where = internal::DimAccess::Where(a);
  return where.line() != 0 ? where : internal::DimAccess::Where(b);
}

}  // namespace

std::string Dim::ToString() const { return runtime::ToIr(*this).ToString(); }

void Dim::ThrowSymbolic() const {
  runtime::NoteForced(runtime::ToIr(*this));
  ThrowStatus(InvalidArgument("got the symbolic extent ", ToAbsl(ToString()),
                              ", expected a number; use size(t, i), which is a traced scalar, or "
                              "give the Dim itself to a shape"),
              "dim", where_);
}

Dim operator+(const Dim& a, const Dim& b) {
  return runtime::FromIr(runtime::ToIr(a) + runtime::ToIr(b), WhereOf(a, b));
}
Dim operator-(const Dim& a, const Dim& b) {
  return runtime::FromIr(runtime::ToIr(a) - runtime::ToIr(b), WhereOf(a, b));
}
Dim operator*(const Dim& a, const Dim& b) {
  return runtime::FromIr(runtime::ToIr(a) * runtime::ToIr(b), WhereOf(a, b));
}
Dim operator/(const Dim& a, const Dim& b) {
  return runtime::FromIr(ir::FloorDiv(runtime::ToIr(a), runtime::ToIr(b)), WhereOf(a, b));
}

bool Tensor::is_traced() const noexcept { return impl_ != nullptr && impl_->traced(); }

DType Tensor::dtype() const { return FromIr(Impl(*this, "dtype").shape().dtype()); }

int Tensor::rank() const { return Impl(*this, "rank").shape().rank(); }

Dim Tensor::dim(int i, std::source_location where) const {
  const internal::TensorImpl& impl = Impl(*this, "dim");
  const int rank = impl.shape().rank();
  if (i < -rank || i >= rank) {
    ThrowStatus(InvalidArgument("got dimension ", i, " of ", ShapeText(impl), ", expected ", -rank,
                                " to ", rank - 1),
                "dim", kNoLine);
  }
  return FromIr(impl.shape().dim(i < 0 ? i + rank : i), where);
}

Dims Tensor::dims(std::source_location where) const {
  const internal::TensorImpl& impl = Impl(*this, "dims");
  std::vector<Dim> dims;
  for (const ir::Dim dim : impl.shape().dims()) dims.push_back(FromIr(dim, where));
  return dims;
}

ShapeVector Tensor::shape() const {
  const internal::TensorImpl& impl = Impl(*this, "shape");
  ShapeVector result(impl.shape().rank());
  for (int i = 0; i < impl.shape().rank(); ++i) result[i] = Extent(impl, i, "shape");
  return result;
}

int64_t Tensor::size() const {
  int64_t count = 1;
  for (int64_t extent : shape()) count *= extent;
  return count;
}

std::string Tensor::device() const {
  const internal::TensorImpl& impl = RequireConcrete(*this, "device", kPlaceFix);
  const codegen::MemorySpace* space = impl.buffer()->space();
  return space == nullptr ? "cpu" : std::string(space->name());
}

Tensor Tensor::to(const std::string& device) const {
  RequireConcrete(*this, "to", kPlaceFix);
  StatusOr<Tensor> copy = runtime::CopyToDevice(*this, device);
  if (!copy.ok()) ThrowStatus(copy.status(), "to", kNoLine);
  return *std::move(copy);
}

int64_t Tensor::byte_size() const { return size() * DTypeBytes(dtype()); }

const void* Tensor::raw_data() const { return HostBytes(*this, "raw_data", kReadFix); }

const void* Tensor::RawData(DType expected) const {
  const void* bytes = HostBytes(*this, "data", kReadFix);
  RequireDType(*impl_, expected, "data");
  return bytes;
}

void Tensor::CopyItem(void* value, DType expected, const ShapeVector& index) const {
  RequireConcrete(*this, "item", kReadFix);
  RequireDType(*impl_, expected, "item");
  const int64_t position = PositionOf(index);
  const int64_t bytes = DTypeBytes(expected);
  const runtime::Buffer& buffer = *impl_->buffer();
  const char* const element = static_cast<const char*>(buffer.data()) + position * bytes;
  if (buffer.space() == nullptr) {
    std::memcpy(value, element, static_cast<size_t>(bytes));
    return;
  }
  const Status copied = buffer.space()->CopyOut(value, element, bytes);
  if (!copied.ok()) ThrowStatus(copied, "item", kNoLine);
}

int64_t Tensor::PositionOf(const ShapeVector& index) const {
  const ir::Shape& shape = impl_->shape();
  if (index.empty() && size() == 1) return 0;
  if (static_cast<int>(index.size()) != shape.rank()) {
    const std::string got = index.empty() ? "no index" : absl::StrCat(index.size(), " indices");
    ThrowStatus(InvalidArgument("got ", got, " for ", ShapeText(*impl_), ", expected ",
                                shape.rank(), index.empty() ? ", or a tensor of one element" : ""),
                "item", kNoLine);
  }
  int64_t position = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t extent = *shape.dim(i).static_value();
    const int64_t at = index[i] < 0 ? index[i] + extent : index[i];
    if (at < 0 || at >= extent) {
      ThrowStatus(InvalidArgument("got index ", index[i], " for dimension ", i, " of ",
                                  ShapeText(*impl_), ", expected ", -extent, " to ", extent - 1),
                  "item", kNoLine);
    }
    position = position * extent + at;
  }
  return position;
}

Tensor::operator bool() const {
  RequireConcrete(*this, "bool", kBoolFix);
  if (size() != 1) {
    ThrowStatus(InvalidArgument("got ", ShapeText(*impl_),
                                ", expected one element; use any() or all() to join several"),
                "bool", kNoLine);
  }
  const Tensor host = to("cpu");
  const uint8_t* bytes = HostBytes(host, "bool", kBoolFix);
  const ir::Shape scalar = ir::Shape::Scalar(impl_->shape().dtype());
  const StatusOr<ir::Literal> literal =
      ir::Literal::FromBytes(scalar, absl::MakeConstSpan(bytes, static_cast<size_t>(byte_size())));
  if (!literal.ok()) ThrowStatus(literal.status(), "bool", kNoLine);
  // As numpy: -0.0 is false, NaN is true.
  const std::complex<double> value = literal->GetComplex(0);
  return !(value == 0.0);
}

Tensor from_bytes(const void* bytes, size_t byte_count, DType dtype, const ShapeVector& shape) {
  StatusOr<ir::Shape> wanted = runtime::MakeShape(dtype, shape);
  if (!wanted.ok()) ThrowStatus(wanted.status(), "from_bytes", kNoLine);
  const StatusOr<int64_t> expected = wanted->ByteSize();
  if (!expected.ok()) ThrowStatus(expected.status(), "from_bytes", kNoLine);
  if (static_cast<uint64_t>(*expected) != byte_count) {
    ThrowStatus(InvalidArgument("got ", byte_count, " bytes for ", wanted->ToString(false),
                                ", expected ", *expected),
                "from_bytes", kNoLine);
  }
  if (bytes == nullptr && byte_count > 0) {
    ThrowStatus(InvalidArgument("got a null pointer for ", wanted->ToString(false), ", expected ",
                                *expected, " bytes"),
                "from_bytes", kNoLine);
  }
  const auto* first = static_cast<const uint8_t*>(bytes);
  const Status good = ir::CheckElementBytes(wanted->dtype(), {first, byte_count});
  if (!good.ok()) ThrowStatus(good, "from_bytes", kNoLine);
  StatusOr<runtime::FreshTensor> made = runtime::NewTensor(*std::move(wanted));
  if (!made.ok()) ThrowStatus(made.status(), "from_bytes", kNoLine);
  if (byte_count > 0) std::memcpy(made->data, bytes, byte_count);
  return std::move(made->tensor);
}

namespace {

Tensor LoadNpy(const std::string& path, const ir::NpyOptions& options) {
  StatusOr<ir::Literal> literal = ir::ReadNpy(path, options);
  if (!literal.ok()) ThrowStatus(literal.status(), "load_npy", kNoLine);
  StatusOr<runtime::FreshTensor> made = runtime::NewTensor(literal->shape());
  if (!made.ok()) ThrowStatus(made.status(), "load_npy", kNoLine);
  const absl::Span<const uint8_t> bytes = literal->bytes();
  if (!bytes.empty()) std::memcpy(made->data, bytes.data(), bytes.size());
  return std::move(made->tensor);
}

}  // namespace

Tensor load_npy(const std::string& path) { return LoadNpy(path, {}); }

Tensor load_npy(const std::string& path, DType dtype) {
  return LoadNpy(path, {.dtype = ToIr(dtype)});
}

void save_npy(const std::string& path, const Tensor& tensor) {
  RequireConcrete(tensor, "save_npy", kReadFix);
  const Tensor host = tensor.to("cpu");
  const uint8_t* bytes = HostBytes(host, "save_npy", kReadFix);
  const size_t size = static_cast<size_t>(tensor.byte_size());
  StatusOr<ir::Literal> literal =
      ir::Literal::FromBytes(tensor.impl()->shape(), absl::MakeConstSpan(bytes, size));
  const Status written = literal.ok() ? ir::WriteNpy(path, *literal) : literal.status();
  if (!written.ok()) ThrowStatus(written, "save_npy", kNoLine);
}

}  // namespace swage
