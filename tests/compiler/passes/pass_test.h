// File: tests/compiler/passes/pass_test.h
//
// What tests of passes share: HLO text in, CHECK lines (check_match.h) out.
//
//   TEST(Cse, MergesEqualInstructions) {
//     ExpectPass(kHlo, Cse(), R"(
//       CHECK: [[X:[a-z.0-9]+]] = f32[4] parameter(0)
//       CHECK: multiply([[X]], [[X]]))");
//   }
//   TEST(Cse, KeepsBothZeros) { ExpectUnchanged(kHlo, Cse()); }
//
// Both verify the module before and after, and hold the pass to what it says: the fingerprint
// changes exactly when it returns true. Where the evaluator can run the module it is evaluated
// before and after, on ordinary and special values; the results must agree bit by bit (NaN is NaN),
// or closely where the module has a dot.
#ifndef SWAGE_TESTS_COMPILER_PASSES_PASS_TEST_H_
#define SWAGE_TESTS_COMPILER_PASSES_PASS_TEST_H_

#include <memory>
#include <string>
#include <string_view>

#include "compiler/ir/module.h"
#include "compiler/passes/pass.h"

namespace swage::passes {

// The module of a text; the test fails, and null comes back, when it does not parse or verify.
std::unique_ptr<ir::Module> ParseForTest(std::string_view hlo);

// The text that CHECK lines are matched against: no '%', no metadata.
std::string TextForTest(const ir::Module& module);

// Runs the pass under all the checks above; whether it changed the module.
bool RunForTest(ir::Module& module, Pass& pass, CompilerOptions options = {});

void ExpectPass(std::string_view hlo, Pass& pass, std::string_view checks,
                CompilerOptions options = {});
void ExpectPass(std::string_view hlo, Pass&& pass, std::string_view checks,
                CompilerOptions options = {});
void ExpectUnchanged(std::string_view hlo, Pass& pass, CompilerOptions options = {});
void ExpectUnchanged(std::string_view hlo, Pass&& pass, CompilerOptions options = {});

// A chain of `n` cheap instructions on f32[4], each with a constant of its own, for tests of speed.
std::unique_ptr<ir::Module> ChainForTest(int64_t n);

}  // namespace swage::passes

#endif  // SWAGE_TESTS_COMPILER_PASSES_PASS_TEST_H_
