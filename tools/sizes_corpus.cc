#include "tools/sizes_corpus.h"

#include <algorithm>
#include <cstdio>
#include <regex>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/ir/bind_symbols.h"
#include "compiler/ir/symbol_scope.h"
#include "compiler/learn/learn.h"
#include "tools/size_ranges.h"

namespace swage::tools {
namespace {

// Of PROGRAM/SIZES.
std::string ProgramOf(const std::string& name) { return name.substr(0, name.find('/')); }
std::string SizesPart(const std::string& name) { return name.substr(name.find('/') + 1); }

// {7, 5} of "n7_m5"; empty when the name is not of that form.
std::vector<int64_t> SizesOf(const std::string& name) {
  static const std::regex* const form = new std::regex("[a-z][0-9]{1,9}(_[a-z][0-9]{1,9})*");
  if (!std::regex_match(name, *form)) return {};
  std::vector<int64_t> sizes;
  for (size_t at = 0; at < name.size(); at = std::min(name.find('_', at), name.size() - 1) + 1) {
    const std::string number = name.substr(at + 1, name.find('_', at) - at - 1);
    if (!absl::SimpleAtoi(number, &sizes.emplace_back())) return {};
  }
  return sizes;
}

// Each symbol that `inputs` bring, in the range that the mode gives for its value.
StatusOr<SizeRanges> RangesOf(const ir::Module& module, const std::vector<ir::Literal>& inputs,
                              const std::string& mode) {
  if (mode == "symbolic") return SizeRanges();
  std::vector<const ir::Shape*> got;
  for (const ir::Literal& input : inputs) got.push_back(&input.shape());
  const StatusOr<ir::SymbolBinding> sizes = ir::SolveSizes(module, got);
  if (!sizes.ok()) return InvalidArgument("[sizes] ", sizes.status().message());
  return SizeRangesOf(*sizes, mode);
}

}  // namespace

StatusOr<SizesCorpus> SizesCorpus::Open(const std::string& dir, const std::vector<std::string>& all,
                                        const std::string& mode) {
  if (mode != "symbolic" && mode != "bucket" && mode != "pad") {
    return InvalidArgument("[corpus] --sizes runs in --mode symbolic, bucket or pad, got '", mode,
                           "'");
  }
  for (const std::string& name : all) {
    if (SizesOf(SizesPart(name)).empty()) {
      return InvalidArgument("[corpus] --sizes: got the case '", name,
                             "', expected PROGRAM/SIZES with sizes like n7 or n7_m5");
    }
  }
  return SizesCorpus(dir, all, mode);
}

Status SizesCorpus::LearnFrom(const std::vector<std::string>& sizes) {
  std::vector<std::unique_ptr<ir::Module>> modules;
  std::vector<const ir::Module*> lowerings;
  learn::LearnOptions options;
  for (const std::string& one : sizes) {
    SWAGE_ASSIGN_OR_RETURN(modules.emplace_back(),
                           LoadModule(dir_ + "/" + program_ + "/" + one + "/module.hlo"));
    lowerings.push_back(modules.back().get());
    options.names.push_back(one);
  }
  SWAGE_ASSIGN_OR_RETURN(learn::Learned learned, learn::LearnSymbolic(lowerings, options));
  module_ = std::move(learned.module);
  compiled_.clear();
  return OkStatus();
}

Status SizesCorpus::Learn(const std::string& program) {
  program_ = program;
  said_why_ = false;
  std::vector<std::string> sizes;
  for (const std::string& name : all_) {
    if (ProgramOf(name) != program) continue;
    const std::string one = SizesPart(name);
    const std::vector<int64_t> values = SizesOf(one);
    if (*std::min_element(values.begin(), values.end()) >= 3) sizes.push_back(one);
  }
  std::sort(sizes.begin(), sizes.end(),
            [](const std::string& a, const std::string& b) { return SizesOf(a) < SizesOf(b); });
  if (sizes.size() < 2) {
    return InvalidArgument("[corpus] ", program, " has ", sizes.size(),
                           " lowerings at sizes from 3 on, expected 2");
  }
  const Status from_two = LearnFrom({sizes[0], sizes[1]});
  if (from_two.ok() || sizes.size() < 3) return from_two;
  const Status from_three = LearnFrom({sizes[0], sizes[1], sizes[2]});
  if (!from_three.ok()) return from_two;
  printf("NOTE %s learned from %s, %s and %s: %s\n", program.c_str(), sizes[0].c_str(),
         sizes[1].c_str(), sizes[2].c_str(), std::string(from_two.message()).c_str());
  return OkStatus();
}

StatusOr<RunCompiled> SizesCorpus::Compile(const Compilers& compilers, const ir::Module& module) {
  StatusOr<RunCompiled> run = compilers.first(module);
  if (mode_ != "pad" || run.ok() || run.status().code() != absl::StatusCode::kUnimplemented) {
    return run;
  }
  if (!said_why_) {
    printf("NOTE %s is not padded: %s\n", program_.c_str(),
           std::string(run.status().message()).c_str());
  }
  said_why_ = true;
  return compilers.plain(module);
}

// A program is compiled once, or once for each bucket.
StatusOr<std::vector<ir::Literal>> SizesCorpus::Run(const Compilers& compilers,
                                                    const std::vector<ir::Literal>& inputs) {
  SWAGE_ASSIGN_OR_RETURN(const SizeRanges ranges, RangesOf(*module_, inputs, mode_));
  std::string key;
  ir::SymbolScope scope;
  for (const auto& [symbol, range] : ranges) absl::StrAppend(&key, range.ToString(scope), " ");
  Compiled& compiled = compiled_[key];
  if (compiled.run == nullptr) {
    compiled.module = InRanges(*module_, ranges);
    SWAGE_ASSIGN_OR_RETURN(compiled.run, Compile(compilers, *compiled.module));
  }
  return compiled.run(inputs);
}

std::vector<std::string> SizesCorpus::RunCase(const Compilers& compilers, const std::string& name,
                                              int repeat) {
  if (ProgramOf(name) != program_) {
    learned_ = Learn(ProgramOf(name));
    if (!learned_.ok()) {
      printf("FAIL %s %s\n", program_.c_str(), std::string(learned_.message()).c_str());
    }
  }
  if (!learned_.ok()) return {"was not learned"};
  const StatusOr<CorpusCase> test = ReadCase(dir_, name);
  if (!test.ok()) return {std::string(test.status().message())};
  for (int i = 0; i < repeat; ++i) {
    const StatusOr<std::vector<ir::Literal>> got = Run(compilers, test->inputs);
    if (!got.ok()) return {std::string(got.status().message())};
    std::vector<std::string> failures = CompareOutputs(*got, *test);
    if (!failures.empty()) return failures;
  }
  return {};
}

}  // namespace swage::tools
