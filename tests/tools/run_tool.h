// File: tests/tools/run_tool.h
//
// Runs the `swage` command and keeps what it says.
#ifndef SWAGE_TESTS_TOOLS_RUN_TOOL_H_
#define SWAGE_TESTS_TOOLS_RUN_TOOL_H_

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace swage {

struct Outcome {
  int exit_code;
  std::string output;  // stdout and stderr
};

inline Outcome Swage(const std::string& args) {
  FILE* pipe = popen((SWAGE_TOOL " " + args + " 2>&1 </dev/null").c_str(), "r");
  Outcome outcome;
  std::array<char, 4096> buffer;
  while (size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) {
    outcome.output.append(buffer.data(), n);
  }
  const int status = pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

}  // namespace swage

#endif  // SWAGE_TESTS_TOOLS_RUN_TOOL_H_
