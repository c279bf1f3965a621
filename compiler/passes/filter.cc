#include "compiler/passes/filter.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/nearest.h"
#include "base/regex.h"
#include "compiler/passes/registry.h"

namespace swage::passes {
namespace {

std::string CountKey(std::string_view pipeline, std::string_view name) {
  return absl::StrCat(ToAbsl(pipeline), "/", ToAbsl(name));
}

std::string PathOf(absl::Span<const std::string_view> pipelines, std::string_view name) {
  std::string path;
  for (std::string_view pipeline : pipelines) absl::StrAppend(&path, ToAbsl(pipeline), "/");
  absl::StrAppend(&path, ToAbsl(name));
  return path;
}

bool LooksLikeRegex(std::string_view text) {
  return !std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '/' || c == ':';
  });
}

bool Contains(absl::Span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The names that an entry could have meant: of passes, or "pipeline/pass" where it has a slash.
std::string Suggest(std::string_view wanted, bool with_pipeline,
                    absl::Span<const PassPlace> places) {
  std::vector<std::string> names;
  for (const PassPlace& place : places) {
    if (!with_pipeline) {
      names.emplace_back(place.name);
    } else {
      for (std::string_view pipeline : place.pipelines) {
        names.push_back(CountKey(pipeline, place.name));
      }
    }
  }
  return DidYouMean(wanted, names);
}

// A pass that only other targets have is no slip: what this one has in its place shares a word with
// it, if anything does.
std::string SuggestForOtherTarget(std::string_view wanted, absl::Span<const PassPlace> places) {
  const bool exists = std::any_of(AllPasses().begin(), AllPasses().end(),
                                  [&](const PassInfo& pass) { return pass.name == wanted; });
  std::vector<std::string_view> names;
  for (const PassPlace& place : places) names.push_back(place.name);
  if (!exists || std::find(names.begin(), names.end(), wanted) != names.end()) return "";
  std::vector<std::string> near;
  const std::vector<std::string> words = absl::StrSplit(ToAbsl(wanted), '-');
  for (const std::string& word : words) {
    for (std::string& name : NearestNames(word, names)) {
      if (std::find(near.begin(), near.end(), name) == near.end()) near.push_back(std::move(name));
    }
  }
  std::string hint = ", it is one of another target";
  if (!near.empty()) hint += "; the nearest here: " + absl::StrJoin(near, ", ");
  return hint;
}

// The command that lists the passes of a target.
absl::string_view ListedBy(absl::Span<const PassPlace> places) {
  return places.front().name == "gpu" ? " (`swage passes --target h200` lists all)"
                                      : " (`swage passes` lists all)";
}

}  // namespace

PassPosition RunCounter::Next(absl::Span<const std::string_view> pipelines, std::string_view name) {
  in_pipeline_.clear();
  for (size_t i = 0; i < pipelines.size(); ++i) {
    // A pipeline inside one of the same name counts once.
    const bool seen = Contains(pipelines.subspan(0, i), pipelines[i]);
    int64_t& count = counts_[CountKey(pipelines[i], name)];
    in_pipeline_.push_back(seen ? count - 1 : count++);
  }
  return {pipelines, name, counts_[CountKey("", name)]++, in_pipeline_};
}

int64_t RunCounter::Count(std::string_view pipeline, std::string_view name) const {
  auto it = counts_.find(CountKey(pipeline, name));
  return it == counts_.end() ? 0 : it->second;
}

StatusOr<PassFilter::Entry> PassFilter::ParseEntry(std::string_view option, const std::string& text,
                                                   absl::Span<const PassPlace> places,
                                                   bool allow_regex) {
  Entry entry;
  entry.text = text;
  if (text.empty()) {
    return InvalidArgument("[passes] ", ToAbsl(option),
                           ": an entry is empty, expected a pass name");
  }
  if (LooksLikeRegex(text)) {
    if (!allow_regex) {
      return InvalidArgument("[passes] ", ToAbsl(option), ": '", text,
                             "' is no pass name, expected name, pipeline/name, name:k or ",
                             "pipeline/name:k");
    }
    SWAGE_ASSIGN_OR_RETURN(entry.regex,
                           ParseRegex(text, absl::StrCat("[passes] ", ToAbsl(option))));
    return entry;
  }
  std::string_view rest = text;
  if (const size_t colon = rest.find(':'); colon != std::string_view::npos) {
    const std::string_view number = rest.substr(colon + 1);
    const char* end = number.data() + number.size();
    const auto [stop, error] = std::from_chars(number.data(), end, entry.run);
    if (error != std::errc() || stop != end || entry.run < 0) {
      return InvalidArgument("[passes] ", ToAbsl(option), ": '", text,
                             "' has no run number after ':', expected 0, 1, 2 ...");
    }
    rest = rest.substr(0, colon);
  }
  if (const size_t slash = rest.rfind('/'); slash != std::string_view::npos) {
    entry.pipeline = rest.substr(0, slash);
    rest = rest.substr(slash + 1);
    // A longer path, as statistics print it: its last pipeline decides, the others must be around
    // it.
    if (const size_t last = entry.pipeline.rfind('/'); last != std::string::npos) {
      entry.pipeline = entry.pipeline.substr(last + 1);
    }
  }
  entry.name = rest;
  const bool found = std::any_of(places.begin(), places.end(), [&](const PassPlace& place) {
    return place.name == entry.name &&
           (entry.pipeline.empty() || Contains(place.pipelines, entry.pipeline));
  });
  if (!found) {
    std::string hint = SuggestForOtherTarget(rest, places);
    if (hint.empty()) hint = Suggest(rest, false, places);
    if (!entry.pipeline.empty()) {
      const std::string near = Suggest(CountKey(entry.pipeline, entry.name), true, places);
      if (!near.empty()) hint = near;
    }
    return InvalidArgument("[passes] ", ToAbsl(option), ": '", text,
                           "' names no pass of pipeline '", ToAbsl(places.front().name), "'", hint,
                           ListedBy(places));
  }
  return entry;
}

StatusOr<PassFilter> PassFilter::Parse(std::string_view option,
                                       absl::Span<const std::string> entries,
                                       absl::Span<const PassPlace> places, bool allow_regex) {
  PassFilter filter;
  for (const std::string& text : entries) {
    SWAGE_ASSIGN_OR_RETURN(Entry entry, ParseEntry(option, text, places, allow_regex));
    if (entry.regex.has_value()) {
      const bool found = std::any_of(places.begin(), places.end(), [&](const PassPlace& place) {
        return std::regex_search(PathOf(place.pipelines, place.name), *entry.regex);
      });
      if (!found) {
        return InvalidArgument("[passes] ", ToAbsl(option), ": the regex '", text,
                               "' matches no pass of pipeline '", ToAbsl(places.front().name), "'",
                               Suggest(text, false, places), ListedBy(places));
      }
    }
    filter.entries_.push_back(std::move(entry));
  }
  return filter;
}

std::vector<int> PassFilter::Matches(const PassPosition& position) const {
  std::vector<int> matches;
  for (int e = 0; e < size(); ++e) {
    const Entry& entry = entries_[e];
    if (entry.regex.has_value()) {
      if (std::regex_search(PathOf(position.pipelines, position.name), *entry.regex)) {
        matches.push_back(e);
      }
      continue;
    }
    if (entry.name != position.name) continue;
    if (entry.pipeline.empty()) {
      if (entry.run < 0 || entry.run == position.run) matches.push_back(e);
      continue;
    }
    for (size_t i = 0; i < position.pipelines.size(); ++i) {
      if (position.pipelines[i] != entry.pipeline) continue;
      if (entry.run < 0 || entry.run == position.runs_in_pipeline[i]) matches.push_back(e);
      break;
    }
  }
  return matches;
}

StatusOr<PassFilters> PassFilters::Parse(const CompilerOptions& options,
                                         absl::Span<const PassPlace> places) {
  if (!options.disable_passes.empty() && !options.only_passes.empty()) {
    return InvalidArgument(
        "[passes] disable_passes and only_passes are both given, expected at most one of them");
  }
  PassFilters filters;
  SWAGE_ASSIGN_OR_RETURN(
      filters.disable, PassFilter::Parse("disable_passes", options.disable_passes, places, false));
  SWAGE_ASSIGN_OR_RETURN(filters.only,
                         PassFilter::Parse("only_passes", options.only_passes, places, false));
  SWAGE_ASSIGN_OR_RETURN(filters.dump,
                         PassFilter::Parse("dump_passes", options.dump_passes, places, true));
  for (const PassPlace& place : places) {
    if (!place.pass->IsRequired()) continue;
    for (int e = 0; e < filters.disable.size(); ++e) {
      if (filters.disable.name(e) == place.name) {
        return InvalidArgument("[passes] disable_passes: '", filters.disable.text(e),
                               "' cannot be disabled, the passes after it need it");
      }
    }
  }
  return filters;
}

}  // namespace swage::passes
