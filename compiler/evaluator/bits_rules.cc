// Rules that see the same bits as another shape or dtype.
#include <cstring>
#include <vector>

#include "compiler/evaluator/rules.h"
#include "compiler/evaluator/shape_binding.h"
#include "compiler/evaluator/strided_copy.h"

namespace swage::evaluator {
namespace {

// Strides of the dimensions of `shape` in the memory that its layout describes.
std::vector<int64_t> LayoutStrides(const ir::Shape& shape) {
  const std::vector<int64_t> dims = Extents(shape);
  if (!shape.has_layout()) return RowMajorStrides(dims);
  std::vector<int64_t> strides(dims.size());
  uint64_t stride = 1;
  for (const int32_t d : shape.layout().minor_to_major) {
    strides[d] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(dims[d]);
  }
  return strides;
}

// Copies between two orders of the same array.
StatusOr<ir::Literal> Reorder(const ir::Literal& in, const std::vector<int64_t>& from,
                              const std::vector<int64_t>& to) {
  SWAGE_ASSIGN_OR_RETURN(ir::Literal out, ir::Literal::Create(in.shape()));
  if (in.element_count() == 0) return out;
  CopyStrided(ir::DTypeBytes(in.dtype()), Extents(in.shape()), in.bytes().data(), from,
              out.mutable_bytes().data(), to);
  return out;
}

bool IsRowMajor(const ir::Shape& shape) {
  return !shape.has_layout() || shape.layout().IsRowMajor();
}

// The bits of an array without gaps: 4-bit elements two to a byte, the first in the low half.
std::vector<uint8_t> PackedBits(const ir::Literal& literal) {
  const absl::Span<const uint8_t> bytes = literal.bytes();
  if (ir::DTypeBits(literal.dtype()) != 4) return {bytes.begin(), bytes.end()};
  std::vector<uint8_t> packed((bytes.size() + 1) / 2, 0);
  for (size_t i = 0; i < bytes.size(); ++i) packed[i / 2] |= (bytes[i] & 15) << (i % 2 * 4);
  return packed;
}

void UnpackBits(absl::Span<const uint8_t> packed, ir::Literal* out) {
  const absl::Span<uint8_t> bytes = out->mutable_bytes();
  if (ir::DTypeBits(out->dtype()) == 4) {
    for (size_t i = 0; i < bytes.size(); ++i) {
      const uint8_t value = packed[i / 2] >> (i % 2 * 4) & 15;
      const bool negative = out->dtype() == ir::DType::kS4 && value >= 8;
      bytes[i] = negative ? value | 0xf0 : value;
    }
    return;
  }
  if (!bytes.empty()) std::memcpy(bytes.data(), packed.data(), bytes.size());
  if (out->dtype() == ir::DType::kPred) {
    for (uint8_t& byte : bytes) byte = byte != 0;
  }
}

}  // namespace

StatusOr<ir::Literal> EvalReshape(const OpContext& context) {
  if (context.operand(0).element_count() != Product(Extents(context.shape))) {
    return RuleError(context, context.operand(0).shape().ToString(),
                     " does not have the elements of ", context.shape.ToString());
  }
  return context.operand(0).Reshaped(context.shape);
}

StatusOr<ir::Literal> EvalBitcastConvert(const OpContext& context) {
  const ir::Literal& operand = context.operand(0);
  SWAGE_ASSIGN_OR_RETURN(ir::Literal out, ir::Literal::Create(context.shape));
  const std::vector<uint8_t> packed = PackedBits(operand);
  const int64_t bits_in = operand.element_count() * ir::DTypeBits(operand.dtype());
  if (bits_in != out.element_count() * ir::DTypeBits(out.dtype())) {
    return RuleError(context, operand.shape().ToString(), " does not have the bits of ",
                     context.shape.ToString());
  }
  UnpackBits(packed, &out);
  return out;
}

StatusOr<ir::Literal> EvalBitcast(const OpContext& context) {
  // The operand in memory order, seen as the result in memory order, put into logical order.
  ir::Literal value = context.operand(0);
  ir::Shape operand_shape = value.shape();
  const ir::Shape& declared = context.instruction.operand(0)->shape();
  if (declared.is_array() && declared.has_layout()) operand_shape.set_layout(declared.layout());
  if (!IsRowMajor(operand_shape)) {
    SWAGE_ASSIGN_OR_RETURN(value, Reorder(value, RowMajorStrides(Extents(operand_shape)),
                                          LayoutStrides(operand_shape)));
  }
  if (value.element_count() != Product(Extents(context.shape))) {
    return RuleError(context, value.shape().ToString(), " does not have the elements of ",
                     context.shape.ToString());
  }
  SWAGE_ASSIGN_OR_RETURN(value, value.Reshaped(context.shape));
  if (IsRowMajor(context.shape)) return value;
  return Reorder(value, LayoutStrides(context.shape), RowMajorStrides(Extents(context.shape)));
}

}  // namespace swage::evaluator
