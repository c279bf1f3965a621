// The `swage` command and libswage.so over one cache: what one keeps, the other finds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/files.h"
#include "tests/run_command.h"
#include "tests/temp_folder.h"

namespace swage {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class SharedCacheTest : public testing::TestWithParam<const char*> {
 protected:
  SharedCacheTest() {
    EXPECT_TRUE(WriteFile(module_, R"(HloModule m
ENTRY e {
  x = f32[8,64] parameter(0)
  w = f32[64,32] parameter(1)
  d = f32[8,32] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT y = f32[8,32] exponential(d)
})")
                    .ok());
  }
  std::string device() const { return GetParam(); }
  CommandResult Run(const std::string& command) const {
    return RunCommand(
        "env -u SWAGE_CONFIG -u SWAGE_DEVICE SWAGE_LIBCUDA=" EMULATED_LIBCUDA
        " SWAGE_LIBCUBLASLT=off ASAN_OPTIONS=allow_user_poisoning=0 SWAGE_CACHE_DIR=" +
        folder_.path() + "/cache " + command);
  }
  CommandResult Tool(const std::string& args) const { return Run(SWAGE_TOOL " " + args); }
  CommandResult Library(const std::string& device) const {
    return Run(SWAGE_HLO_CHILD " " + module_ + " " + device);
  }

  const TempFolder folder_;
  const std::string module_ = folder_.path() + "/m.hlo";
};

TEST_P(SharedCacheTest, TheLibraryFindsWhatTheCommandWarmed) {
  const CommandResult warmed = Tool("cache warm " + module_ + " --device " + device());
  EXPECT_EQ(warmed.exit_code, 0) << warmed.output;
  EXPECT_THAT(warmed.output, HasSubstr(": compiled, "));
  EXPECT_THAT(Library(device()).output, StartsWith("compiles=0 loads=1 llvm_runs=0 "));
}

TEST_P(SharedCacheTest, TheCommandFindsWhatTheLibraryKept) {
  EXPECT_THAT(Library(device()).output, StartsWith("compiles=1 loads=0 "));
  EXPECT_THAT(Tool("cache warm " + module_ + " --device " + device()).output,
              HasSubstr(": was there, "));
  const CommandResult ran = Run("SWAGE_LOG=info " SWAGE_TOOL " run --random --cache --device " +
                                device() + " " + module_);
  EXPECT_THAT(ran.output, HasSubstr("the program was stored")) << ran.output;
}

TEST_P(SharedCacheTest, AnotherBuildIsNamed) {
  Tool("cache warm " + module_ + " --device " + device());
  const CommandResult other =
      Run("SWAGE_BUILD_ID=other " SWAGE_HLO_CHILD " " + module_ + " " + device());
  EXPECT_THAT(other.output, AllOf(StartsWith("compiles=1 loads=0 "),
                                  HasSubstr(" tier=compiled stored=build_id\n")));
}

TEST_P(SharedCacheTest, AProgramOfAnotherKindOfDeviceExplainsNothing) {
  const std::string other = device() == "cpu" ? "cuda:0" : "cpu";
  EXPECT_EQ(Tool("cache warm " + module_ + " --device " + other).exit_code, 0);
  EXPECT_THAT(Library(device()).output, AllOf(StartsWith("compiles=1 "), HasSubstr(" stored=\n")));
}

TEST_P(SharedCacheTest, TheVariableChoosesTheDeviceThatIsWarmed) {
  EXPECT_EQ(Run("SWAGE_DEVICE=" + device() + " " SWAGE_TOOL " cache warm " + module_).exit_code, 0);
  EXPECT_THAT(Library(device()).output, StartsWith("compiles=0 loads=1 "));
}

INSTANTIATE_TEST_SUITE_P(
    Devices, SharedCacheTest, testing::Values("cpu", "cuda:0"), [](const auto& info) {
      return std::string(info.param).substr(0, std::string(info.param).find(':'));
    });

}  // namespace
}  // namespace swage
