// File: codegen/emit/reduce_value.cc
//
// A reduce as loops, in the one tree that docs/semantics.md defines. Each reduced dimension is a
// level, the minor one innermost. A level keeps its partials in a small array on the stack; when
// the level is the minor dimension and the result is the same for all lanes, the lanes run along
// it.
#include <algorithm>
#include <vector>

#include "codegen/emit/combiner.h"
#include "codegen/emit/types.h"
#include "codegen/emit/value_emitter.h"
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

class ReduceEmitter {
 public:
  ReduceEmitter(ValueEmitter& e, const Instruction* op, IndexId index, GuardId guard)
      : e_(e), b_(e.b()), op_(op), index_(index), guard_(guard), combiner_(op) {}

  StatusOr<Values> Emit();

 private:
  struct Level {
    int dimension;
    AxisId axis;
    Dim extent;
    int partials;      // a power of two
    bool along_lanes;  // the lanes run along this dimension
  };
  // An array of values in memory, one slot per partial.
  struct Slots {
    std::vector<llvm::Value*> arrays;  // one per value of the combiner
    int width;                         // lanes per slot
  };

  Slots NewSlots(int count, int width);
  // `width` lanes from slot `index` on (of slots of one lane), or the slot's own lanes.
  Values LoadSlot(const Slots& slots, llvm::Value* index, int width);
  void StoreSlot(const Slots& slots, llvm::Value* index, const Values& values);

  StatusOr<Values> EmitLevel(size_t level);
  StatusOr<Values> EmitChunk(size_t level, llvm::Value* lo, llvm::Value* hi);
  StatusOr<Values> EmitChunkInRegisters(size_t level, llvm::Value* lo, llvm::Value* hi);
  bool IsLight() const;
  StatusOr<llvm::Value*> TailVector(size_t level, llvm::Value* lo, llvm::Value* hi);
  Status Accumulate(size_t level, const Slots& slots, llvm::Value* lo, llvm::Value* at);
  StatusOr<Values> ElementAt(size_t level);
  // The partials in registers, rotated, after this many elements.
  StatusOr<Values> JoinRotated(const std::vector<llvm::Value*>& partials, llvm::Value* elements);
  // The partials of the vectors, in order; `count` of them exist (null: all).
  StatusOr<Values> JoinVectors(std::vector<Values> vectors, int partials, llvm::Value* count);
  StatusOr<Values> JoinSlots(const Slots& slots, int partials, llvm::Value* count);
  Status Count(const Slots& counter, llvm::Value* chunk, std::vector<llvm::Value*>* carried);
  Status JoinChunks(const Slots& slots, llvm::Value* chunks, std::vector<llvm::Value*>* carried);
  StatusOr<Values> WithInit(const Values& total);

  ValueEmitter& e_;
  llvm::IRBuilder<>& b_;
  const Instruction* op_;
  IndexId index_;
  GuardId guard_;
  Combiner combiner_;
  std::vector<Level> levels_;  // outermost first
  IndexId element_index_ = 0;
  int lane_width_ = 1;  // lanes of the surrounding loop that the result differs in
};

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
    level.along_lanes = minor && !uses_lanes && e_.width() > 1;
    element[d] = e_.arena().Axis(level.axis);
    levels_.push_back(level);
  }
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
        llvm::Value* hi = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                                   b_.CreateAdd(lo, b_.getInt64(chunk)), extent);
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
  if (level.along_lanes && combiner_.has_identity() &&
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
    count = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.CreateSub(hi, lo),
                                     b_.getInt64(level.partials));
  }
  if (!level.along_lanes) return JoinSlots(slots, level.partials, count);
  std::vector<Values> vectors;
  for (int p = 0; p < level.partials; p += e_.width()) {
    vectors.push_back(LoadSlot(slots, b_.getInt64(p), e_.width()));
  }
  return JoinVectors(std::move(vectors), level.partials, count);
}

// The partials as vectors in registers, for a combiner that is commutative and has an identity.
// Each step adds to the first vector and then moves it behind the others: the loop has one body.
// That the vectors end up rotated changes nothing, since the join pairs vector v with v + half,
// whichever of the two comes first.
StatusOr<Values> ReduceEmitter::EmitChunkInRegisters(size_t number, llvm::Value* lo,
                                                     llvm::Value* hi) {
  const Level level = levels_[number];
  const int width = e_.width();
  llvm::Value* identity = combiner_.identity(b_.getContext());
  std::vector<llvm::Value*> partials(level.partials / width, Splat(b_, identity, width));
  const auto add = [&](std::vector<llvm::Value*>* into, llvm::Value* element) -> Status {
    SWAGE_ASSIGN_OR_RETURN(Values joined,
                           combiner_.Combine(e_, {into->front()}, {Splat(b_, element, width)}));
    into->front() = joined[0];
    return OkStatus();
  };
  llvm::Value* size = b_.CreateSub(hi, lo);
  llvm::Value* main_begin = lo;
  if (IsLight()) {
    // Whole rows of partials: a body for each, and nothing to rotate.
    llvm::Value* rows = b_.CreateAnd(size, b_.getInt64(-int64_t{level.partials}));
    main_begin = b_.CreateAdd(lo, rows);
    SWAGE_RETURN_IF_ERROR(
        e_.nest().For(lo, main_begin, level.partials, &partials,
                      [&](llvm::Value* at, std::vector<llvm::Value*>* now) -> Status {
                        for (size_t v = 0; v < now->size(); ++v) {
                          SWAGE_RETURN_IF_ERROR(e_.nest().Scoped([&]() -> Status {
                            e_.nest().current().lanes = {level.axis, width, nullptr};
                            e_.nest().Bind(level.axis, b_.CreateAdd(at, b_.getInt64(v * width)));
                            SWAGE_ASSIGN_OR_RETURN(Values element, ElementAt(number));
                            SWAGE_RETURN_IF_ERROR(add(now, element[0]));
                            std::rotate(now->begin(), now->begin() + 1, now->end());
                            return OkStatus();
                          }));
                        }
                        return OkStatus();
                      }));
  }
  llvm::Value* full = b_.CreateAnd(size, b_.getInt64(-int64_t{width}));
  llvm::Value* main_end = b_.CreateAdd(lo, full);
  SWAGE_RETURN_IF_ERROR(
      e_.nest().For(main_begin, main_end, width, &partials,
                    [&](llvm::Value* at, std::vector<llvm::Value*>* now) -> Status {
                      e_.nest().current().lanes = {level.axis, width, nullptr};
                      e_.nest().Bind(level.axis, at);
                      SWAGE_ASSIGN_OR_RETURN(Values element, ElementAt(number));
                      SWAGE_RETURN_IF_ERROR(add(now, element[0]));
                      std::rotate(now->begin(), now->begin() + 1, now->end());
                      return OkStatus();
                    }));
  SWAGE_RETURN_IF_ERROR(
      e_.nest().IfCarried(b_.CreateICmpSLT(main_end, hi), &partials, [&]() -> Status {
        SWAGE_ASSIGN_OR_RETURN(llvm::Value * element, TailVector(number, main_end, hi));
        return add(&partials, element);
      }));
  return JoinRotated(partials, size);
}

StatusOr<Values> ReduceEmitter::JoinRotated(const std::vector<llvm::Value*>& partials,
                                            llvm::Value* elements) {
  const int count = static_cast<int>(partials.size()), width = e_.width();
  const auto join = [&](int vectors) -> StatusOr<llvm::Value*> {
    std::vector<llvm::Value*> v = partials;
    for (; vectors > 1; vectors /= 2) {
      for (int i = 0; i < vectors / 2; ++i) {
        SWAGE_ASSIGN_OR_RETURN(Values joined, combiner_.Combine(e_, {v[i]}, {v[i + vectors / 2]}));
        v[i] = joined[0];
      }
    }
    return v[0];
  };
  if (count < 4) {
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * all, join(count));
    return JoinVectors({{all}}, width, nullptr);
  }
  // A short row has filled two vectors at most, and those are: the one that was rotated last, and
  // the first, which holds the tail, or the last but one when both are full.
  llvm::Value* both_full = b_.CreateICmpEQ(elements, b_.getInt64(2 * int64_t{width}));
  llvm::Value* other = b_.CreateSelect(both_full, partials[count - 2], partials[0]);
  SWAGE_ASSIGN_OR_RETURN(Values pair, combiner_.Combine(e_, {partials[count - 1]}, {other}));
  std::vector<llvm::Value*> joined{pair[0]};
  SWAGE_RETURN_IF_ERROR(e_.nest().IfCarried(
      b_.CreateICmpSGT(elements, b_.getInt64(2 * int64_t{width})), &joined, [&]() -> Status {
        SWAGE_ASSIGN_OR_RETURN(joined[0], join(count));
        return OkStatus();
      }));
  return JoinVectors({{joined[0]}}, width, nullptr);
}

// Whether an element costs so little that the loop around it would cost as much.
bool ReduceEmitter::IsLight() const {
  if (levels_.size() != 1 || guard_ != kAlways) return false;
  constexpr size_t kMaxOps = 5;
  std::vector<const Instruction*> ops{op_->operand(0)};
  for (size_t i = 0; i < ops.size(); ++i) {
    if (ops.size() > kMaxOps) return false;
    if (ops[i]->opcode() == ir::Opcode::kParameter || ops[i]->shape().rank() == 0) continue;
    if (ops[i]->opcode() == ir::Opcode::kBroadcast) continue;
    const ir::CostClass cost = ir::InfoOf(ops[i]->opcode()).cost;
    if (!ir::IsElementwise(ops[i]->opcode()) || cost != ir::CostClass::kCheap) return false;
    for (const Instruction* operand : ops[i]->operands()) ops.push_back(operand);
  }
  return true;
}

// The elements [lo, hi), less than a vector, with the identity in the other lanes.
StatusOr<llvm::Value*> ReduceEmitter::TailVector(size_t number, llvm::Value* lo, llvm::Value* hi) {
  const Level level = levels_[number];
  const int width = e_.width();
  llvm::Value* identity = Splat(b_, combiner_.identity(b_.getContext()), width);
  if (e_.options().masked_tails) {
    llvm::Value* tail = nullptr;
    SWAGE_RETURN_IF_ERROR(e_.nest().Scoped([&]() -> Status {
      SWAGE_ASSIGN_OR_RETURN(llvm::Value * extent, e_.indices().DimValue(level.extent));
      const Lanes lanes = e_.nest().MaskedLanes(level.axis, extent, width);
      e_.nest().current().lanes = lanes;
      e_.nest().Bind(level.axis, lo);
      SWAGE_ASSIGN_OR_RETURN(Values element, ElementAt(number));
      tail = b_.CreateSelect(lanes.mask, Splat(b_, element[0], width), identity);
      return OkStatus();
    }));
    return tail;
  }
  const Slots slots = NewSlots(width, 1);
  StoreSlot(slots, b_.getInt64(0), {identity});
  SWAGE_RETURN_IF_ERROR(
      e_.nest().For(lo, hi, 1, nullptr, [&](llvm::Value* at, std::vector<llvm::Value*>*) -> Status {
        e_.nest().current().lanes = {level.axis, 1, nullptr};
        e_.nest().Bind(level.axis, at);
        SWAGE_ASSIGN_OR_RETURN(Values element, ElementAt(number));
        StoreSlot(slots, b_.CreateSub(at, lo), element);
        return OkStatus();
      }));
  return LoadSlot(slots, b_.getInt64(0), width)[0];
}

StatusOr<Values> ReduceEmitter::JoinVectors(std::vector<Values> vectors, int partials,
                                            llvm::Value* count) {
  const int width = e_.width();
  // Whether partial (base + lane) + distance exists, per lane.
  const auto exists = [&](int base, int distance, int lanes) -> llvm::Value* {
    if (count == nullptr) return nullptr;
    llvm::Value* left = b_.CreateSub(count, b_.getInt64(base + distance));
    if (lanes == 1) return b_.CreateICmpSGT(left, b_.getInt64(0));
    return b_.CreateICmpSLT(e_.nest().LaneNumbers(lanes, 64), Splat(b_, left, lanes));
  };
  int distance = partials / 2;
  for (; distance >= width; distance /= 2) {
    for (int v = 0; v < distance / width; ++v) {
      SWAGE_ASSIGN_OR_RETURN(vectors[v],
                             combiner_.CombineIf(e_, exists(v * width, distance, width), vectors[v],
                                                 vectors[v + distance / width]));
    }
  }
  Values joined = vectors[0];
  for (; distance >= 1; distance /= 2) {
    Values low, high;
    for (llvm::Value* value : joined) {
      if (distance == 1) {
        low.push_back(b_.CreateExtractElement(value, uint64_t{0}));
        high.push_back(b_.CreateExtractElement(value, uint64_t{1}));
        continue;
      }
      std::vector<int> first, second;
      for (int i = 0; i < distance; ++i) {
        first.push_back(i);
        second.push_back(distance + i);
      }
      low.push_back(b_.CreateShuffleVector(value, first));
      high.push_back(b_.CreateShuffleVector(value, second));
    }
    SWAGE_ASSIGN_OR_RETURN(joined,
                           combiner_.CombineIf(e_, exists(0, distance, distance), low, high));
  }
  return joined;
}

StatusOr<Values> ReduceEmitter::JoinSlots(const Slots& slots, int partials, llvm::Value* count) {
  if (count == nullptr) count = b_.getInt64(partials);
  for (int distance = partials / 2; distance >= 1; distance /= 2) {
    // Pairs (i, i + distance) whose second part exists.
    llvm::Value* pairs = b_.CreateBinaryIntrinsic(
        llvm::Intrinsic::smin, b_.CreateSub(count, b_.getInt64(distance)), b_.getInt64(distance));
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

}  // namespace

StatusOr<Values> EmitReduce(ValueEmitter& e, const Instruction* op, IndexId index, GuardId guard) {
  ReduceEmitter reduce(e, op, index, guard);
  return reduce.Emit();
}

}  // namespace swage::emit
