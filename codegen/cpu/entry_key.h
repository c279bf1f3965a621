// File: codegen/cpu/entry_key.h
//
// The keys of what the CPU compiler keeps: kernels and modules. Everything that the bytes depend on
// is a named field; nothing else is in them, so a name, a source line or a dump option never makes
// a miss. What `explain` shows as the components of a key are these fields.
#ifndef SWAGE_CODEGEN_CPU_ENTRY_KEY_H_
#define SWAGE_CODEGEN_CPU_ENTRY_KEY_H_

#include <string>

#include "base/key_material.h"
#include "codegen/cpu/host_target.h"
#include "compiler/passes/options.h"

namespace swage::cpu {

// Fields: kind, format, build_id, llvm, cpu, cpu_features, level, emitter, kernel (the text of the
// generalised fusion).
KeyMaterial KernelKey(const HostTarget& target, CodegenLevel level, const std::string& emitter,
                      const std::string& text);

// Fields: kind, format, build_id, llvm, cpu, cpu_features, num_threads and machine (what the cost
// model decides by), dims (run-time or baked), the options that change the program, program (its
// canonical text).
KeyMaterial ModuleKey(const HostTarget& target, bool baked_dims,
                      const passes::CompilerOptions& options, const std::string& text);

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_ENTRY_KEY_H_
