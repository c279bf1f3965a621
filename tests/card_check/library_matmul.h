// File: tests/card_check/library_matmul.h
//
// The place of cuBLASLt in the card check: its matmul is timed beside the emitted one where the
// library is.
#ifndef SWAGE_TESTS_CARD_CHECK_LIBRARY_MATMUL_H_
#define SWAGE_TESTS_CARD_CHECK_LIBRARY_MATMUL_H_

#include "tests/card_check/cases.h"

namespace swage::card {

// Skipped, with the reason, where there is nothing to time.
Outcome TimeLibraryMatmul(Context& context);

}  // namespace swage::card

#endif  // SWAGE_TESTS_CARD_CHECK_LIBRARY_MATMUL_H_
