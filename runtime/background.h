// File: runtime/background.h
//
// One thread that compiles behind the callers' back, for OnMiss::kBackground.
//
//   if (!BackgroundCompiler::Get().Add([...] { ... })) { do it here }   // it is full
//
// The thread starts with the first job. When the process exits, jobs that wait are dropped and the
// one that runs is waited for. A forked child starts a thread of its own.
#ifndef SWAGE_RUNTIME_BACKGROUND_H_
#define SWAGE_RUNTIME_BACKGROUND_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace swage::runtime {

class BackgroundCompiler {
 public:
  static constexpr size_t kMaxWaiting = 256;

  static BackgroundCompiler& Get();

  // False: too many jobs wait, or there is no thread. `job` must not throw.
  bool Add(std::function<void()> job);
  // Returns when nothing waits or runs.
  void Drain();

 private:
  void Work();
  void Stop();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool running_ = false;  // a job
  bool stopping_ = false;
  std::thread thread_;
  int64_t process_ = 0;  // that the thread is in
};

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_BACKGROUND_H_
