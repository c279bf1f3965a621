// File: codegen/program/entry_key.h
//
// The keys of what the compiler keeps: kernels and modules. Everything that the bytes depend on is
// a named field; nothing else is in them, so a name, a source line or a dump option never makes a
// miss. What `explain` shows as the components of a key are these fields.
#ifndef SWAGE_CODEGEN_PROGRAM_ENTRY_KEY_H_
#define SWAGE_CODEGEN_PROGRAM_ENTRY_KEY_H_

#include <string>

#include "base/function_ref.h"
#include "base/key_material.h"
#include "codegen/program/target.h"
#include "compiler/ir/computation.h"
#include "compiler/passes/options.h"

namespace swage::codegen {

// Fields: kind, format, build_id, llvm, the target's machine, level, emitter, kernel (the text of
// the generalised or baked fusion).
KeyMaterial KernelKey(const Target& target, CodegenLevel level, const emit::EmitOptions& emitter,
                      const ir::Computation& fusion);
// The same without a target; `add_machine` is Target::AddMachine.
KeyMaterial KernelKey(FunctionRef<void(KeyMaterial*)> add_machine, CodegenLevel level,
                      const emit::EmitOptions& emitter, const ir::Computation& fusion);

// Fields: kind, format, build_id, llvm, the target's machine and what it decides by, dims (run-time
// or baked), the options that change the program, program (its canonical text).
KeyMaterial ModuleKey(const Target& target, bool baked_dims, const passes::CompilerOptions& options,
                      const std::string& text);

}  // namespace swage::codegen

#endif  // SWAGE_CODEGEN_PROGRAM_ENTRY_KEY_H_
