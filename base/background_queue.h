// File: base/background_queue.h
//
// Work that nobody waits for: a bounded queue and one thread, which the first Add starts.
//
//   BackgroundQueue queue({.bytes = 64 << 20, .entries = 1000});
//   queue.Add(bytes.size(), [bytes](const std::atomic<bool>& stop) { Send(bytes, stop); });
//   queue.Flush(std::chrono::seconds(1));
//
// - What does not fit is refused, so that memory stays bounded when the work is slower than what is
//   added. One piece of work is taken however large it is.
// - Any thread may call. After fork() a child has an empty queue and starts a thread of its own;
//   what the parent queued is the parent's.
// - Stop and the destructor drop what waits, tell the work under way by `stop`, and wait for it.
//   Work itself may call Stop, as exit() does through an exit handler, and is then not waited for.
#ifndef SWAGE_BASE_BACKGROUND_QUEUE_H_
#define SWAGE_BASE_BACKGROUND_QUEUE_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

namespace swage {

class BackgroundQueue {
 public:
  struct Limits {
    int64_t bytes = int64_t{64} << 20;
    int64_t entries = 1024;
  };
  enum class Added { kYes, kFull, kStopped, kNoThread };
  using Work = std::function<void(const std::atomic<bool>& stop)>;

  explicit BackgroundQueue(Limits limits);
  ~BackgroundQueue();
  BackgroundQueue(const BackgroundQueue&) = delete;
  BackgroundQueue& operator=(const BackgroundQueue&) = delete;

  // `bytes`: what the work keeps in memory until it is done.
  Added Add(int64_t bytes, Work work);

  // Whether all that was added before is done, within the time.
  bool Flush(std::chrono::milliseconds timeout);

  // Nothing can be added afterwards.
  void Stop();

 private:
  struct State;

  State& state();
  static void Serve(State& state);

  const Limits limits_;
  // Of this process. The parent's is left alone in a forked child: its lock may be held by a thread
  // that the child does not have.
  std::atomic<State*> state_;
};

}  // namespace swage

#endif  // SWAGE_BASE_BACKGROUND_QUEUE_H_
