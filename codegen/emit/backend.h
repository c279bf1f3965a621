// File: codegen/emit/backend.h
//
// LLVM's code generator, for any target: its errors become a Status, where LLVM would print them
// and end the process.
#ifndef SWAGE_CODEGEN_EMIT_BACKEND_H_
#define SWAGE_CODEGEN_EMIT_BACKEND_H_

#include <memory>
#include <string>

#include "base/status.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/raw_ostream.h"

namespace llvm {
class Module;
class TargetMachine;
namespace legacy {
class PassManager;
}
}  // namespace llvm

namespace swage::emit {

// The passes of a code generator, set up once for many modules. For one thread at a time; the
// machine must outlive it.
class CodeGenerator {
 public:
  CodeGenerator(llvm::TargetMachine& machine, llvm::CodeGenFileType type);
  ~CodeGenerator();

  // The bytes of an object or assembly file. Changes the module, of any context.
  StatusOr<std::string> Run(llvm::Module& module);

 private:
  llvm::TargetMachine& machine_;
  const llvm::CodeGenFileType type_;
  llvm::SmallVector<char, 0> bytes_;
  llvm::raw_svector_ostream stream_{bytes_};
  std::unique_ptr<llvm::legacy::PassManager> passes_;  // null: at the start and after an error
};

// The same, once.
StatusOr<std::string> GenerateCode(llvm::Module& module, llvm::TargetMachine& machine,
                                   llvm::CodeGenFileType type);

std::string IrText(const llvm::Module& module);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_BACKEND_H_
