#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "compiler/ir/npy.h"
#include "tests/tools/run_tool.h"
#include "tools/corpus_case.h"
#include "tools/isolated_case.h"

namespace swage::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr char kNegate[] =
    "HloModule m\nENTRY main {\n x = f32[2,2] parameter(0)\n ROOT r = f32[2,2] negate(x)\n}\n";
constexpr char kCase[] =
    R"({"inputs": [{"file": "in_0.npy", "dtype": "f32", "shape": [2, 2]}],
        "outputs": [{"file": "out_0.npy", "dtype": "f32", "shape": [2, 2], "rtol": 0, "atol": 0}]})";

class CorpusCommandTest : public ToolTest {
 protected:
  static std::string Npy(const std::vector<float>& values) {
    ir::Literal literal =
        *ir::Literal::Create(ir::Shape::Array(ir::DType::kF32, {ir::Dim(2), ir::Dim(2)}));
    std::copy(values.begin(), values.end(), literal.mutable_data<float>().begin());
    return *ir::SerializeNpy(literal);
  }
  // A case that negates {1, 2, 3, 4} and expects `want`.
  void AddCase(const std::string& name, const std::vector<float>& want = {-1, -2, -3, -4},
               const std::string& json = kCase, const std::string& hlo = kNegate) {
    Write(name + "/module.hlo", hlo);
    Write(name + "/case.json", json);
    Write(name + "/in_0.npy", Npy({1, 2, 3, 4}));
    Write(name + "/out_0.npy", Npy(want));
  }
  CommandResult Run(const std::string& args = "") { return Swage("corpus " + root_ + " " + args); }
};

TEST_F(CorpusCommandTest, AllCasesPass) {
  AddCase("a/one");
  AddCase("b/two");
  for (const char* mode : {"module", "eager"}) {
    const CommandResult outcome = Run(std::string("--repeat 3 --threads 2 --mode ") + mode);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.output, "2 passed, 0 failed, 0 skipped\n");
  }
}

TEST_F(CorpusCommandTest, AFailureNamesTheElementAndExitsWithOne) {
  AddCase("a/good");
  AddCase("a/wrong", {-1, -2, -3.5, -4});
  const CommandResult outcome = Run();
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.output,
            "FAIL a/wrong out_0[1,0]: got -3, want -3.5, tol 0\n1 passed, 1 failed, 0 skipped\n");
}

TEST_F(CorpusCommandTest, TolerancesAllowWhatTheySay) {
  std::string json = kCase;
  json.replace(json.find("\"rtol\": 0"), 9, "\"rtol\": 0.1");
  AddCase("a/near", {-1.1f, -2, -3, -4}, json);
  AddCase("a/far", {-1, -2, -2.5f, -4}, json);
  const CommandResult outcome = Run();
  EXPECT_EQ(outcome.output,
            "FAIL a/far out_0[1,0]: got -3, want -2.5, tol 0.25\n1 passed, 1 failed, 0 skipped\n");
}

TEST_F(CorpusCommandTest, AnUnimplementedOpIsAFailureThatNamesIt) {
  AddCase("a/op", {}, kCase,
          "HloModule m\nENTRY main {\n x = f32[2,2] parameter(0)\n"
          " ROOT r = f32[2,2] cholesky(x), lower=true\n}\n");
  const CommandResult outcome = Run();
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("FAIL a/op "));
  EXPECT_THAT(outcome.output, HasSubstr("cholesky"));
  EXPECT_THAT(outcome.output, EndsWith("0 passed, 1 failed, 0 skipped\n"));
}

TEST_F(CorpusCommandTest, ListsAndFiltersSelect) {
  AddCase("a/one");
  AddCase("a/two");
  AddCase("b/one");
  Write("list.txt", "# a comment\n a/one \n\nb/one\r\na/one\n");
  EXPECT_EQ(Run("--list list.txt").output, "2 passed, 0 failed, 0 skipped\n");
  EXPECT_EQ(Run("--list " + root_ + "/list.txt").output, "2 passed, 0 failed, 0 skipped\n");
  EXPECT_EQ(Run("--list list.txt --filter '^b/'").output, "1 passed, 0 failed, 0 skipped\n");
}

TEST_F(CorpusCommandTest, NamesSelect) {
  AddCase("a/one");
  AddCase("a/two");
  AddCase("b/one");
  EXPECT_EQ(Run("a/two b/one a/two").output, "2 passed, 0 failed, 0 skipped\n");
  EXPECT_EQ(Run("a/two b/one --filter '^b/'").output, "1 passed, 0 failed, 0 skipped\n");
  const CommandResult unknown = Run("a/won");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.output, HasSubstr("no case 'a/won'"));
  EXPECT_THAT(unknown.output, HasSubstr("did you mean 'a/one'"));
}

TEST_F(CorpusCommandTest, SizesMayBeCompiledIn) {
  AddCase("a/one");
  EXPECT_EQ(Run("--baked-dims").output, "1 passed, 0 failed, 0 skipped\n");
  const CommandResult nothing = Run("--baked-dims --device evaluator");
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_THAT(nothing.output, HasSubstr("compiles nothing that sizes could be baked into"));
}

TEST_F(CorpusCommandTest, IsolatedCasesPassAndFailAsOthers) {
  AddCase("a/good");
  AddCase("a/wrong", {-1, -2, -3.5, -4});
  const CommandResult outcome = Run("--isolate --repeat 2 --threads 1 --mode eager --baked-dims");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.output,
            "FAIL a/wrong out_0[1,0]: got -3, want -3.5, tol 0\n1 passed, 1 failed, 0 skipped\n");
}

// By a program in the place of `swage`.
TEST_F(CorpusCommandTest, AnIsolatedCaseThatDiesSaysHow) {
  const auto failures = [&](const std::string& script) {
    const std::string program = Write("program", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return RunIsolated({.dir = root_}, "a/one", program);
  };
  EXPECT_THAT(failures("kill -SEGV $$"),
              ElementsAre(HasSubstr("[isolate] ended by signal 11 (Segmentation fault")));
  EXPECT_THAT(failures("echo first >&2; echo last >&2; exit 70"),
              ElementsAre("[isolate] exit code 70: last"));
  EXPECT_THAT(failures("echo 'FAIL a/one out_0[0]: got 1'; kill -ABRT $$"),
              ElementsAre("out_0[0]: got 1", HasSubstr("signal 6")));
  EXPECT_THAT(failures("exit 1"), ElementsAre("[isolate] failed without saying why"));
  EXPECT_THAT(failures("echo '1 passed, 0 failed, 0 skipped'"), ElementsAre());
  EXPECT_THAT(failures("test \"$*\" = \"corpus " + root_ + " a/one --device cpu --repeat 1\""),
              ElementsAre());
}

TEST_F(CorpusCommandTest, MistakesInTheSelectionExitWithTwo) {
  AddCase("a/one");
  Write("list.txt", "a/onne\n");
  const CommandResult unknown = Run("--list list.txt");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.output, HasSubstr("no case 'a/onne'"));
  EXPECT_THAT(unknown.output, HasSubstr("did you mean 'a/one'"));
  for (const char* flags : {"--filter zzz", "--filter '('", "--list missing.txt", "--device tpu",
                            "--mode lazy", "--threads 0", "--repeat 0"}) {
    EXPECT_EQ(Run(flags).exit_code, 2) << flags;
  }
  EXPECT_THAT(Run("--list /no/list.txt").output, HasSubstr("'/no/list.txt'"));
  EXPECT_EQ(Swage("corpus " + root_ + "/nowhere").exit_code, 2);
  EXPECT_EQ(Swage("corpus").exit_code, 2);
}

TEST_F(CorpusCommandTest, BrokenFilesFailTheirCaseAndNameThemselves) {
  const std::pair<const char*, const char*> broken[] = {
      {"case.json", "{"},
      {"case.json", "[]"},
      {"case.json", R"({"inputs": 3, "outputs": []})"},
      {"case.json", R"({"inputs": [7], "outputs": []})"},
      {"case.json",
       R"({"inputs": [{"file": "../x.npy", "dtype": "f32", "shape": []}], "outputs": []})"},
      {"case.json",
       R"({"inputs": [{"file": "in_0.npy", "dtype": "f99", "shape": []}], "outputs": []})"},
      {"case.json",
       R"({"inputs": [{"file": "in_0.npy", "dtype": "f32", "shape": [-1]}], "outputs": []})"},
      {"case.json",
       R"({"inputs": [{"file": "in_0.npy", "dtype": "f32", "shape": [1e30]}], "outputs": []})"},
      {"case.json", R"({"inputs": [{"file": "in_0.npy", "dtype": "f32",
                         "shape": [9223372036854775807, 9223372036854775807]}], "outputs": []})"},
      {"in_0.npy", "\x93NUMPY"},
      {"in_0.npy", ""},
      {"out_0.npy", "not an array"},
      {"module.hlo", "HloModule m\nENTRY main {"},
      {"module.hlo", ""},
  };
  for (const auto& [file, content] : broken) {
    AddCase("a/broken");
    Write(std::string("a/broken/") + file, content);
    const CommandResult outcome = Run();
    EXPECT_EQ(outcome.exit_code, 1) << content;
    EXPECT_THAT(outcome.output, HasSubstr("FAIL a/broken ")) << content;
    EXPECT_THAT(outcome.output, HasSubstr(file)) << content;
    EXPECT_THAT(outcome.output, EndsWith("0 passed, 1 failed, 0 skipped\n")) << content;
  }
}

TEST_F(CorpusCommandTest, DeeplyNestedJsonIsRefused) {
  AddCase("a/deep", {}, std::string(2000000, '['));
  EXPECT_EQ(Run().exit_code, 1);
}

TEST(FindMismatchTest, ExactComparisonTellsZerosApartAndMatchesNan) {
  auto scalar = [](double x) { return ir::Literal::Scalar(ir::DType::kF32, x); };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(FindMismatch(scalar(nan), scalar(-nan), {}).has_value());
  EXPECT_TRUE(FindMismatch(scalar(0.0), scalar(-0.0), {}).has_value());
  EXPECT_FALSE(FindMismatch(scalar(0.0), scalar(-0.0), {.rtol = 0, .atol = 1e-6}).has_value());
  EXPECT_TRUE(FindMismatch(scalar(nan), scalar(1), {.rtol = 1, .atol = 100}).has_value());
  EXPECT_TRUE(FindMismatch(scalar(1), scalar(inf), {.rtol = 1, .atol = 100}).has_value());
  EXPECT_TRUE(FindMismatch(scalar(-inf), scalar(inf), {.rtol = 1, .atol = 100}).has_value());
  EXPECT_TRUE(FindMismatch(scalar(inf), scalar(1), {.rtol = 1, .atol = 100}).has_value());
  EXPECT_FALSE(FindMismatch(scalar(1.5), scalar(1), {.rtol = 0.5, .atol = 0}).has_value());
}

TEST(FindMismatchTest, IntegersCompareExactlyBeyondDoublePrecision) {
  const ir::Literal a = ir::Literal::Scalar(ir::DType::kS64, int64_t{9007199254740993});
  const ir::Literal b = ir::Literal::Scalar(ir::DType::kS64, int64_t{9007199254740992});
  EXPECT_TRUE(FindMismatch(a, b, {}).has_value());
  EXPECT_FALSE(FindMismatch(a, b, {.rtol = 0, .atol = 1}).has_value());
}

TEST(FindMismatchTest, ShapesMustAgree) {
  const ir::Literal a = ir::Literal::Scalar(ir::DType::kS32, 1);
  EXPECT_EQ(FindMismatch(a, ir::Literal::Scalar(ir::DType::kS64, 1), {}),
            ": got s32[], want s64[]");
}

// A program at three sizes that divides by `divisors`, one per size.
class SizesCorpusTest : public CorpusCommandTest {
 protected:
  void AddProgram(const std::string& name, const std::vector<std::string>& divisors) {
    const int sizes[] = {3, 5, 8};
    for (int i = 0; i < 3; ++i) {
      const std::string n = std::to_string(sizes[i]), folder = name + "/n" + n;
      Write(folder + "/module.hlo",
            "HloModule m\nENTRY main {\n x = f32[" + n + "] parameter(0)\n c = f32[] constant(" +
                divisors[i] + ")\n d = f32[" + n + "] broadcast(c), dimensions={}\n ROOT r = f32[" +
                n + "] divide(x, d)\n}\n");
      const std::string shape = R"("dtype": "f32", "shape": [)" + n + "]";
      Write(folder + "/case.json", R"({"inputs": [{"file": "in_0.npy", )" + shape +
                                       R"(}], "outputs": [{"file": "out_0.npy", )" + shape +
                                       R"(, "rtol": 0, "atol": 0}]})");
      ir::Literal ones =
          *ir::Literal::Create(ir::Shape::Array(ir::DType::kF32, {ir::Dim(sizes[i])}));
      for (float& value : ones.mutable_data<float>()) value = 1;
      Write(folder + "/in_0.npy", *ir::SerializeNpy(ones));
      for (float& value : ones.mutable_data<float>()) value = 1 / static_cast<float>(sizes[i]);
      Write(folder + "/out_0.npy", *ir::SerializeNpy(ones));
    }
  }
};

TEST_F(SizesCorpusTest, AProgramIsLearnedFromTwoSizesAndRunsAtAll) {
  AddProgram("mean", {"3", "5", "8"});
  for (const char* options : {"symbolic --device cpu", "symbolic --device evaluator", "bucket"}) {
    const CommandResult outcome = Run(std::string("--sizes --mode ") + options);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_EQ(outcome.output, "3 passed, 0 failed, 0 skipped\n");
  }
  EXPECT_EQ(Run("--sizes --filter n8").output, "1 passed, 0 failed, 0 skipped\n");
}

TEST_F(SizesCorpusTest, AProgramThatIsNotLearnedIsNamedAndFailsAtEverySize) {
  AddProgram("mean", {"3", "5", "8"});
  AddProgram("odd", {"3", "6.5", "8"});
  const CommandResult outcome = Run("--sizes");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("FAIL odd [learn] c (main), literal: got 3 and 6.5"));
  EXPECT_THAT(outcome.output, EndsWith("3 passed, 3 failed, 0 skipped\n"));
}

TEST_F(SizesCorpusTest, AThirdSizeHelpsWhereTwoDoNotAndIsSaid) {
  // 40*n-117 at 3 and 5, which only a third size could confirm.
  AddProgram("steep", {"3", "83", "203"});
  const CommandResult outcome = Run("--sizes");
  EXPECT_THAT(outcome.output, HasSubstr("NOTE steep learned from n3, n5 and n8: [learn] c (main)"));
  EXPECT_THAT(outcome.output, HasSubstr("FAIL steep/n5 out_0[0]"));
}

TEST_F(SizesCorpusTest, PadsToTheNextLargerPowerOfTwo) {
  AddProgram("mean", {"3", "5", "8"});
  for (const char* device : {"cpu", "evaluator"}) {
    const CommandResult outcome = Run(std::string("--sizes --mode pad --device ") + device);
    EXPECT_EQ(outcome.output, "3 passed, 0 failed, 0 skipped\n");
  }
}

TEST_F(SizesCorpusTest, ModesAndNamesAreChecked) {
  AddProgram("mean", {"3", "5", "8"});
  EXPECT_THAT(Run("--sizes --mode eager").output, HasSubstr("--sizes runs in --mode symbolic"));
  EXPECT_THAT(Run("--mode symbolic").output, HasSubstr("neither module nor eager"));
  AddCase("a/one");
  EXPECT_THAT(Run("--sizes").output, HasSubstr("got the case 'a/one', expected PROGRAM/SIZES"));
}

}  // namespace
}  // namespace swage::tools
