#include "base/nearest.h"

#include <algorithm>
#include <tuple>

namespace swage {
namespace {

// Long names come from broken input; the table of an edit distance grows with the product.
constexpr size_t kMaxLength = 256;
// Words of so few letters are near more words than anybody means.
constexpr int kShort = 3;

std::string Fold(std::string_view name) {
  std::string folded(name.substr(0, kMaxLength));
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '_') c = '-';
  }
  return folded;
}

struct Candidate {
  int distance;
  std::string_view name;
};

// Whether a word of few letters is a slip for another: a letter too many, too few or out of place.
// A wrong letter is too much of it: "gpu" is no "cpu", and "k" no "n".
bool IsShortSlip(std::string a, std::string b) {
  if (a.empty() || b.empty()) return false;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a.size() != b.size() || a == b;
}

// Short fragments such as "e" are contained in everything and say nothing.
bool Contains(std::string_view outer, std::string_view inner) {
  return inner.size() >= 3 && outer.find(inner) != std::string_view::npos;
}

}  // namespace

int EditDistance(std::string_view a, std::string_view b) {
  // Three rows of the optimal-string-alignment table.
  std::vector<int> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) current[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    before.swap(previous);
    previous.swap(current);
    current[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      int best = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      best = std::min({best, previous[j] + 1, current[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        best = std::min(best, before[j - 2] + 1);
      }
      current[j] = best;
    }
  }
  return current[b.size()];
}

std::vector<std::string> NearestNames(std::string_view wanted,
                                      std::span<const std::string_view> names, int limit) {
  const std::string folded = Fold(wanted);
  const int allowed = std::max<int>(2, static_cast<int>(folded.size()) / 3);
  std::vector<Candidate> near;
  for (std::string_view name : names) {
    const std::string other = Fold(name);
    const int distance = EditDistance(folded, other);
    // At most half of the shorter name may differ, so that "add" does not suggest "dot".
    const int shorter = static_cast<int>(std::min(folded.size(), other.size()));
    const bool close = shorter > kShort ? distance <= allowed && 2 * distance <= shorter
                                        : distance <= 1 && IsShortSlip(folded, other);
    if (close || Contains(other, folded) || Contains(folded, other))
      near.push_back({distance, name});
  }
  std::sort(near.begin(), near.end(), [](const Candidate& x, const Candidate& y) {
    return std::tie(x.distance, x.name) < std::tie(y.distance, y.name);
  });
  std::vector<std::string> result;
  for (const Candidate& candidate : near) {
    if (static_cast<int>(result.size()) >= limit) break;
    if (result.empty() || result.back() != candidate.name) result.emplace_back(candidate.name);
  }
  return result;
}

std::vector<std::string> NearestNames(std::string_view wanted, std::span<const std::string> names,
                                      int limit) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  return NearestNames(wanted, std::span<const std::string_view>(views), limit);
}

std::string DidYouMean(std::string_view wanted, std::span<const std::string_view> names,
                       int limit) {
  const std::vector<std::string> near = NearestNames(wanted, names, limit);
  std::string text;
  for (size_t i = 0; i < near.size(); ++i) {
    text += i == 0 ? "; did you mean " : i + 1 == near.size() ? " or " : ", ";
    text += "'" + near[i] + "'";
  }
  if (!text.empty()) text += "?";
  return text;
}

std::string DidYouMean(std::string_view wanted, std::span<const std::string> names, int limit) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  return DidYouMean(wanted, std::span<const std::string_view>(views), limit);
}

}  // namespace swage
