// File: tests/compiler/learn/learn_testing.h
//
// Learning from HLO text in which `$n`, `$m` stand for sizes.
#ifndef SWAGE_TESTS_COMPILER_LEARN_LEARN_TESTING_H_
#define SWAGE_TESTS_COMPILER_LEARN_LEARN_TESTING_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/parser.h"
#include "compiler/learn/learn.h"

namespace swage::learn {

// What the keys of `text` stand for: {{"$n", "7"}}.
using Replacements = std::vector<std::pair<std::string, std::string>>;

// What $n, $m and $p are in each lowering: At({{7, 5}, {12, 9}}).
inline std::vector<Replacements> At(const std::vector<std::vector<int>>& lowerings) {
  static constexpr const char* kKeys[] = {"$n", "$m", "$p"};
  std::vector<Replacements> all;
  for (const std::vector<int>& sizes : lowerings) {
    Replacements& one = all.emplace_back();
    for (size_t i = 0; i < sizes.size(); ++i) one.emplace_back(kKeys[i], std::to_string(sizes[i]));
  }
  return all;
}

// A program of one computation.
inline std::string Main(const std::string& body) {
  return "HloModule f\nENTRY main {" + body + "}";
}

inline std::string Lowered(std::string text, const Replacements& replacements) {
  for (const auto& [key, value] : replacements) {
    for (size_t at; (at = text.find(key)) != text.npos;) text.replace(at, key.size(), value);
  }
  return text;
}

inline StatusOr<Learned> LearnTexts(const std::vector<std::string>& texts,
                                    const LearnOptions& options = {}) {
  std::vector<std::unique_ptr<ir::Module>> modules;
  std::vector<const ir::Module*> lowerings;
  for (const std::string& text : texts) {
    StatusOr<std::unique_ptr<ir::Module>> module = ir::ParseHlo(text);
    EXPECT_TRUE(module.ok()) << module.status();
    if (!module.ok()) return module.status();
    modules.push_back(*std::move(module));
    lowerings.push_back(modules.back().get());
  }
  return LearnSymbolic(lowerings, options);
}

inline StatusOr<Learned> LearnFrom(const std::string& text, const std::vector<Replacements>& all,
                                   const LearnOptions& options = {}) {
  std::vector<std::string> texts;
  for (const Replacements& replacements : all) texts.push_back(Lowered(text, replacements));
  return LearnTexts(texts, options);
}

// The text of what is learned, or the error.
inline std::string LearnedText(const std::string& text, const std::vector<Replacements>& all,
                               const LearnOptions& options = {}) {
  const StatusOr<Learned> learned = LearnFrom(text, all, options);
  return learned.ok() ? learned->module->ToString() : std::string(learned.status().message());
}

}  // namespace swage::learn

#endif  // SWAGE_TESTS_COMPILER_LEARN_LEARN_TESTING_H_
