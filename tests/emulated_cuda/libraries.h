// File: tests/emulated_cuda/libraries.h
//
// What the emulated libcuda.so.1 offers to emulated libraries above it (cublaslt/): work in the
// order of a stream, and the memory that it touches. Functions of C, so that such a library can be
// opened by itself.
#ifndef SWAGE_TESTS_EMULATED_CUDA_LIBRARIES_H_
#define SWAGE_TESTS_EMULATED_CUDA_LIBRARIES_H_

#include <cstdint>

#include "tests/emulated_cuda/cuda_types.h"

extern "C" {

// Calls run(data) where the stream comes to it, or each time that the graph which is being captured
// runs; release(data) when no call can follow, at once if this fails.
__attribute__((visibility("default"))) CUresult emulatedCudaEnqueue(CUstream stream,
                                                                    void (*run)(const void*),
                                                                    void* data,
                                                                    void (*release)(void*));

// Inside such work: where [address, address + bytes) lies on the host. If it is not inside one
// allocation, null, and the context is broken by an illegal access of `what`.
__attribute__((visibility("default"))) void* emulatedCudaAccess(uint64_t address, uint64_t bytes,
                                                                const char* what);

}  // extern "C"

#endif  // SWAGE_TESTS_EMULATED_CUDA_LIBRARIES_H_
