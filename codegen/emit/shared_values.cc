#include "codegen/emit/shared_values.h"

#include "codegen/emit/types.h"

namespace swage::emit {

SharedValues::SharedValues(ValueEmitter& e, absl::Span<const ir::DType> dtypes, int64_t slots)
    : b_(e.b()), dtypes_(dtypes.begin(), dtypes.end()) {
  for (ir::DType dtype : dtypes_) {
    arrays_.push_back(e.grid()->Shared(StoredType(b_.getContext(), dtype), slots));
  }
}

void SharedValues::Store(llvm::Value* slot, absl::Span<llvm::Value* const> values) {
  for (size_t i = 0; i < dtypes_.size(); ++i) {
    llvm::Type* type = StoredType(b_.getContext(), dtypes_[i]);
    b_.CreateStore(ToStored(b_, dtypes_[i], values[i]), b_.CreateGEP(type, arrays_[i], slot));
  }
}

Values SharedValues::Load(llvm::Value* slot) {
  Values values;
  for (size_t i = 0; i < dtypes_.size(); ++i) {
    llvm::Type* type = StoredType(b_.getContext(), dtypes_[i]);
    llvm::Value* stored = b_.CreateLoad(type, b_.CreateGEP(type, arrays_[i], slot));
    values.push_back(FromStored(b_, dtypes_[i], stored));
  }
  return values;
}

StatusOr<Values> JoinColumn(ValueEmitter& e, absl::Span<const ir::DType> dtypes,
                            absl::Span<llvm::Value* const> own, JoinParts join) {
  llvm::IRBuilder<>& b = e.b();
  ThreadGrid& grid = *e.grid();
  SharedValues shared(e, dtypes, kBlockThreads);
  llvm::Value* first = b.CreateMul(grid.Group(), b.getInt64(kColumnShares));
  const auto slot = [&](llvm::Value* share) {
    llvm::Value* line = b.CreateAdd(first, share);
    return b.CreateAdd(b.CreateMul(line, grid.TeamSize()), grid.ThreadInTeam());
  };
  shared.Store(slot(grid.Share()), own);
  SWAGE_RETURN_IF_ERROR(grid.Sync());
  std::vector<Values> parts;
  for (int p = 0; p < kColumnShares; ++p) parts.push_back(shared.Load(slot(b.getInt64(p))));
  // What comes next may write there again.
  SWAGE_RETURN_IF_ERROR(grid.Sync());
  for (int half = kColumnShares / 2; half >= 1; half /= 2) {
    for (int p = 0; p < half; ++p) {
      SWAGE_ASSIGN_OR_RETURN(parts[p], join(parts[p], parts[p + half], p + half));
    }
  }
  return parts[0];
}

}  // namespace swage::emit
