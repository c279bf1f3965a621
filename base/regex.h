// File: base/regex.h
//
// Regular expressions that users give (names of passes, names of cases). Any text is safe: it
// either compiles or is InvalidArgument, and a search takes time linear in the text that is
// searched.
//
//   SWAGE_ASSIGN_OR_RETURN(const std::regex filter, ParseRegex(text, "[corpus] --filter"));
#ifndef SWAGE_BASE_REGEX_H_
#define SWAGE_BASE_REGEX_H_

#include <regex>
#include <string>
#include <string_view>

#include "base/status.h"

namespace swage {

// ECMAScript syntax without back references. `where` begins the message: "[phase] option".
StatusOr<std::regex> ParseRegex(const std::string& text, std::string_view where);

}  // namespace swage

#endif  // SWAGE_BASE_REGEX_H_
