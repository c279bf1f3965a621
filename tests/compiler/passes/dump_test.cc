#include "compiler/passes/dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "base/files.h"
#include "compiler/passes/dce.h"
#include "compiler/passes/pipeline.h"
#include "compiler/passes/tuple_simplifier.h"
#include "nlohmann/json.hpp"
#include "tests/compiler/passes/pass_test.h"
#include "tests/temp_folder.h"

namespace swage::passes {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::string_view kHlo = R"(
HloModule attend
ENTRY main {
  x = f32[4] parameter(0)
  t = (f32[4]) tuple(x)
  e = f32[4] get-tuple-element(t), index=0
  ROOT r = f32[4] negate(e)
})";

class DumpsInside : public Pass {
 public:
  std::string_view name() const override { return "copy-insertion"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override {
    context.DumpInside(*this, "after adding/copies", module);
    return false;
  }
};

class DumpTest : public ::testing::Test {
 protected:
  // Compiles `hlo` with dumps; what the context said.
  std::vector<std::string> Compile(std::string_view hlo, CompilerOptions options = {}) {
    const auto module = ParseForTest(hlo);
    if (options.dump_to.empty()) options.dump_to = directory_;
    Pipeline pipeline("cpu");
    pipeline.AddPass<DumpsInside>();
    FixedPoint& fix = pipeline.AddFixedPoint("simplification");
    fix.AddPass<TupleSimplifier>();
    fix.AddPass<Dce>();
    PassContext context(options);
    const StatusOr<bool> changed = pipeline.Run(*module, context);
    EXPECT_TRUE(changed.ok()) << changed.status();
    context.DumpFile(".ll", "; LLVM", "LLVM IR");
    context.DumpFile(".ll", "; more", "LLVM IR");
    std::vector<std::string> messages;
    for (const Message& message : context.messages()) messages.push_back(message.text);
    return messages;
  }

  std::vector<std::string> Files(std::string_view prefix) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
      const std::string name = entry.path().filename();
      if (name.starts_with(prefix)) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  nlohmann::json Index() const {
    const StatusOr<std::string> text = ReadFile(directory_ + "/index.json");
    EXPECT_TRUE(text.ok()) << text.status();
    return nlohmann::json::parse(*text);
  }

  const TempFolder folder_;
  const std::string directory_ = folder_.path();
};

TEST_F(DumpTest, WritesAFilePerPassThatChangedSomething) {
  EXPECT_THAT(Compile(kHlo), IsEmpty());
  EXPECT_THAT(
      Files("module_"),
      ElementsAre("module_0000.attend.0000.cpu.after_pipeline-start.before_copy-insertion.txt",
                  "module_0000.attend.0001.copy-insertion.after_adding_copies.txt",
                  "module_0000.attend.0002.simplification.after_tuple-simplifier.before_dce.txt",
                  "module_0000.attend.0003.simplification.after_dce.before_pipeline-end.txt",
                  "module_0000.attend.0004.cpu.after_simplification.before_pipeline-end.txt",
                  "module_0000.attend.1.ll", "module_0000.attend.ll"));
}

TEST_F(DumpTest, NumbersGoOnOverCompilesAndProcesses) {
  Compile(kHlo);
  Compile(kHlo);
  EXPECT_THAT(Files("module_0001."), testing::SizeIs(7));
  // As another process would find it that has lost the counter.
  std::filesystem::remove(directory_ + "/.next_module");
  Compile(kHlo);
  EXPECT_THAT(Files("module_0002."), testing::SizeIs(7));
}

TEST_F(DumpTest, ManyThreadsGetNumbersOfTheirOwn) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([this] {
      for (int i = 0; i < 4; ++i) Compile(kHlo);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(Files("module_"), testing::SizeIs(32 * 7));
  EXPECT_EQ(Index()["modules"].size(), 32u);
}

TEST_F(DumpTest, TheIndexListsPassesFilesAndOptions) {
  CompilerOptions options;
  options.disable_passes = {"simplification/dce"};
  Compile(kHlo, options);
  Compile(kHlo);
  const nlohmann::json index = Index();
  ASSERT_EQ(index["modules"].size(), 2u);
  const nlohmann::json& module = index["modules"][0];
  EXPECT_EQ(module["name"], "attend");
  EXPECT_EQ(module["number"], 0);
  EXPECT_THAT(module["options"]["disable_passes"], ElementsAre("simplification/dce"));
  const nlohmann::json& pass = module["passes"][1];
  EXPECT_EQ(pass["name"], "tuple-simplifier");
  EXPECT_EQ(pass["path"], "cpu/simplification");
  EXPECT_EQ(pass["changed"], true);
  EXPECT_GE(pass["ms"].get<double>(), 0.0);
  EXPECT_EQ(module["passes"][2]["skipped"], true);
  std::vector<std::string> files;
  for (const nlohmann::json& file : module["files"]) files.push_back(file["file"]);
  for (const std::string& file : Files("module_0000.")) EXPECT_THAT(files, Contains(file));
}

TEST_F(DumpTest, AnIndexWithoutModulesSaysWhy) {
  const StatusOr<std::shared_ptr<DumpDirectory>> dump = DumpDirectory::Open(directory_);
  ASSERT_TRUE(dump.ok()) << dump.status();
  EXPECT_EQ(Index()["nothing_compiled"], "no module has been compiled yet");
  ASSERT_TRUE((*dump)->ExplainEmptiness("every call was a hit").ok());
  EXPECT_EQ(Index()["nothing_compiled"], "every call was a hit");
  EXPECT_EQ(Index()["modules"].size(), 0u);
  Compile(kHlo);
  EXPECT_FALSE(Index().contains("nothing_compiled"));
  ASSERT_TRUE((*dump)->ExplainEmptiness("too late").ok());
  EXPECT_EQ(Index()["modules"].size(), 1u);
}

TEST_F(DumpTest, TextsReadBack) {
  Compile(R"(
HloModule attend
ENTRY main {
  x = f32[100] parameter(0), metadata={op_name="jit(f)/constant(@x"}
  i = f32[100] constant({)" +
          [] {
            std::string values;
            for (int i = 0; i < 100; ++i) values += (i == 0 ? "" : ", ") + std::to_string(i) + ".5";
            return values;
          }() +
          R"(})
  a = f32[100] add(x, i)
  t = (f32[100]) tuple(a)
  e = f32[100] get-tuple-element(t), index=0
  ROOT r = f32[100] negate(e)
})");
  EXPECT_THAT(Files("constant_"), testing::SizeIs(1));
  for (const std::string& file : Files("module_")) {
    if (file.find(".txt") == std::string::npos) continue;
    const StatusOr<std::unique_ptr<ir::Module>> module = LoadDump(directory_ + "/" + file);
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_THAT((*module)->ToString(), HasSubstr("99.5}"));
  }
}

TEST_F(DumpTest, FiltersChooseWhatIsDumped) {
  CompilerOptions options;
  options.dump_passes = {"dce"};
  Compile(kHlo, options);
  // Before and after dce, and the borders of the outermost pipeline.
  EXPECT_THAT(
      Files("module_"),
      ElementsAre("module_0000.attend.0000.cpu.after_pipeline-start.before_copy-insertion.txt",
                  "module_0000.attend.0001.copy-insertion.after_adding_copies.txt",
                  "module_0000.attend.0002.simplification.after_tuple-simplifier.before_dce.txt",
                  "module_0000.attend.0003.simplification.after_dce.before_pipeline-end.txt",
                  "module_0000.attend.0004.cpu.after_simplification.before_pipeline-end.txt",
                  "module_0000.attend.1.ll", "module_0000.attend.ll"));
  options.dump_passes = {"tuple.*er$"};
  Compile(kHlo, options);
  EXPECT_THAT(Files("module_0001.attend.000"), testing::SizeIs(5));
}

TEST_F(DumpTest, NamesAreSafe) {
  EXPECT_EQ(SafeFileName("a/b\\c d\n"), "a_b_c_d_");
  EXPECT_EQ(SafeFileName(""), "_");
  EXPECT_EQ(SafeFileName(std::string(5000, 'x')).size(), 100u);
}

TEST_F(DumpTest, ADirectoryThatCannotBeMadeIsAWarning) {
  ASSERT_TRUE(WriteFile(directory_ + "/file", "").ok());
  CompilerOptions options;
  options.dump_to = directory_ + "/file/inside";
  EXPECT_THAT(Compile(kHlo, options),
              ElementsAre(StartsWith("[dump] nothing is dumped to '" + directory_)));
}

TEST_F(DumpTest, AnIndexThatWasCutBeginsAnew) {
  Compile(kHlo);
  ASSERT_TRUE(WriteFile(directory_ + "/index.json", "{\"format\": 1,\n\"mod").ok());
  Compile(kHlo);
  EXPECT_EQ(Index()["modules"].size(), 1u);
}

}  // namespace
}  // namespace swage::passes
