// File: runtime/dlpack.h
//
// DLPack: tensors in and out of other libraries (NumPy, PyTorch, JAX, CuPy, TVM, ...) without a
// copy. The structs are those of the published ABI, <dlpack/dlpack.h>; Swage only names them here,
// so that a program may include that header beside this one, or pass the pointers through.
//
//   sw::Tensor x = sw::from_dlpack(managed);                // over the producer's memory
//   DLManagedTensorVersioned* y = sw::to_dlpack_versioned(f(x));
//
// In Python a producer's capsule holds the pointer: PyCapsule_GetPointer(capsule, "dltensor"), or
// "dltensor_versioned"; rename the capsule ("used_dltensor", ...) once from_dlpack has it.
//
// Element types: bool, int and uint of 8 to 64 bits, float of 16 to 64, bfloat16, float8_e4m3fn and
// float8_e5m2. Complex, other small floats, 4-bit integers and vectors (lanes) are errors that say
// so. Devices: the CPU, and host memory that a GPU's driver has pinned (kDLCUDAHost, kDLROCMHost);
// tensors on a GPU go by way of the CPU, see Tensor::to. Any thread may call.
#ifndef SWAGE_RUNTIME_DLPACK_H_
#define SWAGE_RUNTIME_DLPACK_H_

#include "runtime/export.h"
#include "runtime/tensor.h"

struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace swage {

// Takes `managed` over, whatever happens: its deleter (if it has one) is called exactly once,
// before this throws, or when the last handle goes, on the thread that lets it go; a copy calls it
// before it returns. The deleter must not throw.
//
// Without a copy, where elements lie row-major at an address that is a multiple of their size: the
// rules of from_blob hold, Swage never writes them. Otherwise (other strides, negative ones,
// broadcasts, odd addresses) this is a row-major copy that later changes do not reach. Null strides
// mean row-major.
//
// Errors: null pointers, ranks, extents, strides and offsets out of range; a pred byte other than 0
// and 1; another major version than 1; devices and types that are not listed above.
SWAGE_API Tensor from_dlpack(DLManagedTensor* managed);
SWAGE_API Tensor from_dlpack(DLManagedTensorVersioned* managed);

struct DlpackOptions {
  // The consumer gets elements of its own, which it may write. Otherwise it shares those of the
  // tensor, and must not: Swage relies on elements that do not change. Only the versioned struct
  // can tell the consumer (its flags say read-only, or that it is a copy).
  bool copy = false;
};

// A struct that keeps the elements alive until its deleter is called, which is safe on any thread,
// at any time, once. Row-major with strides; null data where there are no elements. `tensor` is
// concrete and on the CPU. The versioned struct, of version 1.1, is the one that consumers want
// today; the other one is what they took before 2024.
SWAGE_API DLManagedTensor* to_dlpack(const Tensor& tensor, DlpackOptions options = {});
SWAGE_API DLManagedTensorVersioned* to_dlpack_versioned(const Tensor& tensor,
                                                        DlpackOptions options = {});

}  // namespace swage

#endif  // SWAGE_RUNTIME_DLPACK_H_
