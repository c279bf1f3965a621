#include "runtime/nn.h"

#include <cmath>
#include <numbers>

#include "runtime/op_support.h"

namespace swage {

using runtime::OpContext;
using runtime::ShapeOf;
using Tensors = absl::Span<const Tensor>;

namespace {

Tensor Wide(const Tensor& x, Where where) {
  return convert(x, runtime::FromIr(runtime::WideDType(ShapeOf(x).dtype())), where);
}

// A layer of one operand, computed in f32 at least.
Tensor Layer(const OpContext& context, const Tensor& x,
             absl::FunctionRef<Tensor(const Tensor& wide)> body) {
  context.Float(x);
  const DType dtype = x.dtype();
  return runtime::ApplyComposite(
      context.op, context.where, absl::MakeConstSpan(&x, 1), [&](Tensors operands) {
        return convert(body(Wide(operands[0], context.where)), dtype, context.where);
      });
}

// A plain number beside x, with the line of the layer's call.
Operand Number(const OpContext& context, double value) { return Operand(value, context.where); }

}  // namespace

Tensor softmax(const Tensor& x, int axis, Where where) {
  const OpContext context{"softmax", where};
  context.Float(x);
  const int along = context.Axis(axis, ShapeOf(x).rank());
  return Layer(context, x, [&](const Tensor& wide) {
    const Tensor shifted = subtract(wide, runtime::MaxOrLowest(context, wide, {along}), where);
    const Tensor powers = exp(shifted, where);
    return divide(powers, sum(powers, {along}, true, where), where);
  });
}

Tensor log_softmax(const Tensor& x, int axis, Where where) {
  const OpContext context{"log_softmax", where};
  context.Float(x);
  const int along = context.Axis(axis, ShapeOf(x).rank());
  return Layer(context, x, [&](const Tensor& wide) {
    const Tensor shifted = subtract(wide, runtime::MaxOrLowest(context, wide, {along}), where);
    const Tensor total = sum(exp(shifted, where), {along}, true, where);
    return subtract(shifted, log(total, where), where);
  });
}

namespace {

// A factor or term of a norm: absent, or one number per element of the last dimension.
void RequireRow(const OpContext& context, const Tensor& x, const Tensor& row,
                std::string_view name) {
  if (!row.defined()) return;
  const ir::Dim extent = ShapeOf(x).dim(ShapeOf(x).rank() - 1);
  if (ShapeOf(row).dtype() == ShapeOf(x).dtype() && ShapeOf(row).rank() == 1 &&
      ShapeOf(row).dim(0) == extent) {
    return;
  }
  context.Fail("got ", runtime::Text(x), " and the ", ToAbsl(name), " ", runtime::Text(row),
               ", expected ", ToAbsl(ir::DTypeName(ShapeOf(x).dtype())), "[", extent.ToString(),
               "]");
}

void RequireRows(const OpContext& context, const Tensor& x) {
  context.Float(x);
  if (ShapeOf(x).rank() > 0) return;
  context.Fail("got ", runtime::Text(x), ", expected rank 1 or more");
}

// y * scale + bias where given, in y's dtype.
Tensor ScaleAndShift(Tensor y, const Tensor& scale, const Tensor& bias, Where where) {
  if (scale.defined()) y = multiply(y, Wide(scale, where), where);
  if (bias.defined()) y = add(y, Wide(bias, where), where);
  return y;
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& scale, const Tensor& bias, double epsilon,
                  Where where) {
  const OpContext context{"layer_norm", where};
  RequireRows(context, x);
  RequireRow(context, x, scale, "scale");
  RequireRow(context, x, bias, "bias");
  const Tensor operands[] = {x, scale, bias};
  return runtime::ApplyComposite("layer_norm", where, operands, [&](Tensors in) {
    const Tensor wide = Wide(in[0], where);
    const Tensor centered = subtract(wide, mean(wide, {-1}, true, where), where);
    const Tensor variance = mean(square(centered, where), {-1}, true, where);
    const Tensor deviation = sqrt(add(variance, Number(context, epsilon), where), where);
    const Tensor y = divide(centered, deviation, where);
    return convert(ScaleAndShift(y, in[1], in[2], where), in[0].dtype(), where);
  });
}

Tensor rms_norm(const Tensor& x, const Tensor& scale, double epsilon, Where where) {
  const OpContext context{"rms_norm", where};
  RequireRows(context, x);
  RequireRow(context, x, scale, "scale");
  const Tensor operands[] = {x, scale};
  return runtime::ApplyComposite("rms_norm", where, operands, [&](Tensors in) {
    const Tensor wide = Wide(in[0], where);
    const Tensor power = mean(square(wide, where), {-1}, true, where);
    const Tensor y = divide(wide, sqrt(add(power, Number(context, epsilon), where), where), where);
    return convert(ScaleAndShift(y, in[1], Tensor(), where), in[0].dtype(), where);
  });
}

Tensor gelu(const Tensor& x, bool approximate, Where where) {
  const OpContext context{"gelu", where};
  return Layer(context, x, [&](const Tensor& wide) {
    Tensor bend;
    if (approximate) {
      const Tensor cube = multiply(square(wide, where), wide, where);
      const Tensor inner = add(wide, multiply(cube, Number(context, 0.044715), where), where);
      const double factor = std::sqrt(2.0 / std::numbers::pi);
      bend = tanh(multiply(inner, Number(context, factor), where), where);
    } else {
      bend = erf(divide(wide, Number(context, std::numbers::sqrt2), where), where);
    }
    const Tensor gate = multiply(add(bend, Number(context, 1), where), Number(context, 0.5), where);
    return multiply(wide, gate, where);
  });
}

Tensor relu(const Tensor& x, Where where) {
  const OpContext context{"relu", where};
  context.Defined(x);
  if (ShapeOf(x).dtype() == ir::DType::kPred) {
    context.Fail("got ", runtime::Text(x), ", expected a number dtype; use convert");
  }
  return runtime::ApplyComposite("relu", where, absl::MakeConstSpan(&x, 1), [&](Tensors in) {
    return maximum(in[0], zeros_like(in[0], where), where);
  });
}

Tensor silu(const Tensor& x, Where where) {
  return Layer({"silu", where}, x,
               [&](const Tensor& wide) { return multiply(wide, sigmoid(wide, where), where); });
}

Tensor one_hot(const Tensor& x, int64_t classes, DType dtype, Where where) {
  const OpContext context{"one_hot", where};
  context.Integer(x);
  if (classes < 0) context.Fail("got ", classes, " classes, expected 0 or more");
  return runtime::ApplyComposite("one_hot", where, absl::MakeConstSpan(&x, 1), [&](Tensors in) {
    // A dtype that holds both the labels and the classes; a label beyond int64 matches none.
    const bool narrow = ir::DTypeBits(ShapeOf(x).dtype()) < 32 && classes <= INT32_MAX;
    const Tensor labels = expand_dims(convert(in[0], narrow ? s32 : s64, where), -1, where);
    return convert(swage::equal(labels, arange(classes, narrow ? s32 : s64, where), where), dtype,
                   where);
  });
}

}  // namespace swage
