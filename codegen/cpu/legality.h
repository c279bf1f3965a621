// File: codegen/cpu/legality.h
//
// May this LLVM module go to the x86 backend? Everything is refused that is not on a list, because
// the backend aborts the process on what it cannot do, and turns other things into library calls
// that kernels must not need:
//
//   types         void, i1 .. i64, float, double, pointers, and fixed vectors, arrays and structs
//   of
//                 them. bfloat only as a cast operand of the bf16 dot instruction: everywhere else
//                 bf16, f16 and f8 are integers.
//   instructions  no frem (fmod), no atomics, no indirect calls, no inline assembly, no exceptions,
//                 no alloca whose size is not constant
//   intrinsics    the table in legality.cc, where each names the CPU features that it needs
//   globals       constant data only: a kernel keeps no state
//   functions     nothing external but the names that the caller allows
//   fast-math     flags only on request; `contract` alone would fuse a multiply and an add
//
// The first thing that is not allowed is an Internal error that names it.
#ifndef SWAGE_CODEGEN_CPU_LEGALITY_H_
#define SWAGE_CODEGEN_CPU_LEGALITY_H_

#include <span>
#include <string>

#include "base/status.h"

namespace llvm {
class Module;
}

namespace swage::cpu {

class HostTarget;

struct LegalityOptions {
  std::span<const std::string> allowed_calls = {};
  bool allow_fast_math = false;
};

Status CheckLegality(const llvm::Module& module, const HostTarget& target,
                     const LegalityOptions& options = {});

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_LEGALITY_H_
