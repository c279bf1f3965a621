#include "codegen/emit/functor_emitters.h"

namespace swage::emit {

namespace {

template <class From>
llvm::Value* ConvertFrom(LlvmBuilder& b, ir::DType to, llvm::Value* value) {
  const LlvmVal<typename From::Carried> x = b.Wrap<typename From::Carried>(value);
  switch (to) {
#define SWAGE_CASE(name)   \
  case ir::DType::k##name: \
    return math::ConvertElement<From, math::ElementOf<ir::DType::k##name>>(b, x).v;
    SWAGE_MATH_DTYPES(SWAGE_CASE)
#undef SWAGE_CASE
    default:
      return nullptr;
  }
}

// Calls fn.operator()<Traits>() for a float dtype; nullptr for others.
template <class Fn>
llvm::Value* DispatchFloat(ir::DType dtype, Fn&& fn) {
  switch (dtype) {
#define SWAGE_CASE(name)   \
  case ir::DType::k##name: \
    return fn.template operator()<math::ElementOf<ir::DType::k##name>>();
    SWAGE_CASE(F8E4M3FN)
    SWAGE_CASE(F8E5M2)
    SWAGE_CASE(F16)
    SWAGE_CASE(BF16)
    SWAGE_CASE(F32)
    SWAGE_CASE(F64)
#undef SWAGE_CASE
    default:
      return nullptr;
  }
}

// A float as its bits: small floats are carried so already.
template <class Bits>
LlvmVal<Bits> AsBits(LlvmBuilder& b, llvm::Value* value) {
  return b.Wrap<Bits>(b.ir().CreateBitCast(value, b.TypeOf<Bits>()));
}

}  // namespace

llvm::Value* EmitConversion(LlvmBuilder& b, ir::DType from, ir::DType to, llvm::Value* value) {
  switch (from) {
#define SWAGE_CASE(name)   \
  case ir::DType::k##name: \
    return ConvertFrom<math::ElementOf<ir::DType::k##name>>(b, to, value);
    SWAGE_MATH_DTYPES(SWAGE_CASE)
#undef SWAGE_CASE
    default:
      return nullptr;
  }
}

llvm::Value* EmitReducePrecision(LlvmBuilder& b, ir::DType dtype,
                                 const ir::ReducePrecisionAttrs& attrs, llvm::Value* value) {
  return DispatchFloat(dtype, [&]<class Traits>() {
    using Layout = typename math::ops::LayoutOf<Traits>::type;
    using Bits = typename Layout::Bits;
    const LlvmVal<Bits> bits =
        math::ops::ReducePrecision::Apply<Layout>(b, AsBits<Bits>(b, value), attrs);
    return b.ir().CreateBitCast(bits.v, value->getType());
  });
}

llvm::Value* EmitTotalOrder(LlvmBuilder& b, ir::DType dtype, ir::CompareDirection direction,
                            Operands operands) {
  return DispatchFloat(dtype, [&]<class Traits>() {
    using Signed = std::make_signed_t<typename math::ops::LayoutOf<Traits>::type::Bits>;
    const LlvmVal<Signed> x = AsBits<Signed>(b, operands[0]), y = AsBits<Signed>(b, operands[1]);
    return math::ops::DispatchDirection(direction, [&]<ir::CompareDirection kDirection>() {
      return math::ops::Compare::ApplyTotalOrder<kDirection, Signed>(b, x, y).v;
    });
  });
}

}  // namespace swage::emit
