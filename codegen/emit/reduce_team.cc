// File: codegen/emit/reduce_team.cc
//
// Rows that the threads of a GPU reduce together, in the tree that docs/semantics.md defines: the
// lanes of a warp have two partials each of a chunk, which meet by shuffles; the warps of a team
// take chunks in turn and exchange their results in shared memory. The threads of a column's group
// have one partial each of a chunk, which meet in shared memory, and the groups take chunks in
// turn. Every thread that shares then knows the total.
#include <optional>
#include <vector>

#include "codegen/emit/reduce_emitter.h"
#include "codegen/emit/types.h"
#include "compiler/math/reduction_tree.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

namespace swage::emit {

using ir::Dim;

namespace {

// Partials of a thread, and how many of its elements it asks for at a time where they are cheap.
constexpr int kPartials = math::kMinorPartials / kWarp;
constexpr int kUnroll = 4;

}  // namespace

std::vector<llvm::Value*> ReduceEmitter::EmptyPartial() {
  std::vector<llvm::Value*> values;
  for (ir::DType dtype : combiner_.dtypes()) {
    values.push_back(combiner_.has_identity()
                         ? combiner_.identity(b_.getContext())
                         : llvm::Constant::getNullValue(LaneType(b_.getContext(), dtype)));
  }
  return values;
}

ReduceEmitter::Workers ReduceEmitter::WorkersOf(const Level& level) {
  ThreadGrid& grid = *e_.grid();
  if (level.by_team) {
    return {.chunk = int64_t{math::kPartialDepth} * math::kMinorPartials,
            .number = grid.Warp(),
            .count = grid.TeamWarps(),
            .tells = b_.CreateICmpEQ(grid.Lane(), b_.getInt64(0)),
            .first_slot = grid.FirstWarp(),
            .stride = b_.getInt64(1),
            .slots = kBlockWarps};
  }
  return {.chunk = int64_t{math::kPartialDepth} * math::kMajorPartials,
          .number = grid.Group(),
          .count = grid.Groups(),
          .tells = b_.CreateICmpEQ(grid.Share(), b_.getInt64(0)),
          .first_slot = grid.ThreadInTeam(),
          .stride = grid.TeamSize(),
          .slots = kBlockThreads / kColumnShares};
}

StatusOr<Values> ReduceEmitter::EmitChunkByWorker(size_t number, llvm::Value* lo, llvm::Value* hi) {
  return levels_[number].by_team ? EmitChunkByWarp(number, lo, hi)
                                 : EmitChunkByColumn(number, lo, hi);
}

StatusOr<Values> ReduceEmitter::EmitChunksByWorkers(size_t number) {
  const Level& level = levels_[number];
  const Workers workers = WorkersOf(level);
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * extent, e_.indices().DimValue(level.extent));
  if (std::optional<int64_t> known = level.extent.static_value();
      known && *known <= workers.chunk) {
    return EmitChunkByWorker(number, b_.getInt64(0), extent);
  }
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * chunks,
                         e_.indices().DimValue(ir::CeilDiv(level.extent, Dim(workers.chunk))));
  // Where one worker does it all, the others need not be told.
  llvm::Value* several = e_.nest().At(0, [&] {
    return b_.CreateICmpSGT(b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, chunks, workers.count),
                            b_.getInt64(1));
  });
  const Slots counter = NewSlots(64, 1);
  SharedValues shared(e_, combiner_.dtypes(), workers.slots);
  std::vector<llvm::Value*> last = EmptyPartial();
  SWAGE_RETURN_IF_ERROR(e_.nest().For(
      b_.getInt64(0), chunks, workers.count, &last,
      [&](llvm::Value* round, std::vector<llvm::Value*>* carried) -> Status {
        // Behind the last chunk there is an empty one, whose value nobody takes.
        llvm::Value* lo =
            b_.CreateMul(b_.CreateAdd(round, workers.number), b_.getInt64(workers.chunk));
        llvm::Value* hi = Smaller(b_, b_.CreateAdd(lo, b_.getInt64(workers.chunk)), extent);
        hi = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, lo, hi);
        SWAGE_ASSIGN_OR_RETURN(Values partial, EmitChunkByWorker(number, lo, hi));
        carried->assign(partial.begin(), partial.end());
        return e_.nest().IfCarried(several, carried, [&] {
          return ExchangeChunks(workers, counter, shared, round, chunks, carried);
        });
      }));
  SWAGE_RETURN_IF_ERROR(
      e_.nest().IfCarried(several, &last, [&] { return JoinChunks(counter, chunks, &last); }));
  return Values(last.begin(), last.end());
}

Status ReduceEmitter::ExchangeChunks(const Workers& workers, const Slots& counter,
                                     SharedValues& shared, llvm::Value* round, llvm::Value* chunks,
                                     std::vector<llvm::Value*>* carried) {
  ThreadGrid& grid = *e_.grid();
  const auto slot = [&](llvm::Value* worker) {
    return b_.CreateAdd(workers.first_slot, b_.CreateMul(worker, workers.stride));
  };
  const std::vector<llvm::Value*> own = *carried;
  SWAGE_RETURN_IF_ERROR(e_.nest().If(workers.tells, [&] {
    shared.Store(slot(workers.number), own);
    return OkStatus();
  }));
  SWAGE_RETURN_IF_ERROR(grid.Sync());
  llvm::Value* count = Smaller(b_, workers.count, b_.CreateSub(chunks, round));
  SWAGE_RETURN_IF_ERROR(
      e_.nest().For(b_.getInt64(0), count, 1, carried,
                    [&](llvm::Value* worker, std::vector<llvm::Value*>* values) -> Status {
                      const Values stored = shared.Load(slot(worker));
                      values->assign(stored.begin(), stored.end());
                      return Count(counter, b_.CreateAdd(round, worker), values);
                    }));
  return grid.Sync();
}

Status ReduceEmitter::AddElement(size_t number, llvm::Value* at, int partial, llvm::Value* first,
                                 std::vector<llvm::Value*>* partials) {
  return e_.nest().Scoped([&]() -> Status {
    e_.nest().current().threads_differ = true;
    e_.nest().current().lanes = {levels_[number].axis, 1, nullptr};
    e_.nest().Bind(levels_[number].axis, at);
    SWAGE_ASSIGN_OR_RETURN(const Values element, ElementAt(number));
    const int count = combiner_.count();
    llvm::Value** const own = partials->data() + static_cast<size_t>(partial) * count;
    SWAGE_ASSIGN_OR_RETURN(const Values joined,
                           combiner_.Combine(e_, Values(own, own + count), element));
    for (int i = 0; i < count; ++i) {
      own[i] = first == nullptr ? joined[i] : b_.CreateSelect(first, element[i], joined[i]);
    }
    return OkStatus();
  });
}

StatusOr<Values> ReduceEmitter::EmitChunkByWarp(size_t number, llvm::Value* lo, llvm::Value* hi) {
  const bool has_identity = combiner_.has_identity();
  std::vector<llvm::Value*> partials;
  for (int p = 0; p < kPartials; ++p) {
    const std::vector<llvm::Value*> partial = EmptyPartial();
    partials.insert(partials.end(), partial.begin(), partial.end());
  }
  llvm::Value* lane = e_.grid()->Lane();
  const int64_t row = math::kMinorPartials;
  const int unroll = IsLight() ? kUnroll : 1;
  llvm::Value* size = b_.CreateSub(hi, lo);
  llvm::Value* main_end = b_.CreateAdd(lo, b_.CreateAnd(size, b_.getInt64(-row * unroll)));
  const auto first_at = [&](llvm::Value* at) -> llvm::Value* {
    return has_identity ? nullptr : b_.CreateICmpEQ(at, lo);
  };
  SWAGE_RETURN_IF_ERROR(e_.nest().For(
      lo, main_end, row * unroll, &partials,
      [&](llvm::Value* base, std::vector<llvm::Value*>* now) -> Status {
        for (int u = 0; u < unroll; ++u) {
          for (int p = 0; p < kPartials; ++p) {
            llvm::Value* at =
                b_.CreateAdd(base, b_.CreateAdd(lane, b_.getInt64(u * row + p * kWarp)));
            llvm::Value* first = u == 0 ? first_at(base) : nullptr;
            SWAGE_RETURN_IF_ERROR(AddElement(number, at, p, first, now));
          }
        }
        return OkStatus();
      }));
  SWAGE_RETURN_IF_ERROR(e_.nest().For(
      main_end, hi, row, &partials,
      [&](llvm::Value* base, std::vector<llvm::Value*>* now) -> Status {
        for (int p = 0; p < kPartials; ++p) {
          llvm::Value* at = b_.CreateAdd(base, b_.CreateAdd(lane, b_.getInt64(p * kWarp)));
          llvm::Value* first = first_at(base);
          SWAGE_RETURN_IF_ERROR(e_.nest().IfCarried(b_.CreateICmpSLT(at, hi), now, [&] {
            return AddElement(number, at, p, first, now);
          }));
        }
        return OkStatus();
      }));
  llvm::Value* count = nullptr;  // partials that hold something
  if (!has_identity) {
    count = Smaller(b_, size, b_.getInt64(row));
  }
  return JoinWarp(partials, count);
}

StatusOr<Values> ReduceEmitter::JoinWarp(const std::vector<llvm::Value*>& partials,
                                         llvm::Value* count) {
  llvm::Value* lane = e_.grid()->Lane();
  const auto exists = [&](int distance) -> llvm::Value* {
    if (count == nullptr) return nullptr;
    return b_.CreateICmpSLT(b_.CreateAdd(lane, b_.getInt64(distance)), count);
  };
  const auto part = [&](int p) {
    const auto begin = partials.begin() + static_cast<std::ptrdiff_t>(p) * combiner_.count();
    return Values(begin, begin + combiner_.count());
  };
  static_assert(kPartials == 2);
  SWAGE_ASSIGN_OR_RETURN(Values joined, combiner_.CombineIf(e_, exists(kWarp), part(0), part(1)));
  for (int distance = kWarp / 2; distance >= 1; distance /= 2) {
    Values behind;
    for (llvm::Value* value : joined) {
      behind.push_back(e_.grid()->ShuffleDown(value, distance));
    }
    SWAGE_ASSIGN_OR_RETURN(joined, combiner_.CombineIf(e_, exists(distance), joined, behind));
  }
  for (llvm::Value*& value : joined) value = e_.grid()->FromFirst(value);
  return joined;
}

StatusOr<Values> ReduceEmitter::EmitChunkByColumn(size_t number, llvm::Value* lo, llvm::Value* hi) {
  static_assert(kColumnShares == math::kMajorPartials);
  const bool has_identity = combiner_.has_identity();
  std::vector<llvm::Value*> partial = EmptyPartial();
  llvm::Value* share = e_.grid()->Share();
  llvm::Value* begin = b_.CreateAdd(lo, share);
  const int unroll = IsLight() ? kUnroll : 1;
  const int64_t rows = int64_t{kColumnShares} * unroll;
  llvm::Value* size = b_.CreateSub(hi, lo);
  llvm::Value* main_end = b_.CreateAdd(lo, b_.CreateAnd(size, b_.getInt64(-rows)));
  const auto add = [&](llvm::Value* at, bool may_be_first, std::vector<llvm::Value*>* now) {
    llvm::Value* first = may_be_first && !has_identity ? b_.CreateICmpEQ(at, begin) : nullptr;
    return AddElement(number, at, 0, first, now);
  };
  SWAGE_RETURN_IF_ERROR(
      e_.nest().For(lo, main_end, rows, &partial,
                    [&](llvm::Value* base, std::vector<llvm::Value*>* now) -> Status {
                      llvm::Value* at = b_.CreateAdd(base, share);
                      for (int u = 0; u < unroll; ++u) {
                        llvm::Value* here = b_.CreateAdd(at, b_.getInt64(u * kColumnShares));
                        SWAGE_RETURN_IF_ERROR(add(here, u == 0, now));
                      }
                      return OkStatus();
                    }));
  SWAGE_RETURN_IF_ERROR(e_.nest().For(
      b_.CreateAdd(main_end, share), hi, kColumnShares, &partial,
      [&](llvm::Value* at, std::vector<llvm::Value*>* now) { return add(at, true, now); }));
  return JoinColumn(
      e_, combiner_.dtypes(), partial, [&](const Values& earlier, const Values& later, int number) {
        llvm::Value* exists = has_identity ? nullptr : b_.CreateICmpSGT(size, b_.getInt64(number));
        return combiner_.CombineIf(e_, exists, earlier, later);
      });
}

}  // namespace swage::emit
