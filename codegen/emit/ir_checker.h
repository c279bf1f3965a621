// File: codegen/emit/ir_checker.h
//
// What every backend asks of a kernel's LLVM module before code generation, since a backend aborts
// the process on what it cannot do. Everything is refused that is not on a list:
//
//   types         void, i1 .. i64, float, double, pointers into the target's address spaces, and
//                 fixed vectors, arrays and structs of them
//   instructions  no frem (fmod), no atomics, no indirect calls, no inline assembly, no exceptions,
//                 no alloca whose size is not constant
//   intrinsics    those that the target's checker allows
//   globals       constant data only, unless the target's checker allows more
//   functions     nothing external but the names that the caller allows
//   fast-math     flags only on request; `contract` alone would fuse a multiply and an add
//
// The first thing that is not allowed is an Internal error that names it. A target derives its
// checker and says what is special about it.
#ifndef SWAGE_CODEGEN_EMIT_IR_CHECKER_H_
#define SWAGE_CODEGEN_EMIT_IR_CHECKER_H_

#include <span>
#include <string>

#include "base/status.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

namespace swage::emit {

struct CheckerOptions {
  std::span<const std::string> allowed_calls = {};
  bool allow_fast_math = false;
};

class IrChecker {
 public:
  explicit IrChecker(const CheckerOptions& options) : options_(options) {}
  virtual ~IrChecker() = default;

  Status CheckModule(const llvm::Module& module);

 protected:
  // Whether the target has this intrinsic.
  virtual Status CheckIntrinsic(const llvm::Function& function) = 0;
  virtual bool IsAddressSpace(unsigned space) const { return space == 0; }
  // A global that has an ordinary name and keeps a value.
  virtual Status CheckMutableGlobal(const llvm::GlobalVariable& global);
  // Calls and values with rules of their own, to which the common ones do not apply; `done` says
  // that this was one.
  virtual Status CheckSpecialCall(const llvm::CallInst& call, bool* done);
  virtual bool IsSpecialValue(const llvm::Instruction& instruction) const { return false; }

  Status CheckOperand(const llvm::Value& operand, const llvm::Instruction& where);

  template <typename... Args>
  static Status Refuse(const Args&... what) {
    return Internal("[kernel IR] not allowed: ", what...);
  }
  template <typename T>
  static std::string TextOf(const T& thing) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    thing.print(stream);
    return text;
  }

 private:
  Status CheckGlobal(const llvm::GlobalVariable& global);
  Status CheckFunction(const llvm::Function& function);
  Status CheckInstruction(const llvm::Instruction& instruction);
  Status CheckCall(const llvm::CallInst& call);
  Status CheckType(llvm::Type* type, const std::string& where);
  Status CheckType(llvm::Type* type, const llvm::Instruction& where);
  bool IsLegalType(llvm::Type* type) const;

  const CheckerOptions& options_;
  llvm::DenseSet<llvm::Type*> legal_;  // types seen before
};

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_IR_CHECKER_H_
