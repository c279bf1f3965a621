// File: codegen/emit/reduce_value.cc
//
// A reduce as loops, in the one tree that docs/semantics.md defines. Each reduced dimension is a
// level, the minor one innermost. A level keeps its partials in a small array on the stack; when
// the level is the minor dimension and the result is the same for all lanes, the lanes run along
// it.
#include <algorithm>
#include <vector>

#include "codegen/emit/reduce_emitter.h"
#include "codegen/emit/types.h"
#include "compiler/math/reduction_tree.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

namespace swage::emit {

using ir::Dim;
using ir::DType;
using ir::Instruction;

namespace {

// Vectors of partials that stay in registers.
constexpr int kMaxRegisterPartials = 8;

}  // namespace

ReduceEmitter::Slots ReduceEmitter::NewSlots(int count, int width) {
  Slots slots;
  slots.width = width;
  for (int i = 0; i < combiner_.count(); ++i) {
    llvm::Type* type = StoredType(b_.getContext(), combiner_.dtype(i));
    slots.arrays.push_back(e_.nest().Alloca(type, int64_t{count} * width, 64));
  }
  return slots;
}

Values ReduceEmitter::LoadSlot(const Slots& slots, llvm::Value* index, int width) {
  Values values;
  if (slots.width > 1) index = b_.CreateMul(index, b_.getInt64(slots.width));
  for (int i = 0; i < combiner_.count(); ++i) {
    const DType dtype = combiner_.dtype(i);
    llvm::Type* type = StoredType(b_.getContext(), dtype);
    llvm::Value* pointer = b_.CreateGEP(type, slots.arrays[i], index);
    values.push_back(FromStored(
        b_, dtype,
        b_.CreateAlignedLoad(VectorOf(type, width), pointer, llvm::Align(ir::DTypeBytes(dtype)))));
  }
  return values;
}

void ReduceEmitter::StoreSlot(const Slots& slots, llvm::Value* index, const Values& values) {
  if (slots.width > 1) index = b_.CreateMul(index, b_.getInt64(slots.width));
  for (int i = 0; i < combiner_.count(); ++i) {
    const DType dtype = combiner_.dtype(i);
    llvm::Type* type = StoredType(b_.getContext(), dtype);
    llvm::Value* pointer = b_.CreateGEP(type, slots.arrays[i], index);
    llvm::Value* value = Splat(b_, ToStored(b_, dtype, values[i]), slots.width);
    b_.CreateAlignedStore(value, pointer, llvm::Align(ir::DTypeBytes(dtype)));
  }
}

StatusOr<Values> ReduceEmitter::Emit() {
  const ir::Shape& input = op_->operand(0)->shape();
  AxisSet axes = e_.arena().AxesOfIndex(index_);
  if (guard_ != kAlways) axes = Union(axes, e_.arena().AxesOfGuard(guard_));
  const bool uses_lanes = e_.nest().UsesLanes(axes);
  lane_width_ = uses_lanes ? e_.nest().lanes().width : 1;

  const auto given = e_.arena().Exprs(index_);
  const std::vector<ExprId> kept(given.begin(), given.end());
  std::vector<ExprId> element(input.rank());
  size_t next_kept = 0;
  for (int d = 0; d < input.rank(); ++d) {
    const ir::DimList& reduced = op_->dimensions();
    if (std::find(reduced.begin(), reduced.end(), d) == reduced.end()) {
      element[d] = kept[next_kept++];
      continue;
    }
    if (input.dim(d) == Dim(0)) return WithInit({});
    Level level;
    level.dimension = d;
    level.extent = input.dim(d);
    level.axis = e_.InnerAxis(op_, index_, guard_, d, level.extent);
    const bool minor = d == input.rank() - 1;
    level.partials = math::PartialsOf(minor);
    level.along_lanes = minor && !uses_lanes && e_.width() > 1 && e_.grid() == nullptr;
    level.by_team = minor && e_.HasTeamHere();
    level.by_column = !minor && e_.HasColumnHere();
    element[d] = e_.arena().Axis(level.axis);
    levels_.push_back(level);
  }
  // Outside of the last level all threads go together.
  for (size_t i = 0; i + 1 < levels_.size(); ++i) levels_[i].by_column = false;
  element_index_ = e_.arena().Index(element);
  SWAGE_ASSIGN_OR_RETURN(Values total, EmitLevel(0));
  return WithInit(total);
}

StatusOr<Values> ReduceEmitter::WithInit(const Values& total) {
  Values init;
  for (int i = 0; i < combiner_.count(); ++i) {
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * value,
                           e_.Value(op_->operand(combiner_.count() + i), e_.arena().Index({})));
    init.push_back(value);
  }
  if (total.empty()) return init;
  SWAGE_ASSIGN_OR_RETURN(Values result, combiner_.Combine(e_, init, total));
  llvm::Value* any = nullptr;
  for (const Level& level : levels_) {
    if (level.extent.lower_bound() >= 1) continue;
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * extent, e_.indices().DimValue(level.extent));
    llvm::Value* some = b_.CreateICmpSGT(extent, b_.getInt64(0));
    any = any == nullptr ? some : b_.CreateAnd(any, some);
  }
  for (size_t i = 0; i < result.size(); ++i) {
    if (any != nullptr) {
      const int width = IsVector(result[i]) ? lane_width_ : 1;
      result[i] = b_.CreateSelect(any, result[i], Splat(b_, init[i], width));
    }
  }
  return result;
}

StatusOr<Values> ReduceEmitter::ElementAt(size_t level) {
  if (level + 1 < levels_.size()) return EmitLevel(level + 1);
  Values values;
  for (int i = 0; i < combiner_.count(); ++i) {
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, e_.Value(op_->operand(i), element_index_, guard_));
    values.push_back(value);
  }
  return values;
}

StatusOr<Values> ReduceEmitter::EmitLevel(size_t number) {
  if (levels_.empty()) return ElementAt(0);
  const Level& level = levels_[number];
  if (level.extent == Dim(1)) {
    // One element is its own reduction.
    return ElementAt(number);
  }
  if (level.by_team || level.by_column) return EmitChunksByWorkers(number);
  const int vectors = ShortVectors(level);
  if (vectors == 0) return EmitChunks(number);
  // Long rows are asked for first: they are the ones that time is spent on.
  return IfFits(
      number, vectors, [&] { return EmitShortBySize(number, 1); },
      [&] { return EmitChunks(number); });
}

StatusOr<Values> ReduceEmitter::EmitChunks(size_t number) {
  const Level& level = levels_[number];
  const int64_t chunk = math::kPartialDepth * level.partials;
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * extent, e_.indices().DimValue(level.extent));
  if (std::optional<int64_t> known = level.extent.static_value(); known && *known <= chunk) {
    return EmitChunk(number, b_.getInt64(0), extent);
  }
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * chunks,
                         e_.indices().DimValue(ir::CeilDiv(level.extent, Dim(chunk))));
  // A row of one chunk, the common case, does not touch the counter.
  llvm::Value* several = e_.nest().At(0, [&] { return b_.CreateICmpSGT(chunks, b_.getInt64(1)); });
  const Slots counter = NewSlots(64, level.along_lanes ? 1 : lane_width_);
  std::vector<llvm::Value*> last;
  for (int i = 0; i < combiner_.count(); ++i) {
    llvm::Type* type = LaneType(b_.getContext(), combiner_.dtype(i));
    last.push_back(llvm::Constant::getNullValue(VectorOf(type, counter.width)));
  }
  SWAGE_RETURN_IF_ERROR(e_.nest().For(
      b_.getInt64(0), chunks, 1, &last,
      [&](llvm::Value* c, std::vector<llvm::Value*>* carried) -> Status {
        llvm::Value* lo = b_.CreateMul(c, b_.getInt64(chunk));
        llvm::Value* hi = Smaller(b_, b_.CreateAdd(lo, b_.getInt64(chunk)), extent);
        SWAGE_ASSIGN_OR_RETURN(Values partial, EmitChunk(number, lo, hi));
        for (llvm::Value*& value : partial) value = Splat(b_, value, counter.width);
        carried->assign(partial.begin(), partial.end());
        return e_.nest().IfCarried(several, carried, [&] { return Count(counter, c, carried); });
      }));
  SWAGE_RETURN_IF_ERROR(
      e_.nest().IfCarried(several, &last, [&] { return JoinChunks(counter, chunks, &last); }));
  return Values(last.begin(), last.end());
}

// As a binary counter: a carry joins the earlier equal-sized part with this one.
Status ReduceEmitter::Count(const Slots& counter, llvm::Value* chunk,
                            std::vector<llvm::Value*>* carried) {
  llvm::Value* carries =
      b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, b_.CreateNot(chunk), b_.getFalse());
  SWAGE_RETURN_IF_ERROR(
      e_.nest().For(b_.getInt64(0), carries, 1, carried,
                    [&](llvm::Value* bit, std::vector<llvm::Value*>* values) -> Status {
                      const Values earlier = LoadSlot(counter, bit, counter.width);
                      const Values later(values->begin(), values->end());
                      SWAGE_ASSIGN_OR_RETURN(Values joined, combiner_.Combine(e_, earlier, later));
                      values->assign(joined.begin(), joined.end());
                      return OkStatus();
                    }));
  StoreSlot(counter, carries, Values(carried->begin(), carried->end()));
  return OkStatus();
}

Status ReduceEmitter::JoinChunks(const Slots& counter, llvm::Value* chunks,
                                 std::vector<llvm::Value*>* carried) {
  // From the last (smallest) part, which the lowest bit of the counter stands for, to the first.
  llvm::Value* lowest = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, chunks, b_.getFalse());
  llvm::Value* end = b_.CreateSub(
      b_.getInt64(64), b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, chunks, b_.getFalse()));
  return e_.nest().For(
      b_.CreateAdd(lowest, b_.getInt64(1)), end, 1, carried,
      [&](llvm::Value* bit, std::vector<llvm::Value*>* values) -> Status {
        const Values earlier = LoadSlot(counter, bit, counter.width);
        const Values later(values->begin(), values->end());
        SWAGE_ASSIGN_OR_RETURN(Values joined, combiner_.Combine(e_, earlier, later));
        llvm::Value* present = b_.CreateTrunc(b_.CreateLShr(chunks, bit), b_.getInt1Ty());
        for (size_t i = 0; i < joined.size(); ++i) {
          (*values)[i] = b_.CreateSelect(present, joined[i], later[i]);
        }
        return OkStatus();
      });
}

Status ReduceEmitter::Accumulate(size_t number, const Slots& slots, llvm::Value* lo,
                                 llvm::Value* at) {
  const Level& level = levels_[number];
  const int width = level.along_lanes ? e_.nest().lanes().width : slots.width;
  SWAGE_ASSIGN_OR_RETURN(Values element, ElementAt(number));
  for (llvm::Value*& value : element) value = Splat(b_, value, width);
  llvm::Value* position = b_.CreateSub(at, lo);
  llvm::Value* slot = b_.CreateAnd(position, b_.getInt64(level.partials - 1));
  const Values partial = LoadSlot(slots, slot, width);
  SWAGE_ASSIGN_OR_RETURN(Values joined, combiner_.Combine(e_, partial, element));
  llvm::Value* mask = level.along_lanes ? e_.nest().lanes().mask : nullptr;
  llvm::Value* first = nullptr;
  if (!combiner_.has_identity()) {
    first = b_.CreateICmpSLT(position, b_.getInt64(level.partials));
  }
  for (size_t i = 0; i < joined.size(); ++i) {
    if (first != nullptr) joined[i] = b_.CreateSelect(first, element[i], joined[i]);
    if (mask != nullptr) joined[i] = b_.CreateSelect(mask, joined[i], partial[i]);
  }
  StoreSlot(slots, slot, joined);
  return OkStatus();
}

StatusOr<Values> ReduceEmitter::EmitChunk(size_t number, llvm::Value* lo, llvm::Value* hi) {
  const Level level = levels_[number];
  // The memory of a GPU thread is far away, so its few partials are registers too.
  const bool alone = e_.grid() != nullptr && e_.width() == 1;
  if ((level.along_lanes || alone) && combiner_.has_identity() &&
      level.partials / e_.width() <= kMaxRegisterPartials) {
    return EmitChunkInRegisters(number, lo, hi);
  }
  const int slot_width = level.along_lanes ? 1 : lane_width_;
  const Slots slots = NewSlots(level.partials, slot_width);
  if (combiner_.has_identity()) {
    llvm::Value* identity = combiner_.identity(b_.getContext());
    const int step = level.along_lanes ? e_.width() : 1;
    for (int p = 0; p < level.partials; p += step) {
      StoreSlot({slots.arrays, 1}, b_.getInt64(int64_t{p} * slot_width),
                {Splat(b_, identity, std::max(step, slot_width))});
    }
  }
  if (level.along_lanes) {
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * extent, e_.indices().DimValue(level.extent));
    SWAGE_RETURN_IF_ERROR(e_.nest().LaneLoop(
        level.axis, {lo, hi, extent}, e_.width(), e_.options().masked_tails,
        [&] { return Accumulate(number, slots, lo, e_.nest().AxisValue(level.axis)); }));
  } else {
    SWAGE_RETURN_IF_ERROR(
        e_.nest().For(lo, hi, 1, nullptr, [&](llvm::Value* k, std::vector<llvm::Value*>*) {
          e_.nest().Bind(level.axis, k);
          return Accumulate(number, slots, lo, k);
        }));
  }
  llvm::Value* count = nullptr;  // partials that hold something
  if (!combiner_.has_identity()) {
    count = Smaller(b_, b_.CreateSub(hi, lo), b_.getInt64(level.partials));
  }
  if (!level.along_lanes) return JoinSlots(slots, level.partials, count);
  std::vector<Values> vectors;
  for (int p = 0; p < level.partials; p += e_.width()) {
    vectors.push_back(LoadSlot(slots, b_.getInt64(p), e_.width()));
  }
  return JoinVectors(std::move(vectors), level.partials, count);
}

StatusOr<Values> ReduceEmitter::JoinSlots(const Slots& slots, int partials, llvm::Value* count) {
  if (count == nullptr) count = b_.getInt64(partials);
  for (int distance = partials / 2; distance >= 1; distance /= 2) {
    // Pairs (i, i + distance) whose second part exists.
    llvm::Value* pairs =
        Smaller(b_, b_.CreateSub(count, b_.getInt64(distance)), b_.getInt64(distance));
    SWAGE_RETURN_IF_ERROR(e_.nest().For(
        b_.getInt64(0), pairs, 1, nullptr,
        [&](llvm::Value* i, std::vector<llvm::Value*>*) -> Status {
          const Values low = LoadSlot(slots, i, slots.width);
          const Values high = LoadSlot(slots, b_.CreateAdd(i, b_.getInt64(distance)), slots.width);
          SWAGE_ASSIGN_OR_RETURN(Values joined, combiner_.Combine(e_, low, high));
          StoreSlot(slots, i, joined);
          return OkStatus();
        }));
  }
  return LoadSlot(slots, b_.getInt64(0), slots.width);
}

StatusOr<Values> EmitReduce(ValueEmitter& e, const Instruction* op, IndexId index, GuardId guard) {
  ReduceEmitter reduce(e, op, index, guard);
  return reduce.Emit();
}

}  // namespace swage::emit
