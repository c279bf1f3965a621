// dtype.h: names, sizes, and the small floats on the host.
#include "compiler/ir/dtype.h"
#include "compiler/ir/float_bits.h"
#include "runtime/dtype.h"
#include "runtime/ir_types.h"
#include "runtime/trace.h"

namespace swage {
namespace runtime {

ir::DType ToIr(DType dtype) {
  if (dtype > DType::kC128) {
    ThrowStatus(InvalidArgument("got the number ", static_cast<int>(dtype),
                                ", expected an element type such as swage::f32"),
                "dtype", {});
  }
  return static_cast<ir::DType>(dtype);
}

}  // namespace runtime

namespace {

template <ir::DType kDType, typename Bits>
Bits Narrow(float value) {
  return static_cast<Bits>(ir::EncodeFloat(kDType, value));
}

template <ir::DType kDType>
float Widen(uint64_t bits) {
  return static_cast<float>(ir::DecodeFloat(kDType, bits));
}

}  // namespace

std::string_view DTypeName(DType dtype) { return ir::DTypeName(runtime::ToIr(dtype)); }
int DTypeBytes(DType dtype) { return ir::DTypeBytes(runtime::ToIr(dtype)); }

float16::float16(float value) : bits(Narrow<ir::DType::kF16, uint16_t>(value)) {}
float16::operator float() const { return Widen<ir::DType::kF16>(bits); }
bfloat16::bfloat16(float value) : bits(Narrow<ir::DType::kBF16, uint16_t>(value)) {}
bfloat16::operator float() const { return Widen<ir::DType::kBF16>(bits); }
float8_e4m3fn::float8_e4m3fn(float value) : bits(Narrow<ir::DType::kF8E4M3FN, uint8_t>(value)) {}
float8_e4m3fn::operator float() const { return Widen<ir::DType::kF8E4M3FN>(bits); }
float8_e5m2::float8_e5m2(float value) : bits(Narrow<ir::DType::kF8E5M2, uint8_t>(value)) {}
float8_e5m2::operator float() const { return Widen<ir::DType::kF8E5M2>(bits); }

}  // namespace swage
