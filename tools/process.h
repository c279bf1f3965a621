// File: tools/process.h
//
// Runs a program and keeps what it says.
//
//   SWAGE_ASSIGN_OR_RETURN(const ProcessResult ran,
//                          RunProcess("/proc/self/exe", {"swage", "passes"}, {"SWAGE_LOG=off"}));
//   if (ran.exit_code == 0) Use(ran.out);
#ifndef SWAGE_TOOLS_PROCESS_H_
#define SWAGE_TOOLS_PROCESS_H_

#include <string>
#include <vector>

#include "base/status.h"

namespace swage::tools {

// Of this process: NAME=VALUE each.
std::vector<std::string> CurrentEnvironment();

struct ProcessResult {
  int exit_code = -1;  // -1: a signal ended it
  int signal = 0;
  std::string out, err;
};

// Waits for the end of `program`, whose arguments begin with its name and whose stdin is empty. A
// result of more than 64 MiB is ResourceExhausted; NotFound and the like when it does not start.
StatusOr<ProcessResult> RunProcess(const std::string& program,
                                   const std::vector<std::string>& arguments,
                                   const std::vector<std::string>& environment);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_PROCESS_H_
