// File: tests/card_check/supervisor.h
//
// Runs cases in a process of their own and prints a JSON line for each: a kernel that destroys the
// context, hangs, or takes the process down fails alone, and the next case begins in a new process.
//
//   exit code   0 fine, 1 a case failed, 2 no driver or card, 3 the lines cannot be written, which
//               ends the run
#ifndef SWAGE_TESTS_CARD_CHECK_SUPERVISOR_H_
#define SWAGE_TESTS_CARD_CHECK_SUPERVISOR_H_

#include <vector>

#include "tests/card_check/cases.h"

namespace swage::card {

inline constexpr int kExitFine = 0, kExitFailed = 1, kExitNoDriver = 2, kExitUsage = 3;

// Returns the exit code. The calling process never touches a driver.
int RunCases(const std::vector<Case>& cases, const Bundle& bundle, const CheckOptions& options);

}  // namespace swage::card

#endif  // SWAGE_TESTS_CARD_CHECK_SUPERVISOR_H_
