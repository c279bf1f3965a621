// File: codegen/cpu/object_emitter.h
//
// One LLVM module in, the bytes of one object file out: the legality check, a few light passes
// (SROA, EarlyCSE, InstCombine, SimplifyCFG), code generation, the symbol check, the seal.
//
//   SWAGE_ASSIGN_OR_RETURN(EmittedObject emitted, EmitObject(*module, target, {.level = level}));
//   loader->Load(emitted.object, "kernel");
//
// The IR is expected to hold explicit vectors; nothing here vectorises, unrolls, inlines, or turns
// a loop into memcpy. Floating point means what it says: nothing is contracted or reassociated.
// Equal modules give equal bytes. Threads may emit at the same time, each in its own LLVMContext.
#ifndef SWAGE_CODEGEN_CPU_OBJECT_EMITTER_H_
#define SWAGE_CODEGEN_CPU_OBJECT_EMITTER_H_

#include <cstdint>
#include <span>
#include <string>

#include "base/status.h"
#include "codegen/cpu/host_target.h"

namespace llvm {
class Module;
}

namespace swage::cpu {

struct EmitOptions {
  CodegenLevel level = CodegenLevel::kDefault;
  bool allow_fast_math = false;                     // fast-math flags may appear in the module
  std::span<const std::string> allowed_calls = {};  // external functions that the module may call
  bool keep_ir = false;
  bool keep_assembly = false;  // costs a second code generation
};

struct EmittedObject {
  std::string object;     // a sealed ELF object (codegen/cpu/object_file.h)
  std::string ir_before;  // with keep_ir: as given, and as it went to the code generator
  std::string ir_after;
  std::string assembly;  // with keep_assembly
  double passes_ms = 0;  // legality check and light passes
  double codegen_ms = 0;
};

// The module is changed: its target and attributes are set and the passes have run on it.
StatusOr<EmittedObject> EmitObject(llvm::Module& module, const HostTarget& target,
                                   const EmitOptions& options = {});

// How many modules went through LLVM's code generator in this process, dumps not counted.
int64_t LlvmRunCount();

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_OBJECT_EMITTER_H_
