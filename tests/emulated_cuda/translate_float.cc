// Floating-point arithmetic. f32 and f64 with rn are LLVM's own operations; f16 and bf16 go through
// float, where one operation and one narrowing round as one; other roundings go through
// soft_float.h. Results that are NaN are the canonical one, as on a card.
#include <algorithm>

#include "llvm/IR/Intrinsics.h"
#include "tests/emulated_cuda/soft_float.h"
#include "tests/emulated_cuda/translator.h"

namespace swage::emulated_cuda {

namespace intrinsic = llvm::Intrinsic;

Translator::FloatMode Translator::TakeFloatMode(Modifiers& modifiers, const PtxType& type) {
  FloatMode mode;
  mode.rounding = modifiers.TakeOneOf({"rn", "rz", "rm", "rp"});
  if (mode.rounding == "rn") mode.rounding.clear();
  if (type.bits == 32) mode.flush = modifiers.Take("ftz");
  if (type.bits == 32) mode.saturate = modifiers.Take("sat");
  return mode;
}

Translator::Value* Translator::Flush(Value* value) {
  llvm::Type* const type = value->getType();
  Value* const least = llvm::ConstantFP::get(type, 0x1p-126);
  Value* const zero =
      builder_.CreateBinaryIntrinsic(intrinsic::copysign, llvm::ConstantFP::getZero(type), value);
  return builder_.CreateSelect(builder_.CreateFCmpOLT(Unary(intrinsic::fabs, value), least), zero,
                               value);
}

// Into [0, 1]; NaN is 0.
Translator::Value* Translator::Saturate(Value* value) {
  Value* const zero = llvm::ConstantFP::getZero(value->getType());
  Value* const one = llvm::ConstantFP::get(value->getType(), 1.0);
  Value* const above = builder_.CreateSelect(builder_.CreateFCmpOGT(value, zero), value, zero);
  return builder_.CreateSelect(builder_.CreateFCmpOLT(above, one), above, one);
}

Translator::Value* Translator::CanonicalNan(Value* value) {
  const bool is_double = value->getType()->isDoubleTy();
  Value* const nan = builder_.CreateBitCast(
      is_double ? Int(64, 0x7ff8000000000000) : Int(32, 0x7fffffff), value->getType());
  return builder_.CreateSelect(builder_.CreateFCmpUNO(value, value), nan, value);
}

Translator::Value* Translator::Finish(Value* value, const FloatMode& mode) {
  if (mode.flush) value = Flush(value);
  if (mode.saturate) return Saturate(value);
  return CanonicalNan(value);
}

Translator::Value* Translator::SoftCall(uint64_t op, const PtxType& type, const FloatMode& mode,
                                        Value* a, Value* b, Value* c) {
  return Call(type.bits == 64 ? "emu_op_f64" : "emu_op_f32", FloatType(type),
              {Int(32, op), Int(32, RoundingMode(mode.rounding)), a, b, c});
}

Translator::Value* Translator::Widen(Value* bits, const PtxType& type) {
  if (type.kind == PtxType::kFloat) {
    return builder_.CreateFPExt(builder_.CreateBitCast(bits, builder_.getHalfTy()),
                                builder_.getFloatTy());
  }
  Value* const word = builder_.CreateShl(builder_.CreateZExt(bits, IntType(32)), Int(32, 16));
  return builder_.CreateBitCast(word, builder_.getFloatTy());
}

Translator::Value* Translator::Narrow(Value* value, const PtxType& type) {
  Value* const is_nan = builder_.CreateFCmpUNO(value, value);
  Value* bits;
  if (type.kind == PtxType::kFloat) {
    bits = builder_.CreateBitCast(builder_.CreateFPTrunc(value, builder_.getHalfTy()), IntType(16));
  } else {
    Value* const word = builder_.CreateBitCast(value, IntType(32));
    Value* const odd = builder_.CreateAnd(builder_.CreateLShr(word, Int(32, 16)), Int(32, 1));
    Value* const rounded = builder_.CreateAdd(builder_.CreateAdd(word, Int(32, 0x7fff)), odd);
    bits = builder_.CreateTrunc(builder_.CreateLShr(rounded, Int(32, 16)), IntType(16));
  }
  return builder_.CreateSelect(is_nan, Int(16, 0x7fff), bits);
}

Translator::Value* Translator::Lane(Value* bits, const PtxType& type, int lane) {
  if (type.lanes == 1) return bits;
  return builder_.CreateTrunc(builder_.CreateLShr(bits, Int(32, static_cast<uint64_t>(16 * lane))),
                              IntType(16));
}

Translator::Value* Translator::JoinLanes(llvm::ArrayRef<Value*> lanes, int bits) {
  const int total = bits * static_cast<int>(lanes.size());
  Value* all = Int(total, 0);
  for (size_t i = 0; i < lanes.size(); ++i) {
    Value* const wide = builder_.CreateZExt(lanes[i], IntType(total));
    all = builder_.CreateOr(all,
                            builder_.CreateShl(wide, Int(total, static_cast<uint64_t>(bits) * i)));
  }
  return all;
}

void Translator::FloatBinary(const Instruction& instruction, Modifiers& modifiers,
                             const PtxType& type) {
  if (type.is_small_float()) return SmallBinary(instruction, modifiers, type);
  const FloatMode mode = TakeFloatMode(modifiers, type);
  Value* const a = GetFloat(Arg(1), type, mode.flush);
  Value* const b = GetFloat(Arg(2), type, mode.flush);
  const SoftOp op = instruction.opcode == "add"   ? kSoftAdd
                    : instruction.opcode == "sub" ? kSoftSub
                                                  : kSoftMul;
  Value* result;
  if (!mode.rounding.empty()) {
    result = SoftCall(op, type, mode, a, b, a);
  } else {
    result = op == kSoftAdd   ? builder_.CreateFAdd(a, b)
             : op == kSoftSub ? builder_.CreateFSub(a, b)
                              : builder_.CreateFMul(a, b);
  }
  SetFloat(Arg(0), Finish(result, mode), type);
}

void Translator::SmallBinary(const Instruction& instruction, Modifiers& modifiers,
                             const PtxType& type) {
  modifiers.Take("rn");
  const bool saturate = type.kind == PtxType::kFloat && modifiers.Take("sat");
  Value* const a = Get(Arg(1), type.total_bits());
  Value* const b = Get(Arg(2), type.total_bits());
  llvm::SmallVector<Value*, 2> lanes;
  for (int lane = 0; lane < type.lanes; ++lane) {
    Value* const x = Widen(Lane(a, type, lane), type);
    Value* const y = Widen(Lane(b, type, lane), type);
    Value* result = instruction.opcode == "add"   ? builder_.CreateFAdd(x, y)
                    : instruction.opcode == "sub" ? builder_.CreateFSub(x, y)
                                                  : builder_.CreateFMul(x, y);
    if (saturate) result = Saturate(result);
    lanes.push_back(Narrow(result, type));
  }
  Set(Arg(0), JoinLanes(lanes, 16));
}

// fma, and mad of floats.
void Translator::Fma(const Instruction& instruction, Modifiers& modifiers) {
  RequireArgs(4);
  const PtxType type = modifiers.TakeType();
  if (!type.is_float()) Fail("fma is for floats");
  if (type.is_small_float()) return SmallFma(modifiers, type);
  const FloatMode mode = TakeFloatMode(modifiers, type);
  Value* const a = GetFloat(Arg(1), type, mode.flush);
  Value* const b = GetFloat(Arg(2), type, mode.flush);
  Value* const c = GetFloat(Arg(3), type, mode.flush);
  Value* result;
  if (mode.rounding.empty()) {
    result = builder_.CreateIntrinsic(intrinsic::fma, {a->getType()}, {a, b, c});
  } else {
    result = SoftCall(kSoftFma, type, mode, a, b, c);
  }
  SetFloat(Arg(0), Finish(result, mode), type);
}

void Translator::SmallFma(Modifiers& modifiers, const PtxType& type) {
  if (!modifiers.Take("rn")) Fail("fma needs .rn");
  const bool relu = modifiers.Take("relu");
  llvm::SmallVector<Value*, 2> lanes;
  for (int lane = 0; lane < type.lanes; ++lane) {
    const auto operand = [&](size_t i) {
      return builder_.CreateZExt(Lane(Get(Arg(i), type.total_bits()), type, lane), IntType(32));
    };
    Value* const bits =
        Call("emu_fma_small", IntType(32),
             {Int(32, type.kind == PtxType::kBfloat), operand(1), operand(2), operand(3)});
    Value* result = builder_.CreateTrunc(bits, IntType(16));
    if (relu) {
      Value* const value = Widen(result, type);
      Value* const negative =
          builder_.CreateFCmpOLT(value, llvm::ConstantFP::getZero(value->getType()));
      result = builder_.CreateSelect(negative, Int(16, 0), result);
    }
    lanes.push_back(result);
  }
  Set(Arg(0), JoinLanes(lanes, 16));
}

// -0 is less than +0. Without .NaN the operand that is a number wins.
Translator::Value* Translator::Minimum(Value* a, Value* b, bool maximum, bool propagate_nan) {
  Value* const ordered =
      builder_.CreateBinaryIntrinsic(maximum ? intrinsic::maximum : intrinsic::minimum, a, b);
  if (propagate_nan) return CanonicalNan(ordered);
  Value* const a_nan = builder_.CreateFCmpUNO(a, a);
  Value* const b_nan = builder_.CreateFCmpUNO(b, b);
  return CanonicalNan(builder_.CreateSelect(a_nan, b, builder_.CreateSelect(b_nan, a, ordered)));
}

void Translator::FloatMinMax(const Instruction& instruction, Modifiers& modifiers,
                             const PtxType& type) {
  const bool maximum = instruction.opcode == "max";
  const bool flush = type.bits == 32 && modifiers.Take("ftz");
  const bool propagate = type.bits != 64 && modifiers.Take("NaN");
  if (!type.is_small_float()) {
    Value* const a = GetFloat(Arg(1), type, flush);
    Value* const b = GetFloat(Arg(2), type, flush);
    return SetFloat(Arg(0), Minimum(a, b, maximum, propagate), type);
  }
  Value* const a = Get(Arg(1), type.total_bits());
  Value* const b = Get(Arg(2), type.total_bits());
  llvm::SmallVector<Value*, 2> lanes;
  for (int lane = 0; lane < type.lanes; ++lane) {
    Value* const x = Widen(Lane(a, type, lane), type);
    Value* const y = Widen(Lane(b, type, lane), type);
    lanes.push_back(Narrow(Minimum(x, y, maximum, propagate), type));
  }
  Set(Arg(0), JoinLanes(lanes, 16));
}

// Only the sign bit changes.
void Translator::FloatAbsNeg(const Instruction& instruction, Modifiers& modifiers,
                             const PtxType& type) {
  const bool flush = type.bits == 32 && modifiers.Take("ftz");
  const int total = type.total_bits();
  Value* bits = Get(Arg(1), total);
  if (flush)
    bits =
        builder_.CreateBitCast(Flush(builder_.CreateBitCast(bits, FloatType(type))), IntType(32));
  llvm::APInt signs(static_cast<unsigned>(total), 0);
  for (int lane = 0; lane < type.lanes; ++lane)
    signs.setBit(static_cast<unsigned>((lane + 1) * type.bits - 1));
  Value* const mask = llvm::ConstantInt::get(context_, signs);
  Set(Arg(0), instruction.opcode == "neg" ? builder_.CreateXor(bits, mask)
                                          : builder_.CreateAnd(bits, builder_.CreateNot(mask)));
}

void Translator::FloatDiv(const Instruction&, Modifiers& modifiers, const PtxType& type) {
  if (type.is_small_float()) Fail("there is no division of this type");
  if (type.bits == 32 && (modifiers.Take("approx") || modifiers.Take("full"))) {
    const FloatMode mode = TakeFloatMode(modifiers, type);
    if (!mode.rounding.empty()) Fail("an approximate division has no rounding");
    return SetFloat(Arg(0),
                    Finish(builder_.CreateFDiv(GetFloat(Arg(1), type, mode.flush),
                                               GetFloat(Arg(2), type, mode.flush)),
                           mode),
                    type);
  }
  Modifiers look(*current_);
  if (look.TakeOneOf({"rn", "rz", "rm", "rp"}).empty()) Fail("a float division needs a rounding");
  const FloatMode mode = TakeFloatMode(modifiers, type);
  Value* const a = GetFloat(Arg(1), type, mode.flush);
  Value* const b = GetFloat(Arg(2), type, mode.flush);
  Value* const result =
      mode.rounding.empty() ? builder_.CreateFDiv(a, b) : SoftCall(kSoftDiv, type, mode, a, b, a);
  SetFloat(Arg(0), Finish(result, mode), type);
}

// rcp, sqrt, rsqrt, ex2, lg2, sin, cos, tanh.
void Translator::FloatUnary(const Instruction& instruction, Modifiers& modifiers) {
  RequireArgs(2);
  const PtxType type = modifiers.TakeType();
  const std::string& opcode = instruction.opcode;
  const bool approximate = modifiers.Take("approx");
  const bool exact_form = opcode == "rcp" || opcode == "sqrt";
  const FloatMode mode = TakeFloatMode(modifiers, type);
  if (!type.is_float() || (!approximate && !exact_form)) Fail("this form is not emulated");
  if (type.lanes != 1 ||
      (type.kind == PtxType::kBfloat && opcode == "ex2" && !modifiers.Take("ftz"))) {
    Fail("this form is not emulated");
  }
  Value* const value = GetFloat(Arg(1), type, mode.flush);
  Value* result;
  if (exact_form && !mode.rounding.empty()) {
    Value* const one = llvm::ConstantFP::get(value->getType(), 1.0);
    result = opcode == "rcp" ? SoftCall(kSoftDiv, type, mode, one, value, value)
                             : SoftCall(kSoftSqrt, type, mode, value, value, value);
  } else if (opcode == "rcp") {
    result = builder_.CreateFDiv(llvm::ConstantFP::get(value->getType(), 1.0), value);
  } else if (opcode == "sqrt") {
    result = Unary(intrinsic::sqrt, value);
  } else {
    llvm::Type* const wide = builder_.getDoubleTy();
    result = Call(("emu_" + opcode).c_str(), wide, {builder_.CreateFPExt(value, wide)});
    result = builder_.CreateFPTrunc(result, value->getType());
  }
  SetFloat(Arg(0), Finish(result, mode), type);
}

// copysign.type d, a, b: the sign of a, the rest of b.
void Translator::CopySign(const Instruction&, Modifiers& modifiers) {
  RequireArgs(3);
  const PtxType type = modifiers.TakeType();
  Value* const sign = Int(type.bits, uint64_t{1} << (type.bits - 1));
  Value* const rest = builder_.CreateAnd(Get(Arg(2), type.bits), builder_.CreateNot(sign));
  Set(Arg(0), builder_.CreateOr(builder_.CreateAnd(Get(Arg(1), type.bits), sign), rest));
}

void Translator::TestProperty(const Instruction&, Modifiers& modifiers) {
  RequireArgs(2);
  const PtxType type = modifiers.TakeType();
  const std::string property =
      modifiers.TakeOneOf({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  Value* const magnitude = Unary(intrinsic::fabs, GetFloat(Arg(1), type));
  llvm::Type* const real = magnitude->getType();
  Value* const infinity = llvm::ConstantFP::getInfinity(real);
  Value* const least = llvm::ConstantFP::get(real, type.bits == 64 ? 0x1p-1022 : 0x1p-126);
  Value* const zero = llvm::ConstantFP::getZero(real);
  Value* const finite = builder_.CreateFCmpOLT(magnitude, infinity);
  Value* result = nullptr;
  if (property == "finite") result = finite;
  if (property == "infinite") result = builder_.CreateFCmpOEQ(magnitude, infinity);
  if (property == "number") result = builder_.CreateFCmpORD(magnitude, magnitude);
  if (property == "notanumber") result = builder_.CreateFCmpUNO(magnitude, magnitude);
  if (property == "normal")
    result = builder_.CreateAnd(finite, builder_.CreateFCmpOGE(magnitude, least));
  if (property == "subnormal") {
    result = builder_.CreateAnd(builder_.CreateFCmpOLT(magnitude, least),
                                builder_.CreateFCmpOGT(magnitude, zero));
  }
  if (result == nullptr) Fail("there is no property that is known");
  Set(Arg(0), result);
}

}  // namespace swage::emulated_cuda
