// File: codegen/program/padding_check.h
//
// SWAGE_CHECK=padding: proves on the arguments of each run that physical padding changes nothing.
//
//   SWAGE_ASSIGN_OR_RETURN(auto check, PaddingCheck::Make(*module, target, {}));
//   SWAGE_RETURN_IF_ERROR(check->Run(sizes, arguments));
//
// A program of open sizes is compiled as it is, and padded (compiler/passes/physical_padding.h)
// with NaN and with large values in every padded lane. The padded results must agree bit by bit,
// and with the ordinary ones: bit by bit, too, or closely where the program has a dot, whose
// accumulation is free. A difference is an Internal error that names the first instruction of the
// program whose valid elements differ in the evaluator.
#ifndef SWAGE_CODEGEN_PROGRAM_PADDING_CHECK_H_
#define SWAGE_CODEGEN_PROGRAM_PADDING_CHECK_H_

#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "codegen/executable.h"
#include "codegen/program/compile.h"
#include "compiler/ir/literal.h"
#include "compiler/ir/module.h"

namespace swage::codegen {

class PaddingCheck {
 public:
  // `module` has symbols. Unimplemented when it cannot be padded. The fields of the options that
  // choose padding are ours; its masks are the caller's.
  static StatusOr<std::shared_ptr<PaddingCheck>> Make(
      const ir::Module& module, std::shared_ptr<const Target> target, const CompileOptions& options,
      std::vector<passes::Message>* messages = nullptr);

  // One run of all three. `arguments` are leaves; so are the results, those of the ordinary
  // program.
  StatusOr<std::vector<ir::Literal>> Run(const ir::SymbolBinding& sizes,
                                         absl::Span<const ir::Literal> arguments) const;

  const std::shared_ptr<Executable>& exact() const { return exact_; }
  // With the fill number 0 (NaN) or 1 (large values).
  const std::shared_ptr<Executable>& padded(int fill) const { return padded_[fill]; }
  // Results of the three programs; an error when they differ.
  Status Compare(absl::Span<const ir::Literal> exact, absl::Span<const ir::Literal> first,
                 absl::Span<const ir::Literal> second,
                 absl::Span<const ir::Literal> arguments) const;

 private:
  PaddingCheck() = default;
  // "the first instruction that differs is ...".
  std::string Guilty(absl::Span<const ir::Literal> arguments) const;

  std::unique_ptr<ir::Module> module_;
  passes::CompilerOptions options_;
  bool tolerant_ = false;
  std::shared_ptr<Executable> exact_;
  std::shared_ptr<Executable> padded_[2];
};

// An executable that runs the ordinary program and the check with it. Where the module cannot be
// padded: the ordinary program alone, and a warning among the messages.
StatusOr<std::shared_ptr<Executable>> CompileChecked(const ir::Module& module,
                                                     std::shared_ptr<const Target> target,
                                                     const CompileOptions& options,
                                                     std::vector<passes::Message>* messages);

}  // namespace swage::codegen

#endif  // SWAGE_CODEGEN_PROGRAM_PADDING_CHECK_H_
