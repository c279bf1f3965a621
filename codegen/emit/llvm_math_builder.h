// File: codegen/emit/llvm_math_builder.h
//
// The builder of compiler/math/builder.h that writes LLVM IR: a value is one scalar or a fixed
// vector of any number of lanes. No fast-math flag is set, f16 and kin never appear as LLVM types,
// and every operation compiles inline on x86-64-v3 (codegen/cpu/legality.h).
//
//   LlvmBuilder b(ir, /*lanes=*/8);      // 0: scalars
//   llvm::Value* y = math::Exp<float>(b, b.Wrap<float>(x)).v;
#ifndef SWAGE_CODEGEN_EMIT_LLVM_MATH_BUILDER_H_
#define SWAGE_CODEGEN_EMIT_LLVM_MATH_BUILDER_H_

#include <bit>
#include <cstdint>
#include <type_traits>

#include "compiler/math/builder.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"

namespace swage::emit {

class LlvmBuilder;

// Operators are defined behind LlvmBuilder, which they write to.
template <class T>
struct LlvmVal {
  LlvmBuilder* b = nullptr;
  llvm::Value* v = nullptr;

  LlvmVal operator-() const;
  LlvmVal operator~() const;
};

class LlvmBuilder {
 public:
  template <class T>
  using Val = LlvmVal<T>;

  LlvmBuilder(llvm::IRBuilderBase& ir, unsigned lanes) : ir_(ir), lanes_(lanes) {}

  llvm::IRBuilderBase& ir() { return ir_; }
  unsigned lanes() const { return lanes_; }

  template <class T>
  LlvmVal<T> Wrap(llvm::Value* v) {
    return {this, v};
  }

  // The LLVM type of a value of T, and of one lane of it.
  template <class T>
  llvm::Type* ScalarType() {
    if constexpr (std::is_same_v<T, bool>) return ir_.getInt1Ty();
    if constexpr (std::is_same_v<T, float>) return ir_.getFloatTy();
    if constexpr (std::is_same_v<T, double>) return ir_.getDoubleTy();
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      return ir_.getIntNTy(8 * sizeof(T));
    }
  }
  template <class T>
  llvm::Type* TypeOf() {
    llvm::Type* scalar = ScalarType<T>();
    return lanes_ == 0 ? scalar : llvm::FixedVectorType::get(scalar, lanes_);
  }

  template <class T>
  LlvmVal<T> Const(T x) {
    llvm::Type* type = TypeOf<T>();
    if constexpr (std::is_floating_point_v<T>) {
      // By bits, so that no NaN or sign of zero is lost.
      using Bits = math::BitsOf<T>;
      const llvm::APInt bits(8 * sizeof(T), std::bit_cast<Bits>(x));
      const auto& semantics = ScalarType<T>()->getFltSemantics();
      return {this, llvm::ConstantFP::get(type, llvm::APFloat(semantics, bits))};
    } else {
      return {this, llvm::ConstantInt::get(type, static_cast<uint64_t>(x), std::is_signed_v<T>)};
    }
  }

  template <class T>
  LlvmVal<T> Select(LlvmVal<bool> c, LlvmVal<T> a, LlvmVal<T> b) {
    return {this, ir_.CreateSelect(c.v, a.v, b.v)};
  }

  template <class T>
  LlvmVal<T> Fma(LlvmVal<T> a, LlvmVal<T> b, LlvmVal<T> c) {
    return {this, ir_.CreateIntrinsic(llvm::Intrinsic::fma, {a.v->getType()}, {a.v, b.v, c.v})};
  }
  template <class T>
  LlvmVal<T> Sqrt(LlvmVal<T> x) {
    return Unary(llvm::Intrinsic::sqrt, x);
  }
  template <class T>
  LlvmVal<T> Abs(LlvmVal<T> x) {
    return Unary(llvm::Intrinsic::fabs, x);
  }
  template <class T>
  LlvmVal<T> Floor(LlvmVal<T> x) {
    return Unary(llvm::Intrinsic::floor, x);
  }
  template <class T>
  LlvmVal<T> Ceil(LlvmVal<T> x) {
    return Unary(llvm::Intrinsic::ceil, x);
  }
  template <class T>
  LlvmVal<T> Trunc(LlvmVal<T> x) {
    return Unary(llvm::Intrinsic::trunc, x);
  }
  template <class T>
  LlvmVal<T> RoundEven(LlvmVal<T> x) {
    return Unary(llvm::Intrinsic::roundeven, x);
  }
  template <class T>
  LlvmVal<T> CopySign(LlvmVal<T> x, LlvmVal<T> sign) {
    return {this, ir_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, x.v, sign.v)};
  }

  template <class U, class T>
  LlvmVal<U> Bitcast(LlvmVal<T> x) {
    static_assert(sizeof(U) == sizeof(T));
    return {this, ir_.CreateBitCast(x.v, TypeOf<U>())};
  }
  template <class U, class T>
  LlvmVal<U> IntConvert(LlvmVal<T> x) {
    return {this, ir_.CreateIntCast(x.v, TypeOf<U>(), std::is_signed_v<T>)};
  }
  template <class U, class T>
  LlvmVal<U> FloatConvert(LlvmVal<T> x) {
    return {this, ir_.CreateFPCast(x.v, TypeOf<U>())};
  }
  template <class U, class T>
  LlvmVal<U> IntToFloat(LlvmVal<T> x) {
    if constexpr (std::is_signed_v<T>) {
      return {this, ir_.CreateSIToFP(x.v, TypeOf<U>())};
    } else {
      return {this, ir_.CreateUIToFP(x.v, TypeOf<U>())};
    }
  }
  template <class U, class T>
  LlvmVal<U> FloatToIntInRange(LlvmVal<T> x) {
    if constexpr (std::is_signed_v<U>) {
      return {this, ir_.CreateFPToSI(x.v, TypeOf<U>())};
    } else {
      return {this, ir_.CreateFPToUI(x.v, TypeOf<U>())};
    }
  }
  template <class T>
  LlvmVal<T> Ctlz(LlvmVal<T> x) {
    return {this, ir_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, x.v, ir_.getFalse())};
  }
  template <class T>
  LlvmVal<T> Popcount(LlvmVal<T> x) {
    return Unary(llvm::Intrinsic::ctpop, x);
  }
  template <class T>
  LlvmVal<T> SafeDiv(LlvmVal<T> a, LlvmVal<T> b) {
    return {this, std::is_signed_v<T> ? ir_.CreateSDiv(a.v, b.v) : ir_.CreateUDiv(a.v, b.v)};
  }
  template <class T>
  LlvmVal<T> SafeRem(LlvmVal<T> a, LlvmVal<T> b) {
    return {this, std::is_signed_v<T> ? ir_.CreateSRem(a.v, b.v) : ir_.CreateURem(a.v, b.v)};
  }

 private:
  template <class T>
  LlvmVal<T> Unary(llvm::Intrinsic::ID id, LlvmVal<T> x) {
    return {this, ir_.CreateUnaryIntrinsic(id, x.v)};
  }

  llvm::IRBuilderBase& ir_;
  unsigned lanes_;
};

template <class T>
LlvmVal<T> LlvmVal<T>::operator-() const {
  if constexpr (std::is_floating_point_v<T>) {
    return {b, b->ir().CreateFNeg(v)};
  } else {
    return {b, b->ir().CreateNeg(v)};
  }
}

template <class T>
LlvmVal<T> LlvmVal<T>::operator~() const {
  return {b, b->ir().CreateNot(v)};
}

template <class T>
LlvmVal<bool> CompareValues(LlvmVal<T> x, LlvmVal<T> y, llvm::CmpInst::Predicate for_float,
                            llvm::CmpInst::Predicate for_signed,
                            llvm::CmpInst::Predicate for_unsigned) {
  auto& ir = x.b->ir();
  if constexpr (std::is_floating_point_v<T>) {
    return {x.b, ir.CreateFCmp(for_float, x.v, y.v)};
  } else {
    return {x.b, ir.CreateICmp(std::is_signed_v<T> ? for_signed : for_unsigned, x.v, y.v)};
  }
}

template <class T>
LlvmVal<T> operator+(LlvmVal<T> x, LlvmVal<T> y) {
  auto& ir = x.b->ir();
  if constexpr (std::is_floating_point_v<T>) {
    return {x.b, ir.CreateFAdd(x.v, y.v)};
  } else {
    return {x.b, ir.CreateAdd(x.v, y.v)};
  }
}
template <class T>
LlvmVal<T> operator-(LlvmVal<T> x, LlvmVal<T> y) {
  auto& ir = x.b->ir();
  if constexpr (std::is_floating_point_v<T>) {
    return {x.b, ir.CreateFSub(x.v, y.v)};
  } else {
    return {x.b, ir.CreateSub(x.v, y.v)};
  }
}
template <class T>
LlvmVal<T> operator*(LlvmVal<T> x, LlvmVal<T> y) {
  auto& ir = x.b->ir();
  if constexpr (std::is_floating_point_v<T>) {
    return {x.b, ir.CreateFMul(x.v, y.v)};
  } else {
    return {x.b, ir.CreateMul(x.v, y.v)};
  }
}
template <class T>
LlvmVal<T> operator/(LlvmVal<T> x, LlvmVal<T> y) {
  static_assert(std::is_floating_point_v<T>, "integers divide by SafeDiv");
  return {x.b, x.b->ir().CreateFDiv(x.v, y.v)};
}
template <class T>
LlvmVal<T> operator&(LlvmVal<T> x, LlvmVal<T> y) {
  return {x.b, x.b->ir().CreateAnd(x.v, y.v)};
}
template <class T>
LlvmVal<T> operator|(LlvmVal<T> x, LlvmVal<T> y) {
  return {x.b, x.b->ir().CreateOr(x.v, y.v)};
}
template <class T>
LlvmVal<T> operator^(LlvmVal<T> x, LlvmVal<T> y) {
  return {x.b, x.b->ir().CreateXor(x.v, y.v)};
}
template <class T>
LlvmVal<T> operator<<(LlvmVal<T> x, LlvmVal<T> y) {
  return {x.b, x.b->ir().CreateShl(x.v, y.v)};
}
template <class T>
LlvmVal<T> operator>>(LlvmVal<T> x, LlvmVal<T> y) {
  auto& ir = x.b->ir();
  return {x.b, std::is_signed_v<T> ? ir.CreateAShr(x.v, y.v) : ir.CreateLShr(x.v, y.v)};
}

template <class T>
LlvmVal<bool> operator<(LlvmVal<T> x, LlvmVal<T> y) {
  return CompareValues(x, y, llvm::CmpInst::FCMP_OLT, llvm::CmpInst::ICMP_SLT,
                       llvm::CmpInst::ICMP_ULT);
}
template <class T>
LlvmVal<bool> operator<=(LlvmVal<T> x, LlvmVal<T> y) {
  return CompareValues(x, y, llvm::CmpInst::FCMP_OLE, llvm::CmpInst::ICMP_SLE,
                       llvm::CmpInst::ICMP_ULE);
}
template <class T>
LlvmVal<bool> operator>(LlvmVal<T> x, LlvmVal<T> y) {
  return CompareValues(x, y, llvm::CmpInst::FCMP_OGT, llvm::CmpInst::ICMP_SGT,
                       llvm::CmpInst::ICMP_UGT);
}
template <class T>
LlvmVal<bool> operator>=(LlvmVal<T> x, LlvmVal<T> y) {
  return CompareValues(x, y, llvm::CmpInst::FCMP_OGE, llvm::CmpInst::ICMP_SGE,
                       llvm::CmpInst::ICMP_UGE);
}
template <class T>
LlvmVal<bool> operator==(LlvmVal<T> x, LlvmVal<T> y) {
  return CompareValues(x, y, llvm::CmpInst::FCMP_OEQ, llvm::CmpInst::ICMP_EQ,
                       llvm::CmpInst::ICMP_EQ);
}
template <class T>
LlvmVal<bool> operator!=(LlvmVal<T> x, LlvmVal<T> y) {
  return CompareValues(x, y, llvm::CmpInst::FCMP_UNE, llvm::CmpInst::ICMP_NE,
                       llvm::CmpInst::ICMP_NE);
}

// A plain constant may stand on either side.
#define SWAGE_WITH_CONSTANT(op)                               \
  template <class T>                                          \
  auto operator op(LlvmVal<T> x, std::type_identity_t<T> y) { \
    return x op x.b->template Const<T>(y);                    \
  }                                                           \
  template <class T>                                          \
  auto operator op(std::type_identity_t<T> x, LlvmVal<T> y) { \
    return y.b->template Const<T>(x) op y;                    \
  }
SWAGE_WITH_CONSTANT(+)
SWAGE_WITH_CONSTANT(-)
SWAGE_WITH_CONSTANT(*)
SWAGE_WITH_CONSTANT(/)
SWAGE_WITH_CONSTANT(&)
SWAGE_WITH_CONSTANT(|)
SWAGE_WITH_CONSTANT(^)
SWAGE_WITH_CONSTANT(<<)
SWAGE_WITH_CONSTANT(>>)
SWAGE_WITH_CONSTANT(<)
SWAGE_WITH_CONSTANT(<=)
SWAGE_WITH_CONSTANT(>)
SWAGE_WITH_CONSTANT(>=)
SWAGE_WITH_CONSTANT(==)
SWAGE_WITH_CONSTANT(!=)
#undef SWAGE_WITH_CONSTANT

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_LLVM_MATH_BUILDER_H_
