// Every module of the corpora is read, checked, printed and read back.
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "compiler/ir/parser.h"
#include "compiler/ir/printer.h"
#include "compiler/ir/shape_inference.h"
#include "gtest/gtest.h"
#include "tests/hlo_files.h"

namespace swage::ir {
namespace {

const std::vector<std::string>& AllModules() {
  static const auto* const paths = new std::vector<std::string>(
      HloFilesUnder({"corpus", "corpus_sizes", "fuzz/hlo_seeds", "hlo_text", "models"}));
  return *paths;
}

std::unique_ptr<Module> ParseFile(const std::string& path) {
  auto module = ParseHloFile(path);
  EXPECT_TRUE(module.ok()) << module.status().message();
  return module.ok() ? std::move(*module) : nullptr;
}

TEST(CorpusText, HoldsTheModulesThatItShould) { EXPECT_GE(AllModules().size(), 500u); }

TEST(CorpusText, PrintsToTextThatParsesToAnEqualModule) {
  for (const std::string& path : AllModules()) {
    auto module = ParseFile(path);
    ASSERT_NE(module, nullptr);
    for (bool verbose : {false, true}) {
      PrintOptions options;
      options.percent = options.signatures = options.operand_shapes = verbose;
      auto again = ParseHlo(ToText(*module, options), path + " (printed)");
      ASSERT_TRUE(again.ok()) << again.status().message();
      std::string why;
      EXPECT_TRUE(ModulesEqual(*module, **again, &why)) << path << ": " << why;
    }
  }
}

TEST(CorpusText, HasShapesThatFollowTheRules) {
  for (const std::string& path : AllModules()) {
    auto module = ParseFile(path);
    ASSERT_NE(module, nullptr);
    for (const Computation* computation : module->Computations()) {
      for (const Instruction* instruction : computation->Instructions()) {
        const Status status = CheckShape(*instruction);
        EXPECT_TRUE(status.ok()) << path << ": " << instruction->name() << ": " << status.message();
      }
    }
  }
}

// Constants are skipped: XLA prints nine digits of a float, we print the fewest that suffice.
std::vector<std::string> LinesButConstants(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.find(" constant(") == std::string::npos) lines.push_back(line);
  }
  return lines;
}

TEST(CorpusText, PrintsUnoptimizedModulesAsTheyWereWritten) {
  for (const std::string& path : HloFilesUnder({"corpus", "corpus_sizes", "models"})) {
    auto text = ReadFile(path);
    ASSERT_TRUE(text.ok());
    auto module = ParseFile(path);
    ASSERT_NE(module, nullptr);
    EXPECT_EQ(LinesButConstants(ToText(*module)), LinesButConstants(*text)) << path;
  }
}

TEST(CorpusText, LosesOnlyLayoutsWhenTheyAreDropped) {
  auto module = ParseFile("tests/corpus/program/attend_64/module.hlo");
  ASSERT_NE(module, nullptr);
  DropLayouts(module.get());
  for (const Computation* computation : module->Computations()) {
    for (const Instruction* instruction : computation->Instructions()) {
      EXPECT_FALSE(instruction->shape().HasAnyLayout()) << instruction->name();
    }
  }
  ASSERT_TRUE(module->entry_layout());
  EXPECT_TRUE(module->entry_layout()->result.has_layout());
}

}  // namespace
}  // namespace swage::ir
