#include "bench/line_worker.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <optional>
#include <sstream>
#include <thread>

namespace swage::bench {
namespace {

constexpr size_t kSamples = 4096;      // of a digest
constexpr double kBatchMs = 0.2;       // of calls that are timed together
constexpr size_t kMostReadings = 400;  // of one `run`
constexpr int kBetweenClocks = 8;      // calls of a caller

double NowMs() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Element i of an operand in [-1, 1): what bench/peers/replay.py makes.
double Number(uint32_t i, uint32_t operand) {
  return static_cast<double>((i + 1 + 7919 * operand) * 2654435761u) * 0x1p-31 - 1;
}

// A number for JSON, which has no NaN and no infinity.
std::string JsonNumber(double x) {
  if (!std::isfinite(x)) return "null";
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", x);
  return text;
}

std::string JsonText(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out + "\"";
}

std::string JsonList(const std::vector<double>& values) {
  std::string out = "[";
  for (const double value : values) out += (out.size() == 1 ? "" : ", ") + JsonNumber(value);
  return out + "]";
}

double ElementOf(const Array& array, size_t i) {
  if (array.dtype == "bf16") return FromBf16(array.as<uint16_t>()[i]);
  return array.dtype == "s32" ? array.as<int32_t>()[i] : array.as<float>()[i];
}

// What two sides compare: how many elements, the sum of their absolute values, some of them.
std::string Digest(const std::vector<Array>& results) {
  double count = 0, sum = 0;
  std::vector<double> samples;
  for (const Array& array : results) {
    const size_t n = array.size(), taken = std::min(n, kSamples / results.size());
    count += static_cast<double>(n);
    for (size_t i = 0; i < n; ++i) sum += std::abs(ElementOf(array, i));
    for (size_t j = 0; j < taken; ++j) {
      samples.push_back(ElementOf(array, taken == n ? j : j * 2654435761u % n));
    }
  }
  return "{\"count\": " + JsonNumber(count) + ", \"sum\": " + JsonNumber(sum) +
         ", \"samples\": " + JsonList(samples) + "}";
}

// A piece of work that is open.
struct Opened {
  Task task;
  int callers = 0;  // threads of the mode callers; 0: another mode

  double TimedCalls(int64_t calls) const {
    const double start = NowMs();
    for (int64_t i = 0; i < calls; ++i) task.call();
    return NowMs() - start;
  }

  // Milliseconds per call, all callers together.
  double TimedCallers(double ms) const {
    std::atomic<int64_t> calls = 0;
    std::vector<std::thread> threads;
    const double start = NowMs();
    for (int i = 0; i < callers; ++i) {
      threads.emplace_back([&] {
        int64_t own = 0;
        for (; NowMs() < start + ms; own += kBetweenClocks) {
          for (int call = 0; call < kBetweenClocks; ++call) task.call();
        }
        calls += own;
      });
    }
    for (std::thread& thread : threads) thread.join();
    return (NowMs() - start) / static_cast<double>(std::max<int64_t>(1, calls));
  }

  std::vector<double> Run(double ms) const {
    const double end = NowMs() + ms;
    std::vector<double> out;
    if (callers > 0) {
      TimedCallers(ms / 10);
      for (int i = 0; i < 5; ++i) out.push_back(TimedCallers(ms / 5));
      return out;
    }
    int64_t batch = 1;
    if (task.forget == nullptr) {
      // Other processes ran in between: the caches are theirs, and so is the clock of the cores.
      double once = TimedCalls(1);
      while (NowMs() < end - 0.9 * ms) once = TimedCalls(1);
      batch = std::clamp<int64_t>(static_cast<int64_t>(kBatchMs / std::max(once, 1e-6)), 1, 10000);
    }
    while (out.size() < kMostReadings && (out.empty() || NowMs() < end)) {
      if (task.forget != nullptr) task.forget();
      out.push_back(TimedCalls(batch) / static_cast<double>(batch));
    }
    return out;
  }
};

Opened Open(std::istream& words, const std::function<Task(const Work&)>& open) {
  std::string mode, function, input;
  words >> mode >> function;
  Opened opened;
  Work work;
  if (mode.starts_with("callers:")) {
    opened.callers = std::atoi(mode.c_str() + 8);
  } else if (mode != "warm" && mode != "first") {
    throw std::invalid_argument("open: mode '" + mode + "', expected warm, first or callers:N");
  }
  work.first = mode == "first";
  const size_t colon = function.find(':');
  work.function = function.substr(0, colon);
  if (colon != std::string::npos) work.detail = function.substr(colon + 1);
  while (words >> input) {
    work.inputs.push_back(MakeInput(input, static_cast<uint32_t>(work.inputs.size())));
  }
  opened.task = open(work);
  return opened;
}

std::string Answer(const std::string& line, std::optional<Opened>* opened,
                   const std::function<Task(const Work&)>& open) {
  std::istringstream words(line);
  std::string command;
  words >> command;
  if (command == "open") {
    opened->reset();
    *opened = Open(words, open);
    return "{\"ready\": true, \"digest\": " + Digest((*opened)->task.results()) + "}";
  }
  if (command == "close") {
    opened->reset();
    return "{\"closed\": true}";
  }
  double seconds = 0;
  if (command != "run" || !(words >> seconds)) {
    throw std::invalid_argument("'" + line + "', expected open, run SECONDS or close");
  }
  if (!opened->has_value()) throw std::invalid_argument("run: nothing is open");
  return "{\"ms\": " + JsonList((*opened)->Run(seconds * 1000)) + "}";
}

}  // namespace

size_t Array::size() const {
  size_t count = 1;
  for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
  return count;
}

uint16_t ToBf16(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float FromBf16(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

Array MakeArray(const std::string& dtype, const std::vector<int64_t>& shape) {
  Array array{dtype, shape, nullptr};
  const size_t bytes = std::max<size_t>(64, (array.byte_size() + 63) / 64 * 64);
  array.data = std::shared_ptr<void>(std::aligned_alloc(64, bytes), std::free);
  if (array.data == nullptr) throw std::bad_alloc();
  return array;
}

Array MakeInput(const std::string& text, uint32_t operand) {
  const size_t open = text.find('['), close = text.find(']');
  const std::string dtype = text.substr(0, open);
  if (open == std::string::npos || close == std::string::npos || close < open ||
      (dtype != "f32" && dtype != "bf16" && dtype != "s32")) {
    throw std::invalid_argument("input '" + text + "', expected f32, bf16 or s32 with [sizes]");
  }
  std::vector<int64_t> shape;
  std::istringstream sizes(text.substr(open + 1, close - open - 1));
  for (std::string size; std::getline(sizes, size, ',');) shape.push_back(std::stoll(size));
  const char kind = close + 1 < text.size() ? text[close + 1] : '*';
  const double value = close + 1 < text.size() ? std::stod(text.substr(close + 2)) : 1;
  Array array = MakeArray(dtype, shape);
  for (size_t i = 0; i < array.size(); ++i) {
    const double number = Number(static_cast<uint32_t>(i), operand);
    if (dtype == "s32") {
      // In [0, 1), then in [0, value).
      array.as<int32_t>()[i] = static_cast<int32_t>((number + 1) / 2 * value);
      continue;
    }
    const float x = static_cast<float>(kind == '=' ? value : number * value);
    if (dtype == "f32") {
      array.as<float>()[i] = x;
    } else {
      array.as<uint16_t>()[i] = ToBf16(x);
    }
  }
  return array;
}

int Serve(const std::string& name, const std::function<Task(const Work&)>& open) {
  std::cout << "{\"name\": " << JsonText(name) << "}" << std::endl;
  std::optional<Opened> opened;
  for (std::string line; std::getline(std::cin, line);) {
    std::string answer;
    try {
      answer = Answer(line, &opened, open);
    } catch (const Missing& missing) {
      answer = "{\"missing\": " + JsonText(missing.what()) + "}";
    } catch (const std::exception& error) {
      opened.reset();
      answer = "{\"error\": " + JsonText(error.what()) + "}";
    }
    std::cout << answer << std::endl;
  }
  return 0;
}

}  // namespace swage::bench
