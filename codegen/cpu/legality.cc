#include "codegen/cpu/legality.h"

#include <algorithm>
#include <string_view>

#include "codegen/cpu/host_target.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

namespace swage::cpu {
namespace {

using llvm::Intrinsic::ID;

struct IntrinsicRule {
  ID id;
  std::string_view features;  // comma list; beyond x86-64-v3
};

// Everything here compiles without a library call for every legal type, at both levels and on every
// CPU from x86-64-v3 up (tests/codegen/cpu/legality_test.cc compiles them all). Sorted by name.
constexpr IntrinsicRule kIntrinsics[] = {
    {llvm::Intrinsic::abs, ""},
    {llvm::Intrinsic::assume, ""},
    {llvm::Intrinsic::bitreverse, ""},
    {llvm::Intrinsic::bswap, ""},
    {llvm::Intrinsic::ceil, ""},
    {llvm::Intrinsic::copysign, ""},
    {llvm::Intrinsic::ctlz, ""},
    {llvm::Intrinsic::ctpop, ""},
    {llvm::Intrinsic::cttz, ""},
    {llvm::Intrinsic::experimental_noalias_scope_decl, ""},
    {llvm::Intrinsic::fabs, ""},
    {llvm::Intrinsic::floor, ""},
    {llvm::Intrinsic::fma, ""},
    {llvm::Intrinsic::fptosi_sat, ""},
    {llvm::Intrinsic::fptoui_sat, ""},
    {llvm::Intrinsic::fshl, ""},
    {llvm::Intrinsic::fshr, ""},
    {llvm::Intrinsic::is_fpclass, ""},
    {llvm::Intrinsic::lifetime_end, ""},
    {llvm::Intrinsic::lifetime_start, ""},
    {llvm::Intrinsic::masked_gather, ""},
    {llvm::Intrinsic::masked_load, ""},
    {llvm::Intrinsic::masked_scatter, ""},
    {llvm::Intrinsic::masked_store, ""},
    {llvm::Intrinsic::maximum, ""},
    {llvm::Intrinsic::maxnum, ""},
    {llvm::Intrinsic::minimum, ""},
    {llvm::Intrinsic::minnum, ""},
    {llvm::Intrinsic::nearbyint, ""},
    {llvm::Intrinsic::prefetch, ""},
    {llvm::Intrinsic::rint, ""},
    {llvm::Intrinsic::roundeven, ""},
    {llvm::Intrinsic::sadd_sat, ""},
    {llvm::Intrinsic::sadd_with_overflow, ""},
    {llvm::Intrinsic::smax, ""},
    {llvm::Intrinsic::smin, ""},
    {llvm::Intrinsic::smul_with_overflow, ""},
    {llvm::Intrinsic::sqrt, ""},
    {llvm::Intrinsic::ssub_sat, ""},
    {llvm::Intrinsic::ssub_with_overflow, ""},
    {llvm::Intrinsic::trunc, ""},
    {llvm::Intrinsic::uadd_sat, ""},
    {llvm::Intrinsic::uadd_with_overflow, ""},
    {llvm::Intrinsic::umax, ""},
    {llvm::Intrinsic::umin, ""},
    {llvm::Intrinsic::umul_with_overflow, ""},
    {llvm::Intrinsic::usub_sat, ""},
    {llvm::Intrinsic::usub_with_overflow, ""},
    {llvm::Intrinsic::vector_extract, ""},
    {llvm::Intrinsic::vector_insert, ""},
    {llvm::Intrinsic::vector_reduce_add, ""},
    {llvm::Intrinsic::vector_reduce_and, ""},
    {llvm::Intrinsic::vector_reduce_fadd, ""},
    {llvm::Intrinsic::vector_reduce_fmax, ""},
    {llvm::Intrinsic::vector_reduce_fmaximum, ""},
    {llvm::Intrinsic::vector_reduce_fmin, ""},
    {llvm::Intrinsic::vector_reduce_fminimum, ""},
    {llvm::Intrinsic::vector_reduce_fmul, ""},
    {llvm::Intrinsic::vector_reduce_mul, ""},
    {llvm::Intrinsic::vector_reduce_or, ""},
    {llvm::Intrinsic::vector_reduce_smax, ""},
    {llvm::Intrinsic::vector_reduce_smin, ""},
    {llvm::Intrinsic::vector_reduce_umax, ""},
    {llvm::Intrinsic::vector_reduce_umin, ""},
    {llvm::Intrinsic::vector_reduce_xor, ""},
    {llvm::Intrinsic::x86_avx512bf16_dpbf16ps_128, "avx512bf16,avx512vl"},
    {llvm::Intrinsic::x86_avx512bf16_dpbf16ps_256, "avx512bf16,avx512vl"},
    {llvm::Intrinsic::x86_avx512bf16_dpbf16ps_512, "avx512bf16"},
};

bool IsBf16Dot(ID id) {
  return id == llvm::Intrinsic::x86_avx512bf16_dpbf16ps_128 ||
         id == llvm::Intrinsic::x86_avx512bf16_dpbf16ps_256 ||
         id == llvm::Intrinsic::x86_avx512bf16_dpbf16ps_512;
}

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

template <typename T>
std::string TextOf(const T& thing) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  thing.print(stream);
  return text;
}

class Checker {
 public:
  Checker(const HostTarget& target, const LegalityOptions& options)
      : target_(target), options_(options) {}

  Status CheckModule(const llvm::Module& module) {
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

 private:
  template <typename... Args>
  static Status Refuse(const Args&... what) {
    return Internal("[kernel IR] not allowed: ", what...);
  }

  Status CheckGlobal(const llvm::GlobalVariable& global) {
    const std::string name = global.getName().str();
    if (name.starts_with("llvm.")) return Refuse("the special global '", name, "'");
    if (global.isThreadLocal()) return Refuse("the thread-local global '", name, "'");
    if (!global.hasInitializer()) return Refuse("the external global '", name, "'");
    if (!global.isConstant()) return Refuse("the mutable global '", name, "'");
    return CheckType(global.getValueType(), "global '" + name + "'");
  }

  Status CheckFunction(const llvm::Function& function) {
    const std::string name = function.getName().str();
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

  Status CheckIntrinsic(const llvm::Function& function) {
    const ID id = function.getIntrinsicID();
    const auto* rule = std::find_if(std::begin(kIntrinsics), std::end(kIntrinsics),
                                    [&](const IntrinsicRule& row) { return row.id == id; });
    if (rule == std::end(kIntrinsics)) {
      return Refuse("the intrinsic '", function.getName().str(), "'");
    }
    for (std::string_view rest = rule->features; !rest.empty();) {
      const std::string_view feature = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), feature.size() + 1));
      if (target_.Has(feature)) continue;
      return Refuse("the intrinsic '", function.getName().str(), "' needs the CPU feature ",
                    ToAbsl(feature), ", which '", target_.cpu(), "' lacks");
    }
    // The signature follows from the intrinsic and the types of its operands, which are checked
    // where it is called.
    return OkStatus();
  }

  Status CheckInstruction(const llvm::Instruction& instruction) {
    if (!IsAllowedOpcode(instruction.getOpcode())) {
      return Refuse("the instruction '", instruction.getOpcodeName(), "' in", TextOf(instruction));
    }
    if (!options_.allow_fast_math && llvm::isa<llvm::FPMathOperator>(instruction) &&
        instruction.getFastMathFlags().any()) {
      return Refuse("fast-math flags in", TextOf(instruction));
    }
    if (!IsBf16DotOperand(instruction)) {
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
      if (!alloca->isStaticAlloca())
        return Refuse("an alloca of run-time size in", TextOf(instruction));
      return CheckType(alloca->getAllocatedType(), instruction);
    } else if (const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
      return CheckType(gep->getSourceElementType(), instruction);
    }
    return OkStatus();
  }

  Status CheckCall(const llvm::CallInst& call) {
    if (call.isInlineAsm()) return Refuse("inline assembly in", TextOf(call));
    const llvm::Function* callee = call.getCalledFunction();
    if (callee == nullptr) return Refuse("an indirect call in", TextOf(call));
    if (call.hasOperandBundles()) return Refuse("an operand bundle in", TextOf(call));
    if (IsBf16Dot(callee->getIntrinsicID())) return CheckBf16Dot(call);
    for (const llvm::Value* argument : call.args()) {
      SWAGE_RETURN_IF_ERROR(CheckOperand(*argument, call));
    }
    return OkStatus();
  }

  // The bf16 operands come from integer vectors, so that no other instruction sees a bfloat.
  Status CheckBf16Dot(const llvm::CallInst& call) {
    SWAGE_RETURN_IF_ERROR(CheckOperand(*call.getArgOperand(0), call));
    for (unsigned i : {1u, 2u}) {
      const llvm::Value* operand = call.getArgOperand(i);
      if (!llvm::isa<llvm::BitCastInst>(operand) && !llvm::isa<llvm::Constant>(operand)) {
        return Refuse("a bfloat operand that is not a cast from integers in", TextOf(call));
      }
    }
    return OkStatus();
  }

  static bool IsBf16DotOperand(const llvm::Instruction& instruction) {
    if (!llvm::isa<llvm::BitCastInst>(instruction)) return false;
    if (!instruction.getType()->getScalarType()->isBFloatTy()) return false;
    return std::all_of(instruction.user_begin(), instruction.user_end(),
                       [](const llvm::User* user) {
                         const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(user);
                         return call != nullptr && IsBf16Dot(call->getIntrinsicID());
                       });
  }

  Status CheckOperand(const llvm::Value& operand, const llvm::Instruction& where) {
    llvm::Type* type = operand.getType();
    if (type->isLabelTy() || type->isMetadataTy()) return OkStatus();
    return CheckType(type, where);
  }

  template <typename Where>
  Status CheckType(llvm::Type* type, const Where& where) {
    if (legal_.contains(type)) return OkStatus();
    if (!IsLegalType(type)) {
      if constexpr (std::is_same_v<Where, std::string>) {
        return Refuse("the type ", TextOf(*type), " in ", where);
      } else {
        return Refuse("the type ", TextOf(*type), " in", TextOf(where));
      }
    }
    legal_.insert(type);
    return OkStatus();
  }

  static bool IsLegalType(llvm::Type* type) {
    switch (type->getTypeID()) {
      case llvm::Type::VoidTyID:
      case llvm::Type::FloatTyID:
      case llvm::Type::DoubleTyID:
        return true;
      case llvm::Type::IntegerTyID:
        return type->getIntegerBitWidth() <= 64;
      case llvm::Type::PointerTyID:
        return type->getPointerAddressSpace() == 0;
      case llvm::Type::FixedVectorTyID:
      case llvm::Type::ArrayTyID:
        return IsLegalType(type->getContainedType(0));
      case llvm::Type::StructTyID:
        return std::all_of(type->subtype_begin(), type->subtype_end(), IsLegalType);
      default:
        return false;
    }
  }

  const HostTarget& target_;
  const LegalityOptions& options_;
  llvm::DenseSet<llvm::Type*> legal_;  // types seen before
};

}  // namespace

Status CheckLegality(const llvm::Module& module, const HostTarget& target,
                     const LegalityOptions& options) {
  return Checker(target, options).CheckModule(module);
}

}  // namespace swage::cpu
