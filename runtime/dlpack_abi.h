// File: runtime/dlpack_abi.h
//
// The structs of DLPack 1.1, as its published header lays them out. Not installed: a program that
// looks into them has <dlpack/dlpack.h>, and the two must not meet in one file.
#ifndef SWAGE_RUNTIME_DLPACK_ABI_H_
#define SWAGE_RUNTIME_DLPACK_ABI_H_

#include <cstddef>
#include <cstdint>

namespace swage::dlpack {

// Where `data` points.
enum DeviceType : int32_t { kCpu = 1, kCuda = 2, kCudaHost = 3, kRocm = 10, kRocmHost = 11 };

struct Device {
  int32_t type;
  int32_t id;
};

enum TypeCode : uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kBfloat = 4,
  kComplex = 5,
  kBool = 6,
  kFloat8E4M3FN = 10,
  kFloat8E5M2 = 12,
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;  // elements of a vector type; 1: plain numbers
};

struct Array {
  void* data;
  Device device;
  int32_t rank;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;      // in elements; null: row-major
  uint64_t byte_offset;  // from `data` to the first element
};

struct Version {
  uint32_t major;
  uint32_t minor;
};

inline constexpr Version kVersion = {1, 1};
inline constexpr uint64_t kReadOnly = 1, kIsCopy = 2;  // of `flags`

}  // namespace swage::dlpack

struct DLManagedTensor {
  swage::dlpack::Array array;
  void* context;
  void (*deleter)(DLManagedTensor* self);
};

// Of another major version only what stands before `flags` is where it is here.
struct DLManagedTensorVersioned {
  swage::dlpack::Version version;
  void* context;
  void (*deleter)(DLManagedTensorVersioned* self);
  uint64_t flags;
  swage::dlpack::Array array;
};

static_assert(sizeof(swage::dlpack::Array) == 48 && sizeof(DLManagedTensor) == 64 &&
              sizeof(DLManagedTensorVersioned) == 80);
static_assert(offsetof(swage::dlpack::Array, dtype) == 20 &&
              offsetof(swage::dlpack::Array, byte_offset) == 40);

#endif  // SWAGE_RUNTIME_DLPACK_ABI_H_
