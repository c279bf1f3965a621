// File: compiler/evaluator/combiner.h
//
// The computation of a reduce, applied to many elements at a time. In order of speed: a single
// elementwise op runs as one loop over the arrays; a computation of scalars runs lifted to arrays;
// anything else runs once per element.
#ifndef SWAGE_COMPILER_EVALUATOR_COMBINER_H_
#define SWAGE_COMPILER_EVALUATOR_COMBINER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/evaluator/interpreter.h"

namespace swage::evaluator {

// One pointer per reduced value.
using Arrays = absl::Span<uint8_t* const>;
using ConstArrays = absl::Span<const uint8_t* const>;

class Combiner {
 public:
  // `dtypes`: of the reduced values, which are also those of the computation's parameters.
  Combiner(const OpContext& context, std::vector<ir::DType> dtypes);

  int count() const { return static_cast<int>(dtypes_.size()); }
  int element_bytes(int i) const { return ir::DTypeBytes(dtypes_[i]); }

  // left[k][i] = combine(left, right)[k] at element i, for i in [0, lanes).
  Status Combine(Arrays left, ConstArrays right, int64_t lanes);

 private:
  Status CombineLifted(Arrays left, ConstArrays right, int64_t lanes);
  Status CombineEach(Arrays left, ConstArrays right, int64_t lanes);
  Status Apply(absl::Span<const ir::Literal> args, std::optional<int64_t> lanes, int64_t at,
               Arrays out);

  const OpContext& context_;
  const ir::Computation& computation_;
  const std::vector<ir::DType> dtypes_;
  const ir::Instruction* plain_ = nullptr;  // the one op of the computation
  bool swapped_ = false;                    // it takes (right, left)
  bool lifted_ = false;
};

}  // namespace swage::evaluator

#endif  // SWAGE_COMPILER_EVALUATOR_COMBINER_H_
