#include "codegen/gpu/legality.h"

#include <algorithm>
#include <cstdint>

#include "codegen/emit/ir_checker.h"
#include "codegen/emit/thread_grid.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace swage::gpu {
namespace {

using llvm::Intrinsic::ID;

constexpr unsigned kLocalSpace = 5;
constexpr uint64_t kSharedBytes = 48 << 10;

// Everything here compiles inline for every legal type on sm_80 and later
// (tests/codegen/gpu/legality_test.cc compiles them all). Sorted by name, NVPTX's own last.
constexpr ID kIntrinsics[] = {
    llvm::Intrinsic::abs,
    llvm::Intrinsic::bswap,
    llvm::Intrinsic::ceil,
    llvm::Intrinsic::copysign,
    llvm::Intrinsic::ctlz,
    llvm::Intrinsic::ctpop,
    llvm::Intrinsic::cttz,
    llvm::Intrinsic::fabs,
    llvm::Intrinsic::floor,
    llvm::Intrinsic::fma,
    llvm::Intrinsic::fshl,
    llvm::Intrinsic::fshr,
    llvm::Intrinsic::is_fpclass,
    llvm::Intrinsic::lifetime_end,
    llvm::Intrinsic::lifetime_start,
    llvm::Intrinsic::maximum,
    llvm::Intrinsic::minimum,
    llvm::Intrinsic::rint,
    llvm::Intrinsic::roundeven,
    llvm::Intrinsic::sadd_sat,
    llvm::Intrinsic::smax,
    llvm::Intrinsic::smin,
    llvm::Intrinsic::sqrt,
    llvm::Intrinsic::ssub_sat,
    llvm::Intrinsic::trunc,
    llvm::Intrinsic::uadd_sat,
    llvm::Intrinsic::umax,
    llvm::Intrinsic::umin,
    llvm::Intrinsic::usub_sat,
    llvm::Intrinsic::nvvm_bar_warp_sync,
    llvm::Intrinsic::nvvm_barrier0,
    llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16,
    llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16,
    llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_bf16,
    llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32,
    llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
    llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x,
    llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_y,
    llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x,
    llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y,
    llvm::Intrinsic::nvvm_shfl_sync_down_i32,
    llvm::Intrinsic::nvvm_shfl_sync_idx_i32,
};

bool IsHalfMma(const llvm::User& user) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&user);
  return call != nullptr &&
         call->getIntrinsicID() == llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32;
}

class Checker : public emit::IrChecker {
 public:
  explicit Checker(const emit::CheckerOptions& options) : IrChecker(options) {}

 private:
  Status CheckIntrinsic(const llvm::Function& function) override {
    const ID id = function.getIntrinsicID();
    if (std::find(std::begin(kIntrinsics), std::end(kIntrinsics), id) != std::end(kIntrinsics)) {
      return OkStatus();
    }
    return Refuse("the intrinsic '", function.getName().str(), "'");
  }

  // The f16 operands of mma come from integers, so that no other instruction sees a half.
  Status CheckSpecialCall(const llvm::CallInst& call, bool* done) override {
    *done = IsHalfMma(call);
    if (!*done) return OkStatus();
    for (const llvm::Value* operand : call.args()) {
      if (!operand->getType()->getScalarType()->isHalfTy()) {
        SWAGE_RETURN_IF_ERROR(CheckOperand(*operand, call));
      } else if (!llvm::isa<llvm::BitCastInst>(operand) && !llvm::isa<llvm::Constant>(operand)) {
        return Refuse("an f16 operand that is not a cast from integers in", TextOf(call));
      }
    }
    return OkStatus();
  }

  bool IsSpecialValue(const llvm::Instruction& instruction) const override {
    return llvm::isa<llvm::BitCastInst>(instruction) &&
           instruction.getType()->getScalarType()->isHalfTy() &&
           std::all_of(instruction.user_begin(), instruction.user_end(),
                       [](const llvm::User* user) { return IsHalfMma(*user); });
  }

  bool IsAddressSpace(unsigned space) const override {
    return space == 0 || space == emit::kGlobalSpace || space == emit::kSharedSpace ||
           space == kLocalSpace;
  }

  Status CheckMutableGlobal(const llvm::GlobalVariable& global) override {
    const std::string name = global.getName().str();
    if (global.getAddressSpace() != emit::kSharedSpace) {
      return Refuse("the mutable global '", name, "' outside shared memory");
    }
    if (!llvm::isa<llvm::UndefValue>(global.getInitializer())) {
      return Refuse("the value of '", name, "': shared memory has none at the start");
    }
    const llvm::DataLayout& layout = global.getParent()->getDataLayout();
    shared_bytes_ += layout.getTypeAllocSize(global.getValueType());
    if (shared_bytes_ <= kSharedBytes) return OkStatus();
    return Refuse("more than ", kSharedBytes, " bytes of shared memory");
  }

  uint64_t shared_bytes_ = 0;
};

}  // namespace

Status CheckLegality(const llvm::Module& module) {
  const emit::CheckerOptions options;
  return Checker(options).CheckModule(module);
}

}  // namespace swage::gpu
