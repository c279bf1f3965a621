#include "codegen/emit/schedules/tile_loader.h"

#include <algorithm>

#include "codegen/emit/schedules/threads.h"
#include "codegen/emit/types.h"

namespace swage::emit {

using ir::Dim;

TileLoader::TileLoader(ValueEmitter& e, const ir::Instruction* dot, int operand,
                       const BlockTile& tile)
    : e_(e),
      b_(e.b()),
      dot_(dot),
      operand_(operand),
      tile_(tile),
      value_(dot->operand(operand)),
      width_(tile.side_width()),
      vectors_(tile.free(operand) * tile.depth / kBlockThreads / tile.side_width()),
      threads_(kBlockThreads / tile.free(operand)),
      step_(threads_ * width_) {
  by_vectors_ = NewSplit();
  if (!HasVectorsAlong(/*k=*/false)) by_k_ = HasVectorsAlong(/*k=*/true);
  by_elements_ = by_k_ ? by_vectors_ : NewSplit();
}

TileLoader::Split TileLoader::NewSplit() {
  Split split;
  split.axes = MakeDotAxes(e_.arena(), dot_);
  split.free_axis = operand_ == 0 ? split.axes.row : split.axes.column;
  split.index = operand_ == 0 ? split.axes.sides.lhs : split.axes.sides.rhs;
  return split;
}

bool TileLoader::HasVectorsAlong(bool k) {
  const AxisId axis = k ? by_vectors_.axes.k : by_vectors_.free_axis;
  const std::optional<DirectSide> direct = DirectSideOf(e_.arena(), value_, by_vectors_.index);
  if (!direct || width_ * ir::DTypeBytes(value_->shape().dtype()) > kGpuBufferAlignment) {
    return false;
  }
  // What is the same for every k would be loaded where the free axis is bound, before it is asked
  // whether vectors are aligned.
  const AxisSet& axes = e_.arena().AxesOfExpr(direct->offset);
  if (!k && std::find(axes.begin(), axes.end(), by_vectors_.axes.k) == axes.end()) return false;
  VectorCheck check(e_.arena(), axis, width_);
  if (!check.Add(direct->offset) || !check.NeedMultiple(e_.arena().extent(axis))) return false;
  multiples_ = check.Take();
  return true;
}

void TileLoader::Bind(const Split& split, llvm::Value* batch, llvm::Value* begin, int width) {
  // A vector is inside as a whole or not at all.
  llvm::Value* last = Plus(free_extent_, -width);
  e_.nest().current().lanes = {width > 1 ? split.free_axis : AxisId{-1}, width, nullptr};
  e_.nest().Bind(split.axes.batch, batch);
  e_.nest().Bind(split.free_axis, Smaller(b_, b_.CreateAdd(begin, split.free), last));
}

Status TileLoader::Within(llvm::Value* batch, llvm::Value* begin, LoopNest::Body body) {
  const DotDims dims = DimsOf(*dot_);
  SWAGE_ASSIGN_OR_RETURN(free_extent_,
                         e_.indices().DimValue(Product(operand_ == 0 ? dims.rows : dims.columns)));
  SWAGE_ASSIGN_OR_RETURN(depth_, e_.indices().DimValue(Product(dims.contracting)));
  aligned_ = b_.getFalse();
  if (multiples_) {
    SWAGE_ASSIGN_OR_RETURN(aligned_, EmitAreMultiples(*multiples_, width_, e_));
  }
  const auto divide = [&](Split& split, int by, int scale, bool rest_is_free) {
    llvm::Value* thread = e_.grid()->ThreadInBlock();
    llvm::Value* rest = b_.CreateMul(b_.CreateAnd(thread, by - 1), b_.getInt64(scale));
    llvm::Value* quotient = b_.CreateUDiv(thread, b_.getInt64(by));
    split.free = rest_is_free ? rest : quotient;
    split.k = rest_is_free ? quotient : rest;
  };
  if (by_k_) {
    divide(by_vectors_, threads_, width_, /*rest_is_free=*/false);
    by_elements_ = by_vectors_;
    return e_.nest().Scoped([&] {
      Bind(by_vectors_, batch, begin, 1);
      return body();
    });
  }
  const int free = tile_.free(operand_);
  divide(by_elements_, free, 1, /*rest_is_free=*/true);
  return e_.nest().Scoped([&] {
    Bind(by_elements_, batch, begin, 1);
    if (!multiples_) return body();
    divide(by_vectors_, free / width_, width_, /*rest_is_free=*/true);
    return e_.nest().Scoped([&] {
      Bind(by_vectors_, batch, begin, width_);
      return body();
    });
  });
}

StatusOr<llvm::Value*> TileLoader::At(const Split& split, AxisId lane_axis, llvm::Value* k,
                                      int width) {
  llvm::Value* value = nullptr;
  SWAGE_RETURN_IF_ERROR(e_.nest().Scoped([&]() -> Status {
    e_.nest().current().lanes = {lane_axis, width, nullptr};
    e_.nest().Bind(split.axes.k, k);
    SWAGE_ASSIGN_OR_RETURN(value, e_.Value(value_, split.index));
    return OkStatus();
  }));
  return Splat(b_, value, width);
}

StatusOr<std::vector<llvm::Value*>> TileLoader::FetchVectors(llvm::Value* k0) {
  std::vector<llvm::Value*> fetched;
  const Split& split = by_vectors_;
  llvm::Value* first = b_.CreateAdd(k0, split.k);
  llvm::Value* last = Plus(depth_, by_k_ ? -width_ : -1);
  for (int v = 0; v < vectors_; ++v) {
    llvm::Value* k = Smaller(b_, Plus(first, int64_t{v} * step_), last);
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * value,
                           At(split, by_k_ ? split.axes.k : split.free_axis, k, width_));
    fetched.push_back(value);
  }
  return fetched;
}

StatusOr<std::vector<llvm::Value*>> TileLoader::FetchElements(llvm::Value* k0) {
  std::vector<llvm::Value*> fetched = Nothing();
  const Split& split = by_elements_;
  llvm::Value* first = b_.CreateAdd(k0, split.k);
  llvm::Value* last = Plus(depth_, -1);
  for (int v = 0; v < vectors_; ++v) {
    for (int i = 0; i < width_; ++i) {
      llvm::Value* k = Smaller(b_, Plus(first, ElementOf(v, i)), last);
      SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, At(split, AxisId{-1}, k, 1));
      llvm::Value*& vector = fetched[static_cast<size_t>(v)];
      vector = b_.CreateInsertElement(vector, value, i);
    }
  }
  return fetched;
}

StatusOr<std::vector<llvm::Value*>> TileLoader::Fetch(llvm::Value* k0) {
  std::vector<llvm::Value*> fetched;
  SWAGE_RETURN_IF_ERROR(e_.nest().IfElse(
      aligned_, &fetched,
      [&]() -> Status {
        SWAGE_ASSIGN_OR_RETURN(fetched, FetchVectors(k0));
        return OkStatus();
      },
      [&]() -> Status {
        SWAGE_ASSIGN_OR_RETURN(fetched, FetchElements(k0));
        return OkStatus();
      }));
  return fetched;
}

std::vector<llvm::Value*> TileLoader::Nothing() {
  llvm::Type* type = VectorOf(LaneType(b_.getContext(), value_->shape().dtype()), width_);
  return std::vector<llvm::Value*>(static_cast<size_t>(vectors_),
                                   llvm::Constant::getNullValue(type));
}

llvm::Value* TileLoader::IsBefore(int vector, llvm::Value* rest) {
  // Places of the elements along k, as i32.
  llvm::Type* i32 = b_.getInt32Ty();
  const auto splat = [&](llvm::Value* value) {
    return Splat(b_, b_.CreateTrunc(value, i32), width_);
  };
  llvm::Value* lanes = e_.nest().LaneNumbers(width_, 32);
  llvm::Value* k = splat(Plus(by_elements_.k, int64_t{vector} * step_));
  if (by_k_) {
    k = b_.CreateAdd(k, lanes);
  } else {
    llvm::Value* step = Splat(b_, b_.getInt32(static_cast<uint32_t>(threads_)), width_);
    k = b_.CreateAdd(k, b_.CreateMul(lanes, step));
    if (multiples_) {
      llvm::Value* same = splat(Plus(by_vectors_.k, int64_t{vector} * step_));
      k = b_.CreateSelect(aligned_, same, k);
    }
  }
  return b_.CreateICmpSLT(k, splat(rest));
}

llvm::Value* TileLoader::ToSide(llvm::Value* value) {
  llvm::Type* type = VectorOf(SideType(b_.getContext(), tile_), width_);
  return value->getType() == type ? value : b_.CreateZExt(value, type);
}

Status TileLoader::Put(std::vector<llvm::Value*> fetched, llvm::Value* k0, llvm::Value* to) {
  for (llvm::Value*& value : fetched) {
    SWAGE_ASSIGN_OR_RETURN(value, e_.Convert(value_->shape().dtype(), tile_.side, value));
    value = ToSide(value);
  }
  llvm::Value* rest = b_.CreateSub(depth_, k0);
  llvm::Value* is_last = b_.CreateICmpSLT(rest, b_.getInt64(tile_.depth));
  SWAGE_RETURN_IF_ERROR(e_.nest().IfCarried(is_last, &fetched, [&] {
    for (int v = 0; v < vectors_; ++v) {
      llvm::Value*& value = fetched[static_cast<size_t>(v)];
      value =
          b_.CreateSelect(IsBefore(v, rest), value, llvm::Constant::getNullValue(value->getType()));
    }
    return OkStatus();
  }));
  const auto put = [&](bool vectors) {
    if (vectors && !by_k_) {
      PutVectors(fetched, to);
    } else {
      PutElements(fetched, to);
    }
    return OkStatus();
  };
  // By k both ways are the same, but without the branch NVIDIA's assembler spills in tiles of f32.
  std::vector<llvm::Value*> none;
  return e_.nest().IfElse(
      aligned_, &none, [&] { return put(true); }, [&] { return put(false); });
}

void TileLoader::PutVectors(const std::vector<llvm::Value*>& values, llvm::Value* to) {
  llvm::Type* type = SideType(b_.getContext(), tile_);
  const int pitch = tile_.pitch(operand_, by_k_);
  llvm::Value* mine =
      b_.CreateAdd(b_.CreateMul(by_vectors_.k, b_.getInt64(pitch)), by_vectors_.free);
  mine = b_.CreateGEP(type, to, mine);
  for (int v = 0; v < vectors_; ++v) {
    b_.CreateAlignedStore(values[static_cast<size_t>(v)],
                          b_.CreateConstGEP1_64(type, mine, int64_t{v} * step_ * pitch),
                          llvm::Align(16));
  }
}

void TileLoader::PutElements(const std::vector<llvm::Value*>& values, llvm::Value* to) {
  llvm::Type* type = SideType(b_.getContext(), tile_);
  const int pitch = tile_.pitch(operand_, by_k_);
  const Split& split = by_elements_;
  const bool lines_along_k = by_k_ && tile_.has_mma;
  llvm::Value* line = lines_along_k ? split.free : split.k;
  llvm::Value* rest = lines_along_k ? split.k : split.free;
  llvm::Value* mine =
      b_.CreateGEP(type, to, b_.CreateAdd(b_.CreateMul(line, b_.getInt64(pitch)), rest));
  for (int v = 0; v < vectors_; ++v) {
    llvm::Value* value = values[static_cast<size_t>(v)];
    if (lines_along_k) {
      b_.CreateAlignedStore(value, b_.CreateConstGEP1_64(type, mine, int64_t{v} * step_),
                            llvm::Align(16));
      continue;
    }
    for (int i = 0; i < width_; ++i) {
      b_.CreateStore(b_.CreateExtractElement(value, static_cast<uint64_t>(i)),
                     b_.CreateConstGEP1_64(type, mine, int64_t{ElementOf(v, i)} * pitch));
    }
  }
}

}  // namespace swage::emit
