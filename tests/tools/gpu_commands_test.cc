// The commands on a GPU: the emulated one, and none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/tools/run_tool.h"

namespace swage::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class GpuCommandsTest : public ToolTest {
 protected:
  CommandResult OnEmulator(const std::string& args, const std::string& variables = "") const {
    return RunCommand("SWAGE_LIBCUDA=" EMULATED_LIBCUDA " SWAGE_LIBCUBLASLT=off " + variables +
                      " " SWAGE_TOOL " " + args);
  }
  static CommandResult WithoutDriver(const std::string& args) {
    return RunCommand("SWAGE_LIBCUDA=/no/such/libcuda.so " SWAGE_TOOL " " + args);
  }
  std::string Dot(int m, int n, int k) const {
    const auto shape = [](int rows, int columns) {
      return "f32[" + std::to_string(rows) + "," + std::to_string(columns) + "]";
    };
    return Write("dot.hlo",
                 "HloModule dot\nENTRY e {\n x = " + shape(m, k) + " parameter(0)\n y = " +
                     shape(k, n) + " parameter(1)\n ROOT d = " + shape(m, n) +
                     " dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n");
  }
  // Compiles for the GPU, and tells of it; nothing runs.
  CommandResult WarmDot(int size, const std::string& variables) const {
    return OnEmulator("cache warm --device cuda --dir " + root_ + "/cache" + std::to_string(size) +
                          " " + Dot(size, size, size),
                      variables);
  }
};

TEST_F(GpuCommandsTest, WithoutADriverACommandSaysItOnceAndExitsWithTwo) {
  const std::string module = Dot(2, 3, 4);
  for (const std::string& command :
       {std::string("corpus tests/corpus --list first_ops.txt"), "run --random " + module,
        "cache warm --dir " + root_ + "/cache " + module}) {
    for (const char* device : {"cuda", "cuda:0", "cuda:1"}) {
      const CommandResult outcome = WithoutDriver(command + " --device " + device);
      EXPECT_EQ(outcome.exit_code, 2) << command;
      EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 1)
          << command << "\n"
          << outcome.output;
      EXPECT_THAT(outcome.output, AllOf(StartsWith("swage: "), HasSubstr("/no/such/libcuda.so")));
    }
  }
}

TEST_F(GpuCommandsTest, ACardThatIsNotThereIsSaidOnce) {
  const CommandResult outcome =
      OnEmulator("corpus tests/corpus --list first_ops.txt --device cuda:1");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 1) << outcome.output;
}

TEST_F(GpuCommandsTest, DevicesAreListedInHelpsAndErrors) {
  for (const char* command : {"run", "corpus", "cache warm"}) {
    const CommandResult help = Swage(std::string(command) + " --help");
    EXPECT_EQ(help.exit_code, 0);
    for (const char* name : {"cpu", "cuda:0", "cuda:1", "evaluator"}) {
      EXPECT_THAT(help.output, HasSubstr(name)) << command;
    }
  }
  const CommandResult outcome = Swage("run --random --device gpu " + Dot(2, 3, 4));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("cuda:0"), HasSubstr("evaluator")));
}

TEST_F(GpuCommandsTest, NothingIsWarmedForTheEvaluator) {
  const CommandResult outcome =
      Swage("cache warm --device evaluator --dir " + root_ + "/cache " + Dot(2, 3, 4));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("evaluator compiles nothing"));
}

TEST_F(GpuCommandsTest, LsTellsWhatTheDriverMadeFromWhatWasCompiled) {
  EXPECT_EQ(WarmDot(16, "").exit_code, 0);
  const CommandResult listed = Swage("cache ls --dir " + root_ + "/cache16");
  EXPECT_THAT(listed.output, AllOf(HasSubstr("module  "), HasSubstr("kernel  "),
                                   HasSubstr("cubin   "), HasSubstr("code for emulator")));
}

TEST_F(GpuCommandsTest, WhoComputesADotIsLogged) {
  const std::string library = "SWAGE_LIBCUBLASLT=" EMULATED_LIBCUBLASLT " SWAGE_LOG=debug";
  EXPECT_THAT(WarmDot(256, library).output,
              AllOf(HasSubstr("cuBLASLt"), HasSubstr("256 x 256 by 256 x 256): by cuBLASLt"),
                    HasSubstr("1 of 1 steps of the program by cuBLASLt")));
  EXPECT_THAT(WarmDot(16, library).output,
              AllOf(HasSubstr("): emitted, 8192 operations"), Not(HasSubstr("steps of"))));
}

TEST_F(GpuCommandsTest, ALibraryThatWasNamedAndIsNotThereIsWarnedOfOnce) {
  const CommandResult named = WarmDot(16, "SWAGE_LIBCUBLASLT=/no/such/libcublasLt.so");
  EXPECT_EQ(named.exit_code, 0);
  EXPECT_THAT(named.output, HasSubstr("warn"));
  const size_t first = named.output.find("/no/such/libcublasLt.so");
  ASSERT_NE(first, std::string::npos) << named.output;
  EXPECT_EQ(
      named.output.find("all dots are emitted", named.output.find("all dots are emitted") + 1),
      std::string::npos);
  EXPECT_THAT(WarmDot(16, "SWAGE_LIBCUBLASLT=off").output, Not(HasSubstr("cuBLASLt")));
}

}  // namespace
}  // namespace swage::tools
