// File: codegen/cpu/compile.h
//
// The whole CPU compiler.
//
//   SWAGE_ASSIGN_OR_RETURN(auto executable, cpu::Compile(std::move(module), {}));
//   SWAGE_RETURN_IF_ERROR(executable->Run(inputs, outputs));
//
// Thread-safe: any number of compiles may run at once.
#ifndef SWAGE_CODEGEN_CPU_COMPILE_H_
#define SWAGE_CODEGEN_CPU_COMPILE_H_

#include <memory>
#include <vector>

#include "codegen/program/compile.h"
#include "codegen/program/padding_check.h"

namespace swage::cpu {

struct Specialisation;
using codegen::CompileOptions;

// codegen::Compile for this machine. `specialise`: how hot kernels are specialised in the
// background (specialise.h); null: they are not.
StatusOr<std::shared_ptr<codegen::Executable>> Compile(
    std::unique_ptr<ir::Module> module, const CompileOptions& options,
    std::vector<passes::Message>* messages = nullptr, const Specialisation* specialise = nullptr);

// The check of the padding of a program's CPU code (codegen/program/padding_check.h).
StatusOr<std::shared_ptr<codegen::PaddingCheck>> MakePaddingCheck(
    const ir::Module& module, const CompileOptions& options,
    std::vector<passes::Message>* messages = nullptr);

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_COMPILE_H_
