// File: codegen/emit/schedules/dot_tile.cc
#include "codegen/emit/schedules/dot_tile.h"

#include "codegen/emit/dot_arithmetic.h"
#include "codegen/emit/types.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace swage::emit {

using ir::DType;

std::vector<int> TileShape::Bodies() const {
  if (rows == 1) return {1};
  if (rows > 6) return {rows, 4, 1};
  return {rows, 2, 1};
}

TileShape TileFor(const ir::Instruction& dot, bool one_row, const EmitOptions& options) {
  TileShape shape;
  shape.acc = AccumulatorOf(dot);
  shape.lanes = options.vector_bytes / ir::DTypeBytes(shape.acc);
  // All but three of the vector registers hold sums.
  shape.rows = options.vector_bytes == 64 ? 14 : 6;
  if (one_row) {
    shape.vectors = options.vector_bytes == 64 ? 16 : 8;
    shape.rows = 1;
  }
  shape.bf16_pairs = options.has_avx512bf16 && shape.acc == DType::kF32 &&
                     dot.operand(0)->shape().dtype() == DType::kBF16 &&
                     dot.operand(1)->shape().dtype() == DType::kBF16;
  const bool packs_left = !shape.bf16_pairs && dot.operand(0)->shape().dtype() != shape.acc;
  if (packs_left) shape.chunk_tiles = 8;
  return shape;
}

namespace {

class TileEmitter {
 public:
  TileEmitter(ValueEmitter& e, const TileShape& shape, int rows, const TileSides& sides)
      : e_(e), b_(e.b()), shape_(shape), rows_(rows), sides_(sides) {
    element_ = StoredType(b_.getContext(), shape.acc);
    vector_ = VectorOf(element_, shape.lanes);
  }

  Status Emit(llvm::Value* sums) {
    std::vector<llvm::Value*> carried;
    const llvm::Align align(ir::DTypeBytes(shape_.acc));
    for (int r = 0; r < rows_; ++r) {
      for (int v = 0; v < shape_.vectors; ++v) {
        carried.push_back(
            FromStored(b_, shape_.acc, b_.CreateAlignedLoad(vector_, SumAt(sums, r, v), align)));
      }
    }
    carried.push_back(sides_.lhs);
    carried.push_back(sides_.rhs);
    llvm::Value* count = sides_.count;
    llvm::Value* step = sides_.lhs_k;
    if (shape_.bf16_pairs) {
      count = b_.CreateLShr(count, 1);
      step = b_.CreateShl(step, 1);
    }
    SWAGE_RETURN_IF_ERROR(Loop(count, step, /*last_of_odd=*/false, &carried));
    if (shape_.bf16_pairs) {
      llvm::Value* odd = b_.CreateAnd(sides_.count, b_.getInt64(1));
      SWAGE_RETURN_IF_ERROR(Loop(odd, step, /*last_of_odd=*/true, &carried));
    }
    for (int r = 0; r < rows_; ++r) {
      for (int v = 0; v < shape_.vectors; ++v) {
        llvm::Value* sum = ToStored(b_, shape_.acc, carried[r * shape_.vectors + v]);
        b_.CreateAlignedStore(sum, SumAt(sums, r, v), align);
      }
    }
    return OkStatus();
  }

 private:
  llvm::Value* SumAt(llvm::Value* sums, int row, int vector) {
    return b_.CreateConstGEP1_64(element_, sums, row * shape_.columns() + vector * shape_.lanes);
  }

  // Carried: the sums, then the two sides' addresses.
  Status Loop(llvm::Value* count, llvm::Value* step, bool last_of_odd,
              std::vector<llvm::Value*>* carried) {
    return e_.nest().For(b_.getInt64(0), count, 1, carried,
                         [&](llvm::Value*, std::vector<llvm::Value*>* now) -> Status {
                           const int sums = rows_ * shape_.vectors;
                           llvm::Value* lhs = (*now)[sums];
                           llvm::Value* rhs = (*now)[sums + 1];
                           std::vector<llvm::Value*> columns;
                           for (int v = 0; v < shape_.vectors; ++v)
                             columns.push_back(Right(rhs, v));
                           // Each row's address is the one before plus the stride: 14 of their
                           // own would not fit the registers.
                           llvm::Value* line = lhs;
                           for (int r = 0; r < rows_; ++r) {
                             if (r > 0) line = b_.CreateGEP(b_.getInt8Ty(), line, sides_.lhs_row);
                             llvm::Value* left = Left(line, last_of_odd);
                             for (int v = 0; v < shape_.vectors; ++v) {
                               llvm::Value*& sum = (*now)[r * shape_.vectors + v];
                               sum = Multiply(left, columns[v], sum);
                             }
                           }
                           (*now)[sums] = b_.CreateGEP(b_.getInt8Ty(), lhs, step);
                           (*now)[sums + 1] = b_.CreateGEP(b_.getInt8Ty(), rhs, sides_.rhs_k);
                           return OkStatus();
                         });
  }

  llvm::Value* Right(llvm::Value* rhs, int vector) {
    llvm::Type* type = shape_.bf16_pairs ? VectorOf(b_.getInt32Ty(), shape_.lanes) : vector_;
    const int bytes = ir::DTypeBytes(shape_.acc) * shape_.lanes;
    llvm::Value* at = b_.CreateConstGEP1_64(b_.getInt8Ty(), rhs, int64_t{vector} * bytes);
    const llvm::Align align(ir::DTypeBytes(shape_.acc));
    llvm::Value* loaded = b_.CreateAlignedLoad(type, at, align);
    return shape_.bf16_pairs ? loaded : FromStored(b_, shape_.acc, loaded);
  }

  // A row of the left side at this k, in all lanes.
  llvm::Value* Left(llvm::Value* at, bool last_of_odd) {
    llvm::Value* value = nullptr;
    if (!shape_.bf16_pairs) {
      value = b_.CreateAlignedLoad(element_, at, llvm::Align(ir::DTypeBytes(shape_.acc)));
      value = FromStored(b_, shape_.acc, value);
    } else if (last_of_odd) {
      value = b_.CreateAlignedLoad(b_.getInt16Ty(), at, llvm::Align(2));
      value = b_.CreateZExt(value, b_.getInt32Ty());
    } else {
      value = b_.CreateAlignedLoad(b_.getInt32Ty(), at, llvm::Align(2));
    }
    return Splat(b_, value, shape_.lanes);
  }

  llvm::Value* Multiply(llvm::Value* left, llvm::Value* right, llvm::Value* sum) {
    if (!shape_.bf16_pairs) return MultiplyAdd(b_, shape_.acc, left, right, sum);
    llvm::Type* pairs = VectorOf(b_.getBFloatTy(), 2 * shape_.lanes);
    return b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512bf16_dpbf16ps_512, {},
                              {sum, b_.CreateBitCast(left, pairs), b_.CreateBitCast(right, pairs)});
  }

  ValueEmitter& e_;
  llvm::IRBuilder<>& b_;
  TileShape shape_;
  int rows_;
  TileSides sides_;
  llvm::Type* element_;
  llvm::Type* vector_;
};

}  // namespace

Status EmitTile(ValueEmitter& e, const TileShape& shape, int rows, const TileSides& sides,
                llvm::Value* sums) {
  TileEmitter tile(e, shape, rows, sides);
  return tile.Emit(sums);
}

}  // namespace swage::emit
