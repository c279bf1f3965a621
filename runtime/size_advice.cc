#include "runtime/size_advice.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "cache/policy/policy_text.h"

namespace swage::runtime {
namespace {

// So many keys beside the missed one.
constexpr size_t kOthers = 3;

struct Difference {
  std::vector<std::pair<int, int>> places;
  int64_t got = 0, other = 0;  // everywhere
};

// Where two tensors differ; false: not in one size alone.
bool AddTensor(const KeyItem& got, const KeyItem& other, int argument, Difference* difference) {
  if (got.dtype() != other.dtype() || got.rank() != other.rank()) return false;
  for (int i = 0; i < got.rank(); ++i) {
    const std::optional<int64_t> size = got.Size(i), there = other.Size(i);
    if (!size.has_value() || !there.has_value()) return false;
    if (*size == *there) continue;
    const bool first = difference->places.empty();
    if (!first && (difference->got != *size || difference->other != *there)) return false;
    difference->got = *size;
    difference->other = *there;
    difference->places.emplace_back(argument, i);
  }
  return true;
}

std::optional<Difference> OneSize(const std::vector<KeyItem>& got,
                                  const std::vector<KeyItem>& other) {
  if (got.size() != other.size()) return std::nullopt;
  Difference difference;
  int argument = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const bool tensor = got[i].kind == KeyItem::Kind::kTensor;
    if (got[i].words != other[i].words) {
      if (!tensor || other[i].kind != KeyItem::Kind::kTensor) return std::nullopt;
      if (!AddTensor(got[i], other[i], argument, &difference)) return std::nullopt;
    }
    if (tensor) ++argument;
  }
  if (difference.places.empty()) return std::nullopt;
  return difference;
}

}  // namespace

bool SizeAdvice::Add(const std::vector<KeyItem>& compiled) {
  const std::optional<Difference> difference = OneSize(missed_, compiled);
  if (!difference.has_value()) return false;
  std::set<int64_t>& sizes = sizes_[difference->places];
  sizes.insert(difference->other);
  if (sizes.size() < kOthers) return false;
  sizes.insert(difference->got);
  found_ = difference->places;
  return true;
}

std::string SizeAdvice::Text(std::string_view function) const {
  std::vector<int> ranks;
  for (const KeyItem& item : missed_) {
    if (item.kind == KeyItem::Kind::kTensor) ranks.push_back(item.rank());
  }
  std::vector<policy::VaryingArg> args;
  for (const auto& [argument, dimension] : found_) {
    if (args.empty() || args.back().index != argument) {
      args.push_back({.index = argument, .rank = ranks[argument]});
    }
    args.back().dims.push_back(dimension);
  }
  const std::set<int64_t>& seen = sizes_.at(found_);
  const std::vector<int64_t> sizes(seen.begin(), seen.end());
  std::string text =
      absl::StrCat("compiled for a fourth value of one size (dimension ", found_[0].second,
                   " of argument ", found_[0].first, ": ", absl::StrJoin(sizes, ", "),
                   "); one program can serve many: name that size in the option dims");
  const std::string lines = policy::SuggestPolicy(function, args, sizes);
  if (!lines.empty()) {
    absl::StrAppend(&text, ", or in the file that SWAGE_CONFIG names (docs/buckets.md):\n", lines);
  }
  return text;
}

}  // namespace swage::runtime
