// File: base/nearest.h
//
// Nearest names, for errors about a name that does not exist:
//
//   return NotFound("[passes] no pass '", name, "'", ToAbsl(DidYouMean(name, names)));
//   -> [passes] no pass 'cse2'; did you mean 'cse' or 'fusion-cse'?
//
// A name is near when it is few edits away (insert, delete, replace, swap of neighbours; letter
// case, '-' and '_' do not count; of three letters or fewer none may be replaced) or when one of
// the two contains the other.
#ifndef SWAGE_BASE_NEAREST_H_
#define SWAGE_BASE_NEAREST_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace swage {

// The number of edits that turn `a` into `b`, exact case.
int EditDistance(std::string_view a, std::string_view b);

// The near ones among `names`, best first, each once, at most `limit`.
std::vector<std::string> NearestNames(std::string_view wanted,
                                      std::span<const std::string_view> names, int limit = 3);
std::vector<std::string> NearestNames(std::string_view wanted, std::span<const std::string> names,
                                      int limit = 3);

// "; did you mean 'a', 'b' or 'c'?", or "" when nothing is near.
std::string DidYouMean(std::string_view wanted, std::span<const std::string_view> names,
                       int limit = 3);
std::string DidYouMean(std::string_view wanted, std::span<const std::string> names, int limit = 3);

}  // namespace swage

#endif  // SWAGE_BASE_NEAREST_H_
