// Rules that place elements elsewhere: each works out strides and offsets and copies once.
#include <algorithm>
#include <cstring>
#include <vector>

#include "compiler/evaluator/rules.h"
#include "compiler/evaluator/shape_binding.h"
#include "compiler/evaluator/strided_copy.h"

namespace swage::evaluator {
namespace {

using Extent = std::vector<int64_t>;

int BytesOf(const ir::Literal& literal) { return ir::DTypeBytes(literal.dtype()); }

// Where a copy reads from: an array, the element to begin at, and a stride per output dimension.
struct Source {
  const ir::Literal& literal;
  int64_t offset = 0;
  Extent strides;
};

// Fills a new array of the context's shape by one strided read.
StatusOr<ir::Literal> Read(const OpContext& context, const Source& source) {
  SWAGE_ASSIGN_OR_RETURN(ir::Literal out, ir::Literal::Create(context.shape));
  const Extent dims = Extents(context.shape);
  const int bytes = BytesOf(source.literal);
  if (out.element_count() == 0) return out;
  CopyStrided(bytes, dims, source.literal.bytes().data() + source.offset * bytes, source.strides,
              out.mutable_bytes().data(), RowMajorStrides(dims));
  return out;
}

}  // namespace

StatusOr<ir::Literal> EvalBroadcast(const OpContext& context) {
  const ir::Literal& operand = context.operand(0);
  const ir::DimList& dimensions = context.instruction.dimensions();
  const Extent in = Extents(operand.shape()), out = Extents(context.shape);
  const Extent in_strides = RowMajorStrides(in);
  Source source{operand, 0, Extent(out.size(), 0)};
  for (size_t d = 0; d < dimensions.size(); ++d) {
    const int64_t to = dimensions[d];
    if (in[d] != 1 && in[d] != out[to]) {
      return RuleError(context, "dimension ", d, " of the operand has ", in[d],
                       " elements, expected ", out[to]);
    }
    source.strides[to] = in[d] == 1 ? 0 : in_strides[d];
  }
  return Read(context, source);
}

StatusOr<ir::Literal> EvalTranspose(const OpContext& context) {
  const ir::Literal& operand = context.operand(0);
  const Extent in = Extents(operand.shape()), out = Extents(context.shape);
  const Extent in_strides = RowMajorStrides(in);
  Source source{operand, 0, {}};
  for (size_t d = 0; d < out.size(); ++d) {
    const int64_t from = context.instruction.dimensions()[d];
    SWAGE_RET_CHECK(in[from] == out[d]);
    source.strides.push_back(in_strides[from]);
  }
  return Read(context, source);
}

StatusOr<ir::Literal> EvalReverse(const OpContext& context) {
  const ir::Literal& operand = context.operand(0);
  const Extent dims = Extents(operand.shape());
  SWAGE_RET_CHECK(dims == Extents(context.shape));
  Source source{operand, 0, RowMajorStrides(dims)};
  for (const int64_t d : context.instruction.dimensions()) {
    source.offset += (dims[d] - 1) * source.strides[d];
    source.strides[d] = -source.strides[d];
  }
  return Read(context, source);
}

StatusOr<ir::Literal> EvalSlice(const OpContext& context) {
  const ir::Literal& operand = context.operand(0);
  const auto& attrs = context.instruction.attrs<ir::SliceAttrs>();
  const Extent in = Extents(operand.shape()), out = Extents(context.shape);
  const Extent in_strides = RowMajorStrides(in);
  Source source{operand, 0, {}};
  for (size_t d = 0; d < out.size(); ++d) {
    SWAGE_ASSIGN_OR_RETURN(const int64_t start,
                           StaticDim(attrs.starts[d], context.interpreter.symbols()));
    SWAGE_ASSIGN_OR_RETURN(const int64_t limit,
                           StaticDim(attrs.limits[d], context.interpreter.symbols()));
    const int64_t stride = attrs.strides[d];
    if (start < 0 || start > limit || limit > in[d] || stride < 1 ||
        out[d] != (limit - start) / stride + ((limit - start) % stride != 0)) {
      return RuleError(context, "[", start, ":", limit, ":", stride, "] of ", in[d],
                       " elements in dimension ", d, " does not give ", out[d]);
    }
    source.offset += start * in_strides[d];
    // A step beyond the only element is never taken, and might not fit.
    source.strides.push_back(out[d] > 1 ? stride * in_strides[d] : 0);
  }
  return Read(context, source);
}

StatusOr<ir::Literal> EvalPad(const OpContext& context) {
  const ir::Literal& operand = context.operand(0);
  const ir::Literal& value = context.operand(1);
  const auto& attrs = context.instruction.attrs<ir::PadAttrs>();
  const Extent in = Extents(operand.shape()), out = Extents(context.shape);
  const Extent in_strides = RowMajorStrides(in), out_strides = RowMajorStrides(out);
  const int bytes = BytesOf(operand);
  SWAGE_ASSIGN_OR_RETURN(ir::Literal result, ir::Literal::Create(context.shape));
  FillElements(bytes, value.bytes().data(), result.element_count(), result.mutable_bytes().data());

  // Element i goes to low + i * step; only those inside the output are copied.
  int64_t read_at = 0, write_at = 0;
  Extent count, write_strides;
  for (size_t d = 0; d < in.size(); ++d) {
    SWAGE_ASSIGN_OR_RETURN(const int64_t low,
                           StaticDim(attrs.dims[d].low, context.interpreter.symbols()));
    SWAGE_RET_CHECK(attrs.dims[d].interior >= 0 && attrs.dims[d].interior < ir::kUnbounded);
    const int64_t step = attrs.dims[d].interior + 1;
    const int64_t first = low < 0 ? -(low + 1) / step + 1 : 0;
    // Element i lies before the end when i * step <= space.
    int64_t space;
    if (__builtin_sub_overflow(out[d] - 1, low, &space)) space = ir::kUnbounded;
    const int64_t last = space < 0 ? -1 : std::min(in[d] - 1, space / step);
    if (last < first || result.element_count() == 0) return result;
    count.push_back(last - first + 1);
    read_at += first * in_strides[d];
    write_at += (low + first * step) * out_strides[d];
    write_strides.push_back(count.back() > 1 ? step * out_strides[d] : 0);
  }
  CopyStrided(bytes, count, operand.bytes().data() + read_at * bytes, in_strides,
              result.mutable_bytes().data() + write_at * bytes, write_strides);
  return result;
}

StatusOr<ir::Literal> EvalConcatenate(const OpContext& context) {
  const int64_t along = context.instruction.dimensions()[0];
  const Extent out = Extents(context.shape);
  const Extent out_strides = RowMajorStrides(out);
  SWAGE_ASSIGN_OR_RETURN(ir::Literal result, ir::Literal::Create(context.shape));
  uint8_t* to = result.mutable_bytes().data();
  int64_t at = 0;
  for (const ir::Literal* operand : context.operands) {
    const Extent in = Extents(operand->shape());
    for (size_t d = 0; d < out.size(); ++d) {
      const bool fits = static_cast<int64_t>(d) == along ? in[d] <= out[d] - at : in[d] == out[d];
      if (!fits) {
        return RuleError(context, "an operand of shape ", operand->shape().ToString(),
                         " does not fit into ", context.shape.ToString());
      }
    }
    const int bytes = BytesOf(*operand);
    if (operand->element_count() > 0) {
      CopyStrided(bytes, in, operand->bytes().data(), RowMajorStrides(in),
                  to + at * out_strides[along] * bytes, out_strides);
    }
    at += in[along];
  }
  if (at != out[along]) {
    return RuleError(context, "the operands have ", at, " elements in dimension ", along,
                     ", expected ", out[along]);
  }
  return result;
}

namespace {

// 0, 1, 2 ... in any dtype; what an integer type cannot hold wraps, floats round.
void WriteIota(int64_t count, ir::Literal* out) {
  auto write = [&](auto zero) {
    const auto data = out->mutable_data<decltype(zero)>();
    for (int64_t i = 0; i < count; ++i) data[i] = static_cast<decltype(zero)>(i);
  };
  const ir::DType dtype = out->dtype();
  if (dtype == ir::DType::kF32) return write(float{});
  if (dtype == ir::DType::kF64) return write(double{});
  if (ir::IsInteger(dtype) && ir::DTypeBits(dtype) >= 8) {
    switch (ir::DTypeBits(dtype)) {
      case 8:
        return write(uint8_t{});
      case 16:
        return write(uint16_t{});
      case 32:
        return write(uint32_t{});
      default:
        return write(uint64_t{});
    }
  }
  const int bytes = ir::DTypeBytes(dtype);
  uint8_t* to = out->mutable_bytes().data();
  for (int64_t i = 0; i < count; ++i) {
    const ir::Literal element = ir::Literal::Scalar(dtype, i);
    std::memcpy(to + i * bytes, element.bytes().data(), bytes);
  }
}

}  // namespace

StatusOr<ir::Literal> EvalIota(const OpContext& context) {
  const int64_t along = context.instruction.attrs<ir::IotaAttrs>().dimension;
  const Extent dims = Extents(context.shape);
  if (Product(dims) == 0) return ir::Literal::Create(context.shape);
  SWAGE_ASSIGN_OR_RETURN(ir::Literal line, ir::Literal::Create(ir::Shape::Array(
                                               context.shape.dtype(), {ir::Dim(dims[along])})));
  WriteIota(dims[along], &line);
  if (dims.size() == 1) return line;
  Source source{line, 0, Extent(dims.size(), 0)};
  source.strides[along] = 1;
  return Read(context, source);
}

}  // namespace swage::evaluator
