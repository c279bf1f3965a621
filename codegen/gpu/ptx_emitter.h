// File: codegen/gpu/ptx_emitter.h
//
// One LLVM module in, the text of one PTX module out: the legality check, the light passes that the
// CPU's kernels get too, code generation. Nothing is contracted or reassociated: the arithmetic of
// a kernel is the CPU's, instruction by instruction.
#ifndef SWAGE_CODEGEN_GPU_PTX_EMITTER_H_
#define SWAGE_CODEGEN_GPU_PTX_EMITTER_H_

#include <string>

#include "base/status.h"
#include "codegen/gpu/gpu_target.h"

namespace llvm {
class Module;
}

namespace swage::gpu {

struct EmittedPtx {
  std::string ptx;
  std::string ir;  // with keep_ir: as it went to the code generator
};

// The module is changed. Equal modules give equal text; threads may emit at the same time, each in
// its own LLVMContext.
StatusOr<EmittedPtx> EmitPtx(llvm::Module& module, const GpuTarget& target, bool keep_ir = false);

}  // namespace swage::gpu

#endif  // SWAGE_CODEGEN_GPU_PTX_EMITTER_H_
