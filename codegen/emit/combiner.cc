// File: codegen/emit/combiner.cc
#include "codegen/emit/combiner.h"

#include <algorithm>

#include "codegen/emit/types.h"
#include "llvm/IR/Constants.h"

namespace swage::emit {

using ir::DType;
using ir::Instruction;
using ir::Opcode;

namespace {

// Bits of the lowest (or highest) value: an infinity for floats that have one.
std::optional<uint64_t> Extreme(DType dtype, bool lowest) {
  switch (dtype) {
    case DType::kF8E4M3FN:
      return std::nullopt;
    case DType::kF8E5M2:
      return lowest ? 0xfc : 0x7c;
    case DType::kF16:
      return lowest ? 0xfc00 : 0x7c00;
    case DType::kBF16:
      return lowest ? 0xff80 : 0x7f80;
    case DType::kF32:
      return lowest ? 0xff800000 : 0x7f800000;
    case DType::kF64:
      return lowest ? 0xfff0000000000000 : 0x7ff0000000000000;
    case DType::kPred:
      return lowest ? 0 : 1;
    default:
      break;
  }
  const int bits = ir::DTypeBits(dtype);
  if (bits < 8) return std::nullopt;
  const uint64_t all = ~uint64_t{0} >> (64 - bits);
  const uint64_t sign = uint64_t{1} << (bits - 1);
  if (ir::IsUnsigned(dtype)) return lowest ? 0 : all;
  if (ir::IsSigned(dtype)) return lowest ? sign : sign - 1;
  return std::nullopt;
}

std::optional<uint64_t> IdentityOf(Opcode opcode, DType dtype) {
  const int bits = ir::DTypeBits(dtype);
  const uint64_t all = dtype == DType::kPred ? 1 : ~uint64_t{0} >> (64 - bits);
  switch (opcode) {
    case Opcode::kAdd:
      // -0.0: adding +0.0 would lose a negative zero.
      if (ir::IsFloat(dtype)) return uint64_t{1} << (bits - 1);
      return 0;
    case Opcode::kMultiply:
      if (dtype == DType::kF32) return 0x3f800000;
      if (dtype == DType::kF64) return 0x3ff0000000000000;
      if (ir::IsFloat(dtype)) return std::nullopt;
      return 1;
    case Opcode::kMaximum:
      return Extreme(dtype, /*lowest=*/true);
    case Opcode::kMinimum:
      return Extreme(dtype, /*lowest=*/false);
    case Opcode::kAnd:
      return bits < 8 ? std::nullopt : std::optional<uint64_t>(all);
    case Opcode::kOr:
    case Opcode::kXor:
      return 0;
    default:
      return std::nullopt;
  }
}

}  // namespace

Combiner::Combiner(const Instruction* reduce) : computation_(reduce->to_apply()) {
  for (int i = 0; i < reduce->operand_count() / 2; ++i) {
    dtypes_.push_back(reduce->operand(i)->shape().dtype());
  }
  const Instruction* root = computation_->root();
  if (dtypes_.size() != 1 || root->operand_count() != 2) return;
  const Instruction* a = root->operand(0);
  const Instruction* b = root->operand(1);
  if (a == b || a->opcode() != Opcode::kParameter || b->opcode() != Opcode::kParameter) return;
  identity_bits_ = IdentityOf(root->opcode(), dtypes_[0]);
}

llvm::Constant* Combiner::identity(llvm::LLVMContext& context) const {
  return ConstantOfBits(context, dtypes_[0], *identity_bits_);
}

StatusOr<Values> Combiner::Combine(ValueEmitter& e, const Values& earlier,
                                   const Values& later) const {
  std::vector<llvm::Value*> args(earlier.begin(), earlier.end());
  args.insert(args.end(), later.begin(), later.end());
  int width = 1;
  for (const llvm::Value* arg : args) width = std::max(width, WidthOf(arg));
  SWAGE_ASSIGN_OR_RETURN(Values combined, e.Apply(*computation_, args));
  for (llvm::Value*& value : combined) value = Splat(e.b(), value, width);
  return combined;
}

StatusOr<Values> Combiner::CombineIf(ValueEmitter& e, llvm::Value* valid, const Values& earlier,
                                     const Values& later) const {
  SWAGE_ASSIGN_OR_RETURN(Values combined, Combine(e, earlier, later));
  if (valid == nullptr) return combined;
  for (size_t i = 0; i < combined.size(); ++i) {
    combined[i] = e.b().CreateSelect(valid, combined[i], earlier[i]);
  }
  return combined;
}

}  // namespace swage::emit
