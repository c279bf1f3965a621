// File: codegen/gpu/kernel_key.h
//
// The key of a GPU kernel where no card need be (codegen/program/entry_key.h). No size is in it and
// no card, only what the text of the PTX depends on.
#ifndef SWAGE_CODEGEN_GPU_KERNEL_KEY_H_
#define SWAGE_CODEGEN_GPU_KERNEL_KEY_H_

#include "base/key_material.h"
#include "codegen/emit/emit_options.h"
#include "codegen/gpu/gpu_target.h"
#include "compiler/ir/computation.h"

namespace swage::gpu {

// Fields: kind, format, build_id, llvm, sm, ptx, level, emitter, kernel (the text of the
// generalised fusion).
KeyMaterial KernelKey(const GpuTarget& target, const emit::EmitOptions& options,
                      const ir::Computation& fusion);

}  // namespace swage::gpu

#endif  // SWAGE_CODEGEN_GPU_KERNEL_KEY_H_
