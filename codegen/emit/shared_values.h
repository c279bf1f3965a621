// File: codegen/emit/shared_values.h
//
// Values that the threads of a GPU's block exchange in its shared memory.
#ifndef SWAGE_CODEGEN_EMIT_SHARED_VALUES_H_
#define SWAGE_CODEGEN_EMIT_SHARED_VALUES_H_

#include <vector>

#include "absl/types/span.h"
#include "base/function_ref.h"
#include "codegen/emit/value_emitter.h"

namespace swage::emit {

// Slots of the block's shared memory, each with one value of every dtype.
class SharedValues {
 public:
  SharedValues(ValueEmitter& e, absl::Span<const ir::DType> dtypes, int64_t slots);

  void Store(llvm::Value* slot, absl::Span<llvm::Value* const> values);
  Values Load(llvm::Value* slot);

 private:
  llvm::IRBuilder<>& b_;
  std::vector<ir::DType> dtypes_;
  std::vector<llvm::Value*> arrays_;
};

// Joins the parts of the threads of a column's group, each with the one half of them further: `own`
// is this thread's, `join` is given two parts and the number of the later one. All threads of the
// group get the result.
using JoinParts =
    FunctionRef<StatusOr<Values>(const Values& earlier, const Values& later, int number)>;
StatusOr<Values> JoinColumn(ValueEmitter& e, absl::Span<const ir::DType> dtypes,
                            absl::Span<llvm::Value* const> own, JoinParts join);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_SHARED_VALUES_H_
