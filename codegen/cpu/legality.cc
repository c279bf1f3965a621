#include "codegen/cpu/legality.h"

#include <algorithm>
#include <string_view>

#include "codegen/cpu/host_target.h"
#include "codegen/emit/ir_checker.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

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
    {llvm::Intrinsic::x86_sse_sfence, ""},
};

bool IsBf16Dot(ID id) {
  return id == llvm::Intrinsic::x86_avx512bf16_dpbf16ps_128 ||
         id == llvm::Intrinsic::x86_avx512bf16_dpbf16ps_256 ||
         id == llvm::Intrinsic::x86_avx512bf16_dpbf16ps_512;
}

class Checker : public emit::IrChecker {
 public:
  Checker(const HostTarget& target, const LegalityOptions& options)
      : IrChecker(options), target_(target) {}

 private:
  Status CheckIntrinsic(const llvm::Function& function) override {
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
    return OkStatus();
  }

  // The bf16 operands come from integer vectors, so that no other instruction sees a bfloat.
  Status CheckSpecialCall(const llvm::CallInst& call, bool* done) override {
    *done = IsBf16Dot(call.getIntrinsicID());
    if (!*done) return OkStatus();
    SWAGE_RETURN_IF_ERROR(CheckOperand(*call.getArgOperand(0), call));
    for (unsigned i : {1u, 2u}) {
      const llvm::Value* operand = call.getArgOperand(i);
      if (!llvm::isa<llvm::BitCastInst>(operand) && !llvm::isa<llvm::Constant>(operand)) {
        return Refuse("a bfloat operand that is not a cast from integers in", TextOf(call));
      }
    }
    return OkStatus();
  }

  bool IsSpecialValue(const llvm::Instruction& instruction) const override {
    if (!llvm::isa<llvm::BitCastInst>(instruction)) return false;
    if (!instruction.getType()->getScalarType()->isBFloatTy()) return false;
    return std::all_of(instruction.user_begin(), instruction.user_end(),
                       [](const llvm::User* user) {
                         const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(user);
                         return call != nullptr && IsBf16Dot(call->getIntrinsicID());
                       });
  }

  const HostTarget& target_;
};

}  // namespace

Status CheckLegality(const llvm::Module& module, const HostTarget& target,
                     const LegalityOptions& options) {
  return Checker(target, options).CheckModule(module);
}

}  // namespace swage::cpu
