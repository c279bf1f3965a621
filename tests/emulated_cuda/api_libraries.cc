// Beyond CUDA: what emulated libraries need of the driver.
#include <memory>
#include <string>

#include "tests/emulated_cuda/driver.h"
#include "tests/emulated_cuda/libraries.h"

using swage::emulated_cuda::Driver;

CUresult emulatedCudaEnqueue(CUstream handle, void (*run)(const void*), void* data,
                             void (*release)(void*)) {
  // Graphs hold copies of their work: the last one releases the data.
  const std::shared_ptr<void> owned(data, release);
  EMULATED_CUDA_ENTER(kContext);
  EmulatedStream* const stream = driver.Find(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return driver.Enqueue(stream, [run, owned] {
    run(owned.get());
    return CUDA_SUCCESS;
  });
}

void* emulatedCudaAccess(uint64_t address, uint64_t bytes, const char* what) {
  Driver& driver = Driver::Get();
  if (uint8_t* const host = driver.memory->Host(address, bytes)) return host;
  driver.Break(CUDA_ERROR_ILLEGAL_ADDRESS, std::string(what) + ", " + std::to_string(bytes) +
                                               " bytes: " + driver.memory->Describe(address));
  return nullptr;
}
