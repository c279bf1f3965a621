#include "compiler/passes/options.h"

#include <bit>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/check_mode.h"
#include "base/env.h"
#include "base/nearest.h"

namespace swage::passes {

namespace {

std::vector<std::string> ListFrom(std::string_view variable) {
  std::vector<std::string> words;
  const std::string text = GetEnv(variable).value_or("");
  for (absl::string_view word : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    words.emplace_back(absl::StripAsciiWhitespace(word));
  }
  return words;
}

template <typename T>
using Words = std::initializer_list<std::pair<std::string_view, T>>;

// The value of a variable that is one of a few words.
template <typename T>
Status ReadWord(std::string_view variable, Words<T> words, T* value) {
  const std::optional<std::string> given = GetEnv(variable);
  if (!given.has_value()) return OkStatus();
  std::vector<std::string_view> names;
  std::string known;
  for (const auto& [name, meaning] : words) {
    names.push_back(name);
    absl::StrAppend(&known, known.empty() ? "" : ", ", ToAbsl(name));
    if (name != *given) continue;
    *value = meaning;
    return OkStatus();
  }
  return InvalidArgument("[environment] ", ToAbsl(variable), "='", *given, "', expected one of ",
                         known, DidYouMean(*given, names));
}

Status ReadPadding(CompilerOptions* options) {
  SWAGE_RETURN_IF_ERROR(ReadWord(
      "SWAGE_PADDING", Words<Padding>{{"none", Padding::kNone}, {"forced", Padding::kForced}},
      &options->padding));
  SWAGE_RETURN_IF_ERROR(ReadWord("SWAGE_PADDING_FILL",
                                 Words<PaddingFill>{{"zero", PaddingFill::kZero},
                                                    {"nan", PaddingFill::kNan},
                                                    {"infinity", PaddingFill::kInfinity},
                                                    {"large", PaddingFill::kLarge}},
                                 &options->padding_fill));
  return ReadWord(
      "SWAGE_PADDING_MASKS",
      Words<PaddingMasks>{{"needed", PaddingMasks::kNeeded}, {"all", PaddingMasks::kAll}},
      &options->padding_masks);
}

}  // namespace

StatusOr<CompilerOptions> OptionsFromEnvironment() {
  SWAGE_ASSIGN_OR_RETURN(const CheckMode check,
                         CheckMode::Parse(GetEnv("SWAGE_CHECK").value_or("")));
  CompilerOptions options;
  options.dump_to = GetEnv("SWAGE_DUMP_TO").value_or("");
  options.check_passes = check.passes;
  options.check_lies = check.lies || check.passes;
  options.check_padding = check.padding;
  options.disable_passes = ListFrom("SWAGE_DISABLE_PASSES");
  options.only_passes = ListFrom("SWAGE_ONLY_PASSES");
  SWAGE_RETURN_IF_ERROR(ReadPadding(&options));
  SWAGE_RETURN_IF_ERROR(ReadWord("SWAGE_LIBRARY_DOTS",
                                 Words<cost::LibraryDots>{{"auto", cost::LibraryDots::kAuto},
                                                          {"off", cost::LibraryDots::kOff},
                                                          {"always", cost::LibraryDots::kAlways}},
                                 &options.library_dots));
  SWAGE_ASSIGN_OR_RETURN(const std::optional<int64_t> fast_math,
                         GetEnvInt("SWAGE_FAST_MATH", 0, 1));
  options.fast_math = fast_math.value_or(0) == 1;
  SWAGE_ASSIGN_OR_RETURN(const std::optional<int64_t> specialise,
                         GetEnvInt("SWAGE_SPECIALIZE", 0, 1));
  options.specialise = specialise.value_or(1) == 1;
  SWAGE_ASSIGN_OR_RETURN(const std::optional<int64_t> constant_bytes,
                         GetEnvInt("SWAGE_MAX_CONSTANT_BYTES", 0, int64_t{1} << 40));
  options.fold_budget_bytes = constant_bytes.value_or(options.fold_budget_bytes);
  return options;
}

// Fields are named as users name the options: explain() shows them.
void AddToKey(const CompilerOptions& options, KeyMaterial* key) {
  const auto add_list = [&](const char* name, const std::vector<std::string>& list) {
    for (const std::string& entry : list) key->Add(name, entry);
  };
  add_list("disable_passes", options.disable_passes);
  add_list("only_passes", options.only_passes);
  key->Add("fast_math", options.fast_math);
  key->Add("allow_excess_precision", options.allow_excess_precision);
  key->Add("library_dots", static_cast<int64_t>(options.library_dots));
  key->Add("fold_budget_microseconds", options.fold_budget_microseconds);
  key->Add("max_constant_bytes", options.fold_budget_bytes);
  for (const ir::SizeHint& hint : options.size_hints) {
    key->Add("size_hint", absl::StrCat(hint.symbol, "=", hint.size));
  }
  key->Add("padding", static_cast<int64_t>(options.padding));
  key->Add("padding_fill", static_cast<int64_t>(options.padding_fill));
  key->Add("padding_masks", static_cast<int64_t>(options.padding_masks));
  for (const auto& [parameter, value] : options.pad_values) {
    key->Add("pad_value", parameter);
    key->Add("pad_value", std::bit_cast<int64_t>(value));
  }
}

}  // namespace swage::passes
