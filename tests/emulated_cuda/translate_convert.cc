// cvt in all its forms.
#include "llvm/IR/Intrinsics.h"
#include "tests/emulated_cuda/soft_float.h"
#include "tests/emulated_cuda/translator.h"

namespace swage::emulated_cuda {

namespace intrinsic = llvm::Intrinsic;

// cvt.mode.to.from d, a
void Translator::Convert(const Instruction& instruction, Modifiers& modifiers) {
  if (modifiers.Take("rna")) {
    // tf32: f32 with ten bits of mantissa, ties away from zero.
    if (!modifiers.Take("tf32") || modifiers.TakeType().bits != 32)
      Fail("rna is for tf32 from f32");
    Value* const bits = builder_.CreateAdd(Get(Arg(1), 32), Int(32, 0x1000));
    return Set(Arg(0), builder_.CreateAnd(bits, Int(32, ~uint64_t{0x1fff})));
  }
  const PtxType to = modifiers.TakeType();
  const PtxType from = modifiers.TakeType();
  if (to.lanes == 2) return ConvertPacked(modifiers, to, from);
  RequireArgs(2);
  if (to.is_float() && from.is_float()) return ConvertFloatToFloat(modifiers, to, from);
  if (to.is_float()) return ConvertIntToFloat(modifiers, to, from);
  if (from.is_float()) return ConvertFloatToInt(modifiers, to, from);
  ConvertIntToInt(modifiers, to, from);
}

void Translator::ConvertIntToInt(Modifiers& modifiers, const PtxType& to, const PtxType& from) {
  // Wide enough for both and a sign.
  constexpr int kWide = 72;
  Value* value = Get(Arg(1), from.bits);
  value = from.is_signed() ? builder_.CreateSExt(value, IntType(kWide))
                           : builder_.CreateZExt(value, IntType(kWide));
  if (modifiers.Take("sat")) {
    const unsigned bits = static_cast<unsigned>(to.bits);
    const llvm::APInt least =
        to.is_signed() ? llvm::APInt::getSignedMinValue(bits).sext(kWide) : llvm::APInt(kWide, 0);
    const llvm::APInt most = to.is_signed() ? llvm::APInt::getSignedMaxValue(bits).sext(kWide)
                                            : llvm::APInt::getMaxValue(bits).zext(kWide);
    value = builder_.CreateBinaryIntrinsic(intrinsic::smax, value,
                                           llvm::ConstantInt::get(context_, least));
    value = builder_.CreateBinaryIntrinsic(intrinsic::smin, value,
                                           llvm::ConstantInt::get(context_, most));
  }
  Set(Arg(0), builder_.CreateTrunc(value, IntType(to.bits)), to.is_signed());
}

void Translator::ConvertIntToFloat(Modifiers& modifiers, const PtxType& to, const PtxType& from) {
  const std::string rounding = modifiers.TakeOneOf({"rn", "rz", "rm", "rp"});
  if (rounding.empty()) Fail("an integer to a float needs a rounding");
  const bool saturate = modifiers.Take("sat");
  Value* const value = Get(Arg(1), from.bits);
  Value* const wide = from.is_signed() ? builder_.CreateSExt(value, IntType(64))
                                       : builder_.CreateZExt(value, IntType(64));
  if (to.is_small_float()) {
    if (rounding != "rn" || saturate) Fail("only .rn is emulated for this type");
    Value* const bits =
        Call("emu_narrow_int", IntType(32),
             {Int(32, to.kind == PtxType::kBfloat), Int(32, from.is_signed()), wide});
    return Set(Arg(0), builder_.CreateTrunc(bits, IntType(16)));
  }
  Value* result;
  if (rounding == "rn") {
    result = from.is_signed() ? builder_.CreateSIToFP(wide, FloatType(to))
                              : builder_.CreateUIToFP(wide, FloatType(to));
  } else {
    result = Call(to.bits == 64 ? "emu_int_f64" : "emu_int_f32", FloatType(to),
                  {Int(32, RoundingMode(rounding)), Int(32, from.is_signed()), wide});
  }
  SetFloat(Arg(0), saturate ? Saturate(result) : result, to);
}

Translator::Value* Translator::RoundToIntegral(Value* value, const std::string& rounding) {
  if (rounding == "rni") return Unary(intrinsic::roundeven, value);
  if (rounding == "rzi") return Unary(intrinsic::trunc, value);
  if (rounding == "rmi") return Unary(intrinsic::floor, value);
  return Unary(intrinsic::ceil, value);
}

// Out of range clamps. NaN is 0, but the top bit alone where either side has 64 bits.
void Translator::ConvertFloatToInt(Modifiers& modifiers, const PtxType& to, const PtxType& from) {
  const std::string rounding = modifiers.TakeOneOf({"rni", "rzi", "rmi", "rpi"});
  if (rounding.empty()) Fail("a float to an integer needs a rounding to an integer");
  const bool flush = modifiers.Take("ftz");
  modifiers.Take("sat");
  Value* const value = RoundToIntegral(GetFloat(Arg(1), from, flush), rounding);
  Value* const result =
      builder_.CreateIntrinsic(to.is_signed() ? intrinsic::fptosi_sat : intrinsic::fptoui_sat,
                               {IntType(to.bits), value->getType()}, {value});
  const bool top_bit = from.bits == 64 || to.bits == 64;
  Value* const nan = Int(to.bits, top_bit ? uint64_t{1} << (to.bits - 1) : 0);
  Set(Arg(0), builder_.CreateSelect(builder_.CreateFCmpUNO(value, value), nan, result),
      to.is_signed());
}

void Translator::ConvertFloatToFloat(Modifiers& modifiers, const PtxType& to, const PtxType& from) {
  const std::string integral = modifiers.TakeOneOf({"rni", "rzi", "rmi", "rpi"});
  const std::string rounding = modifiers.TakeOneOf({"rn", "rz", "rm", "rp"});
  const bool flush = (to.bits == 32 || from.bits == 32) && modifiers.Take("ftz");
  const bool saturate = modifiers.Take("sat");
  const bool relu = to.is_small_float() && modifiers.Take("relu");
  Value* value = GetFloat(Arg(1), from, flush);
  if (!integral.empty()) {
    if (to.bits != from.bits || to.kind != from.kind)
      Fail("a rounding to an integer is within one type");
    value = RoundToIntegral(value, integral);
  } else if (to.bits < from.bits && rounding.empty()) {
    Fail("a narrower float needs a rounding");
  }
  if (saturate) value = Saturate(value);
  if (relu) value = Relu(value);
  if (to.is_small_float()) {
    if (rounding == "rm" || rounding == "rp") Fail("this rounding is not emulated");
    const bool toward_zero = rounding == "rz";
    return Set(Arg(0), toward_zero || from.bits == 64 ? NarrowOnce(value, to, toward_zero)
                                                      : Narrow(value, to));
  }
  if (to.bits == 64) {
    value = builder_.CreateFPExt(value, builder_.getDoubleTy());
  } else if (from.bits == 64) {
    value = rounding == "rn" ? builder_.CreateFPTrunc(value, builder_.getFloatTy())
                             : Call("emu_round_f32", builder_.getFloatTy(),
                                    {Int(32, RoundingMode(rounding)), value});
  }
  if (flush && to.bits == 32) value = Flush(value);
  SetFloat(Arg(0), CanonicalNan(value), to);
}

Translator::Value* Translator::NarrowOnce(Value* value, const PtxType& type, bool toward_zero) {
  Value* const bits = Call("emu_narrow", IntType(32),
                           {Int(32, type.kind == PtxType::kBfloat), Int(32, toward_zero),
                            builder_.CreateFPExt(value, builder_.getDoubleTy())});
  return builder_.CreateTrunc(bits, IntType(16));
}

Translator::Value* Translator::Relu(Value* value) {
  return Minimum(value, llvm::ConstantFP::getZero(value->getType()), /*maximum=*/true,
                 /*propagate_nan=*/true);
}

// cvt.rn.bf16x2.f32 d, a, b: a is the upper half.
void Translator::ConvertPacked(Modifiers& modifiers, const PtxType& to, const PtxType& from) {
  RequireArgs(3);
  if (!to.is_small_float() || from.kind != PtxType::kFloat || from.bits != 32)
    Fail("this form is not emulated");
  const std::string rounding = modifiers.TakeOneOf({"rn", "rz"});
  if (rounding.empty()) Fail("a narrower float needs a rounding");
  const bool relu = modifiers.Take("relu");
  PtxType single = to;
  single.lanes = 1;
  llvm::SmallVector<Value*, 2> lanes;
  for (size_t i : {2, 1}) {
    Value* value = GetFloat(Arg(i), from);
    if (relu) value = Relu(value);
    lanes.push_back(rounding == "rn" ? Narrow(value, single) : NarrowOnce(value, single, true));
  }
  Set(Arg(0), JoinLanes(lanes, 16));
}

}  // namespace swage::emulated_cuda
