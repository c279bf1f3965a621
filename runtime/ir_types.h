// File: runtime/ir_types.h
//
// Between the public types and the compiler's: dtypes and shapes.
#ifndef SWAGE_RUNTIME_IR_TYPES_H_
#define SWAGE_RUNTIME_IR_TYPES_H_

#include "base/status.h"
#include "codegen/memory_space.h"
#include "compiler/ir/shape.h"
#include "runtime/buffer.h"
#include "runtime/dtype.h"
#include "runtime/tensor.h"

namespace swage::runtime {

// Throws for a value that is no enumerator.
ir::DType ToIr(DType dtype);
inline DType FromIr(ir::DType dtype) { return static_cast<DType>(dtype); }
static_assert(static_cast<int>(DType::kPred) == static_cast<int>(ir::DType::kPred));
static_assert(static_cast<int>(DType::kU4) == static_cast<int>(ir::DType::kU4));
static_assert(static_cast<int>(DType::kF8E4M3FN) == static_cast<int>(ir::DType::kF8E4M3FN));
static_assert(static_cast<int>(DType::kF32) == static_cast<int>(ir::DType::kF32));
static_assert(static_cast<int>(DType::kC128) == static_cast<int>(ir::DType::kC128));

// The shape of a tensor to be made. Negative extents, a rank beyond the limit and sizes beyond
// int64 are errors.
StatusOr<ir::Shape> MakeShape(DType dtype, const Dims& shape);

ir::Dim ToIr(const Dim& dim);
Dim FromIr(ir::Dim dim, std::source_location where = {});

// A new concrete tensor with unspecified content, and where its bytes are. `memory`: of a device;
// null: the host's.
struct FreshTensor {
  Tensor tensor;
  void* data;
};
StatusOr<FreshTensor> NewTensor(ir::Shape shape, codegen::MemorySpace* memory = nullptr);
// The same over memory that is there.
FreshTensor TensorOver(ir::Shape shape, std::shared_ptr<Buffer> buffer);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_IR_TYPES_H_
