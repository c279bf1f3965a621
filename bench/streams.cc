#include "bench/streams.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/files.h"

namespace swage::bench {
namespace {

constexpr int64_t kLongest = 512;
// Larger sizes would be a mistake: scores of 2^14 x 2^14 take a gigabyte.
constexpr int64_t kMaxSize = 1 << 14;

// SplitMix64: the same numbers with every standard library.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  // In [0, 1).
  double Unit() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(Unit() * static_cast<double>(high - low + 1));
  }
  // Between low and high, every power of two in it equally often.
  int64_t Scale(double low, double high) { return std::lround(low * std::pow(high / low, Unit())); }

 private:
  uint64_t state_;
};

Stream Zipf(int64_t calls) {
  Random random(1);
  std::vector<int64_t> by_rank(kLongest);
  for (int64_t i = 0; i < kLongest; ++i) by_rank[i] = i + 1;
  for (int64_t i = kLongest - 1; i > 0; --i) std::swap(by_rank[i], by_rank[random.Between(0, i)]);
  std::vector<double> cumulative;
  for (int64_t rank = 1; rank <= kLongest; ++rank) {
    cumulative.push_back((rank == 1 ? 0 : cumulative.back()) + 1 / static_cast<double>(rank));
  }
  Stream stream{.function = "attend", .name = "zipf", .entries = {}};
  for (int64_t i = 0; i < calls; ++i) {
    const auto it =
        std::lower_bound(cumulative.begin(), cumulative.end(), random.Unit() * cumulative.back());
    const int64_t length = by_rank[it - cumulative.begin()];
    stream.entries.push_back({length, length});
  }
  return stream;
}

Stream Llm(int64_t calls) {
  Random random(2);
  Stream stream{.function = "attend", .name = "llm", .entries = {}};
  while (static_cast<int64_t>(stream.entries.size()) < calls) {
    const int64_t prompt = random.Scale(16, 384), tokens = random.Scale(8, 64);
    stream.entries.push_back({prompt, prompt});
    for (int64_t i = 1; i <= tokens; ++i) stream.entries.push_back({1, prompt + i});
  }
  stream.entries.resize(calls);
  return stream;
}

Stream Ramp(int64_t largest) {
  Stream stream{.function = "block", .name = "ramp", .entries = {}};
  for (int64_t batch = 1; batch < 2 * largest; ++batch) {
    stream.entries.push_back({std::min(batch, 2 * largest - batch), 16});
  }
  return stream;
}

Stream Serve(int64_t calls) {
  Random random(3);
  Stream stream{.function = "block", .name = "serve", .entries = {}};
  for (int64_t i = 0; i < calls; ++i) {
    Entry entry{.first = random.Between(1, 8), .second = 0};
    for (int64_t prompt = 0; prompt < entry.first; ++prompt) {
      entry.second = std::max(entry.second, random.Scale(8, 128));
    }
    stream.entries.push_back(entry);
  }
  return stream;
}

// False when it is not one or two sizes.
bool ParseEntry(std::string_view line, Entry* entry) {
  std::vector<int64_t> sizes;
  for (const absl::string_view word :
       absl::StrSplit(ToAbsl(line), absl::ByAnyChar(" \t,"), absl::SkipEmpty())) {
    int64_t size = 0;
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, size);
    if (error != std::errc() || stop != end || size < 1 || size > kMaxSize) return false;
    sizes.push_back(size);
  }
  if (sizes.empty() || sizes.size() > 2) return false;
  *entry = {sizes.front(), sizes.back()};
  return true;
}

}  // namespace

int64_t Distinct(const Stream& stream) {
  return static_cast<int64_t>(std::set<Entry>(stream.entries.begin(), stream.entries.end()).size());
}

std::vector<Stream> BuiltInStreams() {
  return {
      {.function = "attend", .name = "neighbours", .entries = {{31, 31}, {32, 32}, {33, 33}}},
      Zipf(200),
      Llm(200),
      {.function = "block", .name = "neighbours", .entries = {{2, 31}, {2, 32}, {2, 33}}},
      Ramp(64),
      Serve(100),
  };
}

StatusOr<Stream> ParseStream(std::string_view text, const std::string& path) {
  Stream stream{.function = "attend", .name = std::filesystem::path(path).stem(), .entries = {}};
  int64_t number = 0;
  for (absl::string_view line : absl::StrSplit(ToAbsl(text), '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    Entry entry;
    if (!ParseEntry(ToStd(line), &entry)) {
      return InvalidArgument("[stream] ", path, ":", number, ": '", line.substr(0, 60),
                             "', expected one or two sizes from 1 to ", kMaxSize);
    }
    stream.entries.push_back(entry);
  }
  if (stream.entries.empty()) return InvalidArgument("[stream] ", path, ": has no entry");
  return stream;
}

StatusOr<Stream> ReadStream(const std::string& what) {
  std::string function = "attend", path = what;
  for (const char* name : {"attend", "block"}) {
    const std::string prefix = absl::StrCat(name, ":");
    if (what.starts_with(prefix)) function = name, path = what.substr(prefix.size());
  }
  SWAGE_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  SWAGE_ASSIGN_OR_RETURN(Stream stream, ParseStream(text, path));
  stream.function = function;
  return stream;
}

std::string ToText(const Stream& stream) {
  std::string text = absl::StrCat("# ", stream.function, ", ", stream.entries.size(), " calls, ",
                                  Distinct(stream), " distinct\n");
  for (const Entry& entry : stream.entries) {
    absl::StrAppend(&text, entry.first, " ", entry.second, "\n");
  }
  return text;
}

}  // namespace swage::bench
