// File: codegen/emit/backend.cc
#include "codegen/emit/backend.h"

#include <memory>
#include <utility>

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace swage::emit {
namespace {

// Errors of the backend land here; LLVM's own handler prints them and ends the process.
class DiagnosticScope {
 public:
  explicit DiagnosticScope(llvm::LLVMContext& context)
      : context_(context), saved_(context.getDiagnosticHandler()) {
    context_.setDiagnosticHandler(std::make_unique<Handler>(&errors_));
  }
  ~DiagnosticScope() { context_.setDiagnosticHandler(std::move(saved_)); }

  Status status() const {
    return errors_.empty() ? OkStatus() : Internal("[llvm] code generation: ", errors_);
  }

 private:
  class Handler : public llvm::DiagnosticHandler {
   public:
    explicit Handler(std::string* errors) : errors_(errors) {}
    bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
      if (info.getSeverity() != llvm::DS_Error) return true;
      llvm::raw_string_ostream stream(*errors_);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      if (!errors_->empty()) stream << "; ";
      info.print(printer);
      return true;
    }

   private:
    std::string* errors_;
  };

  llvm::LLVMContext& context_;
  std::unique_ptr<llvm::DiagnosticHandler> saved_;
  std::string errors_;
};

}  // namespace

CodeGenerator::CodeGenerator(llvm::TargetMachine& machine, llvm::CodeGenFileType type)
    : machine_(machine), type_(type) {}

CodeGenerator::~CodeGenerator() = default;

StatusOr<std::string> CodeGenerator::Run(llvm::Module& module) {
  if (passes_ == nullptr) {
    auto passes = std::make_unique<llvm::legacy::PassManager>();
    if (machine_.addPassesToEmitFile(*passes, stream_, nullptr, type_, /*DisableVerify=*/true)) {
      return Internal("[llvm] the target cannot emit this kind of file");
    }
    passes_ = std::move(passes);
  }
  DiagnosticScope diagnostics(module.getContext());
  passes_->run(module);
  std::string code(bytes_.data(), bytes_.size());
  bytes_.clear();
  if (Status status = diagnostics.status(); !status.ok()) {
    passes_.reset();
    return status;
  }
  return code;
}

StatusOr<std::string> GenerateCode(llvm::Module& module, llvm::TargetMachine& machine,
                                   llvm::CodeGenFileType type) {
  return CodeGenerator(machine, type).Run(module);
}

std::string IrText(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

}  // namespace swage::emit
