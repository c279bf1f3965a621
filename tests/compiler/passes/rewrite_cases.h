// File: tests/compiler/passes/rewrite_cases.h
//
// One case per rewrite of algebraic-simplifier and way in which it fires. The test runs the rewrite
// alone, over all dtypes and shapes of the case, and lets the evaluator compare what the module
// computed before and after, bit by bit, on special values.
#ifndef SWAGE_TESTS_COMPILER_PASSES_REWRITE_CASES_H_
#define SWAGE_TESTS_COMPILER_PASSES_REWRITE_CASES_H_

#include <span>
#include <string_view>

namespace swage::passes {

struct RewriteCase {
  std::string_view rewrite;
  // Dtypes that T stands for, by group: F floats, S signed, U unsigned, P pred, C complex, f the
  // floats without f64, h f16. Empty: `body` has no T.
  std::string_view dtypes;
  // The body of the entry computation. D stands for dims (one of many shapes, a symbolic one, ones
  // with 0 and 1 among them); [D] is a T or another dtype before it: T[D], pred[D].
  std::string_view body;
};

std::span<const RewriteCase> ElementwiseCases();
std::span<const RewriteCase> ShapeCases();

}  // namespace swage::passes

#endif  // SWAGE_TESTS_COMPILER_PASSES_REWRITE_CASES_H_
