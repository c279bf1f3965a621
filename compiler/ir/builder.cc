#include "compiler/ir/builder.h"

#include "compiler/ir/shape_inference.h"

namespace swage::ir {
namespace {

void SetRowMajor(Shape* shape) {
  if (shape->is_tuple()) {
    for (int i = 0; i < shape->tuple_size(); ++i) SetRowMajor(shape->mutable_tuple_shape(i));
  } else if (shape->is_array() && shape->rank() > 0 && !shape->has_layout()) {
    shape->set_layout(Layout::RowMajor(shape->rank()));
  }
}

bool IsScalarComputation(const Computation& computation, Opcode opcode, DType dtype) {
  const Instruction* root = computation.root();
  return computation.instruction_count() == 3 && computation.parameter_count() == 2 &&
         !computation.IsEntry() && !computation.IsFusion() && root != nullptr &&
         root->opcode() == opcode && root->shape() == Shape::Scalar(dtype) &&
         root->operand_count() == 2 && root->operand(0) == computation.parameter(0) &&
         root->operand(1) == computation.parameter(1) &&
         root->operand(0)->shape() == root->shape() && root->operand(1)->shape() == root->shape();
}

DimList ToList(absl::Span<const int64_t> dims) { return DimList(dims.begin(), dims.end()); }
std::vector<Dim> ToList(absl::Span<const Dim> dims) {
  return std::vector<Dim>(dims.begin(), dims.end());
}

}  // namespace

Builder::Result Builder::Build(Opcode opcode, Operands operands, Attributes attributes,
                               std::vector<Computation*> called, const Shape* declared) {
  absl::InlinedVector<const Shape*, 4> shapes;
  for (const Instruction* operand : operands) shapes.push_back(&operand->shape());
  SWAGE_ASSIGN_OR_RETURN(Shape shape,
                         InferShape(ShapeQuery{opcode, shapes, attributes, called, declared}));
  if (declared != nullptr && declared->HasAnyLayout() && ProvenCompatible(shape, *declared)) {
    shape = *declared;
  }
  SWAGE_RETURN_IF_ERROR(shape.Check());
  if (computation_->module()->has_layouts()) SetRowMajor(&shape);
  const std::string_view name = std::exchange(name_, {});
  Instruction* added;
  if (opcode == Opcode::kParameter) {
    added = computation_->AddParameter(std::get<ParameterAttrs>(attributes).number,
                                       std::move(shape), name);
  } else {
    added = computation_->Add(opcode, std::move(shape), operands, std::move(attributes),
                              std::move(called), name);
  }
  if (metadata_ != nullptr) added->set_metadata(metadata_);
  return added;
}

Builder::Result Builder::Parameter(int64_t number, const Shape& shape) {
  SWAGE_RET_CHECK(number >= 0, number);
  SWAGE_RET_CHECK(number >= computation_->parameter_count() ||
                      computation_->parameter(static_cast<int>(number)) == nullptr,
                  "a second parameter ", number);
  return Build(Opcode::kParameter, {}, ParameterAttrs{number}, {}, &shape);
}

Instruction* Builder::Constant(Literal literal) {
  Instruction* added = computation_->AddConstant(std::move(literal), std::exchange(name_, {}));
  if (computation_->module()->has_layouts()) SetRowMajor(added->mutable_shape());
  if (metadata_ != nullptr) added->set_metadata(metadata_);
  return added;
}

Builder::Result Builder::Iota(const Shape& shape, int64_t dimension) {
  return Build(Opcode::kIota, {}, IotaAttrs{dimension}, {}, &shape);
}

Builder::Result Builder::Unary(Opcode opcode, Instruction* x) { return Build(opcode, {x}); }

Builder::Result Builder::Binary(Opcode opcode, Instruction* x, Instruction* y) {
  return Build(opcode, {x, y});
}

Builder::Result Builder::Compare(Instruction* x, Instruction* y, CompareDirection direction,
                                 CompareType type) {
  return Build(Opcode::kCompare, {x, y}, CompareAttrs{direction, type});
}

Builder::Result Builder::Select(Instruction* pred, Instruction* on_true, Instruction* on_false) {
  return Build(Opcode::kSelect, {pred, on_true, on_false});
}

Builder::Result Builder::Clamp(Instruction* low, Instruction* x, Instruction* high) {
  return Build(Opcode::kClamp, {low, x, high});
}

Builder::Result Builder::Convert(Instruction* x, DType dtype) {
  const Shape to = Shape::Array(dtype, x->shape().dims());
  return Build(Opcode::kConvert, {x}, NoneAttrs{}, {}, &to);
}

Builder::Result Builder::BitcastConvert(Instruction* x, const Shape& shape) {
  return Build(Opcode::kBitcastConvert, {x}, NoneAttrs{}, {}, &shape);
}

Builder::Result Builder::ReducePrecision(Instruction* x, int exponent_bits, int mantissa_bits) {
  return Build(Opcode::kReducePrecision, {x}, ReducePrecisionAttrs{exponent_bits, mantissa_bits});
}

Builder::Result Builder::Broadcast(Instruction* x, absl::Span<const Dim> dims,
                                   absl::Span<const int64_t> dimensions) {
  if (!x->shape().is_array()) return InvalidArgument("[broadcast] takes an array");
  const Shape to = Shape::Array(x->shape().dtype(), dims);
  return Build(Opcode::kBroadcast, {x}, DimensionsAttrs{ToList(dimensions)}, {}, &to);
}

Builder::Result Builder::Reshape(Instruction* x, absl::Span<const Dim> dims) {
  if (!x->shape().is_array()) return InvalidArgument("[reshape] takes an array");
  const Shape to = Shape::Array(x->shape().dtype(), dims);
  return Build(Opcode::kReshape, {x}, NoneAttrs{}, {}, &to);
}

Builder::Result Builder::Bitcast(Instruction* x, const Shape& shape) {
  return Build(Opcode::kBitcast, {x}, NoneAttrs{}, {}, &shape);
}

Builder::Result Builder::Copy(Instruction* x) {
  return Build(Opcode::kCopy, {x}, NoneAttrs{}, {}, &x->shape());
}

Builder::Result Builder::Transpose(Instruction* x, absl::Span<const int64_t> permutation) {
  return Build(Opcode::kTranspose, {x}, DimensionsAttrs{ToList(permutation)});
}

Builder::Result Builder::Reverse(Instruction* x, absl::Span<const int64_t> dimensions) {
  return Build(Opcode::kReverse, {x}, DimensionsAttrs{ToList(dimensions)});
}

Builder::Result Builder::Slice(Instruction* x, absl::Span<const Dim> starts,
                               absl::Span<const Dim> limits, absl::Span<const int64_t> strides) {
  SliceAttrs attrs{ToList(starts), ToList(limits), ToList(strides)};
  if (strides.empty()) attrs.strides.assign(starts.size(), 1);
  return Build(Opcode::kSlice, {x}, std::move(attrs));
}

Builder::Result Builder::Concatenate(Operands xs, int64_t dimension) {
  return Build(Opcode::kConcatenate, xs, DimensionsAttrs{{dimension}});
}

Builder::Result Builder::Pad(Instruction* x, Instruction* value,
                             absl::Span<const PadAttrs::Entry> entries) {
  return Build(Opcode::kPad, {x, value}, PadAttrs{{entries.begin(), entries.end()}});
}

Builder::Result Builder::DynamicSlice(Instruction* x, Operands starts,
                                      absl::Span<const Dim> sizes) {
  std::vector<Instruction*> operands = {x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return Build(Opcode::kDynamicSlice, operands, DynamicSliceAttrs{ToList(sizes)});
}

Builder::Result Builder::DynamicUpdateSlice(Instruction* x, Instruction* update, Operands starts) {
  std::vector<Instruction*> operands = {x, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return Build(Opcode::kDynamicUpdateSlice, operands);
}

Builder::Result Builder::Gather(Instruction* x, Instruction* indices, GatherAttrs attrs) {
  return Build(Opcode::kGather, {x, indices}, std::move(attrs));
}

Builder::Result Builder::GetDimensionSize(Instruction* x, int64_t dimension) {
  return Build(Opcode::kGetDimensionSize, {x}, DimensionsAttrs{{dimension}});
}

Builder::Result Builder::Reduce(Operands inputs, Operands inits,
                                absl::Span<const int64_t> dimensions, Computation* combiner) {
  std::vector<Instruction*> operands(inputs.begin(), inputs.end());
  operands.insert(operands.end(), inits.begin(), inits.end());
  return Build(Opcode::kReduce, operands, DimensionsAttrs{ToList(dimensions)}, {combiner});
}

Builder::Result Builder::ReduceSimple(Instruction* x, Instruction* init,
                                      absl::Span<const int64_t> dimensions, Opcode opcode) {
  if (!x->shape().is_array()) return InvalidArgument("[reduce] takes an array");
  SWAGE_ASSIGN_OR_RETURN(Computation* const combiner,
                         ScalarComputation(opcode, x->shape().dtype()));
  return Reduce({x}, {init}, dimensions, combiner);
}

Builder::Result Builder::Dot(Instruction* x, Instruction* y, DotAttrs attrs,
                             std::optional<DType> dtype) {
  const Shape declared = Shape::Scalar(dtype.value_or(DType::kF32));
  SWAGE_ASSIGN_OR_RETURN(Instruction* const dot, Build(Opcode::kDot, {x, y}, std::move(attrs), {},
                                                       dtype ? &declared : nullptr));
  if (dtype && dot->shape().dtype() != *dtype) {
    const std::string got(DTypeName(dot->shape().dtype()));
    SWAGE_RETURN_IF_ERROR(computation_->Remove(dot));
    return InvalidArgument("[dot] gives ", got, " or wider, not ", ToAbsl(DTypeName(*dtype)));
  }
  return dot;
}

Builder::Result Builder::Map(Operands xs, Computation* function) {
  DimList dimensions;
  const int rank = xs.empty() || !xs[0]->shape().is_array() ? 0 : xs[0]->shape().rank();
  for (int d = 0; d < rank; ++d) dimensions.push_back(d);
  return Build(Opcode::kMap, xs, DimensionsAttrs{std::move(dimensions)}, {function});
}

Builder::Result Builder::Tuple(Operands xs) { return Build(Opcode::kTuple, xs); }

Builder::Result Builder::GetTupleElement(Instruction* tuple, int64_t index) {
  return Build(Opcode::kGetTupleElement, {tuple}, TupleIndexAttrs{index});
}

Builder::Result Builder::Call(Operands arguments, Computation* callee) {
  return Build(Opcode::kCall, arguments, NoneAttrs{}, {callee});
}

Builder::Result Builder::Fusion(Operands arguments, Computation* body, FusionKind kind) {
  return Build(Opcode::kFusion, arguments, FusionAttrs{kind}, {body});
}

StatusOr<Computation*> Builder::ScalarComputation(Opcode opcode, DType dtype) {
  Computation*& cached = scalar_computations_[{opcode, dtype}];
  if (cached != nullptr) return cached;
  Module* module = computation_->module();
  for (Computation* computation : module->Computations()) {
    if (computation != computation_ && IsScalarComputation(*computation, opcode, dtype)) {
      return cached = computation;
    }
  }
  Computation* made = module->AddComputation(
      absl::StrCat(ToAbsl(OpcodeName(opcode)), "_", ToAbsl(DTypeName(dtype))));
  const Shape scalar = Shape::Scalar(dtype);
  Builder inner(made);
  SWAGE_ASSIGN_OR_RETURN(Instruction* const a, inner.Named("a").Parameter(0, scalar));
  SWAGE_ASSIGN_OR_RETURN(Instruction* const b, inner.Named("b").Parameter(1, scalar));
  StatusOr<Instruction*> root = inner.Binary(opcode, a, b);
  if (!root.ok()) {
    SWAGE_RETURN_IF_ERROR(module->RemoveComputation(made));
    return root.status();
  }
  made->set_root(*root);
  return cached = made;
}

}  // namespace swage::ir
