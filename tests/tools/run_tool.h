// File: tests/tools/run_tool.h
//
// Runs the `swage` command and keeps what it says; a fixture for commands with files.
#ifndef SWAGE_TESTS_TOOLS_RUN_TOOL_H_
#define SWAGE_TESTS_TOOLS_RUN_TOOL_H_

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/files.h"
#include "tests/temp_folder.h"

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

// A folder of its own, and no configuration.
class ToolTest : public ::testing::Test {
 protected:
  ToolTest() { ::unsetenv("SWAGE_CONFIG"); }

  // The path of a file with this text in the folder; `name` may have folders of its own.
  std::string Write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = root_ + "/" + name;
    std::filesystem::create_directories(path.parent_path());
    EXPECT_TRUE(WriteFile(path.string(), text).ok());
    return path.string();
  }

  const TempFolder folder_;
  const std::string root_ = folder_.path();
};

}  // namespace swage

#endif  // SWAGE_TESTS_TOOLS_RUN_TOOL_H_
