// File: cache/circuit_breaker.h
//
// Stops asking a server that does not answer: after some failures in a row every question is
// refused at once for a pause, then one is let through as a probe. A probe that fails doubles the
// pause up to a bound; one that succeeds ends it.
//
//   if (!breaker.Allow(now)) return miss;
//   if (Ask()) breaker.Success(); else breaker.Failure(now);
//
// The caller brings the clock and the lock.
#ifndef SWAGE_CACHE_CIRCUIT_BREAKER_H_
#define SWAGE_CACHE_CIRCUIT_BREAKER_H_

#include <algorithm>
#include <chrono>

namespace swage::cache {

class CircuitBreaker {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Options {
    int failures = 3;
    std::chrono::milliseconds first_pause{1'000};
    std::chrono::milliseconds max_pause{60'000};
  };

  explicit CircuitBreaker(const Options& options)
      : options_(options), pause_(options.first_pause) {}

  // Whether to ask now. After true the caller reports Success or Failure.
  bool Allow(TimePoint now) {
    if (!open_) return true;
    if (probing_ || now < until_) return false;
    probing_ = true;
    return true;
  }

  void Success() {
    open_ = probing_ = false;
    failures_ = 0;
    pause_ = options_.first_pause;
  }

  // Whether this failure began a pause.
  bool Failure(TimePoint now) {
    if (open_ && !probing_) return false;  // asked before the pause began
    if (open_) {
      pause_ = std::min(2 * pause_, options_.max_pause);
    } else if (++failures_ < options_.failures) {
      return false;
    }
    open_ = true;
    probing_ = false;
    until_ = now + pause_;
    return true;
  }

  bool open() const { return open_; }

 private:
  Options options_;
  std::chrono::milliseconds pause_;
  TimePoint until_;
  int failures_ = 0;  // in a row
  bool open_ = false;
  bool probing_ = false;  // of open_: a question is under way
};

}  // namespace swage::cache

#endif  // SWAGE_CACHE_CIRCUIT_BREAKER_H_
