#include "compiler/ir/lexer.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "absl/strings/escaping.h"

namespace swage::ir {
namespace {

// At most this much of a line is shown around the caret.
constexpr size_t kShown = 120;

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameChar(char c) { return IsLetter(c) || IsDigit(c) || c == '.' || c == '-'; }
bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool IsPrintable(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; }

char ClosingOf(char open) { return open == '{' ? '}' : open == '[' ? ']' : ')'; }

}  // namespace

bool IsPlainName(std::string_view name) {
  return !name.empty() && IsLetter(name[0]) && std::all_of(name.begin(), name.end(), IsNameChar);
}

std::string Quoted(std::string_view name) {
  constexpr size_t kMost = 100;
  return absl::StrCat("'", ToAbsl(name.substr(0, kMost)), name.size() > kMost ? "...'" : "'");
}

void Lexer::SkipSpace() {
  while (pos_ < text_.size()) {
    if (IsSpace(text_[pos_])) {
      ++pos_;
      continue;
    }
    if (text_[pos_] != '/' || pos_ + 1 >= text_.size()) return;
    const bool line = text_[pos_ + 1] == '/';
    if (!line && text_[pos_ + 1] != '*') return;
    const size_t end = text_.find(line ? "\n" : "*/", pos_ + 2);
    if (end == std::string_view::npos) {
      if (!line) return;  // left standing, so that it is an error
      pos_ = text_.size();
    } else {
      pos_ = end + (line ? 1 : 2);
    }
  }
}

bool Lexer::TryEat(std::string_view punctuation) {
  SkipSpace();
  if (text_.substr(pos_, punctuation.size()) != punctuation) return false;
  pos_ += punctuation.size();
  return true;
}

Status Lexer::Expect(std::string_view punctuation) {
  if (TryEat(punctuation)) return OkStatus();
  return ErrorHere(absl::StrCat("expected '", ToAbsl(punctuation), "'"));
}

std::string_view Lexer::NameChars() const {
  size_t end = pos_;
  while (end < text_.size() && IsNameChar(text_[end])) {
    if (text_[end] == '-' && end + 1 < text_.size() && text_[end + 1] == '>') break;
    ++end;
  }
  return text_.substr(pos_, end - pos_);
}

bool Lexer::TryWord(std::string_view word) {
  SkipSpace();
  if (NameChars() != word) return false;
  pos_ += word.size();
  return true;
}

StatusOr<std::string_view> Lexer::Word(std::string_view what) {
  SkipSpace();
  std::string_view word;
  if (pos_ < text_.size() && IsLetter(text_[pos_])) word = NameChars();
  if (word.empty()) return ErrorHere(absl::StrCat("expected ", ToAbsl(what)));
  pos_ += word.size();
  return word;
}

StatusOr<std::string_view> Lexer::Name(std::string_view what) {
  SkipSpace();
  if (pos_ >= text_.size() || text_[pos_] != '%') return Word(what);
  ++pos_;
  const std::string_view name = NameChars();
  if (name.empty()) return Error(pos_, "expected a name after '%'");
  pos_ += name.size();
  return name;
}

StatusOr<int64_t> Lexer::Integer(std::string_view what) {
  SkipSpace();
  size_t end = pos_;
  const bool negative = end < text_.size() && text_[end] == '-';
  if (negative) ++end;
  if (end >= text_.size() || !IsDigit(text_[end])) {
    return ErrorHere(absl::StrCat("expected ", ToAbsl(what)));
  }
  int64_t value = 0;
  for (; end < text_.size() && IsDigit(text_[end]); ++end) {
    const int64_t digit = text_[end] - '0';
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, negative ? -digit : digit, &value)) {
      return ErrorHere("the number does not fit in 64 bits");
    }
  }
  pos_ = end;
  return value;
}

StatusOr<bool> Lexer::Bool() {
  if (TryWord("true")) return true;
  if (TryWord("false")) return false;
  return ErrorHere("expected 'true' or 'false'");
}

StatusOr<std::string> Lexer::String(std::string_view what) {
  SkipSpace();
  const size_t start = pos_;
  if (pos_ >= text_.size() || text_[pos_] != '"') {
    return ErrorHere(absl::StrCat("expected ", ToAbsl(what), " in double quotes"));
  }
  size_t end = start + 1;
  while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
  if (end >= text_.size()) return Error(start, "the string has no closing quote");
  std::string unescaped;
  std::string problem;
  if (!absl::CUnescape(ToAbsl(text_.substr(start + 1, end - start - 1)), &unescaped, &problem)) {
    return Error(start, absl::StrCat("bad escape in the string: ", problem));
  }
  pos_ = end + 1;
  return unescaped;
}

StatusOr<std::string_view> Lexer::RawValue() {
  SkipSpace();
  const size_t start = pos_;
  std::vector<char> closers;
  size_t at = start;
  while (at < text_.size()) {
    const char c = text_[at];
    if (c == '"') {
      const size_t open = at++;
      while (at < text_.size() && text_[at] != '"') at += text_[at] == '\\' ? 2 : 1;
      if (at >= text_.size()) return Error(open, "the string has no closing quote");
    } else if (c == '{' || c == '[' || c == '(') {
      closers.push_back(ClosingOf(c));
    } else if (c == '}' || c == ']' || c == ')') {
      if (closers.empty()) break;
      if (c != closers.back()) {
        return Error(at, absl::StrCat("expected '", std::string(1, closers.back()), "'"));
      }
      closers.pop_back();
    } else if (closers.empty() && (c == ',' || IsSpace(c))) {
      break;
    }
    ++at;
  }
  if (!closers.empty()) {
    return Error(start, absl::StrCat("no '", std::string(1, closers.back()), "' closes the value"));
  }
  if (at == start) return ErrorHere("expected a value");
  pos_ = at;
  return text_.substr(start, at - start);
}

std::string_view Lexer::RestOfLine() {
  const size_t end = std::min(text_.find('\n', pos_), text_.size());
  std::string_view line = text_.substr(pos_, end - pos_);
  while (!line.empty() && IsSpace(line.back())) line.remove_suffix(1);
  pos_ = end;
  return line;
}

Status Lexer::Error(size_t pos, std::string_view message) const {
  pos = std::min(pos, text_.size());
  const std::string_view before = text_.substr(0, pos);
  const int64_t line_number = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t newline = before.rfind('\n');
  const size_t line_start = newline == std::string_view::npos ? 0 : newline + 1;
  const size_t line_end = std::min(text_.find('\n', pos), text_.size());
  const size_t column = pos - line_start;

  size_t first = column > kShown / 2 ? column - kShown / 2 : 0;
  if (line_end - line_start <= kShown) first = 0;
  std::string shown(
      text_.substr(line_start + first, std::min(kShown, line_end - line_start - first)));
  std::string indent;
  for (size_t i = 0; i < shown.size(); ++i) {
    if (!IsPrintable(shown[i]) && shown[i] != '\t') shown[i] = '.';
  }
  // Tabs are kept before the caret so that it stands under its character.
  for (size_t i = 0; i < column - first; ++i) {
    indent += i < shown.size() && shown[i] == '\t' ? '\t' : ' ';
  }
  return InvalidArgument(ToAbsl(filename_), ":", line_number, ":", column + 1,
                         ": error: ", ToAbsl(message), "\n", shown, "\n", indent, "^");
}

Status Lexer::Wrap(const Status& status, size_t pos) const {
  std::string message(status.message());
  // "... expected a shape at offset 17, got 'x'": the caret says the place and shows what is there,
  // any other end of the message stays.
  constexpr std::string_view kAt = " at offset ";
  const size_t at = message.find(kAt);
  if (at != std::string::npos) {
    const char* const digits = message.c_str() + at + kAt.size();
    char* rest = nullptr;
    const uint64_t offset = std::strtoull(digits, &rest, 10);
    if (offset <= text_.size()) pos = offset;
    const std::string_view tail(rest);
    const bool needs_place = std::string_view(message).substr(0, at).ends_with(" ends");
    const std::string kept =
        absl::StrCat(needs_place ? " here" : "", tail.starts_with(", got '") ? "" : ToAbsl(tail));
    message.resize(at);
    message += kept;
  }
  return Error(pos, message);
}

}  // namespace swage::ir
