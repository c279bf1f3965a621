// File: tests/codegen/cpu/test_modules.h
//
// Small LLVM modules for the tests of codegen/cpu.
#ifndef SWAGE_TESTS_CODEGEN_CPU_TEST_MODULES_H_
#define SWAGE_TESTS_CODEGEN_CPU_TEST_MODULES_H_

#include <memory>
#include <string>

#include "base/status.h"
#include "codegen/cpu/object_emitter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace swage::cpu {

// A context with a module in it.
struct TestModule {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
};

// From textual IR; text that does not parse ends the test program.
TestModule ParseModule(const std::string& text);

// A kernel `name`: buffers[2][i] = buffers[0][i] + buffers[1][i] for i in [begin, end), f32, as an
// unmasked main loop over vectors of `lanes` and one masked tail.
TestModule VectorAdd(const std::string& name, int lanes);

// Parses and emits for `target`.
StatusOr<EmittedObject> EmitText(const std::string& text, const HostTarget& target,
                                 const EmitOptions& options = {});

// The host's target.
const HostTarget& Host();

}  // namespace swage::cpu

#endif  // SWAGE_TESTS_CODEGEN_CPU_TEST_MODULES_H_
