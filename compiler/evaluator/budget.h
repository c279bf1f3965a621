// File: compiler/evaluator/budget.h
//
// What one evaluation may use: wall time and bytes of live values.
#ifndef SWAGE_COMPILER_EVALUATOR_BUDGET_H_
#define SWAGE_COMPILER_EVALUATOR_BUDGET_H_

#include <chrono>
#include <cstdint>

#include "base/status.h"
#include "compiler/ir/instruction.h"

namespace swage::evaluator {

class Budget {
 public:
  Budget(int64_t max_time_ms, int64_t max_bytes);

  // Counts the bytes of a value of `shape` that `instruction` is about to make; ResourceExhausted,
  // with the size in bytes, when they are too many. Sets *bytes to what to give back to Release.
  Status Reserve(const ir::Instruction& instruction, const ir::Shape& shape, int64_t* bytes);
  void Release(int64_t bytes) { live_bytes_ -= bytes; }

  // ResourceExhausted once the time is over.
  Status CheckTime(const ir::Instruction& instruction) const;

 private:
  const int64_t max_time_ms_;
  const int64_t max_bytes_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int64_t live_bytes_ = 0;
};

}  // namespace swage::evaluator

#endif  // SWAGE_COMPILER_EVALUATOR_BUDGET_H_
