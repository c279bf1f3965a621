#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/files.h"
#include "tests/run_command.h"
#include "tests/temp_folder.h"

namespace swage {
namespace {

using testing::HasSubstr;
using testing::Not;

CommandResult AttendOnEmulator(const std::string& dumps) {
  return RunCommand("SWAGE_LIBCUDA=" EMULATED_LIBCUDA
                    " SWAGE_LIBCUBLASLT=off ASAN_OPTIONS=allow_user_poisoning=0 " SAMPLE_ATTEND_GPU
                    " " +
                    dumps);
}

TEST(SamplesTest, TheFolderThatAUserNamesForDumpsKeepsWhatIsInIt) {
  const TempFolder folder;
  const std::string mine = folder.path() + "/notes/mine.txt", old = folder.path() + "/old.ptx";
  std::filesystem::create_directory(folder.path() + "/notes");
  ASSERT_TRUE(WriteFile(mine, "mine").ok());
  ASSERT_TRUE(WriteFile(old, "old").ok());
  const CommandResult ran = AttendOnEmulator(folder.path());
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_EQ(*ReadFile(mine), "mine");
  EXPECT_EQ(*ReadFile(old), "old");
  EXPECT_THAT(ran.output, HasSubstr("  module_0000.attend"));
  EXPECT_THAT(ran.output, HasSubstr(".ptx\n"));
  EXPECT_THAT(ran.output, Not(HasSubstr("  old.ptx\n")));
  const CommandResult again = AttendOnEmulator(folder.path());
  EXPECT_EQ(again.exit_code, 0) << again.output;
  EXPECT_THAT(again.output, Not(HasSubstr("  module_0000.")));
}

}  // namespace
}  // namespace swage
