// File: codegen/emit/ir_checker.cc
#include "codegen/emit/ir_checker.h"

#include <algorithm>

#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/Verifier.h"

namespace swage::emit {
namespace {

bool IsAllowedOpcode(unsigned opcode) {
  using llvm::Instruction;
  switch (opcode) {
    case Instruction::Ret:
    case Instruction::Br:
    case Instruction::Switch:
    case Instruction::Unreachable:
    case Instruction::FNeg:
    case Instruction::Add:
    case Instruction::FAdd:
    case Instruction::Sub:
    case Instruction::FSub:
    case Instruction::Mul:
    case Instruction::FMul:
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::FDiv:
    case Instruction::URem:
    case Instruction::SRem:
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
    case Instruction::Alloca:
    case Instruction::Load:
    case Instruction::Store:
    case Instruction::GetElementPtr:
    case Instruction::Trunc:
    case Instruction::ZExt:
    case Instruction::SExt:
    case Instruction::FPToUI:
    case Instruction::FPToSI:
    case Instruction::UIToFP:
    case Instruction::SIToFP:
    case Instruction::FPTrunc:
    case Instruction::FPExt:
    case Instruction::PtrToInt:
    case Instruction::IntToPtr:
    case Instruction::BitCast:
    case Instruction::ICmp:
    case Instruction::FCmp:
    case Instruction::PHI:
    case Instruction::Call:
    case Instruction::Select:
    case Instruction::ExtractElement:
    case Instruction::InsertElement:
    case Instruction::ShuffleVector:
    case Instruction::ExtractValue:
    case Instruction::InsertValue:
    case Instruction::Freeze:
      return true;
    default:
      return false;
  }
}

}  // namespace

Status IrChecker::CheckModule(const llvm::Module& module) {
  std::string broken;
  llvm::raw_string_ostream stream(broken);
  if (llvm::verifyModule(module, &stream)) return Refuse("broken IR: ", broken);
  if (!module.getModuleInlineAsm().empty()) return Refuse("inline assembly in the module");
  if (!module.alias_empty() || !module.ifunc_empty()) return Refuse("an alias or ifunc");
  for (const llvm::GlobalVariable& global : module.globals()) {
    SWAGE_RETURN_IF_ERROR(CheckGlobal(global));
  }
  for (const llvm::Function& function : module) {
    SWAGE_RETURN_IF_ERROR(CheckFunction(function));
  }
  return OkStatus();
}

Status IrChecker::CheckMutableGlobal(const llvm::GlobalVariable& global) {
  return Refuse("the mutable global '", global.getName().str(), "'");
}

Status IrChecker::CheckSpecialCall(const llvm::CallInst&, bool* done) {
  *done = false;
  return OkStatus();
}

Status IrChecker::CheckGlobal(const llvm::GlobalVariable& global) {
  const std::string name = global.getName().str();
  if (name.starts_with("llvm.")) return Refuse("the special global '", name, "'");
  if (global.isThreadLocal()) return Refuse("the thread-local global '", name, "'");
  if (!global.hasInitializer()) return Refuse("the external global '", name, "'");
  if (!global.isConstant()) SWAGE_RETURN_IF_ERROR(CheckMutableGlobal(global));
  return CheckType(global.getValueType(), "global '" + name + "'");
}

Status IrChecker::CheckFunction(const llvm::Function& function) {
  const std::string name = function.getName().str();
  // The signature of an intrinsic follows from the types of its operands, which are checked where
  // it is called.
  if (function.isIntrinsic()) return CheckIntrinsic(function);
  if (function.isVarArg()) return Refuse("the variadic function '", name, "'");
  SWAGE_RETURN_IF_ERROR(CheckType(function.getReturnType(), "function '" + name + "'"));
  for (const llvm::Argument& argument : function.args()) {
    SWAGE_RETURN_IF_ERROR(CheckType(argument.getType(), "function '" + name + "'"));
  }
  if (function.isDeclaration()) {
    const auto& allowed = options_.allowed_calls;
    if (std::find(allowed.begin(), allowed.end(), name) != allowed.end()) return OkStatus();
    return Refuse("the external function '", name, "'");
  }
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    SWAGE_RETURN_IF_ERROR(CheckInstruction(instruction));
  }
  return OkStatus();
}

Status IrChecker::CheckInstruction(const llvm::Instruction& instruction) {
  if (!IsAllowedOpcode(instruction.getOpcode())) {
    return Refuse("the instruction '", instruction.getOpcodeName(), "' in", TextOf(instruction));
  }
  if (!options_.allow_fast_math && llvm::isa<llvm::FPMathOperator>(instruction) &&
      instruction.getFastMathFlags().any()) {
    return Refuse("fast-math flags in", TextOf(instruction));
  }
  if (!IsSpecialValue(instruction)) {
    SWAGE_RETURN_IF_ERROR(CheckType(instruction.getType(), instruction));
  }
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) return CheckCall(*call);
  for (const llvm::Value* operand : instruction.operands()) {
    SWAGE_RETURN_IF_ERROR(CheckOperand(*operand, instruction));
  }
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    if (load->isAtomic()) return Refuse("an atomic load in", TextOf(instruction));
  } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    if (store->isAtomic()) return Refuse("an atomic store in", TextOf(instruction));
  } else if (const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
    if (!alloca->isStaticAlloca()) {
      return Refuse("an alloca of run-time size in", TextOf(instruction));
    }
    return CheckType(alloca->getAllocatedType(), instruction);
  } else if (const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
    return CheckType(gep->getSourceElementType(), instruction);
  }
  return OkStatus();
}

Status IrChecker::CheckCall(const llvm::CallInst& call) {
  if (call.isInlineAsm()) return Refuse("inline assembly in", TextOf(call));
  if (call.getCalledFunction() == nullptr) return Refuse("an indirect call in", TextOf(call));
  if (call.getCalledFunction() == call.getFunction()) return Refuse("recursion in", TextOf(call));
  if (call.hasOperandBundles()) return Refuse("an operand bundle in", TextOf(call));
  bool done = false;
  SWAGE_RETURN_IF_ERROR(CheckSpecialCall(call, &done));
  if (done) return OkStatus();
  for (const llvm::Value* argument : call.args()) {
    SWAGE_RETURN_IF_ERROR(CheckOperand(*argument, call));
  }
  return OkStatus();
}

Status IrChecker::CheckOperand(const llvm::Value& operand, const llvm::Instruction& where) {
  llvm::Type* type = operand.getType();
  if (type->isLabelTy() || type->isMetadataTy()) return OkStatus();
  return CheckType(type, where);
}

Status IrChecker::CheckType(llvm::Type* type, const std::string& where) {
  if (legal_.contains(type)) return OkStatus();
  if (!IsLegalType(type)) return Refuse("the type ", TextOf(*type), " in ", where);
  legal_.insert(type);
  return OkStatus();
}

Status IrChecker::CheckType(llvm::Type* type, const llvm::Instruction& where) {
  if (legal_.contains(type)) return OkStatus();
  if (!IsLegalType(type)) return Refuse("the type ", TextOf(*type), " in", TextOf(where));
  legal_.insert(type);
  return OkStatus();
}

bool IrChecker::IsLegalType(llvm::Type* type) const {
  switch (type->getTypeID()) {
    case llvm::Type::VoidTyID:
    case llvm::Type::FloatTyID:
    case llvm::Type::DoubleTyID:
      return true;
    case llvm::Type::IntegerTyID:
      return type->getIntegerBitWidth() <= 64;
    case llvm::Type::PointerTyID:
      return IsAddressSpace(type->getPointerAddressSpace());
    case llvm::Type::FixedVectorTyID:
    case llvm::Type::ArrayTyID:
      return IsLegalType(type->getContainedType(0));
    case llvm::Type::StructTyID:
      return std::all_of(type->subtype_begin(), type->subtype_end(),
                         [&](llvm::Type* part) { return IsLegalType(part); });
    default:
      return false;
  }
}

}  // namespace swage::emit
