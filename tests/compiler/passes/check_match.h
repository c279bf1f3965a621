// File: tests/compiler/passes/check_match.h
//
// A small matcher for the text of modules:
//
//   CHECK: [[X:[a-z.0-9]+]] = f32[4] parameter(0)     somewhere below the last match
//   CHECK-NEXT: add([[X]], [[X]])                     on the very next line
//   CHECK-DAG: multiply(                              a run of these matches in any order
//   CHECK-NOT: subtract                               nowhere between its neighbours
//
// A pattern is plain text in which spaces match any white space, {{regex}} matches a regex,
// [[NAME:regex]] captures and [[NAME]] is what was captured. Lines without CHECK are comments.
#ifndef SWAGE_TESTS_COMPILER_PASSES_CHECK_MATCH_H_
#define SWAGE_TESTS_COMPILER_PASSES_CHECK_MATCH_H_

#include <optional>
#include <string>
#include <string_view>

namespace swage::passes {

// What does not match; nullopt when everything does.
std::optional<std::string> MatchChecks(std::string_view text, std::string_view checks);

}  // namespace swage::passes

#endif  // SWAGE_TESTS_COMPILER_PASSES_CHECK_MATCH_H_
