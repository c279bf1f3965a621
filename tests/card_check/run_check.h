// File: tests/card_check/run_check.h
//
// Runs programs of the card check and reads their lines.
#ifndef SWAGE_TESTS_CARD_CHECK_RUN_CHECK_H_
#define SWAGE_TESTS_CARD_CHECK_RUN_CHECK_H_

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

namespace swage::card {

struct Ran {
  int exit_code = -1;
  std::string output;  // stdout and stderr
  std::vector<std::string> lines;

  // The lines that have this text.
  std::vector<std::string> With(const std::string& text) const {
    std::vector<std::string> found;
    for (const std::string& line : lines) {
      if (line.find(text) != std::string::npos) found.push_back(line);
    }
    return found;
  }
};

// `command` is for a shell.
inline Ran RunCommand(const std::string& command) {
  Ran ran;
  std::FILE* const pipe = popen((command + " 2>&1 </dev/null").c_str(), "r");
  if (pipe == nullptr) return ran;
  std::array<char, 4096> buffer;
  while (const size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    ran.output.append(buffer.data(), n);
  }
  const int status = pclose(pipe);
  ran.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  for (size_t at = 0, end; (end = ran.output.find('\n', at)) != std::string::npos; at = end + 1) {
    ran.lines.push_back(ran.output.substr(at, end - at));
  }
  return ran;
}

// The script as a user calls it, on the emulated driver, with what is built already.
inline Ran Rehearse(const std::string& out, const std::string& options) {
  return RunCommand(
      "EMULATED_CUDA_LOG=off scripts/card_check --rehearse --no-build --build-folder " +
      std::string(BUILD_FOLDER) + " --out " + out + " " + options);
}

}  // namespace swage::card

#endif  // SWAGE_TESTS_CARD_CHECK_RUN_CHECK_H_
