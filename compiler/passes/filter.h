// File: compiler/passes/filter.h
//
// Pass filters: the entries of disable_passes, only_passes and dump_passes.
//
//   cse                    every run of cse
//   simplification         every pass inside that pipeline
//   simplification/cse     the runs of cse inside it, at any depth
//   cse:2                  the third run of cse (counted from 0)
//   simplification/cse:2   the third of its runs inside that pipeline
//   .*simplifier           in dumps only: a regex over the name and over "cpu/simplification/cse"
#ifndef SWAGE_COMPILER_PASSES_FILTER_H_
#define SWAGE_COMPILER_PASSES_FILTER_H_

#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "base/status.h"
#include "compiler/passes/pipeline.h"

namespace swage::passes {

// A pass about to run: where, and how often before.
struct PassPosition {
  absl::Span<const std::string_view> pipelines;  // outermost first
  std::string_view name;
  int64_t run = 0;                             // earlier runs of this name
  absl::Span<const int64_t> runs_in_pipeline;  // the same inside pipelines[i]
};

// Counts the runs that PassPosition speaks of.
class RunCounter {
 public:
  // The position of the next run, which counts as begun. The spans live until the next call.
  PassPosition Next(absl::Span<const std::string_view> pipelines, std::string_view name);
  // Runs so far of `name`, inside `pipeline` unless that is empty.
  int64_t Count(std::string_view pipeline, std::string_view name) const;

 private:
  absl::flat_hash_map<std::string, int64_t> counts_;
  std::vector<int64_t> in_pipeline_;
};

class PassFilter {
 public:
  PassFilter() = default;
  // `option` names the entries' origin in errors. Every entry is checked against `places`.
  static StatusOr<PassFilter> Parse(std::string_view option, absl::Span<const std::string> entries,
                                    absl::Span<const PassPlace> places, bool allow_regex);

  bool empty() const { return entries_.empty(); }
  int size() const { return static_cast<int>(entries_.size()); }
  const std::string& text(int i) const { return entries_[i].text; }
  const std::string& pipeline(int i) const { return entries_[i].pipeline; }
  const std::string& name(int i) const { return entries_[i].name; }
  int64_t run(int i) const { return entries_[i].run; }

  // The entries that match this run.
  std::vector<int> Matches(const PassPosition& position) const;

 private:
  struct Entry {
    std::string text;
    std::string pipeline;  // empty: any
    std::string name;
    int64_t run = -1;  // -1: every
    std::optional<std::regex> regex;
  };

  static StatusOr<Entry> ParseEntry(std::string_view option, const std::string& text,
                                    absl::Span<const PassPlace> places, bool allow_regex);

  std::vector<Entry> entries_;
};

// Those of a compilation.
struct PassFilters {
  // InvalidArgument for an entry that names nothing, for both of disable_passes and only_passes,
  // and for a required pass that is to be disabled by its name.
  static StatusOr<PassFilters> Parse(const CompilerOptions& options,
                                     absl::Span<const PassPlace> places);

  PassFilter disable, only, dump;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_FILTER_H_
