// File: tests/compiler/ir/combiners_testing.h
//
// Combiners of reductions as HLO text, for tests that write modules.
#ifndef SWAGE_TESTS_COMPILER_IR_COMBINERS_TESTING_H_
#define SWAGE_TESTS_COMPILER_IR_COMBINERS_TESTING_H_

#include <string>

namespace swage::ir {

// "name { a, b -> op(a, b) }" over scalars of `dtype`.
inline std::string Combiner(const std::string& name, const std::string& dtype,
                            const std::string& op) {
  return name + " {\n  a = " + dtype + "[] parameter(0)\n  b = " + dtype +
         "[] parameter(1)\n  ROOT r = " + dtype + "[] " + op + "(a, b)\n}\n";
}

// Every combiner with an identity on every real dtype: add_f32, maximum_s8, and_pred ...
inline std::string KnownCombiners() {
  std::string text;
  for (const char* dtype : {"s4", "s8", "s16", "s32", "s64", "u4", "u8", "u16", "u32", "u64",
                            "f8e4m3fn", "f8e5m2", "f16", "bf16", "f32", "f64", "pred"}) {
    for (const char* op : {"add", "multiply", "maximum", "minimum", "and", "or", "xor"}) {
      const bool bits = op[0] == 'o' || op[0] == 'x' || std::string(op) == "and";
      if (bits && (dtype[0] == 'f' || dtype[0] == 'b')) continue;
      text += Combiner(std::string(op) + "_" + dtype, dtype, op);
    }
  }
  return text;
}

// Of (value, index): the larger value, NaN before all, and of equal ones the first.
inline constexpr char kArgmaxCombiner[] = R"(argmax {
  a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  gt = pred[] compare(a, b), direction=GT
  nan = pred[] compare(a, a), direction=NE
  take = pred[] or(gt, nan)
  eq = pred[] compare(a, b), direction=EQ
  lt = pred[] compare(i, j), direction=LT
  tie = pred[] and(eq, lt)
  first = pred[] or(take, tie)
  v = f32[] select(take, a, b)
  k = s32[] select(first, i, j)
  ROOT r = (f32[], s32[]) tuple(v, k)
}
)";

}  // namespace swage::ir

#endif  // SWAGE_TESTS_COMPILER_IR_COMBINERS_TESTING_H_
