// File: tests/compiler/evaluator/evaluate.h
//
// HLO text in, values out, for the tests of the evaluator.
#ifndef SWAGE_TESTS_COMPILER_EVALUATOR_EVALUATE_H_
#define SWAGE_TESTS_COMPILER_EVALUATOR_EVALUATE_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/parser.h"

namespace swage::evaluator {

inline ir::Literal Value(const std::string& shape, const std::string& text) {
  const StatusOr<ir::Shape> parsed = ir::ParseShape(shape);
  size_t at = 0;
  StatusOr<ir::Literal> literal =
      parsed.ok() ? ir::ParseLiteral(text, &at, *parsed) : StatusOr<ir::Literal>(parsed.status());
  EXPECT_TRUE(literal.ok()) << literal.status() << " in " << shape << " " << text;
  return literal.ok() ? *std::move(literal) : ir::Literal();
}

inline StatusOr<ir::Literal> TryEval(const std::string& hlo, const std::vector<ir::Literal>& args,
                                     const Options& options = {}) {
  SWAGE_ASSIGN_OR_RETURN(const std::unique_ptr<ir::Module> module, ir::ParseHlo(hlo, "test.hlo"));
  return Evaluate(*module, args, options);
}

inline ir::Literal Eval(const std::string& hlo, const std::vector<ir::Literal>& args) {
  StatusOr<ir::Literal> result = TryEval(hlo, args);
  EXPECT_TRUE(result.ok()) << result.status() << "\n" << hlo;
  return result.ok() ? *std::move(result) : ir::Literal();
}

// The value of a module with one entry computation of these lines.
inline ir::Literal EvalLines(const std::string& lines, const std::vector<ir::Literal>& args = {}) {
  return Eval("HloModule m\nENTRY main {\n" + lines + "\n}\n", args);
}
inline StatusOr<ir::Literal> TryEvalLines(const std::string& lines,
                                          const std::vector<ir::Literal>& args = {},
                                          const Options& options = {}) {
  return TryEval("HloModule m\nENTRY main {\n" + lines + "\n}\n", args, options);
}

}  // namespace swage::evaluator

#endif  // SWAGE_TESTS_COMPILER_EVALUATOR_EVALUATE_H_
