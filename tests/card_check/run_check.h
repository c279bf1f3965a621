// File: tests/card_check/run_check.h
//
// Runs programs of the card check and reads their lines.
#ifndef SWAGE_TESTS_CARD_CHECK_RUN_CHECK_H_
#define SWAGE_TESTS_CARD_CHECK_RUN_CHECK_H_

#include <string>
#include <vector>

#include "tests/run_command.h"

namespace swage::card {

struct Ran : CommandResult {
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

inline Ran RunCheck(const std::string& command) {
  Ran ran{RunCommand(command), {}};
  for (size_t at = 0, end; (end = ran.output.find('\n', at)) != std::string::npos; at = end + 1) {
    ran.lines.push_back(ran.output.substr(at, end - at));
  }
  return ran;
}

// The script as a user calls it, on the emulated driver, with what is built already.
inline Ran Rehearse(const std::string& out, const std::string& options) {
  return RunCheck("EMULATED_CUDA_LOG=off scripts/card_check --rehearse --no-build --build-folder " +
                  std::string(BUILD_FOLDER) + " --out " + out + " " + options);
}

}  // namespace swage::card

#endif  // SWAGE_TESTS_CARD_CHECK_RUN_CHECK_H_
