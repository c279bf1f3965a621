#include "tests/compiler/passes/check_match.h"

#include <algorithm>
#include <map>
#include <regex>
#include <utility>
#include <vector>

namespace swage::passes {
namespace {

enum class Kind { kCheck, kNext, kDag, kNot };

struct Directive {
  Kind kind;
  std::string pattern;
  std::string source;  // the whole line, for messages
};

using Variables = std::map<std::string, std::string>;
using Captures =
    std::vector<std::pair<std::string, int>>;  // names with the numbers of their groups

struct Span {
  size_t begin, end;
};

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  size_t start = 0;
  while (start <= text.size()) {
    const size_t end = std::min(text.find('\n', start), text.size());
    lines.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

std::string Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t") - begin + 1));
}

std::vector<Directive> Parse(std::string_view checks) {
  static const std::pair<std::string_view, Kind> kPrefixes[] = {{"CHECK:", Kind::kCheck},
                                                                {"CHECK-NEXT:", Kind::kNext},
                                                                {"CHECK-DAG:", Kind::kDag},
                                                                {"CHECK-NOT:", Kind::kNot}};
  std::vector<Directive> directives;
  for (const std::string& line : Lines(checks)) {
    for (const auto& [prefix, kind] : kPrefixes) {
      const size_t at = line.find(prefix);
      if (at == std::string::npos) continue;
      directives.push_back(
          {kind, Trim(std::string_view(line).substr(at + prefix.size())), Trim(line)});
    }
  }
  return directives;
}

std::string Escape(std::string_view plain) {
  std::string escaped;
  for (size_t i = 0; i < plain.size(); ++i) {
    if (plain[i] == ' ') {
      if (i == 0 || plain[i - 1] != ' ') escaped += "\\s+";
    } else {
      if (std::string_view("\\^$.|?*+()[]{}").find(plain[i]) != std::string_view::npos) {
        escaped += '\\';
      }
      escaped += plain[i];
    }
  }
  return escaped;
}

int GroupsOf(const std::string& regex) { return static_cast<int>(std::regex(regex).mark_count()); }

// The regex of [[NAME]]: what it was captured as, here or before.
std::string ReferenceTo(const std::string& name, const Variables& variables,
                        const Captures& captures) {
  for (const auto& [captured, group] : captures) {
    if (captured == name) return "\\" + std::to_string(group) + "(?![0-9])";
  }
  auto known = variables.find(name);
  if (known == variables.end()) return "(?!)";
  return Escape(known->second) + "(?![\\w.])";
}

std::string ToRegex(std::string_view pattern, const Variables& variables, Captures* captures) {
  std::string regex;
  int groups = 0;
  size_t at = 0;
  while (at < pattern.size()) {
    const size_t open = std::min(pattern.find("{{", at), pattern.find("[[", at));
    regex += Escape(pattern.substr(at, open == std::string_view::npos ? open : open - at));
    if (open == std::string_view::npos) break;
    const bool is_regex = pattern[open] == '{';
    size_t close = pattern.find(is_regex ? "}}" : "]]", open);
    if (close == std::string_view::npos) break;
    // "[[X:[a-z]]]": of three brackets the last two close the name.
    while (close + 2 < pattern.size() && pattern[close + 2] == pattern[close]) ++close;
    const std::string inner(pattern.substr(open + 2, close - open - 2));
    at = close + 2;
    const size_t colon = inner.find(':');
    if (is_regex) {
      regex += "(?:" + inner + ")";
      groups += GroupsOf(inner);
    } else if (colon == std::string::npos) {
      regex += ReferenceTo(inner, variables, *captures);
    } else {
      captures->emplace_back(inner.substr(0, colon), groups + 1);
      regex += "(" + inner.substr(colon + 1) + ")";
      groups += 1 + GroupsOf(inner.substr(colon + 1));
    }
  }
  return regex;
}

// The first match in text[begin, end), within one line; its captures go to `variables`.
std::optional<Span> Find(const std::string& text, size_t begin, size_t end,
                         std::string_view pattern, Variables* variables) {
  Captures captures;
  const std::regex regex(ToRegex(pattern, *variables, &captures));
  std::smatch match;
  while (begin <= end) {
    const size_t line_end = std::min(text.find('\n', begin), end);
    if (std::regex_search(text.begin() + begin, text.begin() + line_end, match, regex)) {
      for (const auto& [name, group] : captures) (*variables)[name] = match[group];
      const size_t at = static_cast<size_t>(match[0].first - text.begin());
      return Span{at, at + static_cast<size_t>(match[0].length())};
    }
    begin = line_end + 1;
  }
  return std::nullopt;
}

class Matcher {
 public:
  explicit Matcher(std::string text) : text_(std::move(text)) {}

  std::optional<std::string> Run(const std::vector<Directive>& directives) {
    for (size_t i = 0; i < directives.size(); ++i) {
      const Directive& directive = directives[i];
      std::optional<std::string> error;
      if (directive.kind == Kind::kNot) {
        // Where its region ends is known with the next match.
        waiting_.push_back(&directive);
      } else if (directive.kind == Kind::kDag) {
        size_t last = i;
        while (last + 1 < directives.size() && directives[last + 1].kind == Kind::kDag) ++last;
        error = MatchUnordered(&directives[i], last - i + 1);
        i = last;
      } else {
        error = MatchOne(directive);
      }
      if (error.has_value()) return error;
    }
    return CheckWaiting(text_.size());
  }

 private:
  std::optional<std::string> MatchOne(const Directive& directive) {
    size_t begin = position_;
    size_t end = text_.size();
    if (directive.kind == Kind::kNext) {
      const size_t line = text_.find('\n', position_);
      if (line == std::string::npos) return Missing(directive);
      begin = line + 1;
      end = std::min(text_.find('\n', begin), text_.size());
    }
    const std::optional<Span> found = Find(text_, begin, end, directive.pattern, &variables_);
    if (!found.has_value()) return Missing(directive);
    if (auto error = CheckWaiting(found->begin)) return error;
    position_ = found->end;
    return std::nullopt;
  }

  std::optional<std::string> MatchUnordered(const Directive* directives, size_t count) {
    size_t first = text_.size();
    size_t last = position_;
    for (size_t i = 0; i < count; ++i) {
      const std::optional<Span> found =
          Find(text_, position_, text_.size(), directives[i].pattern, &variables_);
      if (!found.has_value()) return Missing(directives[i]);
      first = std::min(first, found->begin);
      last = std::max(last, found->end);
    }
    if (auto error = CheckWaiting(first)) return error;
    position_ = last;
    return std::nullopt;
  }

  // Nothing between the last match and `end` may match a waiting CHECK-NOT.
  std::optional<std::string> CheckWaiting(size_t end) {
    for (const Directive* directive : waiting_) {
      Variables scratch = variables_;
      if (Find(text_, position_, end, directive->pattern, &scratch).has_value()) {
        return "`" + directive->source + "` matches in\n" + text_;
      }
    }
    waiting_.clear();
    return std::nullopt;
  }

  std::string Missing(const Directive& directive) const {
    const size_t line = position_ == 0 ? 0 : text_.rfind('\n', position_ - 1) + 1;
    std::string message = "`" + directive.source + "` does not match below `" +
                          text_.substr(line, position_ - line) + "` in\n" + text_;
    for (const auto& [name, value] : variables_) message += "\n" + name + " = " + value;
    return message;
  }

  std::string text_;
  size_t position_ = 0;
  Variables variables_;
  std::vector<const Directive*> waiting_;
};

}  // namespace

std::optional<std::string> MatchChecks(std::string_view text, std::string_view checks) {
  const std::vector<Directive> directives = Parse(checks);
  if (directives.empty()) return "there is no CHECK line";
  return Matcher(std::string(text)).Run(directives);
}

}  // namespace swage::passes
