// File: runtime/evaluator_executable.h
//
// The device "evaluator": a module that is interpreted, to check the others against.
#ifndef SWAGE_RUNTIME_EVALUATOR_EXECUTABLE_H_
#define SWAGE_RUNTIME_EVALUATOR_EXECUTABLE_H_

#include <memory>

#include "codegen/executable.h"
#include "compiler/ir/module.h"
#include "compiler/passes/options.h"
#include "runtime/backend.h"

namespace swage::runtime {

// The module as it is: no pass runs.
StatusOr<std::shared_ptr<codegen::Executable>> CompileForEvaluator(
    const Backend& backend, std::unique_ptr<ir::Module> module,
    const passes::CompilerOptions& options, Effort effort);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_EVALUATOR_EXECUTABLE_H_
