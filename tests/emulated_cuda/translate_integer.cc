// Integer arithmetic, bits, comparisons.
#include "llvm/IR/Intrinsics.h"
#include "tests/emulated_cuda/translator.h"

namespace swage::emulated_cuda {

using llvm::Intrinsic::ID;
namespace intrinsic = llvm::Intrinsic;

void Translator::AddSub(const Instruction& instruction, Modifiers& modifiers) {
  RequireArgs(3);
  const bool carry_in = instruction.opcode == "addc" || instruction.opcode == "subc";
  const bool subtract = instruction.opcode == "sub" || instruction.opcode == "subc";
  const PtxType type = modifiers.TakeType();
  if (type.is_float()) return FloatBinary(instruction, modifiers, type);
  const bool carry_out = modifiers.Take("cc");
  if (carry_in || carry_out) return CarryAddSub(type, subtract, carry_in, carry_out);
  Value* a = Get(Arg(1), type.total_bits());
  Value* b = Get(Arg(2), type.total_bits());
  if (modifiers.Take("sat")) {
    if (type.kind != PtxType::kSigned || type.bits != 32) Fail(".sat is for s32 only");
    Set(Arg(0),
        builder_.CreateBinaryIntrinsic(subtract ? intrinsic::ssub_sat : intrinsic::sadd_sat, a, b));
    return;
  }
  if (type.lanes == 2) {
    llvm::Type* const pair = llvm::FixedVectorType::get(IntType(16), 2);
    a = builder_.CreateBitCast(a, pair);
    b = builder_.CreateBitCast(b, pair);
  }
  Value* const result = subtract ? builder_.CreateSub(a, b) : builder_.CreateAdd(a, b);
  Set(Arg(0), builder_.CreateBitCast(result, IntType(type.total_bits())));
}

void Translator::CarryAddSub(const PtxType& type, bool subtract, bool carry_in, bool carry_out) {
  const int wide = type.bits + 2;
  const auto widen = [&](Value* value) { return builder_.CreateZExt(value, IntType(wide)); };
  Value* const a = widen(Get(Arg(1), type.bits));
  Value* const b = widen(Get(Arg(2), type.bits));
  Value* result = subtract ? builder_.CreateSub(a, b) : builder_.CreateAdd(a, b);
  if (carry_in) {
    Value* const carry = widen(builder_.CreateLoad(IntType(1), carry_));
    result = subtract ? builder_.CreateSub(result, carry) : builder_.CreateAdd(result, carry);
  }
  Set(Arg(0), builder_.CreateTrunc(result, IntType(type.bits)));
  if (!carry_out) return;
  Value* const above = builder_.CreateLShr(result, Int(wide, static_cast<uint64_t>(type.bits)));
  builder_.CreateStore(builder_.CreateTrunc(above, IntType(1)), carry_);
}

Translator::Value* Translator::Product(const PtxType& type, const std::string& part,
                                       const Operand& a, const Operand& b) {
  if (part.empty()) Fail("expected .lo, .hi or .wide");
  Value* x = Get(a, type.bits);
  Value* y = Get(b, type.bits);
  if (part == "lo") return builder_.CreateMul(x, y);
  llvm::Type* const wide = IntType(2 * type.bits);
  const auto extend = [&](Value* value) {
    return type.is_signed() ? builder_.CreateSExt(value, wide) : builder_.CreateZExt(value, wide);
  };
  Value* const product = builder_.CreateMul(extend(x), extend(y));
  if (part == "wide") return product;
  return builder_.CreateTrunc(
      builder_.CreateLShr(product, Int(2 * type.bits, static_cast<uint64_t>(type.bits))),
      IntType(type.bits));
}

void Translator::Mul(const Instruction& instruction, Modifiers& modifiers) {
  RequireArgs(3);
  const PtxType type = modifiers.TakeType();
  if (type.is_float()) return FloatBinary(instruction, modifiers, type);
  Set(Arg(0), Product(type, modifiers.TakeOneOf({"lo", "hi", "wide"}), Arg(1), Arg(2)));
}

void Translator::Mad(const Instruction& instruction, Modifiers& modifiers) {
  RequireArgs(4);
  Modifiers look(instruction);
  if (look.TakeType().is_float()) return Fma(instruction, modifiers);
  const PtxType type = modifiers.TakeType();
  const std::string part = modifiers.TakeOneOf({"lo", "hi", "wide"});
  Value* const product = Product(type, part, Arg(1), Arg(2));
  const int bits = part == "wide" ? 2 * type.bits : type.bits;
  Set(Arg(0), builder_.CreateAdd(product, Get(Arg(3), bits)));
}

// A card gives some value for a zero divisor; here it is all ones, as cards do.
void Translator::DivRem(const Instruction& instruction, Modifiers& modifiers) {
  RequireArgs(3);
  const PtxType type = modifiers.TakeType();
  const bool divide = instruction.opcode == "div";
  if (type.is_float()) {
    if (!divide) Fail("`rem` has no float form");
    return FloatDiv(instruction, modifiers, type);
  }
  const int bits = type.bits;
  Value* const a = Get(Arg(1), bits);
  Value* const b = Get(Arg(2), bits);
  Value* const zero = builder_.CreateICmpEQ(b, Int(bits, 0));
  Value* odd = zero;
  Value* overflow = nullptr;
  if (type.is_signed()) {
    Value* const least = Int(bits, uint64_t{1} << (bits - 1));
    overflow = builder_.CreateAnd(builder_.CreateICmpEQ(a, least),
                                  builder_.CreateICmpEQ(b, Int(bits, ~uint64_t{0})));
    odd = builder_.CreateOr(zero, overflow);
  }
  Value* const divisor = builder_.CreateSelect(odd, Int(bits, 1), b);
  Value* result;
  if (divide) {
    result = type.is_signed() ? builder_.CreateSDiv(a, divisor) : builder_.CreateUDiv(a, divisor);
    result = builder_.CreateSelect(zero, Int(bits, ~uint64_t{0}), result);
  } else {
    result = type.is_signed() ? builder_.CreateSRem(a, divisor) : builder_.CreateURem(a, divisor);
    result = builder_.CreateSelect(zero, a, result);
  }
  Set(Arg(0), result);
}

void Translator::MinMax(const Instruction& instruction, Modifiers& modifiers) {
  RequireArgs(3);
  const PtxType type = modifiers.TakeType();
  if (type.is_float()) return FloatMinMax(instruction, modifiers, type);
  const bool maximum = instruction.opcode == "max";
  const ID id = type.is_signed() ? (maximum ? intrinsic::smax : intrinsic::smin)
                                 : (maximum ? intrinsic::umax : intrinsic::umin);
  llvm::Type* const whole = IntType(type.total_bits());
  llvm::Type* const lanes = type.lanes == 2 ? llvm::FixedVectorType::get(IntType(16), 2) : whole;
  Value* const a = builder_.CreateBitCast(Get(Arg(1), type.total_bits()), lanes);
  Value* const b = builder_.CreateBitCast(Get(Arg(2), type.total_bits()), lanes);
  Set(Arg(0), builder_.CreateBitCast(builder_.CreateBinaryIntrinsic(id, a, b), whole));
}

void Translator::AbsNeg(const Instruction& instruction, Modifiers& modifiers) {
  RequireArgs(2);
  const PtxType type = modifiers.TakeType();
  if (type.is_float()) return FloatAbsNeg(instruction, modifiers, type);
  Value* const value = Get(Arg(1), type.bits);
  Value* const negative = builder_.CreateNeg(value);
  if (instruction.opcode == "neg") return Set(Arg(0), negative);
  Set(Arg(0),
      builder_.CreateSelect(builder_.CreateICmpSLT(value, Int(type.bits, 0)), negative, value));
}

void Translator::Logic(const Instruction& instruction, Modifiers& modifiers) {
  RequireArgs(3);
  const int bits = modifiers.TakeType().total_bits();
  Value* const a = Get(Arg(1), bits);
  Value* const b = Get(Arg(2), bits);
  Set(Arg(0), instruction.opcode == "and"  ? builder_.CreateAnd(a, b)
              : instruction.opcode == "or" ? builder_.CreateOr(a, b)
                                           : builder_.CreateXor(a, b));
}

void Translator::Not(const Instruction&, Modifiers& modifiers) {
  RequireArgs(2);
  Set(Arg(0), builder_.CreateNot(Get(Arg(1), modifiers.TakeType().bits)));
}

// Amounts of the width or more give zero, or the sign.
void Translator::Shift(const Instruction& instruction, Modifiers& modifiers) {
  RequireArgs(3);
  const PtxType type = modifiers.TakeType();
  const int bits = type.bits;
  Value* const value = Get(Arg(1), bits);
  Value* const amount = Get(Arg(2), 32);
  Value* const limit = Int(32, static_cast<uint64_t>(bits - 1));
  Value* const within = builder_.CreateICmpULE(amount, limit);
  Value* const safe =
      builder_.CreateZExtOrTrunc(builder_.CreateSelect(within, amount, limit), IntType(bits));
  if (instruction.opcode == "shr" && type.is_signed())
    return Set(Arg(0), builder_.CreateAShr(value, safe));
  Value* const shifted = instruction.opcode == "shl" ? builder_.CreateShl(value, safe)
                                                     : builder_.CreateLShr(value, safe);
  Set(Arg(0), builder_.CreateSelect(within, shifted, Int(bits, 0)));
}

void Translator::FunnelShift(const Instruction&, Modifiers& modifiers) {
  RequireArgs(4);
  const bool left = modifiers.TakeOneOf({"l", "r"}) == "l";
  const bool clamp = modifiers.TakeOneOf({"wrap", "clamp"}) == "clamp";
  if (modifiers.TakeType().bits != 32) Fail("shf is for b32");
  Value* const low = builder_.CreateZExt(Get(Arg(1), 32), IntType(64));
  Value* const high = builder_.CreateZExt(Get(Arg(2), 32), IntType(64));
  Value* const both = builder_.CreateOr(builder_.CreateShl(high, Int(64, 32)), low);
  Value* amount = Get(Arg(3), 32);
  amount = clamp ? builder_.CreateBinaryIntrinsic(intrinsic::umin, amount, Int(32, 32))
                 : builder_.CreateAnd(amount, Int(32, 31));
  amount = builder_.CreateZExt(amount, IntType(64));
  Value* const result = left ? builder_.CreateLShr(builder_.CreateShl(both, amount), Int(64, 32))
                             : builder_.CreateLShr(both, amount);
  Set(Arg(0), builder_.CreateTrunc(result, IntType(32)));
}

void Translator::BitCount(const Instruction& instruction, Modifiers& modifiers) {
  RequireArgs(2);
  const PtxType type = modifiers.TakeType();
  Value* value = Get(Arg(1), type.bits);
  const std::string& opcode = instruction.opcode;
  if (opcode == "brev") return Set(Arg(0), Unary(intrinsic::bitreverse, value));
  if (opcode == "popc") {
    return Set(Arg(0), builder_.CreateZExtOrTrunc(Unary(intrinsic::ctpop, value), IntType(32)));
  }
  // Of a negative signed number bfind looks for the highest zero.
  if (opcode == "bfind" && type.is_signed()) {
    value = builder_.CreateXor(
        value, builder_.CreateAShr(value, Int(type.bits, static_cast<uint64_t>(type.bits - 1))));
  }
  Value* count = builder_.CreateBinaryIntrinsic(intrinsic::ctlz, value, Int(1, 0));
  count = builder_.CreateZExtOrTrunc(count, IntType(32));
  if (opcode == "clz") return Set(Arg(0), count);
  const bool shift_amount = modifiers.Take("shiftamt");
  Value* const none = builder_.CreateICmpEQ(value, Int(type.bits, 0));
  Value* const place =
      shift_amount ? count
                   : builder_.CreateSub(Int(32, static_cast<uint64_t>(type.bits - 1)), count);
  Set(Arg(0), builder_.CreateSelect(none, Int(32, ~uint64_t{0}), place));
}

// bfe d, a, start, length: bits above the sign bit of the field repeat it for signed types.
void Translator::BitFieldExtract(const Instruction&, Modifiers& modifiers) {
  RequireArgs(4);
  const PtxType type = modifiers.TakeType();
  const int wide = 2 * type.bits + 256;  // room for any start and length of 8 bits
  llvm::Type* const wide_type = IntType(wide);
  Value* const a = Get(Arg(1), type.bits);
  const auto byte = [&](const Operand& operand) {
    return builder_.CreateZExt(builder_.CreateAnd(Get(operand, 32), Int(32, 255)), wide_type);
  };
  Value* const start = byte(Arg(2));
  Value* const length = byte(Arg(3));
  Value* const extended =
      type.is_signed() ? builder_.CreateSExt(a, wide_type) : builder_.CreateZExt(a, wide_type);
  Value* const field = type.is_signed() ? builder_.CreateAShr(extended, start)
                                        : builder_.CreateLShr(extended, start);
  Value* const unused = builder_.CreateSub(Int(wide, static_cast<uint64_t>(wide)), length);
  Value* const empty = builder_.CreateICmpEQ(length, Int(wide, 0));
  Value* const amount = builder_.CreateSelect(empty, Int(wide, 0), unused);
  Value* const high = builder_.CreateShl(field, amount);
  Value* const result =
      type.is_signed() ? builder_.CreateAShr(high, amount) : builder_.CreateLShr(high, amount);
  Set(Arg(0), builder_.CreateSelect(empty, Int(type.bits, 0),
                                    builder_.CreateTrunc(result, IntType(type.bits))));
}

// bfi f, a, b, start, length: the low bits of a into b.
void Translator::BitFieldInsert(const Instruction&, Modifiers& modifiers) {
  RequireArgs(5);
  const int bits = modifiers.TakeType().bits;
  const int wide = bits + 512;
  llvm::Type* const wide_type = IntType(wide);
  const auto byte = [&](const Operand& operand) {
    return builder_.CreateZExt(builder_.CreateAnd(Get(operand, 32), Int(32, 255)), wide_type);
  };
  Value* const start = byte(Arg(3));
  Value* const ones =
      builder_.CreateSub(builder_.CreateShl(Int(wide, 1), byte(Arg(4))), Int(wide, 1));
  Value* const mask = builder_.CreateTrunc(builder_.CreateShl(ones, start), IntType(bits));
  Value* const a = builder_.CreateZExt(Get(Arg(1), bits), wide_type);
  Value* const field = builder_.CreateTrunc(builder_.CreateShl(a, start), IntType(bits));
  Value* const rest = builder_.CreateAnd(Get(Arg(2), bits), builder_.CreateNot(mask));
  Set(Arg(0), builder_.CreateOr(builder_.CreateAnd(field, mask), rest));
}

// prmt.b32 d, a, b, selector: four nibbles choose among the eight bytes of a and b; bit 3 of a
// nibble repeats the sign of the byte.
void Translator::Permute(const Instruction&, Modifiers& modifiers) {
  RequireArgs(4);
  if (modifiers.TakeType().bits != 32) Fail("prmt is for b32");
  Value* const a = builder_.CreateZExt(Get(Arg(1), 32), IntType(64));
  Value* const b = builder_.CreateZExt(Get(Arg(2), 32), IntType(64));
  Value* const both = builder_.CreateOr(builder_.CreateShl(b, Int(64, 32)), a);
  Value* const selector = Get(Arg(3), 32);
  Value* result = Int(32, 0);
  for (uint64_t i = 0; i < 4; ++i) {
    Value* const nibble = builder_.CreateLShr(selector, Int(32, 4 * i));
    Value* const shift = builder_.CreateShl(builder_.CreateAnd(nibble, Int(32, 7)), Int(32, 3));
    Value* const byte = builder_.CreateTrunc(
        builder_.CreateLShr(both, builder_.CreateZExt(shift, IntType(64))), IntType(8));
    Value* const sign = builder_.CreateICmpNE(builder_.CreateAnd(nibble, Int(32, 8)), Int(32, 0));
    Value* const chosen = builder_.CreateSelect(sign, builder_.CreateAShr(byte, Int(8, 7)), byte);
    result = builder_.CreateOr(
        result, builder_.CreateShl(builder_.CreateZExt(chosen, IntType(32)), Int(32, 8 * i)));
  }
  Set(Arg(0), result);
}

void Translator::Lop3(const Instruction&, Modifiers& modifiers) {
  RequireArgs(5);
  if (modifiers.TakeType().bits != 32 || Arg(4).kind != Operand::kInteger)
    Fail("lop3.b32 needs a literal table");
  Value* const inputs[] = {Get(Arg(1), 32), Get(Arg(2), 32), Get(Arg(3), 32)};
  Value* result = Int(32, 0);
  for (int row = 0; row < 8; ++row) {
    if ((Arg(4).value >> row & 1) == 0) continue;
    Value* term = Int(32, ~uint64_t{0});
    for (int i = 0; i < 3; ++i) {
      const bool set = (row >> (2 - i) & 1) != 0;
      term = builder_.CreateAnd(term, set ? inputs[i] : builder_.CreateNot(inputs[i]));
    }
    result = builder_.CreateOr(result, term);
  }
  Set(Arg(0), result);
}

Translator::Value* Translator::Compare(const std::string& comparison, const PtxType& type,
                                       bool flush) {
  using P = llvm::CmpInst;
  struct Row {
    P::Predicate real, is_signed, is_unsigned;
  };
  static const auto* const rows = new std::map<std::string, Row>{
      {"eq", {P::FCMP_OEQ, P::ICMP_EQ, P::ICMP_EQ}},
      {"ne", {P::FCMP_ONE, P::ICMP_NE, P::ICMP_NE}},
      {"lt", {P::FCMP_OLT, P::ICMP_SLT, P::ICMP_ULT}},
      {"le", {P::FCMP_OLE, P::ICMP_SLE, P::ICMP_ULE}},
      {"gt", {P::FCMP_OGT, P::ICMP_SGT, P::ICMP_UGT}},
      {"ge", {P::FCMP_OGE, P::ICMP_SGE, P::ICMP_UGE}},
      {"lo", {P::BAD_FCMP_PREDICATE, P::BAD_ICMP_PREDICATE, P::ICMP_ULT}},
      {"ls", {P::BAD_FCMP_PREDICATE, P::BAD_ICMP_PREDICATE, P::ICMP_ULE}},
      {"hi", {P::BAD_FCMP_PREDICATE, P::BAD_ICMP_PREDICATE, P::ICMP_UGT}},
      {"hs", {P::BAD_FCMP_PREDICATE, P::BAD_ICMP_PREDICATE, P::ICMP_UGE}},
      {"equ", {P::FCMP_UEQ, P::BAD_ICMP_PREDICATE, P::BAD_ICMP_PREDICATE}},
      {"neu", {P::FCMP_UNE, P::BAD_ICMP_PREDICATE, P::BAD_ICMP_PREDICATE}},
      {"ltu", {P::FCMP_ULT, P::BAD_ICMP_PREDICATE, P::BAD_ICMP_PREDICATE}},
      {"leu", {P::FCMP_ULE, P::BAD_ICMP_PREDICATE, P::BAD_ICMP_PREDICATE}},
      {"gtu", {P::FCMP_UGT, P::BAD_ICMP_PREDICATE, P::BAD_ICMP_PREDICATE}},
      {"geu", {P::FCMP_UGE, P::BAD_ICMP_PREDICATE, P::BAD_ICMP_PREDICATE}},
      {"num", {P::FCMP_ORD, P::BAD_ICMP_PREDICATE, P::BAD_ICMP_PREDICATE}},
      {"nan", {P::FCMP_UNO, P::BAD_ICMP_PREDICATE, P::BAD_ICMP_PREDICATE}},
  };
  const Row& row = rows->at(comparison);
  const P::Predicate chosen = type.is_float()    ? row.real
                              : type.is_signed() ? row.is_signed
                                                 : row.is_unsigned;
  if (chosen == P::BAD_FCMP_PREDICATE || chosen == P::BAD_ICMP_PREDICATE)
    Fail("." + comparison + " is not for this type");
  if (type.is_float())
    return builder_.CreateFCmp(chosen, GetFloat(Arg(1), type, flush),
                               GetFloat(Arg(2), type, flush));
  return builder_.CreateICmp(chosen, Get(Arg(1), type.bits), Get(Arg(2), type.bits));
}

// setp.cmp[.bool].type p[|q], a, b[, c]
void Translator::SetPredicate(const Instruction& instruction, Modifiers& modifiers) {
  const std::string combine = modifiers.TakeOneOf({"and", "or", "xor"});
  const PtxType type = modifiers.TakeType();
  if (type.lanes != 1) Fail("setp on pairs is not emulated");
  const bool flush = modifiers.Take("ftz");
  const std::string comparison =
      modifiers.TakeOneOf({"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu",
                           "ltu", "leu", "gtu", "geu", "num", "nan"});
  if (comparison.empty()) Fail("there is no comparison that is known");
  RequireArgs(combine.empty() ? 3 : 4);
  Value* const holds = Compare(comparison, type, flush);
  const auto combined = [&](Value* value) {
    if (combine.empty()) return value;
    Value* const other = GetPredicate(Arg(3));
    return combine == "and"  ? builder_.CreateAnd(value, other)
           : combine == "or" ? builder_.CreateOr(value, other)
                             : builder_.CreateXor(value, other);
  };
  Value* const first = combined(holds);
  if (Arg(0).kind != Operand::kPair) return Set(Arg(0), first);
  Value* const second = combined(builder_.CreateNot(holds));
  Set(Arg(0).parts[0], first);
  Set(Arg(0).parts[1], second);
}

void Translator::Select(const Instruction&, Modifiers& modifiers) {
  RequireArgs(4);
  const int bits = modifiers.TakeType().total_bits();
  Set(Arg(0), builder_.CreateSelect(GetPredicate(Arg(3)), Get(Arg(1), bits), Get(Arg(2), bits)));
}

}  // namespace swage::emulated_cuda
