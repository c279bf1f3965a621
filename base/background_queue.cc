#include "base/background_queue.h"

#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/background_thread.h"

namespace swage {

struct BackgroundQueue::State {
  struct Item {
    int64_t bytes;
    Work work;
  };

  const pid_t pid = ::getpid();
  State* parent = nullptr;  // keeps what a forked child does not use reachable

  std::mutex mutex;  // guards all below but stop, which is only set under it
  std::condition_variable added;
  std::condition_variable finished;
  std::deque<Item> items;
  int64_t bytes = 0;  // of items and of the one under way
  bool busy = false;
  std::optional<std::thread> thread;
  std::atomic<bool> stop{false};
};

BackgroundQueue::BackgroundQueue(Limits limits) : limits_(limits), state_(new State) {}

BackgroundQueue::~BackgroundQueue() {
  Stop();
  State* const state = state_.load();
  if (state->pid == ::getpid()) delete state;
}

BackgroundQueue::State& BackgroundQueue::state() {
  State* state = state_.load(std::memory_order_acquire);
  if (state->pid == ::getpid()) return *state;
  auto fresh = std::make_unique<State>();
  fresh->parent = state;
  // Another thread of the child may be faster.
  if (state_.compare_exchange_strong(state, fresh.get())) return *fresh.release();
  return *state;
}

BackgroundQueue::Added BackgroundQueue::Add(int64_t bytes, Work work) {
  State& state = this->state();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (state.stop) return Added::kStopped;
  const bool idle = state.items.empty() && !state.busy;
  if (!idle && (state.bytes + bytes > limits_.bytes ||
                static_cast<int64_t>(state.items.size()) >= limits_.entries)) {
    return Added::kFull;
  }
  if (!state.thread.has_value()) {
    state.thread = StartBackgroundThread([&state] { Serve(state); });
    if (!state.thread.has_value()) return Added::kNoThread;
  }
  state.items.push_back({bytes, std::move(work)});
  state.bytes += bytes;
  state.added.notify_one();
  return Added::kYes;
}

void BackgroundQueue::Serve(State& state) {
  std::unique_lock<std::mutex> lock(state.mutex);
  while (true) {
    state.added.wait(lock, [&] { return state.stop || !state.items.empty(); });
    if (state.stop) return;
    State::Item item = std::move(state.items.front());
    state.items.pop_front();
    state.busy = true;
    lock.unlock();
    item.work(state.stop);
    item.work = nullptr;  // what it keeps goes before others see it as done
    lock.lock();
    state.bytes -= item.bytes;
    state.busy = false;
    if (state.items.empty()) state.finished.notify_all();
  }
}

bool BackgroundQueue::Flush(std::chrono::milliseconds timeout) {
  State& state = this->state();
  std::unique_lock<std::mutex> lock(state.mutex);
  return state.finished.wait_for(
      lock, timeout, [&] { return state.stop || (state.items.empty() && !state.busy); });
}

void BackgroundQueue::Stop() {
  State* const state = state_.load();
  // In a forked child nothing of the parent's can be ended.
  if (state->pid != ::getpid()) return;
  std::optional<std::thread> thread;
  std::deque<State::Item> dropped;  // outside of the lock
  {
    const std::lock_guard<std::mutex> lock(state->mutex);
    state->stop = true;
    thread.swap(state->thread);
    dropped.swap(state->items);
    state->added.notify_all();
    state->finished.notify_all();
  }
  if (!thread.has_value()) return;
  // exit() may be called by the work itself: a log callback can.
  if (thread->get_id() == std::this_thread::get_id()) {
    thread->detach();
  } else {
    thread->join();
  }
}

}  // namespace swage
