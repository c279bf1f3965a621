// File: codegen/emit/index_ops.cc
//
// Ops that move data: each turns an index of its result into an index of an operand.
#include "codegen/emit/index_ops.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "codegen/emit/types.h"
#include "codegen/emit/value_emitter.h"
#include "llvm/IR/Constants.h"

namespace swage::emit {

using ir::Dim;
using ir::DType;
using ir::Instruction;
using ir::Opcode;

std::optional<IndexId> OperandIndex(IndexArena& arena, const Instruction* op, IndexId index) {
  const auto given = arena.Exprs(index);
  const std::vector<ExprId> out(given.begin(), given.end());
  std::vector<ExprId> in;
  switch (op->opcode()) {
    case Opcode::kCopy:
    case Opcode::kOptimizationBarrier:
      return index;
    case Opcode::kBroadcast:
      for (size_t i = 0; i < op->dimensions().size(); ++i) {
        in.push_back(op->operand(0)->shape().dim(static_cast<int>(i)) == Dim(1)
                         ? arena.Constant(0)
                         : out[op->dimensions()[i]]);
      }
      return arena.Index(in);
    case Opcode::kReshape:
    case Opcode::kBitcast: {
      const ExprId offset = arena.Linearise(op->shape().dims(), index);
      return arena.Delinearise(op->operand(0)->shape().dims(), offset);
    }
    case Opcode::kTranspose:
      in.resize(out.size());
      for (size_t i = 0; i < out.size(); ++i) in[op->dimensions()[i]] = out[i];
      return arena.Index(in);
    case Opcode::kReverse:
      in = out;
      for (int64_t d : op->dimensions()) {
        const Dim last = op->shape().dim(static_cast<int>(d)) - Dim(1);
        in[d] = arena.Sub(arena.Constant(last), out[d]);
      }
      return arena.Index(in);
    case Opcode::kSlice: {
      const auto& slice = op->attrs<ir::SliceAttrs>();
      for (size_t i = 0; i < out.size(); ++i) {
        in.push_back(
            arena.Add(arena.Scale(out[i], Dim(slice.strides[i])), arena.Constant(slice.starts[i])));
      }
      return arena.Index(in);
    }
    case Opcode::kDynamicSlice: {
      for (size_t i = 0; i < out.size(); ++i) {
        in.push_back(arena.Add(out[i], ClampedStart(arena, op, static_cast<int>(i), 1,
                                                    op->shape().dim(static_cast<int>(i)))));
      }
      return arena.Index(in);
    }
    default:
      return std::nullopt;
  }
}

ExprId ClampedStart(IndexArena& arena, const Instruction* op, int dimension, int first_start,
                    Dim size) {
  const Dim room = op->operand(0)->shape().dim(dimension) - size;
  const ExprId start = arena.Load(op->operand(first_start + dimension), arena.Index({}), kAlways);
  return arena.Clamp(start, room);
}

PadIndex MapPad(IndexArena& arena, const Instruction* op, IndexId index, GuardId guard) {
  const auto given = arena.Exprs(index);
  const std::vector<ExprId> out(given.begin(), given.end());
  const auto& pad = op->attrs<ir::PadAttrs>();
  PadIndex result{0, guard, kAlways};
  std::vector<ExprId> in;
  for (size_t i = 0; i < out.size(); ++i) {
    const Dim extent = op->operand(0)->shape().dim(static_cast<int>(i));
    const Dim step = Dim(pad.dims[i].interior + 1);
    ExprId at = arena.Sub(out[i], arena.Constant(pad.dims[i].low));
    const auto require = [&](ExprId nonnegative) {
      result.operand_guard = arena.Require(result.operand_guard, nonnegative);
      result.inside = arena.Require(result.inside, nonnegative);
    };
    if (!(step == Dim(1))) {
      require(at);
      require(arena.Scale(arena.Mod(at, step), Dim(-1)));  // a multiple of the step
      at = arena.FloorDiv(at, step);
    }
    require(at);
    require(arena.Sub(arena.Constant(extent - Dim(1)), at));
    in.push_back(at);
  }
  result.index = arena.Index(in);
  return result;
}

std::vector<ConcatPart> MapConcatenate(IndexArena& arena, const Instruction* op, IndexId index,
                                       GuardId guard) {
  const auto given = arena.Exprs(index);
  std::vector<ExprId> in(given.begin(), given.end());
  const int64_t d = op->dimensions()[0];
  const ExprId out = in[d];
  std::vector<ConcatPart> parts;
  Dim offset = 0;
  for (const Instruction* operand : op->operands()) {
    const Dim extent = operand->shape().dim(static_cast<int>(d));
    ConcatPart part;
    in[d] = arena.Sub(out, arena.Constant(offset));
    part.index = arena.Index(in);
    part.guard = arena.RequireInside(guard, in[d], extent);
    offset += extent;
    part.before_end = arena.Require(kAlways, arena.Sub(arena.Constant(offset - Dim(1)), out));
    parts.push_back(part);
  }
  return parts;
}

PadIndex MapUpdate(IndexArena& arena, const Instruction* op, IndexId index, GuardId guard) {
  const auto given = arena.Exprs(index);
  const std::vector<ExprId> out(given.begin(), given.end());
  PadIndex result{0, guard, kAlways};
  std::vector<ExprId> in;
  for (size_t i = 0; i < out.size(); ++i) {
    const Dim size = op->operand(1)->shape().dim(static_cast<int>(i));
    const ExprId at = arena.Sub(out[i], ClampedStart(arena, op, static_cast<int>(i), 2, size));
    result.operand_guard = arena.RequireInside(result.operand_guard, at, size);
    result.inside = arena.RequireInside(result.inside, at, size);
    in.push_back(at);
  }
  result.index = arena.Index(in);
  return result;
}

IndexId MapGather(IndexArena& arena, const Instruction* op, IndexId index, GuardId guard) {
  const auto given = arena.Exprs(index);
  const std::vector<ExprId> out(given.begin(), given.end());
  const auto& gather = op->attrs<ir::GatherAttrs>();
  const ir::Shape& operand = op->operand(0)->shape();
  const ir::Shape& starts = op->operand(1)->shape();
  const auto has = [](const ir::DimList& list, int64_t d) {
    return std::find(list.begin(), list.end(), d) != list.end();
  };
  std::vector<ExprId> batch, offsets;
  for (size_t i = 0; i < out.size(); ++i) {
    (has(gather.offset_dims, static_cast<int64_t>(i)) ? offsets : batch).push_back(out[i]);
  }
  // The index into the start indices, with `component` in place of the index vector.
  const auto start_index = [&](int64_t component) {
    std::vector<ExprId> at = batch;
    if (gather.index_vector_dim < starts.rank()) {
      at.insert(at.begin() + gather.index_vector_dim, arena.Constant(Dim(component)));
    }
    return arena.Index(at);
  };
  std::vector<ExprId> in(operand.rank(), arena.Constant(0));
  size_t next_offset = 0;
  for (int d = 0; d < operand.rank(); ++d) {
    if (has(gather.collapsed_slice_dims, d) || has(gather.operand_batching_dims, d)) continue;
    in[d] = offsets[next_offset++];
  }
  for (size_t k = 0; k < gather.start_index_map.size(); ++k) {
    const int64_t d = gather.start_index_map[k];
    const ExprId start = arena.Load(op->operand(1), start_index(static_cast<int64_t>(k)), guard);
    const Dim room = operand.dim(static_cast<int>(d)) - gather.slice_sizes[d];
    in[d] = arena.Add(in[d], arena.Clamp(start, room));
  }
  for (size_t k = 0; k < gather.operand_batching_dims.size(); ++k) {
    // The batch dims of the result are those of the start indices but for the index vector.
    int64_t d = gather.start_indices_batching_dims[k];
    if (d > gather.index_vector_dim) --d;
    in[gather.operand_batching_dims[k]] = batch[d];
  }
  return arena.Index(in);
}

namespace {

StatusOr<llvm::Value*> EmitPad(ValueEmitter& e, const Instruction* op, IndexId index,
                               GuardId guard) {
  const PadIndex pad = MapPad(e.arena(), op, index, guard);
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * padding, e.Value(op->operand(1), e.arena().Index({})));
  if (pad.inside == kNever) return padding;
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * value,
                         e.Value(op->operand(0), pad.index, pad.operand_guard));
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * inside, e.indices().Guard(pad.inside));
  return e.Select(inside, value, padding);
}

// A concatenate as a tree of branches over the ends of its operands: a GPU thread takes the way to
// one operand, and reads that alone.
class ConcatTree {
 public:
  ConcatTree(ValueEmitter& e, const Instruction* op, GuardId guard, AxisSet axes)
      : e_(e), op_(op), guard_(guard), axes_(std::move(axes)) {}

  void Add(int operand, const ConcatPart& part) { parts_.emplace_back(operand, part); }
  StatusOr<llvm::Value*> Emit() { return Emit(0, parts_.size()); }

 private:
  // The value where it is one of these parts'.
  StatusOr<llvm::Value*> Emit(size_t begin, size_t end) {
    if (end - begin == 1) return EmitPart(begin);
    const size_t middle = begin + (end - begin) / 2;
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * before,
                           e_.indices().Guard(parts_[middle - 1].second.before_end));
    if (before == nullptr) return Emit(begin, middle);
    std::vector<llvm::Value*> value;
    const auto branch = [&](size_t from, size_t to) -> Status {
      SWAGE_ASSIGN_OR_RETURN(llvm::Value * taken, Emit(from, to));
      value = {Splat(e_.b(), taken, e_.nest().lanes().width)};
      return OkStatus();
    };
    SWAGE_RETURN_IF_ERROR(e_.nest().IfElse(
        before, &value, [&] { return branch(begin, middle); },
        [&] { return branch(middle, end); }));
    return value[0];
  }

  // The axes are bound anew, so that what the operand needs is not computed before the branch.
  StatusOr<llvm::Value*> EmitPart(size_t number) {
    const auto& [operand, part] = parts_[number];
    llvm::Value* value = nullptr;
    SWAGE_RETURN_IF_ERROR(e_.nest().Scoped([&]() -> Status {
      for (AxisId axis : axes_) e_.nest().Bind(axis, e_.nest().AxisValue(axis));
      SWAGE_ASSIGN_OR_RETURN(value, e_.Value(op_->operand(operand), part.index, guard_));
      return OkStatus();
    }));
    return value;
  }

  ValueEmitter& e_;
  const Instruction* op_;
  GuardId guard_;
  AxisSet axes_;  // of the position along the concatenated dimension
  std::vector<std::pair<int, ConcatPart>> parts_;
};

// Whether threads may take different ways here, and no lane of a vector another way than the rest.
bool MayBranch(ValueEmitter& e, const AxisSet& axes) {
  return e.grid() != nullptr && !e.HasTeamHere() && !e.HasColumnHere() && !axes.empty() &&
         !e.nest().UsesLanes(axes);
}

StatusOr<llvm::Value*> EmitConcatenate(ValueEmitter& e, const Instruction* op, IndexId index,
                                       GuardId guard) {
  const std::vector<ConcatPart> parts = MapConcatenate(e.arena(), op, index, guard);
  const auto may_be = [&](size_t i) { return parts[i].guard != kNever; };
  const AxisSet axes = e.arena().AxesOfExpr(e.arena().Exprs(index)[op->dimensions()[0]]);
  if (MayBranch(e, axes)) {
    ConcatTree tree(e, op, guard, axes);
    bool any = false;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (!may_be(i) && (any || i + 1 < parts.size())) continue;
      tree.Add(static_cast<int>(i), parts[i]);
      any = true;
    }
    return tree.Emit();
  }
  llvm::Value* result = nullptr;
  for (size_t i = parts.size(); i-- > 0;) {
    if (!may_be(i) && (result != nullptr || i > 0)) continue;
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, e.Value(op->operand(static_cast<int>(i)),
                                                        parts[i].index, parts[i].guard));
    if (result == nullptr) {
      result = value;
      continue;
    }
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * here, e.indices().Guard(parts[i].before_end));
    result = e.Select(here, value, result);
  }
  return result;
}

StatusOr<llvm::Value*> EmitUpdate(ValueEmitter& e, const Instruction* op, IndexId index,
                                  GuardId guard) {
  const PadIndex update = MapUpdate(e.arena(), op, index, guard);
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * inside, e.indices().Guard(update.inside));
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * value,
                         e.Value(op->operand(1), update.index, update.operand_guard));
  if (inside == nullptr) return value;
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * old, e.Value(op->operand(0), index, guard));
  return e.Select(inside, value, old);
}

// The carried value as an integer of the same bits, and back.
llvm::Value* ToBits(llvm::IRBuilder<>& b, DType dtype, llvm::Value* value) {
  value = ToStored(b, dtype, value);
  const unsigned bits = 8 * ir::DTypeBytes(dtype);
  return b.CreateBitCast(value, value->getType()->getWithNewType(b.getIntNTy(bits)));
}
llvm::Value* FromBits(llvm::IRBuilder<>& b, DType dtype, llvm::Value* value) {
  llvm::Type* type = StoredType(b.getContext(), dtype);
  return FromStored(b, dtype, b.CreateBitCast(value, value->getType()->getWithNewType(type)));
}

StatusOr<llvm::Value*> EmitBitcastConvert(ValueEmitter& e, const Instruction* op, IndexId index,
                                          GuardId guard) {
  llvm::IRBuilder<>& b = e.b();
  const DType from = op->operand(0)->shape().dtype();
  const DType to = op->shape().dtype();
  if (ir::IsComplex(from) || ir::IsComplex(to)) {
    return Unimplemented("[emit] bitcast-convert of complex numbers");
  }
  const int from_bytes = ir::DTypeBytes(from), to_bytes = ir::DTypeBytes(to);
  if (ir::DTypeBits(from) == ir::DTypeBits(to)) {
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, e.Value(op->operand(0), index, guard));
    // The rest of the byte follows from the type, so it is a conversion.
    if (ir::DTypeBits(to) < 8) return e.Convert(from, to, value);
    return FromBits(b, to, ToBits(b, from, value));
  }
  if (ir::DTypeBits(from) < 8 || ir::DTypeBits(to) < 8) {
    return Unimplemented("[emit] bitcast-convert between 4-bit and wider types");
  }
  const auto given = e.arena().Exprs(index);
  std::vector<ExprId> at(given.begin(), given.end());
  llvm::Type* wide = b.getIntNTy(8 * std::max(from_bytes, to_bytes));
  if (from_bytes > to_bytes) {
    // The minor dimension of the result counts the parts, lowest first.
    const ExprId part = at.back();
    at.pop_back();
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * value,
                           e.Value(op->operand(0), e.arena().Index(at), guard));
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * number, e.ExprAs(part, DType::kS64));
    llvm::Value* bits = ToBits(b, from, value);
    const int width = IsVector(bits) || IsVector(number) ? e.nest().lanes().width : 1;
    bits = Splat(b, bits, width);
    number = Splat(b, number, width);
    llvm::Value* scale = llvm::ConstantInt::get(number->getType(), 8 * to_bytes);
    llvm::Value* shift = b.CreateZExtOrTrunc(b.CreateMul(number, scale), VectorOf(wide, width));
    bits = b.CreateTrunc(b.CreateLShr(bits, shift), VectorOf(b.getIntNTy(8 * to_bytes), width));
    return FromBits(b, to, bits);
  }
  llvm::Value* bits = nullptr;
  for (int part = 0; part < to_bytes / from_bytes; ++part) {
    at.push_back(e.arena().Constant(Dim(part)));
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * value,
                           e.Value(op->operand(0), e.arena().Index(at), guard));
    at.pop_back();
    value = ToBits(b, from, value);
    llvm::Type* type = value->getType()->getWithNewType(wide);
    value = b.CreateShl(b.CreateZExt(value, type), 8 * from_bytes * part);
    bits = bits == nullptr ? value : b.CreateOr(bits, value);
  }
  return FromBits(b, to, bits);
}

StatusOr<llvm::Value*> EmitIota(ValueEmitter& e, const Instruction* op, IndexId index) {
  const ExprId at = e.arena().Exprs(index)[op->attrs<ir::IotaAttrs>().dimension];
  return e.ExprAs(at, op->shape().dtype());
}

}  // namespace

StatusOr<llvm::Value*> EmitMoved(ValueEmitter& e, const Instruction* op, IndexId index,
                                 GuardId guard) {
  if (std::optional<IndexId> at = OperandIndex(e.arena(), op, index)) {
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, e.Value(op->operand(0), *at, guard));
    const DType from = op->operand(0)->shape().dtype();
    const DType to = op->shape().dtype();
    if (from == to) return value;
    SWAGE_RET_CHECK(ir::DTypeBytes(from) == ir::DTypeBytes(to), ToAbsl(op->name()));
    return FromBits(e.b(), to, ToBits(e.b(), from, value));
  }
  switch (op->opcode()) {
    case Opcode::kPad:
      return EmitPad(e, op, index, guard);
    case Opcode::kConcatenate:
      return EmitConcatenate(e, op, index, guard);
    case Opcode::kDynamicUpdateSlice:
      return EmitUpdate(e, op, index, guard);
    case Opcode::kGather:
      return e.Value(op->operand(0), MapGather(e.arena(), op, index, guard), guard);
    case Opcode::kBitcastConvert:
      return EmitBitcastConvert(e, op, index, guard);
    case Opcode::kIota:
      return EmitIota(e, op, index);
    case Opcode::kGetDimensionSize: {
      const Dim extent = op->operand(0)->shape().dim(static_cast<int>(op->dimensions()[0]));
      return e.ExprAs(e.arena().Constant(extent), op->shape().dtype());
    }
    default:
      return Unimplemented("[emit] ", ToAbsl(ir::OpcodeName(op->opcode())),
                           " is not implemented in kernels");
  }
}

}  // namespace swage::emit
