// File: codegen/gpu/ptx_emitter.h
//
// One LLVM module in, the text of one PTX module out: the legality check, the light passes that the
// CPU's kernels get too, code generation. Nothing is contracted or reassociated: the arithmetic of
// a kernel is the CPU's, instruction by instruction.
#ifndef SWAGE_CODEGEN_GPU_PTX_EMITTER_H_
#define SWAGE_CODEGEN_GPU_PTX_EMITTER_H_

#include <string>

#include "base/status.h"
#include "codegen/emit/schedule.h"
#include "codegen/gpu/gpu_target.h"

namespace llvm {
class Module;
}

namespace swage::gpu {

// The name of the entry in every PTX module of a planned kernel.
inline constexpr char kEntryName[] = "swage_kernel";

struct EmittedPtx {
  std::string ptx;
  std::string ir;      // with keep_ir: as it went to the code generator
  double emit_ms = 0;  // our IR
  double llvm_ms = 0;  // LLVM's passes and code generation
};

// The kernel of a plan.
StatusOr<EmittedPtx> EmitPtxOf(const emit::KernelPlan& plan, const GpuTarget& target,
                               bool keep_ir = false);

// The module is changed. Equal modules give equal text; threads may emit at the same time, each in
// its own LLVMContext.
StatusOr<EmittedPtx> EmitPtx(llvm::Module& module, const GpuTarget& target, bool keep_ir = false);

}  // namespace swage::gpu

#endif  // SWAGE_CODEGEN_GPU_PTX_EMITTER_H_
