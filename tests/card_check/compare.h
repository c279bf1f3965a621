// File: tests/card_check/compare.h
//
// Results as they came from the card against what is expected.
#ifndef SWAGE_TESTS_CARD_CHECK_COMPARE_H_
#define SWAGE_TESTS_CARD_CHECK_COMPARE_H_

#include <string>
#include <string_view>

namespace swage::card {

// The first element that does not match, in words; empty: all do. Sizes must be equal. `tolerance`
// as in CardResult.
std::string FirstDifference(std::string_view dtype, std::string_view got, std::string_view want,
                            double tolerance);

}  // namespace swage::card

#endif  // SWAGE_TESTS_CARD_CHECK_COMPARE_H_
