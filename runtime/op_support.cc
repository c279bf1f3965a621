#include "runtime/op_support.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_join.h"

namespace swage::runtime {

std::string Text(const Dims& dims) {
  const auto dim_text = [](std::string* out, const Dim& dim) { *out += dim.ToString(); };
  return absl::StrCat("[", absl::StrJoin(dims, ",", dim_text), "]");
}

void OpContext::Float(const Tensor& tensor) const {
  Defined(tensor);
  if (ir::IsFloat(ShapeOf(tensor).dtype())) return;
  Fail("got ", Text(tensor), ", expected a float dtype; use convert");
}

void OpContext::Integer(const Tensor& tensor) const {
  Defined(tensor);
  if (ir::IsInteger(ShapeOf(tensor).dtype())) return;
  Fail("got ", Text(tensor), ", expected an integer dtype; use convert");
}

int OpContext::Axis(int axis, int rank) const {
  if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
  if (rank == 0) Fail("got axis ", axis, ", expected none for a rank-0 tensor");
  Fail("got axis ", axis, " for rank ", rank, ", expected ", -rank, " to ", rank - 1);
}

ir::DimList OpContext::AxisList(const Axes& axes, int rank) const {
  ir::DimList list;
  for (int axis : axes) {
    const int64_t number = Axis(axis, rank);
    if (std::find(list.begin(), list.end(), number) != list.end()) {
      Fail("got axis ", axis, " twice, expected each axis once");
    }
    list.push_back(number);
  }
  return list;
}

ir::DimList OpContext::AxesOrAll(const Axes& axes, int rank) const {
  ir::DimList list = AxisList(axes, rank);
  if (axes.empty()) {
    for (int i = 0; i < rank; ++i) list.push_back(i);
  }
  std::sort(list.begin(), list.end());
  return list;
}

int64_t OpContext::StaticDim(const Tensor& tensor, int i) const {
  const std::optional<int64_t> extent = ShapeOf(tensor).dim(i).static_value();
  if (extent.has_value()) return *extent;
  NoteForced(ShapeOf(tensor).dim(i));
  Fail("got the symbolic extent ", ShapeOf(tensor).dim(i).ToString(), " of dimension ", i, " of ",
       Text(tensor), ", expected a number");
}

void OpContext::AtMost(ir::Dim a, ir::Dim b, std::string_view what) const {
  if (ir::ProveLessEqual(a, b) == ir::Ternary::kYes) return;
  ir::AssumeAtMost(a, b, absl::StrCat("[", ToAbsl(op), "] ", ToAbsl(what)));
}

void OpContext::Unequal(ir::Dim a, ir::Dim b) const {
  NoteForced(a);
  NoteForced(b);
}

ir::Dims OpContext::MakeDims(const Dims& dims) const {
  const StatusOr<ir::Shape> shape = MakeShape(DType::kPred, dims);
  if (!shape.ok()) Fail(shape.status().message());
  return ir::Dims(shape->dims().begin(), shape->dims().end());
}

ir::Dims OpContext::Broadcast(const Tensor& a, const Tensor& b) const {
  const ir::Shape& x = ShapeOf(a);
  const ir::Shape& y = ShapeOf(b);
  const int rank = std::max(x.rank(), y.rank());
  ir::Dims dims(rank, ir::Dim(1));
  for (int i = 1; i <= rank; ++i) {
    const ir::Dim p = i <= x.rank() ? x.dim(x.rank() - i) : ir::Dim(1);
    const ir::Dim q = i <= y.rank() ? y.dim(y.rank() - i) : ir::Dim(1);
    if (p != q && p != ir::Dim(1) && q != ir::Dim(1)) {
      Unequal(p, q);
      Fail("got ", Text(a), " and ", Text(b), ", expected shapes that broadcast: dimension ", -i,
           " is ", p.ToString(), " and ", q.ToString(), ", expected equal extents or 1");
    }
    dims[rank - i] = p == ir::Dim(1) ? q : p;
  }
  return dims;
}

namespace {

// The value of an operand that is a number, for messages.
std::string NumberText(const Operand& number) {
  switch (number.kind()) {
    case Operand::Kind::kBool:
      return number.integer_value() != 0 ? "true" : "false";
    case Operand::Kind::kUnsigned:
      return absl::StrCat(static_cast<uint64_t>(number.integer_value()));
    case Operand::Kind::kFloat:
      return absl::StrCat(number.float_value());
    default:
      return absl::StrCat(number.integer_value());
  }
}

bool FitsInteger(const Operand& number, ir::DType dtype) {
  const int64_t value = number.integer_value();
  const bool huge = number.kind() == Operand::Kind::kUnsigned && value < 0;  // above int64
  const int bits = ir::DTypeBits(dtype);
  if (ir::IsUnsigned(dtype)) {
    if (huge) return bits == 64;
    return value >= 0 && (bits == 64 || value >> bits == 0);
  }
  if (huge) return false;
  return bits == 64 || (value >= -(int64_t{1} << (bits - 1)) && value < int64_t{1} << (bits - 1));
}

ir::Literal LiteralOf(const Operand& number, ir::DType dtype) {
  switch (number.kind()) {
    case Operand::Kind::kFloat:
      return ir::Literal::Scalar(dtype, number.float_value());
    case Operand::Kind::kUnsigned:
      return ir::Literal::Scalar(dtype, static_cast<uint64_t>(number.integer_value()));
    default:
      return ir::Literal::Scalar(dtype, number.integer_value());
  }
}

}  // namespace

Tensor OpContext::NumberAs(const Operand& number, ir::DType dtype, std::string_view beside) const {
  const Operand::Kind kind = number.kind();
  if (kind == Operand::Kind::kFloat && !ir::IsFloat(dtype) && !ir::IsComplex(dtype)) {
    Fail("got the float number ", NumberText(number), " beside ", ToAbsl(beside),
         ", expected a float tensor or a whole number; use convert");
  }
  if (dtype == ir::DType::kPred && kind != Operand::Kind::kBool) {
    Fail("got the number ", NumberText(number), " beside ", ToAbsl(beside),
         ", expected true or false; use convert");
  }
  if (ir::IsInteger(dtype) && !FitsInteger(number, dtype)) {
    Fail("got the number ", NumberText(number), " beside ", ToAbsl(beside), ", which ",
         ToAbsl(ir::DTypeName(dtype)), " cannot hold; use convert");
  }
  ir::Literal literal = LiteralOf(number, dtype);
  if (TraceScope* scope = TraceScope::Current(); scope != nullptr) {
    const int64_t first_id = scope->module()->NextId();
    Node constant = scope->computation()->AddConstant(std::move(literal));
    scope->Annotate(first_id, op, where);
    return scope->Wrap(constant, "a number", where);
  }
  StatusOr<FreshTensor> made = NewTensor(literal.shape());
  if (!made.ok()) ThrowStatus(made.status(), op, where);
  std::memcpy(made->data, literal.bytes().data(), literal.bytes().size());
  return std::move(made->tensor);
}

Tensor OpContext::AsTensor(const Operand& operand, const Tensor& beside) const {
  if (!operand.is_tensor()) return NumberAs(operand, ShapeOf(beside).dtype(), Text(beside));
  Defined(operand.tensor());
  SameDType(operand.tensor(), beside);
  return operand.tensor();
}

void OpContext::SameDType(const Tensor& a, const Tensor& b) const {
  if (ShapeOf(a).dtype() == ShapeOf(b).dtype()) return;
  Fail("got ", Text(a), " and ", Text(b), ", expected equal dtypes; use convert");
}

std::pair<Tensor, Tensor> OpContext::Adapt(const Operand& a, const Operand& b) const {
  if (a.is_tensor()) Defined(a.tensor());
  if (b.is_tensor()) Defined(b.tensor());
  if (!a.is_tensor() && !b.is_tensor()) {
    Fail("got the numbers ", NumberText(a), " and ", NumberText(b),
         ", expected a Tensor among them");
  }
  if (!a.is_tensor())
    return {NumberAs(a, ShapeOf(b.tensor()).dtype(), Text(b.tensor())), b.tensor()};
  if (!b.is_tensor())
    return {a.tensor(), NumberAs(b, ShapeOf(a.tensor()).dtype(), Text(a.tensor()))};
  SameDType(a.tensor(), b.tensor());
  return {a.tensor(), b.tensor()};
}

Tensor ApplyBinary(const OpContext& context, const Tensor& a, const Tensor& b, BinaryBody body) {
  const ir::Dims dims = context.Broadcast(a, b);
  const Tensor operands[] = {a, b};
  return ApplyOp(context.op, context.where, operands,
                 [&](Graph& g, absl::Span<const Node> nodes) -> Node {
                   Node x = g.BroadcastTo(nodes[0], dims);
                   Node y = g.BroadcastTo(nodes[1], dims);
                   return g.status().ok() ? body(g, x, y) : nullptr;
                 });
}

namespace {

enum class Wanted { kAny, kFloat, kInteger, kBits, kNumber };

constexpr Wanted WantedOf(std::string_view shape_rule) {
  if (shape_rule == "UnaryFloat" || shape_rule == "BinaryFloat") return Wanted::kFloat;
  if (shape_rule == "UnaryFloatToPred") return Wanted::kFloat;
  if (shape_rule == "UnaryInteger" || shape_rule == "BinaryInteger") return Wanted::kInteger;
  if (shape_rule == "UnaryBits" || shape_rule == "BinaryBits") return Wanted::kBits;
  if (shape_rule == "UnaryNumeric" || shape_rule == "BinaryNumeric") return Wanted::kNumber;
  if (shape_rule == "UnaryAbs") return Wanted::kNumber;
  return Wanted::kAny;
}

constexpr Wanted kWanted[] = {
#define SWAGE_OP(name, text, arity, attrs, traits, shape, ...) WantedOf(#shape),
#include "compiler/ir/opcodes.def"
#undef SWAGE_OP
};

}  // namespace

void RequireOpcodeDType(const OpContext& context, ir::Opcode opcode, const Tensor& tensor) {
  context.Defined(tensor);
  const ir::DType dtype = ShapeOf(tensor).dtype();
  const bool number = ir::IsInteger(dtype) || ir::IsFloat(dtype) || ir::IsComplex(dtype);
  switch (kWanted[static_cast<int>(opcode)]) {
    case Wanted::kAny:
      return;
    case Wanted::kFloat:
      if (ir::IsFloat(dtype) || ir::IsComplex(dtype)) return;
      context.Fail("got ", Text(tensor), ", expected a float dtype; use convert");
    case Wanted::kInteger:
      if (ir::IsInteger(dtype)) return;
      context.Fail("got ", Text(tensor), ", expected an integer dtype; use convert");
    case Wanted::kBits:
      if (ir::IsInteger(dtype) || dtype == ir::DType::kPred) return;
      context.Fail("got ", Text(tensor), ", expected an integer dtype or pred; use convert");
    case Wanted::kNumber:
      if (number) return;
      context.Fail("got ", Text(tensor), ", expected a number dtype; use convert");
  }
}

}  // namespace swage::runtime
