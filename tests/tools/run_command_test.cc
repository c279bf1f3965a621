#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "compiler/ir/npy.h"
#include "compiler/ir/npz.h"
#include "tests/tools/run_tool.h"

namespace swage::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class RunCommandTest : public ToolTest {
 protected:
  std::string Module(const std::string& lines) {
    return Write("module.hlo", "HloModule m\nENTRY main {\n" + lines + "\n}\n");
  }
  std::string Input(const std::string& name, const ir::Literal& literal) {
    const std::string path = root_ + "/" + name;
    EXPECT_TRUE(ir::WriteNpy(path, literal).ok());
    return path;
  }
};

TEST_F(RunCommandTest, WritesEachLeafOfTheResultInOrder) {
  const std::string module = Module(
      "x = f32[] parameter(0)\ny = bf16[] parameter(1)\nn = f32[] negate(x)\n"
      "a = bf16[] add(y, y)\nt = (bf16[], f32[]) tuple(a, n)\n"
      "ROOT r = ((bf16[], f32[]), f32[]) tuple(t, x)");
  const std::string x = Input("x.npy", ir::Literal::Scalar(ir::DType::kF32, 3.0));
  const std::string y = Input("y.npy", ir::Literal::Scalar(ir::DType::kBF16, 1.5));
  const CommandResult outcome =
      Swage("run " + module + " " + x + " " + y + " -o " + root_ + "/new/out");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(outcome.output, "");
  auto read = [&](int i, ir::DType dtype) {
    const auto literal =
        ir::ReadNpy(root_ + "/new/out/out_" + std::to_string(i) + ".npy", {.dtype = dtype});
    EXPECT_TRUE(literal.ok()) << literal.status();
    return literal.ok() ? literal->GetDouble(0) : 0;
  };
  EXPECT_EQ(read(0, ir::DType::kBF16), 3);
  EXPECT_EQ(read(1, ir::DType::kF32), -3);
  EXPECT_EQ(read(2, ir::DType::kF32), 3);
}

TEST_F(RunCommandTest, PrintsResultsWithoutAnOutputFolder) {
  const std::string module = Module("x = s32[] parameter(0)\nROOT r = s32[] negate(x)");
  const std::string x = Input("x.npy", ir::Literal::Scalar(ir::DType::kS32, 3));
  EXPECT_EQ(Swage("run " + module + " " + x).output, "s32[] -3\n");
}

TEST_F(RunCommandTest, BenchPrintsOneLine) {
  const std::string module = Module("x = f32[8,8] parameter(0)\nROOT r = f32[8,8] negate(x)");
  const CommandResult outcome = Swage("run " + module + " --random --bench 3");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(
      outcome.output,
      MatchesRegex("compile [0-9]+\\.[0-9][0-9][0-9] ms, median [0-9]+\\.[0-9][0-9][0-9] ms, "
                   "min [0-9]+\\.[0-9][0-9][0-9] max [0-9]+\\.[0-9][0-9][0-9], n 3\n"
                   "passes [0-9.]+ ms: .*priority-fusion [0-9.]+.*\n"
                   "kernels 1, of all threads: plan .*, llvm .* runs\\), link .*, load .*\n"));
}

TEST_F(RunCommandTest, StepsAreTimedAndNamed) {
  const std::string dots = Module(
      "x = f32[8,8] parameter(0)\nd = f32[8,8] dot(x, x), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}\nROOT e = f32[8,8] dot(d, x), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}");
  const CommandResult outcome = Swage("run " + dots + " --random --bench 2 --steps 1");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("steps 2, "));
  EXPECT_THAT(outcome.output, MatchesRegex("(.|\n)* ms +[0-9.]+ %  [a-z_.0-9]+\n"));
}

TEST_F(RunCommandTest, StepsOfTheEvaluatorAreAnError) {
  const std::string module = Module("x = f32[4] parameter(0)\nROOT r = f32[4] negate(x)");
  const CommandResult outcome =
      Swage("run " + module + " --random --bench 1 --steps 3 --device evaluator");
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("steps are timed on the CPU only"));
}

TEST_F(RunCommandTest, RandomInputsFollowTheSeed) {
  const std::string module = Module("x = f32[4] parameter(0)\nROOT r = f32[4] negate(x)");
  const std::string first = Swage("run " + module + " --random --seed 1").output;
  EXPECT_EQ(Swage("run " + module + " --random --seed 1").output, first);
  EXPECT_NE(Swage("run " + module + " --random --seed 2").output, first);
}

TEST_F(RunCommandTest, RandomInputsThatDoNotFitAreNamed) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need more addresses than the shell allows";
#endif
  const std::string module = Module(
      "x = f32[] parameter(0)\ny = bf16[30000,40000] parameter(1)\n"
      "ROOT r = bf16[30000,40000] negate(y)");
  const CommandResult outcome =
      RunCommand("ulimit -v 4000000; " SWAGE_TOOL " run " + module + " --random");
  EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
  EXPECT_THAT(outcome.output,
              HasSubstr("no memory for random values of parameter 1, bf16[30000,40000]"));
}

TEST_F(RunCommandTest, ACompileIsLogged) {
  const std::string module = Module("x = f32[4] parameter(0)\nROOT r = f32[4] negate(x)");
  setenv("SWAGE_LOG", "info", 1);
  const CommandResult outcome = Swage("run " + module + " --random");
  unsetenv("SWAGE_LOG");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("[compile] m: to run it; "));
  EXPECT_THAT(outcome.output, HasSubstr(", 1 kernels, 1 from llvm"));
}

TEST_F(RunCommandTest, SymbolicDimsComeFromTheFiles) {
  const std::string module = Module("x = f32[n] parameter(0)\nROOT r = f32[n] negate(x)");
  ir::Literal x = *ir::Literal::Create(ir::Shape::Array(ir::DType::kF32, {ir::Dim(2)}));
  const std::string file = Input("x.npy", x);
  EXPECT_EQ(Swage("run --device evaluator " + module + " " + file).output, "f32[2] {-0, -0}\n");
  EXPECT_EQ(Swage("run " + module + " " + file).output, "f32[2] {-0, -0}\n");
  const CommandResult random = Swage("run " + module + " --random");
  EXPECT_EQ(random.exit_code, 2);
  EXPECT_THAT(random.output, HasSubstr("static shapes"));
}

TEST_F(RunCommandTest, AnNpzFileStandsForItsArraysInOrder) {
  const std::string module = Module(
      "x = f32[2] parameter(0)\ny = bf16[2] parameter(1)\nc = bf16[2] convert(x)\n"
      "d = bf16[2] subtract(c, y)\nROOT r = (bf16[2], f32[2]) tuple(d, x)");
  const ir::Literal x =
      *ir::Literal::Broadcast(ir::Literal::Scalar(ir::DType::kF32, 3.0), ir::Dims{2});
  const ir::Literal y =
      *ir::Literal::Broadcast(ir::Literal::Scalar(ir::DType::kBF16, 1.5), ir::Dims{2});
  ir::NpzWriter both({.compress = true}), second;
  ASSERT_TRUE(both.Add("z", x.shape(), x.bytes()).ok());
  ASSERT_TRUE(both.Add("a", y.shape(), y.bytes()).ok());
  ASSERT_TRUE(second.Add("arr_0", y.shape(), y.bytes()).ok());
  const std::string file = Write("both.npz", *std::move(both).Finish());
  const std::string rest = Write("rest.npz", *std::move(second).Finish());
  EXPECT_EQ(Swage("run " + module + " " + file).output, "bf16[2] {1.5, 1.5}\nf32[2] {3, 3}\n");
  EXPECT_EQ(Swage("run " + module + " " + Input("x.npy", x) + " " + rest).output,
            "bf16[2] {1.5, 1.5}\nf32[2] {3, 3}\n");
  EXPECT_THAT(Swage("run " + module + " " + file + " " + rest).output,
              HasSubstr("got 3 arrays in 2 input files"));
  const std::string out = root_ + "/out.npz";
  EXPECT_EQ(Swage("run " + module + " " + file + " -o " + out).output, "");
  auto written = ir::NpzReader::Open(out);
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(written->members()[1].name, "out_1");
  EXPECT_EQ(*written->Read(1), x);
}

TEST_F(RunCommandTest, ADamagedNpzFileNamesItsMember) {
  const std::string module = Module("x = f32[] parameter(0)\nROOT r = f32[] negate(x)");
  ir::NpzWriter writer;
  const ir::Literal two = *ir::Literal::Create(ir::Shape::Array(ir::DType::kF32, ir::Dims{2}));
  ASSERT_TRUE(writer.Add("w", two.shape(), two.bytes()).ok());
  const std::string file = Write("x.npz", *std::move(writer).Finish());
  const CommandResult shape = Swage("run " + module + " " + file);
  EXPECT_EQ(shape.exit_code, 2);
  EXPECT_THAT(shape.output, HasSubstr("x.npz(w): shape mismatch, expected (), got (2,)"));
  const CommandResult none = Swage("run " + module + " " + Write("y.npz", "PK"));
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.output, HasSubstr("y.npz: no zip archive"));
}

TEST_F(RunCommandTest, MistakesExitWithTwoAndSayWhy) {
  const std::string module = Module("x = f32[2] parameter(0)\nROOT r = f32[2] negate(x)");
  const std::string scalar = Input("s.npy", ir::Literal::Scalar(ir::DType::kF32, 1.0));
  struct Mistake {
    std::string args;
    const char* said;
  };
  Write("text.npy", "hello");
  Write("bad.hlo", "HloModule m\nENTRY main {\n ROOT r = f32[] frobnicate()\n}\n");
  const Mistake mistakes[] = {
      {module, "got 0 input files"},
      {module + " " + scalar + " " + scalar, "got 2 input files"},
      {module + " " + scalar, "shape mismatch"},
      {module + " " + root_ + "/text.npy", "text.npy"},
      {module + " " + root_ + "/missing.npy", "missing.npy"},
      {module + " --random " + scalar, "--random takes no input files"},
      {module + " --random --device tpu", "got 'tpu', expected cpu, cuda"},
      {root_ + "/missing.hlo --random", "missing.hlo"},
      {root_ + "/bad.hlo --random", "bad.hlo:3:"},
      {root_ + " --random", root_.c_str()},
      {module + " --random -o " + scalar, "s.npy"},
      {module + " --random --bench 0", "bench"},
      {module + " --random --bench -1", "bench"},
      {module + " --random --seed -1", "expected a whole number from 0"},
      {module + " --random --seed 99999999999999999999", "expected a whole number from 0"},
      {module + " --random --seed abc", "expected a whole number from 0"},
      {module + " " + scalar + " --seed 3", "--seed requires --random"},
      {module + " --random --device cup", "did you mean 'cpu'"},
      {module + " /proc/self/mem", "/proc/self/mem"},
      {module + " /dev/zero", "larger than the limit"},
      {"/dev/zero --random", "larger than the limit"},
  };
  for (const Mistake& mistake : mistakes) {
    const CommandResult outcome = Swage("run " + mistake.args);
    EXPECT_EQ(outcome.exit_code, 2) << mistake.args << "\n" << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr(mistake.said));
  }
}

TEST_F(RunCommandTest, AnAbsurdSizeIsAnError) {
  const std::string module = Module(
      "x = f32[] parameter(0)\nROOT r = f32[1099511627776,1024] broadcast(x), dimensions={}");
  const CommandResult outcome = Swage("run " + module + " --random");
  EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
}

}  // namespace
}  // namespace swage::tools
