// File: compiler/learn/size_values.h
//
// Instructions that compute an expression of sizes: get-dimension-size of a parameter, and s64
// arithmetic on that.
//
//   SizeValues sizes(computation);
//   SWAGE_ASSIGN_OR_RETURN(Instruction* rows, sizes.Value(2 * n, DType::kF32));
#ifndef SWAGE_COMPILER_LEARN_SIZE_VALUES_H_
#define SWAGE_COMPILER_LEARN_SIZE_VALUES_H_

#include "absl/container/flat_hash_map.h"
#include "compiler/ir/builder.h"

namespace swage::learn {

class SizeValues {
 public:
  explicit SizeValues(ir::Computation* computation)
      : computation_(computation), builder_(computation) {}

  // The scalar, as `dtype`. Where no parameter has a size, an array that is never read brings it.
  StatusOr<ir::Instruction*> Value(ir::Dim dim, ir::DType dtype);
  ir::Builder& builder() { return builder_; }

 private:
  // The s32 size of a parameter's dimension that is `dim`; null when there is none.
  StatusOr<ir::Instruction*> FromParameter(ir::Dim dim);
  StatusOr<ir::Instruction*> FromLeaf(ir::Instruction* value, ir::Dim dim);
  StatusOr<ir::Instruction*> Wide(ir::Dim dim);
  StatusOr<ir::Instruction*> WideAtom(const ir::DimNode& node);

  ir::Computation* computation_;
  ir::Builder builder_;
  absl::flat_hash_map<ir::Dim, ir::Instruction*> wide_;  // s64
};

}  // namespace swage::learn

#endif  // SWAGE_COMPILER_LEARN_SIZE_VALUES_H_
