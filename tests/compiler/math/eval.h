// File: tests/compiler/math/eval.h
//
// Short forms of EvalElementwise and ConvertElements for tests, on vectors of one C++ type.
#ifndef SWAGE_TESTS_COMPILER_MATH_EVAL_H_
#define SWAGE_TESTS_COMPILER_MATH_EVAL_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "compiler/math/host_elementwise.h"

namespace swage::math {

template <class Out, class In>
std::vector<Out> Eval(ir::Opcode opcode, ir::DType out_dtype, ir::DType in_dtype,
                      const std::vector<std::vector<In>>& operands,
                      const ElementwiseAttrs& attrs = {}) {
  std::vector<ir::DType> dtypes(operands.size(), in_dtype);
  std::vector<HostOperand> in;
  for (const auto& operand : operands) in.push_back({operand.data()});
  std::vector<Out> out(operands[0].size());
  const Status status =
      EvalElementwise(opcode, out_dtype, dtypes, attrs, in, out.data(), out.size());
  EXPECT_TRUE(status.ok()) << std::string(status.message());
  return out;
}

template <class T>
std::vector<T> Eval(ir::Opcode opcode, ir::DType dtype,
                    const std::vector<std::vector<T>>& operands) {
  return Eval<T, T>(opcode, dtype, dtype, operands);
}

template <class T>
std::vector<T> Eval(ir::Opcode opcode, ir::DType dtype,
                    std::initializer_list<std::vector<T>> operands) {
  return Eval<T, T>(opcode, dtype, dtype, std::vector<std::vector<T>>(operands));
}

template <class Out, class In>
std::vector<Out> ConvertAll(ir::DType from, ir::DType to, const std::vector<In>& in) {
  std::vector<Out> out(in.size());
  const Status status = ConvertElements(from, to, in.data(), out.data(), in.size());
  EXPECT_TRUE(status.ok()) << std::string(status.message());
  return out;
}

}  // namespace swage::math

#endif  // SWAGE_TESTS_COMPILER_MATH_EVAL_H_
