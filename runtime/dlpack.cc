#include "runtime/dlpack.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/dlpack_abi.h"
#include "runtime/foreign_memory.h"
#include "runtime/ir_types.h"
#include "runtime/tensor_read.h"
#include "runtime/trace.h"

namespace swage {
namespace {

using dlpack::Array;
using runtime::ForeignMemory;
using runtime::ThrowStatus;

struct Row {
  ir::DType dtype;
  dlpack::TypeCode code;
  uint8_t bits;
};
constexpr Row kTypes[] = {
    {ir::DType::kPred, dlpack::kBool, 8},         {ir::DType::kS8, dlpack::kInt, 8},
    {ir::DType::kS16, dlpack::kInt, 16},          {ir::DType::kS32, dlpack::kInt, 32},
    {ir::DType::kS64, dlpack::kInt, 64},          {ir::DType::kU8, dlpack::kUInt, 8},
    {ir::DType::kU16, dlpack::kUInt, 16},         {ir::DType::kU32, dlpack::kUInt, 32},
    {ir::DType::kU64, dlpack::kUInt, 64},         {ir::DType::kF16, dlpack::kFloat, 16},
    {ir::DType::kF32, dlpack::kFloat, 32},        {ir::DType::kF64, dlpack::kFloat, 64},
    {ir::DType::kBF16, dlpack::kBfloat, 16},      {ir::DType::kF8E4M3FN, dlpack::kFloat8E4M3FN, 8},
    {ir::DType::kF8E5M2, dlpack::kFloat8E5M2, 8},
};

// ---- In ----

StatusOr<ir::DType> DTypeFrom(dlpack::DataType type) {
  for (const Row& row : kTypes) {
    if (row.code == type.code && row.bits == type.bits && type.lanes == 1) return row.dtype;
  }
  const std::string got = absl::StrCat("got elements of the type code ", int{type.code}, " with ",
                                       int{type.bits}, " bits and ", type.lanes, " lanes");
  if (type.code == dlpack::kComplex) {
    return Unimplemented(got,
                         ", complex numbers, which Swage does not have; pass the real and the "
                         "imaginary part");
  }
  return Unimplemented(got,
                       ", expected bool, int or uint of 8 to 64 bits, float of 16 to 64, "
                       "bfloat16, float8_e4m3fn or float8_e5m2, with 1 lane");
}

Status CheckDevice(dlpack::Device device) {
  switch (device.type) {
    case dlpack::kCpu:
    case dlpack::kCudaHost:
    case dlpack::kRocmHost:
      return OkStatus();
    case dlpack::kCuda:
      return Unimplemented(
          "got a tensor on the CUDA device ", device.id,
          ", expected one on the CPU; copy it there first, and back with to(\"cuda:", device.id,
          "\")");
    default:
      return Unimplemented("got a tensor on the device type ", device.type,
                           ", expected kDLCPU (1), kDLCUDAHost (3) or kDLROCMHost (11); copy it to "
                           "the CPU first");
  }
}

StatusOr<ir::Shape> ShapeFrom(const Array& array) {
  SWAGE_ASSIGN_OR_RETURN(const ir::DType dtype, DTypeFrom(array.dtype));
  if (array.rank < 0 || array.rank > ir::kMaxRank) {
    return InvalidArgument("got ", array.rank, " dimensions, expected 0 to ", ir::kMaxRank);
  }
  if (array.rank > 0 && array.shape == nullptr) {
    return InvalidArgument("got a null shape for ", array.rank, " dimensions");
  }
  const ShapeVector extents(array.shape, array.shape + array.rank);
  return runtime::MakeShape(runtime::FromIr(dtype), extents);
}

StatusOr<Tensor> Import(const Array& array, ForeignMemory memory) {
  SWAGE_RETURN_IF_ERROR(CheckDevice(array.device));
  SWAGE_ASSIGN_OR_RETURN(ir::Shape shape, ShapeFrom(array));
  SWAGE_ASSIGN_OR_RETURN(const int64_t bytes, shape.ByteSize());
  if (bytes == 0)
    return runtime::CopyStrided(shape, nullptr, {});  // data and strides are of no use
  if (array.data == nullptr) {
    return InvalidArgument("got null data for ", shape.ToString(false), ", expected ", bytes,
                           " bytes");
  }
  uint64_t first, end;
  if (__builtin_add_overflow(reinterpret_cast<uintptr_t>(array.data), array.byte_offset, &first) ||
      __builtin_add_overflow(first, static_cast<uint64_t>(bytes), &end)) {
    return InvalidArgument("got the byte offset ", array.byte_offset, " for ",
                           shape.ToString(false), ", which leaves the address space");
  }
  const void* const elements = reinterpret_cast<const void*>(first);
  absl::InlinedVector<int64_t, 8> strides(shape.rank());
  int64_t dense = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[i] = array.strides == nullptr ? dense : array.strides[i];
    dense *= *shape.dim(i).static_value();
  }
  if (runtime::IsRowMajor(shape, strides) && runtime::IsAligned(elements, shape.dtype())) {
    return runtime::WrapForeign(std::move(shape), elements, std::move(memory));
  }
  return runtime::CopyStrided(shape, elements, strides);
}

template <typename Managed>
ForeignMemory Own(Managed* managed) {
  return ForeignMemory(managed, [](void* self) {
    auto* const owned = static_cast<Managed*>(self);
    if (owned->deleter != nullptr) owned->deleter(owned);
  });
}

void RequireManaged(const void* managed) {
  if (managed != nullptr) return;
  ThrowStatus(InvalidArgument("got a null pointer, expected a managed tensor"), "from_dlpack", {});
}

Tensor ImportOrThrow(const Array& array, ForeignMemory memory) {
  StatusOr<Tensor> made = Import(array, std::move(memory));
  if (!made.ok()) ThrowStatus(made.status(), "from_dlpack", {});
  return *std::move(made);
}

// ---- Out ----

// What a struct that went out keeps alive, itself included.
template <typename Managed>
struct Exported {
  Managed managed = {};
  Tensor tensor;
  ShapeVector shape, strides;
};

StatusOr<Tensor> CopyOf(const Tensor& tensor) {
  const runtime::Buffer& buffer = *tensor.impl()->buffer();
  const ir::Shape& shape = tensor.impl()->shape();
  SWAGE_ASSIGN_OR_RETURN(runtime::FreshTensor made, runtime::NewTensor(shape));
  std::copy_n(static_cast<const uint8_t*>(buffer.data()), buffer.size(),
              static_cast<uint8_t*>(made.data));
  return std::move(made.tensor);
}

// Where `array` describes what `exported` keeps.
template <typename Managed>
void Describe(const Row& row, Exported<Managed>* exported) {
  const runtime::Buffer& buffer = *exported->tensor.impl()->buffer();
  exported->shape = exported->tensor.shape();
  exported->strides.resize(exported->shape.size());
  int64_t dense = 1;
  for (size_t i = exported->shape.size(); i-- > 0;) {
    exported->strides[i] = dense;
    if (buffer.size() > 0) dense *= exported->shape[i];
  }
  exported->managed.array = {.data = buffer.size() == 0 ? nullptr : buffer.data(),
                             .device = {dlpack::kCpu, 0},
                             .rank = static_cast<int32_t>(exported->shape.size()),
                             .dtype = {row.code, row.bits, 1},
                             .shape = exported->shape.data(),
                             .strides = exported->strides.data(),
                             .byte_offset = 0};
  exported->managed.context = exported;
  exported->managed.deleter = [](Managed* self) {
    delete static_cast<Exported<Managed>*>(self->context);
  };
}

template <typename Managed>
std::unique_ptr<Exported<Managed>> Export(const Tensor& tensor, DlpackOptions options,
                                          std::string_view op) {
  runtime::HostBytes(tensor, op);
  const ir::DType dtype = tensor.impl()->shape().dtype();
  const Row* const row = std::find_if(std::begin(kTypes), std::end(kTypes),
                                      [&](const Row& type) { return type.dtype == dtype; });
  if (row == std::end(kTypes)) {
    ThrowStatus(Unimplemented("got ", tensor.impl()->shape().ToString(false),
                              ", a type of element that is not exchanged by DLPack; convert it"),
                op, {});
  }
  auto exported = std::make_unique<Exported<Managed>>();
  exported->tensor = tensor;
  if (options.copy) {
    StatusOr<Tensor> copy = CopyOf(tensor);
    if (!copy.ok()) ThrowStatus(copy.status(), op, {});
    exported->tensor = *std::move(copy);
  }
  Describe(*row, exported.get());
  return exported;
}

}  // namespace

Tensor from_dlpack(DLManagedTensor* managed) {
  RequireManaged(managed);
  return ImportOrThrow(managed->array, Own(managed));
}

Tensor from_dlpack(DLManagedTensorVersioned* managed) {
  RequireManaged(managed);
  ForeignMemory owned = Own(managed);
  if (const dlpack::Version version = managed->version; version.major != dlpack::kVersion.major) {
    ThrowStatus(Unimplemented("got a tensor of version ", version.major, ".", version.minor,
                              " of DLPack, expected ", dlpack::kVersion.major,
                              ".x; ask the producer for it (max_version in Python)"),
                "from_dlpack", {});
  }
  return ImportOrThrow(managed->array, std::move(owned));
}

DLManagedTensor* to_dlpack(const Tensor& tensor, DlpackOptions options) {
  return &Export<DLManagedTensor>(tensor, options, "to_dlpack").release()->managed;
}

DLManagedTensorVersioned* to_dlpack_versioned(const Tensor& tensor, DlpackOptions options) {
  auto exported = Export<DLManagedTensorVersioned>(tensor, options, "to_dlpack_versioned");
  exported->managed.version = dlpack::kVersion;
  exported->managed.flags = options.copy ? dlpack::kIsCopy : dlpack::kReadOnly;
  return &exported.release()->managed;
}

}  // namespace swage
