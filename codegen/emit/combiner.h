// File: codegen/emit/combiner.h
//
// The computation that a reduce applies, and what is known of it.
#ifndef SWAGE_CODEGEN_EMIT_COMBINER_H_
#define SWAGE_CODEGEN_EMIT_COMBINER_H_

#include <optional>
#include <vector>

#include "codegen/emit/value_emitter.h"

namespace swage::emit {

class Combiner {
 public:
  explicit Combiner(const ir::Instruction* reduce);

  int count() const { return static_cast<int>(dtypes_.size()); }
  ir::DType dtype(int i) const { return dtypes_[i]; }
  const std::vector<ir::DType>& dtypes() const { return dtypes_; }
  // A constant c with combine(c, x) = combine(x, c) = x bit for bit (but for NaN payloads), for
  // reductions of one value by one well-known op; then a partial that holds nothing may hold c.
  llvm::Constant* identity(llvm::LLVMContext& context) const;
  bool has_identity() const { return identity_bits_.has_value(); }

  // As many lanes as the widest argument has, also where the result does not depend on it.
  StatusOr<Values> Combine(ValueEmitter& e, const Values& earlier, const Values& later) const;
  // Combine where `valid` holds, else `earlier`; null: always.
  StatusOr<Values> CombineIf(ValueEmitter& e, llvm::Value* valid, const Values& earlier,
                             const Values& later) const;

 private:
  const ir::Computation* computation_;
  std::vector<ir::DType> dtypes_;
  std::optional<uint64_t> identity_bits_;
};

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_COMBINER_H_
