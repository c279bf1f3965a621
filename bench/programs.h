// File: bench/programs.h
//
// The programs that the benchmarks measure, and one of them compiled with buffers of its own.
#ifndef SWAGE_BENCH_PROGRAMS_H_
#define SWAGE_BENCH_PROGRAMS_H_

#include <memory>
#include <string>
#include <vector>

#include "codegen/executable.h"
#include "compiler/ir/literal.h"

namespace swage::bench {

// x = x * c or x + c, `ops` times, each with a literal of its own, over an array of `extent` f32:
// 3 * ops instructions (constant, broadcast, op).
std::string ChainText(int64_t ops, int64_t extent = 16);

// The text of tests/corpus/<name>/module.hlo; empty when it is not there.
std::string CorpusText(const std::string& name);

// A compiled program, its inputs and outputs.
class Program {
 public:
  static StatusOr<Program> Compile(const std::string& hlo);
  // Runs once; false on an error.
  bool Run() { return executable_->Run(inputs_, outputs_).ok(); }

  // Of all inputs and outputs.
  int64_t bytes() const;

 private:
  std::shared_ptr<codegen::Executable> executable_;
  std::vector<ir::Literal> buffers_;
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
};

}  // namespace swage::bench

#endif  // SWAGE_BENCH_PROGRAMS_H_
