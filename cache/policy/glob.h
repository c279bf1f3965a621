// File: cache/policy/glob.h
//
// Patterns for names of functions: '*' stands for any characters, none included, '?' for one, and
// everything else for itself.
//
//   GlobMatches("score.*", "score.final");              // true
//   GlobRank("score.*") < GlobRank("score.final")       // the second says more
//   GlobsOverlap("a*", "*b")                            // true: "ab" is one of both
#ifndef SWAGE_CACHE_POLICY_GLOB_H_
#define SWAGE_CACHE_POLICY_GLOB_H_

#include <string_view>
#include <tuple>

namespace swage::policy {

bool IsGlob(std::string_view pattern);
// In time linear in both, or their product when there are several '*'.
bool GlobMatches(std::string_view pattern, std::string_view name);
// How specific a pattern is; the larger wins: a plain name, then more plain characters, then more
// '?'.
std::tuple<bool, size_t, size_t> GlobRank(std::string_view pattern);
// Whether there is a name that both match.
bool GlobsOverlap(std::string_view a, std::string_view b);

}  // namespace swage::policy

#endif  // SWAGE_CACHE_POLICY_GLOB_H_
