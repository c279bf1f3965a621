// File: bench/streams.h
//
// Streams of shapes: what sizes the calls of a service have, one after the other. The recompilation
// benchmark replays them.
//
//   for (const Stream& stream : BuiltInStreams()) ...
//   StatusOr<Stream> mine = ReadStream("trace.txt");     // or "block:trace.txt"
//
// A file has an entry per line, one number or two ("17" or "1 17"); '#' begins a comment.
#ifndef SWAGE_BENCH_STREAMS_H_
#define SWAGE_BENCH_STREAMS_H_

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace swage::bench {

// The sizes of one call. attend: queries and keys. block: batch and length.
struct Entry {
  int64_t first = 0;
  int64_t second = 0;
  auto operator<=>(const Entry&) const = default;
};

struct Stream {
  std::string function;  // "attend" or "block" (bench/workloads.h)
  std::string name;
  std::vector<Entry> entries;
};

// How many different entries there are.
int64_t Distinct(const Stream& stream);

// Synthetic ones, the same in every run:
//   attend/neighbours  three lengths beside each other
//   attend/zipf        lengths in [1,512]: a few very often, many once
//   attend/llm         a language model that serves one user after the other: a prompt, then a
//                      token a call against keys that grow
//   block/neighbours   three lengths beside each other
//   block/ramp         a batch that grows from 1 to 64 and shrinks again
//   block/serve        batches of up to 8 prompts, each as long as its longest
std::vector<Stream> BuiltInStreams();

// A recorded one: `what` is a path, or function:path; without a function it is attend's, where one
// number in a line stands for both. Named like the file. Errors: file:line.
StatusOr<Stream> ReadStream(const std::string& what);
StatusOr<Stream> ParseStream(std::string_view text, const std::string& path);

// The text of a file that ReadStream reads.
std::string ToText(const Stream& stream);

}  // namespace swage::bench

#endif  // SWAGE_BENCH_STREAMS_H_
