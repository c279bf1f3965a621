// File: compiler/learn/learn.h
//
// A program for every size from its lowerings at two or three sizes.
//
// JAX bakes sizes into what it lowers: into every shape, but also into numbers, such as the divisor
// of a mean. Lowerings of one function at different sizes show which of them are sizes, and what
// expression of the sizes each is.
//
//   SWAGE_ASSIGN_OR_RETURN(Learned learned, LearnSymbolic({n7.get(), n12.get()}));
//   learned.module->ToString();    // ... x = f32[n,64] parameter(0) ...
//   learned.report.ToString();     // n: 7 and 12, dimension 0 of x ...
//
// The lowerings must be the same program but for sizes: the same operations on the same operands.
// Names, numbering and where JAX shares equal values do not matter.
//
// Every extent that varies becomes an expression of symbols, one for each size that the parameters
// bring; shape inference with symbols decides, and only what it leaves open (an iota, a limit of a
// slice) is read off the values. Every literal that varies becomes instructions that compute it
// from get-dimension-size: integers and floats that are such an expression, its reciprocal, its
// square root or the reciprocal of that (or up to 8 times these), or its logarithm, bit for bit in
// every lowering; arrays that are uniform, count up, have three values by diagonals, have few
// elements, or are the beginning of one array.
//
// Two lowerings cannot tell n+1 from m when both fit. What is not clear is refused by name, and a
// third lowering settles it. Nothing is guessed: a program that is learned gives what was lowered
// at every lowered size.
#ifndef SWAGE_COMPILER_LEARN_LEARN_H_
#define SWAGE_COMPILER_LEARN_LEARN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/status.h"
#include "compiler/ir/module.h"

namespace swage::learn {

inline constexpr size_t kMaxLowerings = 16;

struct LearnOptions {
  // Names and ranges of the symbols, in the order in which the parameters bring them; those without
  // an entry are n, m, k, d3, d4 ... from 0 on. The program may narrow a range.
  std::vector<ir::Symbol> symbols = {};
  // What errors call each lowering: its file. Empty: "lowering 1" ...
  std::vector<std::string> names = {};
};

// Something that varied, and what it is.
struct SolvedValue {
  std::string place;       // "constant.5 (main.3), literal"
  std::string values;      // "7 and 12"
  std::string expression;  // "n"
};

struct LearnReport {
  std::vector<SolvedValue> symbols;  // place: where a parameter has it; expression: with its range
  std::vector<SolvedValue> extents;  // that shape inference did not give
  std::vector<SolvedValue> literals;
  std::string ToString() const;
};

struct Learned {
  std::unique_ptr<ir::Module> module;  // verified
  LearnReport report;
};

// InvalidArgument: the lowerings are not one program, or a value is no clear expression of the
// sizes; the message names the instruction in each lowering, and the values.
StatusOr<Learned> LearnSymbolic(absl::Span<const ir::Module* const> lowerings,
                                const LearnOptions& options = {});

}  // namespace swage::learn

#endif  // SWAGE_COMPILER_LEARN_LEARN_H_
