// File: base/printable.h
//
// Text of strangers (files, servers) for a terminal, a log or an error: what is not a plain
// character of ASCII becomes '?'.
//
//   Printable("a\x1b[31mb");    // "a?[31mb"
#ifndef SWAGE_BASE_PRINTABLE_H_
#define SWAGE_BASE_PRINTABLE_H_

#include <string>
#include <string_view>

namespace swage {

std::string Printable(std::string_view text);

}  // namespace swage

#endif  // SWAGE_BASE_PRINTABLE_H_
