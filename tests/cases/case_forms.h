// File: tests/cases/case_forms.h
//
// Other forms of a numeric case that must give the same values.
#ifndef SWAGE_TESTS_CASES_CASE_FORMS_H_
#define SWAGE_TESTS_CASES_CASE_FORMS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/ir/literal.h"
#include "tools/corpus_case.h"

namespace swage::cases {

// A program, what goes in, and what must come out.
struct Case {
  std::string hlo;
  std::vector<ir::Literal> args;
  std::vector<ir::Literal> expected;
  std::vector<tools::Tolerance> tolerances;  // by result
};

// The case inside of a larger program: its arguments are made by an op before it (they come
// negated, and are negated again), and each result goes into a reduction, by itself or beside the
// result as it is. The reduction of exact results sees every bit but those of NaNs; that of others
// is their maximum.
StatusOr<Case> InLargerProgram(const Case& original, bool keep_results);

// Text in which N is a dimension, "f32[N]" or "s32[3,N]", with another in its place: a number, or a
// symbol. `first` is what stands where it occurs first, where a symbol says its range.
std::string WithDimension(const std::string& text, const std::string& first,
                          const std::string& rest);
inline std::string WithDimension(const std::string& text, int64_t n) {
  return WithDimension(text, std::to_string(n), std::to_string(n));
}

}  // namespace swage::cases

#endif  // SWAGE_TESTS_CASES_CASE_FORMS_H_
