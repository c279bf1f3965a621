// File: codegen/gpu/legality.h
//
// May this LLVM module go to the NVPTX backend? Beyond what every backend asks (emit/ir_checker.h):
//
//   intrinsics  the table in legality.cc; others abort the process ("Cannot select", "no libcall
//               available"): exp, log, sin and kin, on any type
//   pointers    generic, global, shared and local memory
//   globals     constants in global memory, and arrays without a value in shared memory, together
//               at most the 48 KB that every launch has
//
// The first thing that is not allowed is an Internal error that names it.
#ifndef SWAGE_CODEGEN_GPU_LEGALITY_H_
#define SWAGE_CODEGEN_GPU_LEGALITY_H_

#include "base/status.h"

namespace llvm {
class Module;
}

namespace swage::gpu {

Status CheckLegality(const llvm::Module& module);

}  // namespace swage::gpu

#endif  // SWAGE_CODEGEN_GPU_LEGALITY_H_
