// File: base/clock.h
//
// How long something took, for reports.
//
//   const auto start = std::chrono::steady_clock::now();
//   Compile();
//   report.total_ms = MillisecondsSince(start);
#ifndef SWAGE_BASE_CLOCK_H_
#define SWAGE_BASE_CLOCK_H_

#include <chrono>

namespace swage {

inline double MillisecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace swage

#endif  // SWAGE_BASE_CLOCK_H_
