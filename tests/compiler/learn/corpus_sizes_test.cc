// Every program of tests/corpus_sizes is learned from two lowerings. That the learned programs
// compute what they should is tests/corpus_sizes' own test (swage corpus --sizes).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "compiler/ir/parser.h"
#include "compiler/learn/learn.h"

namespace swage::learn {
namespace {

namespace fs = std::filesystem;

constexpr char kFolder[] = "tests/corpus_sizes";

std::unique_ptr<ir::Module> Load(const std::string& program, const std::string& sizes) {
  auto module = ir::ParseHloFile(absl::StrCat(kFolder, "/", program, "/", sizes, "/module.hlo"));
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}

std::set<std::string> NamesIn(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) names.insert(entry.path().filename().string());
  }
  return names;
}

TEST(CorpusSizes, EveryProgramIsLearnedFromTwoLowerings) {
  const std::set<std::string> programs = NamesIn(kFolder);
  ASSERT_GE(programs.size(), 34u);
  for (const std::string& program : programs) {
    SCOPED_TRACE(program);
    const std::set<std::string> sizes = NamesIn(absl::StrCat(kFolder, "/", program));
    const bool two = sizes.contains("n7_m5");
    const auto first = Load(program, two ? "n7_m5" : "n7");
    const auto second = Load(program, two ? "n12_m9" : "n12");
    const auto learned = LearnSymbolic({first.get(), second.get()});
    EXPECT_TRUE(learned.ok()) << learned.status();
    if (!learned.ok()) continue;
    EXPECT_EQ(learned->report.symbols.size(), two ? 2u : 1u) << learned->report.ToString();
    // The other order says the same.
    const auto swapped = LearnSymbolic({second.get(), first.get()});
    ASSERT_TRUE(swapped.ok()) << swapped.status();
    EXPECT_EQ(swapped->report.symbols[0].expression, learned->report.symbols[0].expression);
    // A third lowering agrees.
    const auto third = Load(program, two ? "n33_m17" : "n33");
    const auto checked = LearnSymbolic({first.get(), second.get(), third.get()});
    EXPECT_TRUE(checked.ok()) << checked.status();
    // It prints, and what is printed is a program.
    EXPECT_TRUE(ir::ParseHlo(learned->module->ToString()).ok()) << learned->module->ToString();
  }
}

}  // namespace
}  // namespace swage::learn
