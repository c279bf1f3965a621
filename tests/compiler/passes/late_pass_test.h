// File: tests/compiler/passes/late_pass_test.h
//
// pass_test.h for passes that come after layout assignment: every array of the text has a layout.
#ifndef SWAGE_TESTS_COMPILER_PASSES_LATE_PASS_TEST_H_
#define SWAGE_TESTS_COMPILER_PASSES_LATE_PASS_TEST_H_

#include <memory>
#include <string_view>

#include "compiler/passes/pass.h"

namespace swage::passes {

std::unique_ptr<ir::Module> ParseLate(std::string_view hlo);
void ExpectLatePass(std::string_view hlo, Pass&& pass, std::string_view checks);
void ExpectLateUnchanged(std::string_view hlo, Pass&& pass);

}  // namespace swage::passes

#endif  // SWAGE_TESTS_COMPILER_PASSES_LATE_PASS_TEST_H_
