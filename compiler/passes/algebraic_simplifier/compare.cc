// Rewrites of compare, and of not over a compare.
#include "compiler/passes/algebraic_simplifier/rewrite.h"
#include "compiler/passes/match.h"

namespace swage::passes {
namespace {

using ir::CompareAttrs;
using ir::CompareDirection;
using ir::CompareType;
using ir::DType;
using ir::Instruction;
using ir::Literal;
using ir::Opcode;

Instruction* FillPred(const Instruction& like, bool value, Editor& editor) {
  return editor.Fill(Literal::Scalar(DType::kPred, value), like.shape().dims());
}

CompareDirection Swapped(CompareDirection direction) {
  switch (direction) {
    case CompareDirection::kGe:
      return CompareDirection::kLe;
    case CompareDirection::kGt:
      return CompareDirection::kLt;
    case CompareDirection::kLe:
      return CompareDirection::kGe;
    case CompareDirection::kLt:
      return CompareDirection::kGt;
    default:
      return direction;
  }
}

CompareDirection Inverse(CompareDirection direction) {
  switch (direction) {
    case CompareDirection::kEq:
      return CompareDirection::kNe;
    case CompareDirection::kNe:
      return CompareDirection::kEq;
    case CompareDirection::kGe:
      return CompareDirection::kLt;
    case CompareDirection::kGt:
      return CompareDirection::kLe;
    case CompareDirection::kLe:
      return CompareDirection::kGt;
    case CompareDirection::kLt:
      return CompareDirection::kGe;
  }
  return direction;
}

// Whether a NaN makes every comparison but NE false.
bool IsPartialOrder(const Instruction& compare) {
  const DType dtype = compare.operand(0)->shape().dtype();
  return (ir::IsFloat(dtype) || ir::IsComplex(dtype)) &&
         compare.attrs<CompareAttrs>().type != CompareType::kTotalOrder;
}

Instruction* CompareConstantToRight(Instruction& i, Editor& editor) {
  Instruction* x = i.operand(0);
  Instruction* y = i.operand(1);
  if (!IsConstantLike(*x) || IsConstantLike(*y)) return nullptr;
  CompareAttrs attrs = i.attrs<CompareAttrs>();
  attrs.direction = Swapped(attrs.direction);
  return editor.Compare(y, x, attrs);
}

Instruction* CompareSelf(Instruction& i, Editor& editor) {
  if (i.operand(0) != i.operand(1)) return nullptr;
  switch (i.attrs<CompareAttrs>().direction) {
    case CompareDirection::kGt:
    case CompareDirection::kLt:
      return FillPred(i, false, editor);
    case CompareDirection::kNe:
      return IsPartialOrder(i) ? nullptr : FillPred(i, false, editor);
    default:
      return IsPartialOrder(i) ? nullptr : FillPred(i, true, editor);
  }
}

// p == true, p != false and their opposites.
Instruction* ComparePred(Instruction& i, Editor& editor) {
  Instruction* p = i.operand(0);
  if (p->shape().dtype() != DType::kPred) return nullptr;
  const bool is_true = IsUniform(*i.operand(1), 1.0);
  if (!is_true && !IsUniform(*i.operand(1), 0.0)) return nullptr;
  switch (i.attrs<CompareAttrs>().direction) {
    case CompareDirection::kEq:
      return is_true ? p : editor.Unary(Opcode::kNot, p);
    case CompareDirection::kNe:
      return is_true ? editor.Unary(Opcode::kNot, p) : p;
    default:
      return nullptr;
  }
}

// x < least, x >= least, x > largest, x <= largest; for unsigned x the least is 0.
Instruction* CompareWithExtreme(Instruction& i, Editor& editor) {
  const DType dtype = i.operand(0)->shape().dtype();
  const std::optional<int64_t> c = UniformInteger(*i.operand(1));
  if (!c.has_value()) return nullptr;
  switch (i.attrs<CompareAttrs>().direction) {
    case CompareDirection::kLt:
      return *c == LeastInteger(dtype) ? FillPred(i, false, editor) : nullptr;
    case CompareDirection::kGe:
      return *c == LeastInteger(dtype) ? FillPred(i, true, editor) : nullptr;
    case CompareDirection::kGt:
      return *c == LargestInteger(dtype) ? FillPred(i, false, editor) : nullptr;
    case CompareDirection::kLe:
      return *c == LargestInteger(dtype) ? FillPred(i, true, editor) : nullptr;
    default:
      return nullptr;
  }
}

// The iota whose elements `x` only rearranges or repeats.
const Instruction* IotaBehind(const Instruction* x) {
  for (int steps = 0; steps < 8; ++steps) {
    switch (x->opcode()) {
      case Opcode::kIota:
        return x;
      case Opcode::kBroadcast:
      case Opcode::kReshape:
      case Opcode::kReverse:
      case Opcode::kSlice:
      case Opcode::kTranspose:
        x = x->operand(0);
        break;
      default:
        return nullptr;
    }
  }
  return nullptr;
}

// What `x <direction> c` is for every x in [0, last]; nullopt where it depends on x.
std::optional<bool> CompareRange(int64_t last, CompareDirection direction, int64_t c) {
  switch (direction) {
    case CompareDirection::kLt:
      if (last < c) return true;
      return c <= 0 ? std::optional(false) : std::nullopt;
    case CompareDirection::kLe:
      if (last <= c) return true;
      return c < 0 ? std::optional(false) : std::nullopt;
    case CompareDirection::kEq:
      return c < 0 || c > last ? std::optional(false) : std::nullopt;
    default: {
      const std::optional<bool> opposite = CompareRange(last, Inverse(direction), c);
      return opposite.has_value() ? std::optional(!*opposite) : std::nullopt;
    }
  }
}

// A position against a constant that no position reaches.
Instruction* CompareIota(Instruction& i, Editor& editor) {
  const Instruction* iota = IotaBehind(i.operand(0));
  const std::optional<int64_t> c = UniformInteger(*i.operand(1));
  if (iota == nullptr || !c.has_value()) return nullptr;
  const DType dtype = iota->shape().dtype();
  const int dimension = static_cast<int>(iota->attrs<ir::IotaAttrs>().dimension);
  const int64_t extent = iota->shape().dim(dimension).upper_bound();
  const int64_t largest = LargestInteger(dtype);
  // No wrap, and a comparison of int64s means the same.
  if (extent == ir::kUnbounded || extent < 1 || largest < 0 || extent - 1 > largest) return nullptr;
  const auto known = CompareRange(extent - 1, i.attrs<CompareAttrs>().direction, *c);
  return known.has_value() ? FillPred(i, *known, editor) : nullptr;
}

// not(x < y) is x >= y unless a NaN makes both false; not(x == y) is x != y always.
Instruction* NotCompare(Instruction& i, Editor& editor) {
  const Instruction* compare = i.operand(0);
  if (!IsOp(compare, Opcode::kCompare)) return nullptr;
  CompareAttrs attrs = compare->attrs<CompareAttrs>();
  const bool equality =
      attrs.direction == CompareDirection::kEq || attrs.direction == CompareDirection::kNe;
  if (!equality && IsPartialOrder(*compare)) return nullptr;
  attrs.direction = Inverse(attrs.direction);
  return editor.Compare(compare->operand(0), compare->operand(1), attrs);
}

constexpr auto kExact = RewriteClass::kExact;

constexpr Rewrite kRewrites[] = {
    {"compare-constant-to-right", Opcode::kCompare, kExact, &CompareConstantToRight},
    {"compare-self", Opcode::kCompare, kExact, &CompareSelf},
    {"compare-pred", Opcode::kCompare, kExact, &ComparePred},
    {"compare-with-extreme", Opcode::kCompare, kExact, &CompareWithExtreme},
    {"compare-iota", Opcode::kCompare, kExact, &CompareIota},
    {"not-compare", Opcode::kNot, kExact, &NotCompare},
};

}  // namespace

std::span<const Rewrite> CompareRewrites() { return kRewrites; }

}  // namespace swage::passes
