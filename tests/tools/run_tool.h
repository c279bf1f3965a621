// File: tests/tools/run_tool.h
//
// Runs the `swage` command and keeps what it says; a fixture for commands with files.
#ifndef SWAGE_TESTS_TOOLS_RUN_TOOL_H_
#define SWAGE_TESTS_TOOLS_RUN_TOOL_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/files.h"
#include "tests/run_command.h"
#include "tests/temp_folder.h"

namespace swage {

inline CommandResult Swage(const std::string& args) { return RunCommand(SWAGE_TOOL " " + args); }

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
