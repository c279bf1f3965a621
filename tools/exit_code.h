// File: tools/exit_code.h
//
// What the `swage` command line returns to the shell. A fault of the user and a fault of ours are
// never mixed up: scripts may retry or report on 70, never on 2.
#ifndef SWAGE_TOOLS_EXIT_CODE_H_
#define SWAGE_TOOLS_EXIT_CODE_H_

#include "base/status.h"

namespace swage::tools {

enum ExitCode : int {
  kFine = 0,
  kCheckFailed = 1,       // everything ran; a result is not what was asked for
  kUserFault = 2,         // flags, files, shapes, names, limits, what Swage does not have yet
  kNothingToMeasure = 3,  // `ab`: the programs that were to be compared are one
  kNotResolved = 4,       // `ab`: measured, and no difference was shown
  kOurFault = 70,         // a broken invariant; please report it
};

// The exit code of an error (kFine for Ok).
ExitCode ExitCodeOf(absl::StatusCode code);

// Prints an error as `swage: message` on stderr and returns its exit code.
ExitCode Finish(const StatusOr<ExitCode>& result);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_EXIT_CODE_H_
