// File: bench/quantile.h
//
// Quantile(times, 0.5): the median of measurements.
#ifndef SWAGE_BENCH_QUANTILE_H_
#define SWAGE_BENCH_QUANTILE_H_

#include <algorithm>
#include <vector>

namespace swage::bench {

// The measurement below which a share `q` of the others lie; of at least one.
inline double Quantile(std::vector<double> times, double q) {
  std::sort(times.begin(), times.end());
  return times[static_cast<size_t>(q * static_cast<double>(times.size() - 1))];
}

// The distance between the quartiles over the median.
inline double Spread(const std::vector<double>& times) {
  return (Quantile(times, 0.75) - Quantile(times, 0.25)) / Quantile(times, 0.5);
}

}  // namespace swage::bench

#endif  // SWAGE_BENCH_QUANTILE_H_
