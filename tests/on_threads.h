// File: tests/on_threads.h
//
// What many threads do at once.
#ifndef SWAGE_TESTS_ON_THREADS_H_
#define SWAGE_TESTS_ON_THREADS_H_

#include <barrier>
#include <functional>
#include <thread>
#include <vector>

namespace swage {

constexpr int kThreads = 32;

// fn(0), fn(1), ... on threads that begin together; returns when all have ended.
inline void OnThreads(const std::function<void(int)>& fn) {
  std::barrier start(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      fn(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace swage

#endif  // SWAGE_TESTS_ON_THREADS_H_
