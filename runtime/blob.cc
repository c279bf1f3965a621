// Tensors over memory of the caller, and copies of what is not row-major.
#include "runtime/foreign_memory.h"
#include "runtime/ir_types.h"
#include "runtime/tensor.h"
#include "runtime/trace.h"

namespace swage {
namespace {

using runtime::ForeignMemory;
using runtime::ThrowStatus;

StatusOr<ir::Shape> ShapeOver(const void* data, DType dtype, const ShapeVector& shape) {
  SWAGE_ASSIGN_OR_RETURN(ir::Shape wanted, runtime::MakeShape(dtype, shape));
  SWAGE_ASSIGN_OR_RETURN(const int64_t bytes, wanted.ByteSize());
  if (data != nullptr || bytes == 0) return wanted;
  return InvalidArgument("got a null pointer for ", wanted.ToString(false), ", expected ", bytes,
                         " bytes");
}

StatusOr<Tensor> OverBlob(const void* data, DType dtype, const ShapeVector& shape,
                          ForeignMemory memory) {
  SWAGE_ASSIGN_OR_RETURN(ir::Shape wanted, ShapeOver(data, dtype, shape));
  if (!runtime::IsAligned(data, wanted.dtype())) {
    return InvalidArgument("got an address that is no multiple of ", DTypeBytes(dtype), " for ",
                           wanted.ToString(false),
                           ", expected one that is; from_bytes copies from any address");
  }
  return runtime::WrapForeign(std::move(wanted), data, std::move(memory));
}

StatusOr<Tensor> CopyOf(const void* data, DType dtype, const ShapeVector& shape,
                        const ShapeVector& strides) {
  SWAGE_ASSIGN_OR_RETURN(const ir::Shape wanted, ShapeOver(data, dtype, shape));
  if (static_cast<int>(strides.size()) != wanted.rank()) {
    return InvalidArgument("got ", strides.size(), " strides for ", wanted.ToString(false),
                           ", expected ", wanted.rank(), ", one for each dimension");
  }
  return runtime::CopyStrided(wanted, data, strides);
}

}  // namespace

Tensor from_blob(const void* data, DType dtype, const ShapeVector& shape, BlobDeleter deleter) {
  StatusOr<Tensor> made = OverBlob(data, dtype, shape, ForeignMemory(data, std::move(deleter)));
  if (!made.ok()) ThrowStatus(made.status(), "from_blob", {});
  return *std::move(made);
}

Tensor from_strided(const void* data, DType dtype, const ShapeVector& shape,
                    const ShapeVector& strides) {
  StatusOr<Tensor> made = CopyOf(data, dtype, shape, strides);
  if (!made.ok()) ThrowStatus(made.status(), "from_strided", {});
  return *std::move(made);
}

}  // namespace swage
