// File: codegen/emit/reduce_registers.cc
//
// Rows that are reduced along the lanes, their partials in registers: with loops, or, if they are
// short, without.
#include <algorithm>
#include <vector>

#include "codegen/emit/reduce_emitter.h"
#include "codegen/emit/types.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

namespace swage::emit {

using ir::Instruction;

namespace {

// Vectors of the longest row that is reduced without a loop.
constexpr int kMaxShortVectors = 4;

}  // namespace

int ReduceEmitter::ShortVectors(const Level& level) const {
  const bool can = level.along_lanes && e_.options().masked_tails && combiner_.has_identity() &&
                   !level.extent.is_static() && level.partials >= 2 * e_.width() && IsLight();
  return can ? std::min(kMaxShortVectors, level.partials / e_.width()) : 0;
}

StatusOr<Values> ReduceEmitter::IfFits(size_t number, int vectors, Emitted yes, Emitted no) {
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * extent, e_.indices().DimValue(levels_[number].extent));
  llvm::Value* is_longer = e_.nest().At(
      0, [&] { return b_.CreateICmpSGT(extent, b_.getInt64(int64_t{vectors} * e_.width())); });
  std::vector<llvm::Value*> total{nullptr};
  const auto take = [&](Emitted emit) -> Status {
    SWAGE_ASSIGN_OR_RETURN(const Values joined, emit());
    total[0] = joined[0];
    return OkStatus();
  };
  SWAGE_RETURN_IF_ERROR(e_.nest().IfElse(
      is_longer, &total, [&] { return take(no); }, [&] { return take(yes); }));
  return Values{total[0]};
}

// A short row: in `count` vectors if they hold it, else in twice as many.
StatusOr<Values> ReduceEmitter::EmitShortBySize(size_t number, int count) {
  if (count == ShortVectors(levels_[number])) return EmitShort(number, count);
  return IfFits(
      number, count, [&] { return EmitShort(number, count); },
      [&] { return EmitShortBySize(number, 2 * count); });
}

// A row of at most `count` vectors, all under masks, and no loop. The partials that it leaves out
// would be identities.
StatusOr<Values> ReduceEmitter::EmitShort(size_t number, int count) {
  const Level level = levels_[number];
  const int64_t width = e_.width();
  llvm::Value* identity = Splat(b_, combiner_.identity(b_.getContext()), e_.width());
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * extent, e_.indices().DimValue(level.extent));
  std::vector<llvm::Value*> partials;
  for (int64_t v = 0; v < count; ++v) {
    SWAGE_RETURN_IF_ERROR(e_.nest().Scoped([&]() -> Status {
      const auto left = [&] {
        llvm::Value* behind = b_.CreateSub(extent, b_.getInt64(v * width));
        behind = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, behind, b_.getInt64(0));
        return Smaller(b_, behind, b_.getInt64(width));
      };
      const Lanes lanes = e_.nest().LeadingLanes(level.axis, e_.nest().At(0, left), e_.width());
      e_.nest().current().lanes = lanes;
      e_.nest().Bind(level.axis, b_.getInt64(v * width));
      SWAGE_ASSIGN_OR_RETURN(const Values element, ElementAt(number));
      llvm::Value* masked =
          b_.CreateSelect(lanes.mask, Splat(b_, element[0], e_.width()), identity);
      SWAGE_ASSIGN_OR_RETURN(const Values partial, combiner_.Combine(e_, {identity}, {masked}));
      partials.push_back(partial[0]);
      return OkStatus();
    }));
  }
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * all, JoinHalves(partials));
  return JoinVectors({{all}}, e_.width(), nullptr);
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
  if (width == 1) return JoinRotated(partials, nullptr);
  SWAGE_RETURN_IF_ERROR(
      e_.nest().IfCarried(b_.CreateICmpSLT(main_end, hi), &partials, [&]() -> Status {
        SWAGE_ASSIGN_OR_RETURN(llvm::Value * element, TailVector(number, main_end, hi));
        return add(&partials, element);
      }));
  return JoinRotated(partials, ShortVectors(level) > 0 ? nullptr : size);
}

// The sum of all vectors, pairing each with the one half of them behind it.
StatusOr<llvm::Value*> ReduceEmitter::JoinHalves(std::vector<llvm::Value*> v) {
  for (size_t half = v.size() / 2; half >= 1; half /= 2) {
    for (size_t i = 0; i < half; ++i) {
      SWAGE_ASSIGN_OR_RETURN(const Values joined, combiner_.Combine(e_, {v[i]}, {v[i + half]}));
      v[i] = joined[0];
    }
  }
  return v[0];
}

StatusOr<Values> ReduceEmitter::JoinRotated(const std::vector<llvm::Value*>& partials,
                                            llvm::Value* elements) {
  const int count = static_cast<int>(partials.size()), width = e_.width();
  if (count < 4 || elements == nullptr) {
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * all, JoinHalves(partials));
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
        SWAGE_ASSIGN_OR_RETURN(joined[0], JoinHalves(partials));
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

}  // namespace swage::emit
