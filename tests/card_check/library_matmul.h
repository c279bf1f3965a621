// File: tests/card_check/library_matmul.h
//
// The matrix products of the card check by cuBLASLt, where it is found: the result that the emitted
// kernel has, and the times of both.
#ifndef SWAGE_TESTS_CARD_CHECK_LIBRARY_MATMUL_H_
#define SWAGE_TESTS_CARD_CHECK_LIBRARY_MATMUL_H_

#include "tests/card_check/cases.h"

namespace swage::card {

// `program` is one product. Without the library the case is skipped.
Status TimeLibraryMatmul(Context& context, const CardProgram& program, Outcome* outcome);

}  // namespace swage::card

#endif  // SWAGE_TESTS_CARD_CHECK_LIBRARY_MATMUL_H_
