#include "base/regex.h"

namespace swage {
namespace {

// The compiler of std::regex recurses once per character, so a long text would end the stack.
constexpr size_t kMaxRegexBytes = 500;

// libstdc++ backtracks unless it is told otherwise: exponential time for (a*)*(a*)*b.
constexpr std::regex::flag_type kFlags = std::regex::ECMAScript
#ifdef __GLIBCXX__
                                         | std::regex_constants::__polynomial
#endif
    ;

}  // namespace

StatusOr<std::regex> ParseRegex(const std::string& text, std::string_view where) {
  if (text.size() > kMaxRegexBytes) {
    return InvalidArgument(ToAbsl(where), ": a regular expression of ", text.size(),
                           " bytes, expected at most ", kMaxRegexBytes);
  }
  try {
    return std::regex(text, kFlags);
  } catch (const std::regex_error& error) {
    return InvalidArgument(ToAbsl(where), ": '", text,
                           "' is not a regular expression: ", error.what());
  }
}

}  // namespace swage
