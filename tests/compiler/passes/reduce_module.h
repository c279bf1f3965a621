// File: tests/compiler/passes/reduce_module.h
//
// A module around the body of its entry, with combiners that reductions of it may call: `add` and
// `max`, and `any`, of which nothing is known.
#ifndef SWAGE_TESTS_COMPILER_PASSES_REDUCE_MODULE_H_
#define SWAGE_TESTS_COMPILER_PASSES_REDUCE_MODULE_H_

#include <string>
#include <string_view>

namespace swage::passes {

inline std::string ReduceModule(std::string_view body) {
  return "HloModule m\n"
         "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] add(a, b)\n}\n"
         "max { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] maximum(a, b)\n}\n"
         "any { a = f32[] parameter(0)\n b = f32[] parameter(1)\n c = f32[] add(a, b)\n"
         " ROOT r = f32[] multiply(c, b)\n}\n"
         "ENTRY e {\n" +
         std::string(body) + "\n}\n";
}

}  // namespace swage::passes

#endif  // SWAGE_TESTS_COMPILER_PASSES_REDUCE_MODULE_H_
