// File: codegen/emit/backend.h
//
// LLVM's code generator, for any target: its errors become a Status, where LLVM would print them
// and end the process.
#ifndef SWAGE_CODEGEN_EMIT_BACKEND_H_
#define SWAGE_CODEGEN_EMIT_BACKEND_H_

#include <string>

#include "base/status.h"
#include "llvm/Support/CodeGen.h"

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace swage::emit {

// The bytes of an object or assembly file. Changes the module.
StatusOr<std::string> GenerateCode(llvm::Module& module, llvm::TargetMachine& machine,
                                   llvm::CodeGenFileType type);

std::string IrText(const llvm::Module& module);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_BACKEND_H_
