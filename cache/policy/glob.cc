#include "cache/policy/glob.h"

#include <algorithm>
#include <vector>

namespace swage::policy {

bool IsGlob(std::string_view pattern) { return pattern.find_first_of("*?") != pattern.npos; }

bool GlobMatches(std::string_view pattern, std::string_view name) {
  // On a mismatch the last '*' takes one character more; earlier ones never need to.
  size_t p = 0, n = 0;
  size_t star = pattern.npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != pattern.npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::tuple<bool, size_t, size_t> GlobRank(std::string_view pattern) {
  const size_t stars = std::count(pattern.begin(), pattern.end(), '*');
  const size_t marks = std::count(pattern.begin(), pattern.end(), '?');
  return {stars + marks == 0, pattern.size() - stars - marks, marks};
}

bool GlobsOverlap(std::string_view a, std::string_view b) {
  // overlap[j]: whether the rest of `a` from i and the rest of `b` from j have a name in common.
  std::vector<char> overlap(b.size() + 1), next(b.size() + 1);
  for (size_t i = a.size() + 1; i-- > 0;) {
    next.swap(overlap);
    for (size_t j = b.size() + 1; j-- > 0;) {
      const bool star_a = i < a.size() && a[i] == '*';
      const bool star_b = j < b.size() && b[j] == '*';
      if (i == a.size() && j == b.size()) {
        overlap[j] = true;
      } else if (star_a || star_b) {
        // The '*' ends here, or it takes what the other pattern has next.
        overlap[j] = (i < a.size() && next[j]) || (j < b.size() && overlap[j + 1]);
      } else {
        const bool same =
            i < a.size() && j < b.size() && (a[i] == b[j] || a[i] == '?' || b[j] == '?');
        overlap[j] = same && next[j + 1];
      }
    }
  }
  return overlap[0];
}

}  // namespace swage::policy
