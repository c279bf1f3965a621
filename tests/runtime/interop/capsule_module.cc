// What capsule_test.py calls: Swage behind C functions. A tensor is a pointer to one that Free
// takes.
#include <swage/swage.h>

#include <cstring>
#include <string>
#include <utility>

#define INTEROP extern "C" __attribute__((visibility("default")))

namespace sw = swage;

namespace {

// A pointer, or null with the error's text in `error`.
template <typename Fn>
auto Guard(char* error, size_t size, const Fn& fn) -> decltype(fn()) {
  try {
    return fn();
  } catch (const std::exception& thrown) {
    std::strncpy(error, thrown.what(), size - 1);
    error[size - 1] = '\0';
    return nullptr;
  }
}

sw::Tensor& At(void* tensor) { return *static_cast<sw::Tensor*>(tensor); }

}  // namespace

INTEROP void* Import(void* managed, int versioned, char* error, size_t size) {
  return Guard(error, size, [&]() -> void* {
    return new sw::Tensor(versioned != 0
                              ? sw::from_dlpack(static_cast<DLManagedTensorVersioned*>(managed))
                              : sw::from_dlpack(static_cast<DLManagedTensor*>(managed)));
  });
}

INTEROP void* Export(void* tensor, int versioned, int copy, char* error, size_t size) {
  const sw::DlpackOptions options = {.copy = copy != 0};
  return Guard(error, size, [&]() -> void* {
    if (versioned != 0) return sw::to_dlpack_versioned(At(tensor), options);
    return sw::to_dlpack(At(tensor), options);
  });
}

INTEROP void* Twice(void* tensor, char* error, size_t size) {
  return Guard(error, size, [&]() -> void* {
    return new sw::Tensor(sw::jit([](sw::Tensor x) { return x + x; })(At(tensor)));
  });
}

INTEROP const void* Data(void* tensor) { return At(tensor).raw_data(); }

INTEROP void Free(void* tensor) { delete static_cast<sw::Tensor*>(tensor); }
