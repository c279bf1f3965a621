// File: codegen/cpu/kernel_abi.h
//
// How the runtime calls an emitted CPU kernel. Kernels do not throw, allocate, or keep state; one
// may run on several threads at once, each on its own part [begin, end) of the task axis.
#ifndef SWAGE_CODEGEN_CPU_KERNEL_ABI_H_
#define SWAGE_CODEGEN_CPU_KERNEL_ABI_H_

#include <cstdint>

namespace swage::cpu {

struct KernelArgs {
  void* const* buffers;  // operands, then results, in the order of the kernel's signature
  const int64_t* dims;   // the run-time dims, in the same order for every call
};

using KernelFn = void (*)(const KernelArgs*, int64_t begin, int64_t end);

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_KERNEL_ABI_H_
