// File: bench/line_worker.h
//
// What a C++ side of `bench/compare` is made of: a process that prepares one piece of work at a
// time and times it when it is asked to, so that rounds can alternate between processes. It reads a
// line from stdin and answers with one line of JSON on stdout:
//
//   open MODE FUNCTION[:DETAIL] INPUT...   {"ready": true, "digest": {...}}, {"missing": "why"}
//   run SECONDS                            {"ms": [per call, ...]}
//   close                                  {"closed": true}
//
// and {"error": "..."} for what went wrong. The first line that it writes is {"name": "..."}.
//
// MODE      warm: calls after the first; first: each call compiles anew; callers:N: N threads call.
// INPUT     f32[64,64] (numbers in [-1, 1)), f32[64]*0.02 (scaled), f32[64]=1 (all alike),
//           s32[8]%100 (from 0 to 99), bf16[64,64]. Every side makes the same numbers.
//
// Times of short calls are means over a batch of calls of a fifth of a millisecond.
//
//   int main() { return swage::bench::Serve("mine 1.0", [](const Work& work) { return Task{...};
//   }); }
#ifndef SWAGE_BENCH_LINE_WORKER_H_
#define SWAGE_BENCH_LINE_WORKER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace swage::bench {

// Dense and row-major, on a boundary of 64 bytes. bf16 is stored as its bits.
struct Array {
  std::string dtype;  // "f32", "bf16", "s32"
  std::vector<int64_t> shape;
  std::shared_ptr<void> data;

  size_t size() const;
  size_t byte_size() const { return size() * (dtype == "bf16" ? 2 : 4); }
  template <typename T>
  T* as() const {
    return static_cast<T*>(data.get());
  }
};

// Without content.
Array MakeArray(const std::string& dtype, const std::vector<int64_t>& shape);
// The array that an INPUT describes; `operand`: its place among the inputs, which the numbers
// depend on. Throws std::invalid_argument.
Array MakeInput(const std::string& text, uint32_t operand);
// bf16 rounded to nearest even, and back.
uint16_t ToBf16(float x);
float FromBf16(uint16_t bits);

struct Work {
  bool first = false;  // MODE is first
  std::string function;
  std::string detail;  // "1000" of chain:1000
  std::vector<Array> inputs;
};

struct Task {
  std::function<void()> call;                   // one call, ready when it returns
  std::function<std::vector<Array>()> results;  // of a call that it makes; dtypes as in Array
  std::function<void()> forget = nullptr;       // of the mode first: what runs before each call
};

// A side says with it that it does not have a piece of work.
struct Missing : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Serves lines until stdin ends; returns what main returns. `open` throws Missing, or another
// std::exception.
int Serve(const std::string& name, const std::function<Task(const Work&)>& open);

}  // namespace swage::bench

#endif  // SWAGE_BENCH_LINE_WORKER_H_
