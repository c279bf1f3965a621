// Ops that combine lanes: reduce and dot. Whatever lies in the padded lanes would be seen in valid
// ones.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/ir/builder.h"
#include "compiler/passes/combiner_match.h"
#include "compiler/passes/padding/padder.h"

namespace swage::passes::padding {

using ir::DType;
using ir::Instruction;
using ir::Literal;
using ir::Opcode;
using ir::Shape;

namespace {

// Those of `dims` that are padded.
ir::DimList PaddedOf(const Shape& shape, absl::Span<const int64_t> dims) {
  ir::DimList padded;
  for (const int64_t d : dims) {
    if (IsPadded(shape.dim(static_cast<int>(d)))) padded.push_back(d);
  }
  return padded;
}

// Whether +0 in the padded lanes does for a float sum, whose identity is -0: the sign of a zero sum
// is seen only if the initial value is -0, too.
bool ZeroIsIdentity(const Instruction* init, const Fill& fill, Opcode combiner) {
  if (combiner != Opcode::kAdd || !ir::IsFloat(init->shape().dtype())) return false;
  if (!fill.known() || fill.value.GetBits(0) != 0) return false;
  return init->opcode() == Opcode::kConstant && !init->literal().IsAllValue(-0.0);
}

bool IsZero(const Fill& fill) {
  return fill.known() && !ir::IsComplex(fill.value.dtype()) && fill.value.GetBits(0) == 0;
}

}  // namespace

// The initial value joins the tree once, at its end (docs/semantics.md), so only the padded lanes
// must be neutral; and they keep every bit, since a tree with identities behind is the shorter
// tree.
Status Padder::ApplyIdentity(Instruction* op) {
  const int count = op->operand_count() / 2;
  const ir::DimList padded = PaddedOf(op->operand(0)->shape(), op->dimensions());
  if (padded.empty()) return ApplyThrough(op);
  std::optional<Literal> identity;
  if (const auto combiner = CombinerOp(*op->to_apply()); count == 1 && combiner.has_value()) {
    identity = IdentityOf(*combiner, op->operand(0)->shape().dtype());
    Bound(op->operand(0));
    if (identity.has_value() && MaySkipMasks() &&
        ZeroIsIdentity(op->operand(1), FillOf(op->operand(0)), *combiner)) {
      identity = FillOf(op->operand(0)).value;
    }
  }
  if (!identity.has_value()) return ReduceMarked(op, padded);
  AtBounds at{BoundOperands(op), op->attributes(), op->called()};
  at.operands[0] = Masked(op->operand(0), padded, *identity);
  SWAGE_ASSIGN_OR_RETURN(const bool done, SetAtBounds(op, std::move(at)));
  return done ? OkStatus() : Repack(op);
}

Status Padder::ReduceMarked(Instruction* op, const ir::DimList& padded) {
  const int count = op->operand_count() / 2;
  Instruction* const input = op->operand(0);
  SWAGE_ASSIGN_OR_RETURN(ir::Computation* const combiner, MarkedCombiner(*op->to_apply(), count));
  std::vector<Instruction*> operands;
  for (int i = 0; i < count; ++i) operands.push_back(Bound(op->operand(i)));
  operands.push_back(ValidLanes(input->shape(), padded));
  for (int i = 0; i < count; ++i) operands.push_back(Bound(op->operand(count + i)));
  operands.push_back(editor_.Constant(Literal::Scalar(DType::kPred, 1)));
  const Shape wanted = BoundShape(op->shape());
  std::vector<Shape> shapes =
      wanted.is_tuple() ? wanted.tuple_shapes() : std::vector<Shape>{wanted};
  shapes.push_back(Shape::Array(DType::kPred, shapes[0].dims()));
  Instruction* const reduce =
      editor_.Add(Opcode::kReduce, Shape::Tuple(shapes), operands, op->attributes(), {combiner});
  std::vector<Instruction*> results;
  for (int i = 0; i < count; ++i) {
    results.push_back(
        editor_.Add(Opcode::kGetTupleElement, shapes[i], {reduce}, ir::TupleIndexAttrs{i}));
  }
  bound_[op] = wanted.is_tuple() ? editor_.Add(Opcode::kTuple, wanted, results) : results[0];
  return OkStatus();
}

// Of (values, mark) and (values, mark): the old combination where both are marked as valid, else
// the one that is. The tree has the old one's bits, whatever the combiner is.
StatusOr<ir::Computation*> Padder::MarkedCombiner(const ir::Computation& combiner, int count) {
  ir::Computation*& made = marked_[{&combiner, count}];
  if (made != nullptr) return made;
  made = module_.AddComputation(absl::StrCat(combiner.name(), ".valid"));
  ir::Builder b(made);
  absl::flat_hash_map<const Instruction*, Instruction*> copies;
  std::vector<Instruction*> sides[2];
  Instruction* marks[2];
  for (int side = 0; side < 2; ++side) {
    const int64_t first = side * (count + 1);
    for (int i = 0; i < count; ++i) {
      const Instruction* const parameter = combiner.parameter(side * count + i);
      sides[side].push_back(made->AddParameter(first + i, parameter->shape(), parameter->name()));
      copies[parameter] = sides[side].back();
    }
    marks[side] = made->AddParameter(first + count, Shape::Scalar(DType::kPred), "valid");
  }
  for (const Instruction* op : combiner.PostOrder()) {
    if (op->opcode() == Opcode::kParameter) continue;
    std::vector<Instruction*> operands;
    for (const Instruction* operand : op->operands()) operands.push_back(copies.at(operand));
    copies[op] = made->AddClone(*op, operands);
  }
  Instruction* const root = copies.at(combiner.root());
  SWAGE_ASSIGN_OR_RETURN(Instruction* const both, b.Binary(Opcode::kAnd, marks[0], marks[1]));
  std::vector<Instruction*> results;
  for (int i = 0; i < count; ++i) {
    Instruction* value = root;
    if (root->shape().is_tuple()) {
      SWAGE_ASSIGN_OR_RETURN(value, root->opcode() == Opcode::kTuple
                                        ? ir::Builder::Result(root->operand(i))
                                        : b.GetTupleElement(root, i));
    }
    SWAGE_ASSIGN_OR_RETURN(Instruction* const one, b.Select(marks[0], sides[0][i], sides[1][i]));
    SWAGE_ASSIGN_OR_RETURN(results.emplace_back(), b.Select(both, value, one));
  }
  SWAGE_ASSIGN_OR_RETURN(results.emplace_back(), b.Binary(Opcode::kOr, marks[0], marks[1]));
  SWAGE_ASSIGN_OR_RETURN(Instruction* const tuple, b.Tuple(results));
  made->set_root(tuple);
  if (root->users().empty()) SWAGE_RETURN_IF_ERROR(made->Remove(root));
  return made;
}

// 0 times garbage may be NaN: both sides must hold zeros.
Status Padder::ApplyContracted(Instruction* op) {
  const auto& dot = op->attrs<ir::DotAttrs>();
  AtBounds at{BoundOperands(op), op->attributes(), op->called()};
  const ir::DimList* contracted[] = {&dot.lhs_contracting, &dot.rhs_contracting};
  for (int side = 0; side < 2; ++side) {
    const Instruction* const operand = op->operand(side);
    const ir::DimList padded = PaddedOf(operand->shape(), *contracted[side]);
    if (padded.empty()) continue;
    Literal zero = Literal::Scalar(operand->shape().dtype(), 0);
    if (MaySkipMasks() && IsZero(FillOf(operand))) continue;
    at.operands[side] = Masked(operand, padded, zero);
  }
  SWAGE_ASSIGN_OR_RETURN(const bool done, SetAtBounds(op, std::move(at)));
  return done ? OkStatus() : Repack(op);
}

}  // namespace swage::passes::padding
