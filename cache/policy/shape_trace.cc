#include "cache/policy/shape_trace.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/files.h"
#include "base/printable.h"

namespace swage::policy {
namespace {

constexpr std::string_view kHeader = "swage shape trace 1";
constexpr size_t kMaxName = 256;
constexpr size_t kMaxRank = 64;
// What a line needs beside its key: its word and two numbers.
constexpr int64_t kLineBytes = 48;

void Escape(std::string_view name, std::string* out) {
  static constexpr char kHex[] = "0123456789abcdef";
  for (const char c : name.substr(0, kMaxName)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte > '~' || byte == '%') {
      *out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      *out += c;
    }
  }
  if (name.empty()) *out += "unnamed";
}

std::optional<std::string> Unescape(std::string_view text) {
  std::string name;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte <= ' ' || byte > '~') return std::nullopt;
    if (text[i] != '%') {
      name += text[i];
      continue;
    }
    unsigned value = 0;
    if (i + 2 >= text.size()) return std::nullopt;
    const auto [end, error] = std::from_chars(&text[i + 1], &text[i] + 3, value, 16);
    if (error != std::errc() || end != &text[i] + 3) return std::nullopt;
    name += static_cast<char>(value);
    i += 2;
  }
  if (name.empty() || name.size() > kMaxName) return std::nullopt;
  return name;
}

int64_t Sum(int64_t a, int64_t b) { return std::min(a + b, kMaxTraceNumber); }

std::string_view NextWord(std::string_view* line) {
  const size_t end = std::min(line->find(' '), line->size());
  const std::string_view word = line->substr(0, end);
  line->remove_prefix(std::min(end + 1, line->size()));
  return word;
}

// A number from 0 to kMaxTraceNumber, without sign or leading zeros.
std::optional<int64_t> ParseNumber(std::string_view word) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (word.empty() || error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  if (word[0] == '-' || (word[0] == '0' && word.size() > 1)) return std::nullopt;
  if (number > kMaxTraceNumber) return std::nullopt;
  return number;
}

std::optional<std::vector<int64_t>> ParseDims(std::string_view word) {
  if (word.size() < 2 || word.front() != '[' || word.back() != ']') return std::nullopt;
  word = word.substr(1, word.size() - 2);
  std::vector<int64_t> dims;
  while (!word.empty()) {
    const size_t end = std::min(word.find(','), word.size());
    const std::optional<int64_t> dim = ParseNumber(word.substr(0, end));
    if (!dim.has_value() || end + 1 == word.size() || dims.size() == kMaxRank) return std::nullopt;
    dims.push_back(*dim);
    word.remove_prefix(std::min(end + 1, word.size()));
  }
  return dims;
}

class TraceParser {
 public:
  explicit TraceParser(const std::string& path) : path_(path) {}

  StatusOr<TraceContent> Parse(std::string_view text) {
    if (static_cast<int64_t>(text.size()) > kMaxTraceBytes) {
      return InvalidArgument(path_, ":1: error: larger than ", kMaxTraceBytes, " bytes");
    }
    do {
      ++line_;
      const size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (line_ == 1) {
        if (line != kHeader) {
          return Error("not a trace of shapes: the first line must be '", kHeader);
        }
      } else if (!line.empty() && line[0] != '#') {
        SWAGE_RETURN_IF_ERROR(ParseLine(line));
      }
    } while (!text.empty());
    for (auto& [key, call] : calls_) content_.calls.push_back(std::move(call));
    for (auto& [name, compiles] : compiles_) content_.compiles.push_back(std::move(compiles));
    return std::move(content_);
  }

 private:
  Status Error(std::string_view what, std::string_view quoted) const {
    return InvalidArgument(path_, ":", line_, ": error: ", ToAbsl(what), ToAbsl(quoted), "'");
  }

  Status ParseLine(std::string_view line) {
    const std::string_view kind = NextWord(&line);
    if (kind == "dropped") {
      const std::optional<int64_t> count = ParseNumber(line);
      if (!count.has_value()) return Error("dropped: expected a number of calls, got '", Cut(line));
      content_.dropped = Sum(content_.dropped, *count);
      return OkStatus();
    }
    if (kind != "call" && kind != "compile") {
      return Error("expected call, compile or dropped, got '", Cut(kind));
    }
    const std::string_view count_text = NextWord(&line);
    const std::optional<int64_t> count = ParseNumber(count_text);
    if (!count.has_value() || *count == 0) {
      return Error("expected a number of calls from 1 to 2^52, got '", Cut(count_text));
    }
    const std::string_view time_text = NextWord(&line);
    const std::optional<int64_t> time = ParseNumber(time_text);
    if (!time.has_value()) return Error("expected nanoseconds, got '", Cut(time_text));
    const std::string key(line);
    const std::string_view name_text = NextWord(&line);
    const std::optional<std::string> name = Unescape(name_text);
    if (!name.has_value()) return Error("expected the name of a function, got '", Cut(name_text));
    if (kind == "compile") {
      if (!line.empty()) return Error("expected the end of the line, got '", Cut(line));
      TraceCompiles& compiles = compiles_[*name];
      compiles = {*name, Sum(compiles.count, *count), Sum(compiles.nanoseconds, *time)};
      return OkStatus();
    }
    return AddCall(key, *name, line, *count, *time);
  }

  Status AddCall(const std::string& key, const std::string& name, std::string_view dims_text,
                 int64_t count, int64_t time) {
    TraceCall& call = calls_[key];
    if (call.function.empty()) {
      if (calls_.size() > kMaxTraceCalls) {
        return InvalidArgument(path_, ":", line_, ": error: more than ", kMaxTraceCalls,
                               " different calls");
      }
      call.function = name;
      while (!dims_text.empty()) {
        const std::string_view word = NextWord(&dims_text);
        const std::optional<std::vector<int64_t>> dims = ParseDims(word);
        if (!dims.has_value()) return Error("expected dims such as [8,128], got '", Cut(word));
        call.args.push_back(*dims);
      }
    }
    call.count = Sum(call.count, count);
    call.nanoseconds = Sum(call.nanoseconds, time);
    return OkStatus();
  }

  // For an error: hostile text may be long, and may hold anything.
  static std::string Cut(std::string_view text) { return Printable(text.substr(0, 40)); }

  const std::string& path_;
  int line_ = 0;
  TraceContent content_;
  std::map<std::string, TraceCall, std::less<>> calls_;
  std::map<std::string, TraceCompiles, std::less<>> compiles_;
};

}  // namespace

StatusOr<TraceContent> ParseTrace(std::string_view text, const std::string& path) {
  return TraceParser(path).Parse(text);
}

void ShapeTrace::Record(std::string_view function, std::span<const Dims> args,
                        int64_t nanoseconds) {
  std::string key;
  Escape(function, &key);
  for (const Dims& dims : args) {
    key += " [";
    for (size_t i = 0; i < dims.size(); ++i) {
      absl::StrAppend(&key, i == 0 ? "" : ",", std::clamp<int64_t>(dims[i], 0, kMaxTraceNumber));
    }
    key += ']';
  }
  const std::lock_guard lock(mutex_);
  Add(calls_, std::move(key), nanoseconds);
}

void ShapeTrace::Record(std::string_view function,
                        std::initializer_list<std::initializer_list<int64_t>> args,
                        int64_t nanoseconds) {
  std::vector<Dims> spans;
  for (const auto& dims : args) spans.emplace_back(dims.begin(), dims.size());
  Record(function, spans, nanoseconds);
}

void ShapeTrace::RecordCompile(std::string_view function, int64_t nanoseconds) {
  std::string key;
  Escape(function, &key);
  const std::lock_guard lock(mutex_);
  Add(compiles_, std::move(key), nanoseconds);
}

void ShapeTrace::Add(Totals& totals, std::string key, int64_t nanoseconds) {
  auto at = totals.find(key);
  if (at == totals.end()) {
    const int64_t bytes = static_cast<int64_t>(key.size()) + kLineBytes;
    if (calls_.size() + compiles_.size() >= kMaxTraceCalls ||
        bytes_ + bytes > kMaxTraceBytes - 2 * kLineBytes) {
      dropped_ = Sum(dropped_, 1);
      return;
    }
    bytes_ += bytes;
    at = totals.emplace(std::move(key), Total()).first;
  }
  at->second.count = Sum(at->second.count, 1);
  at->second.nanoseconds =
      Sum(at->second.nanoseconds, std::clamp<int64_t>(nanoseconds, 0, kMaxTraceNumber));
}

std::string ShapeTrace::Text() const {
  const std::lock_guard lock(mutex_);
  std::string text(kHeader);
  text += "\n";
  const auto append = [&](const char* kind, const Totals& totals) {
    for (const auto& [key, total] : totals) {
      absl::StrAppend(&text, kind, " ", total.count, " ", total.nanoseconds, " ", key, "\n");
    }
  };
  append("compile", compiles_);
  append("call", calls_);
  if (dropped_ > 0) absl::StrAppend(&text, "dropped ", dropped_, "\n");
  return text;
}

Status ShapeTrace::Save(const std::string& path) const {
  return WriteNamedFile(path, Text(), IfSpecial::kRefuse);
}

StatusOr<TraceContent> ShapeTrace::Load(const std::string& path) {
  SWAGE_ASSIGN_OR_RETURN(const std::string text, ReadRegularFile(path, kMaxTraceBytes));
  return ParseTrace(text, path);
}

}  // namespace swage::policy
