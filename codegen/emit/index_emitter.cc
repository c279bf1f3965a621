// File: codegen/emit/index_emitter.cc
#include "codegen/emit/index_emitter.h"

#include <algorithm>
#include <utility>

#include "codegen/emit/types.h"
#include "compiler/ir/dim_expr.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

namespace swage::emit {

using ir::Dim;

IndexEmitter::IndexEmitter(IndexArena* arena, LoopNest* nest, std::vector<Dim> dims,
                           DimArgument dim_argument, LoadValue load_value)
    : arena_(arena),
      nest_(nest),
      dims_(std::move(dims)),
      dim_argument_(std::move(dim_argument)),
      load_value_(std::move(load_value)) {}

StatusOr<llvm::Value*> IndexEmitter::DimValue(Dim dim) {
  if (std::optional<int64_t> known = dim.static_value()) return nest_->Int(*known);
  auto it = dim_values_.find(dim);
  if (it != dim_values_.end()) return it->second;
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, nest_->At(0, [&] { return EmitDim(dim); }));
  dim_values_[dim] = value;
  return value;
}

StatusOr<llvm::Value*> IndexEmitter::Divisor(Dim dim) {
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, DimValue(dim));
  if (dim.lower_bound() >= 1) return value;
  // A quotient by an extent of 0 is never used, but it must not trap.
  return b().CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, nest_->Int(1));
}

StatusOr<llvm::Value*> IndexEmitter::EmitDim(Dim dim) {
  const ir::DimNode* node = dim.node();
  switch (node->kind) {
    case ir::DimKind::kPoisoned:
      return Unimplemented(
          "[emit] an expression of the sizes of this kernel overflows or has more than ",
          ir::kMaxDimTerms, " terms or ", ir::kMaxDimDegree, " factors");
    case ir::DimKind::kSymbol: {
      auto at = std::find(dims_.begin(), dims_.end(), dim);
      if (at == dims_.end()) {
        return Internal("[emit] the extent ", ToAbsl(dim.ToString()), " is not an argument");
      }
      return dim_argument_(b(), at - dims_.begin());
    }
    case ir::DimKind::kPoly: {
      llvm::Value* sum = nullptr;
      for (const ir::DimTerm& term : node->terms) {
        llvm::Value* product = nullptr;
        for (const ir::DimNode* factor : term.monomial) {
          SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, DimValue(ir::DimNode::ToDim(factor)));
          product = product == nullptr ? value : b().CreateMul(product, value);
        }
        llvm::Value* coefficient = nest_->Int(term.coefficient);
        if (product == nullptr) {
          product = coefficient;
        } else if (term.coefficient != 1) {
          product = b().CreateMul(product, coefficient);
        }
        sum = sum == nullptr ? product : b().CreateAdd(sum, product);
      }
      return sum;
    }
    case ir::DimKind::kMax:
    case ir::DimKind::kMin: {
      llvm::Value* result = nullptr;
      for (Dim arg : node->args) {
        SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, DimValue(arg));
        const auto id =
            node->kind == ir::DimKind::kMax ? llvm::Intrinsic::smax : llvm::Intrinsic::smin;
        result = result == nullptr ? value : b().CreateBinaryIntrinsic(id, result, value);
      }
      return result;
    }
    case ir::DimKind::kFloorDiv:
    case ir::DimKind::kMod: {
      SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, DimValue(node->args[0]));
      SWAGE_ASSIGN_OR_RETURN(llvm::Value * divisor, Divisor(node->args[1]));
      // Floor: one less than the truncated quotient when the remainder is negative.
      llvm::Value* remainder = b().CreateSRem(value, divisor);
      llvm::Value* negative = b().CreateICmpSLT(remainder, nest_->Int(0));
      if (node->kind == ir::DimKind::kMod) {
        return b().CreateSelect(negative, b().CreateAdd(remainder, divisor), remainder);
      }
      llvm::Value* quotient = b().CreateSDiv(value, divisor);
      return b().CreateSub(quotient, b().CreateZExt(negative, b().getInt64Ty()));
    }
  }
  return Internal("[emit] unknown kind of extent");
}

StatusOr<llvm::Value*> IndexEmitter::Scalar(ExprId expr) {
  const int depth = nest_->DepthOf(arena_->AxesOfExpr(expr));
  auto& memo = nest_->scope(depth).exprs;
  if (auto it = memo.find({expr, false}); it != memo.end()) return it->second;
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, nest_->At(depth, [&] { return EmitScalar(expr); }));
  nest_->scope(depth).exprs[{expr, false}] = value;
  return value;
}

StatusOr<llvm::Value*> IndexEmitter::EmitScalar(ExprId id) {
  const Expr e = arena_->expr(id);
  // The part that belongs to outer scopes is a sum of its own, so that it is hoisted whole.
  const int depth = nest_->depth();
  std::vector<AtomId> inner;
  for (const Term& term : e.terms) {
    if (nest_->DepthOf(arena_->atom(term.atom).axes) == depth) inner.push_back(term.atom);
  }
  llvm::Value* sum = nullptr;
  if (inner.size() == e.terms.size()) {
    SWAGE_ASSIGN_OR_RETURN(sum, DimValue(e.constant));
  } else {
    SWAGE_ASSIGN_OR_RETURN(sum, Scalar(arena_->Without(id, inner)));
  }
  for (const Term& term : e.terms) {
    if (std::find(inner.begin(), inner.end(), term.atom) == inner.end()) continue;
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, EmitAtom(arena_->atom(term.atom), false));
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * factor, DimValue(term.coefficient));
    sum = b().CreateAdd(b().CreateMul(value, factor), sum);
  }
  return sum;
}

StatusOr<llvm::Value*> IndexEmitter::Vector(ExprId expr) {
  const int width = nest_->lanes().width;
  if (!nest_->UsesLanes(arena_->AxesOfExpr(expr))) {
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, Scalar(expr));
    return Splat(b(), value, width);
  }
  const int depth = nest_->DepthOf(arena_->AxesOfExpr(expr));
  auto& memo = nest_->scope(depth).exprs;
  if (auto it = memo.find({expr, true}); it != memo.end()) return it->second;
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, nest_->At(depth, [&] { return EmitVector(expr); }));
  nest_->scope(depth).exprs[{expr, true}] = value;
  return value;
}

StatusOr<llvm::Value*> IndexEmitter::EmitVector(ExprId id) {
  const int width = nest_->lanes().width;
  const LaneStride stride = arena_->StrideOf(id, nest_->lanes().axis);
  if (stride.kind == LaneStride::kLinear) {
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * first, Scalar(id));
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * step, DimValue(stride.stride));
    llvm::Value* steps = b().CreateMul(nest_->LaneNumbers(width, 64), Splat(b(), step, width));
    return b().CreateAdd(Splat(b(), first, width), steps);
  }
  const Expr e = arena_->expr(id);
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * constant, DimValue(e.constant));
  llvm::Value* sum = Splat(b(), constant, width);
  for (const Term& term : e.terms) {
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, EmitAtom(arena_->atom(term.atom), true));
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * factor, DimValue(term.coefficient));
    llvm::Value* product = b().CreateMul(Splat(b(), value, width), Splat(b(), factor, width));
    sum = b().CreateAdd(sum, product);
  }
  return sum;
}

StatusOr<llvm::Value*> IndexEmitter::EmitAtom(const Atom& given, bool vector) {
  const Atom atom = given;  // the arena may grow meanwhile
  const int width = nest_->lanes().width;
  vector = vector && nest_->UsesLanes(atom.axes);
  switch (atom.kind) {
    case AtomKind::kAxis: {
      llvm::Value* value = nest_->AxisValue(atom.axis);
      if (!vector) return value;
      return b().CreateAdd(Splat(b(), value, width), nest_->LaneNumbers(width, 64));
    }
    case AtomKind::kFloorDiv:
    case AtomKind::kMod: {
      SWAGE_ASSIGN_OR_RETURN(llvm::Value * divisor, Divisor(atom.dim));
      SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, vector ? Vector(atom.arg) : Scalar(atom.arg));
      if (vector) divisor = Splat(b(), divisor, width);
      return atom.kind == AtomKind::kMod ? b().CreateURem(value, divisor)
                                         : b().CreateUDiv(value, divisor);
    }
    case AtomKind::kClamp: {
      SWAGE_ASSIGN_OR_RETURN(llvm::Value * high, DimValue(atom.dim));
      SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, vector ? Vector(atom.arg) : Scalar(atom.arg));
      llvm::Value* zero = llvm::Constant::getNullValue(value->getType());
      if (vector) high = Splat(b(), high, width);
      value = b().CreateBinaryIntrinsic(llvm::Intrinsic::smin, value, high);
      return b().CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, zero);
    }
    case AtomKind::kLoad: {
      SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, EmitLoad(atom));
      // Lane 0 is asked for only where all lanes agree.
      SWAGE_RET_CHECK(vector || !IsVector(value));
      return value;
    }
  }
  return Internal("[emit] unknown kind of index");
}

StatusOr<llvm::Value*> IndexEmitter::EmitLoad(const Atom& atom) {
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, load_value_(atom.value, atom.index, atom.guard));
  const ir::DType dtype = atom.value->shape().dtype();
  llvm::Type* wide = value->getType()->getWithNewType(b().getInt64Ty());
  if (!ir::IsUnsigned(dtype) && dtype != ir::DType::kPred) return b().CreateSExt(value, wide);
  value = b().CreateZExt(value, wide);
  if (ir::DTypeBits(dtype) < 64) return value;
  // As a mathematical integer, an unsigned value beyond int64 is large, not negative.
  llvm::Constant* largest = llvm::ConstantInt::get(wide, INT64_MAX);
  return b().CreateBinaryIntrinsic(llvm::Intrinsic::umin, value, largest);
}

StatusOr<llvm::Value*> IndexEmitter::Guard(GuardId guard) {
  if (guard == kAlways) return nullptr;
  const int depth = nest_->DepthOf(arena_->AxesOfGuard(guard));
  auto& memo = nest_->scope(depth).guards;
  if (auto it = memo.find(guard); it != memo.end()) return it->second;
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, nest_->At(depth, [&] { return EmitGuard(guard); }));
  nest_->scope(depth).guards[guard] = value;
  return value;
}

StatusOr<llvm::Value*> IndexEmitter::EmitGuard(GuardId guard) {
  const auto conditions = arena_->Conditions(guard);
  const std::vector<ExprId> exprs(conditions.begin(), conditions.end());
  llvm::Value* all = nullptr;
  for (ExprId e : exprs) {
    const bool vector = nest_->UsesLanes(arena_->AxesOfExpr(e));
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, vector ? Vector(e) : Scalar(e));
    llvm::Value* holds = b().CreateICmpSGE(value, llvm::Constant::getNullValue(value->getType()));
    if (all == nullptr) {
      all = holds;
    } else {
      const int width = IsVector(all) || IsVector(holds) ? nest_->lanes().width : 1;
      all = b().CreateAnd(Splat(b(), all, width), Splat(b(), holds, width));
    }
  }
  return all;
}

}  // namespace swage::emit
