// File: codegen/cpu/legality.h
//
// May this LLVM module go to the x86 backend? Beyond what every backend asks (emit/ir_checker.h):
// bfloat only as a cast operand of the bf16 dot instruction, everywhere else bf16, f16 and f8 are
// integers; and of the intrinsics the table in legality.cc, each with the CPU features that it
// needs. Others become library calls, which kernels must not need.
//
// The first thing that is not allowed is an Internal error that names it.
#ifndef SWAGE_CODEGEN_CPU_LEGALITY_H_
#define SWAGE_CODEGEN_CPU_LEGALITY_H_

#include "base/status.h"
#include "codegen/emit/ir_checker.h"

namespace swage::cpu {

class HostTarget;

using LegalityOptions = emit::CheckerOptions;

Status CheckLegality(const llvm::Module& module, const HostTarget& target,
                     const LegalityOptions& options = {});

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_LEGALITY_H_
