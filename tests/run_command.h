// File: tests/run_command.h
//
// Runs a command and keeps what it says.
//
//   const CommandResult ran = RunCommand("swage --version");
//   EXPECT_EQ(ran.exit_code, 0) << ran.output;
#ifndef SWAGE_TESTS_RUN_COMMAND_H_
#define SWAGE_TESTS_RUN_COMMAND_H_

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace swage {

struct CommandResult {
  int exit_code = -1;  // -1: it did not start, or a signal ended it
  std::string output;  // stdout and stderr
};

// `command` is for a shell, and reads nothing.
inline CommandResult RunCommand(const std::string& command) {
  CommandResult result;
  std::FILE* const pipe = popen((command + " 2>&1 </dev/null").c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 4096> buffer;
  while (const size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    result.output.append(buffer.data(), n);
  }
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

}  // namespace swage

#endif  // SWAGE_TESTS_RUN_COMMAND_H_
