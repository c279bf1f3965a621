#include "runtime/background.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/background_thread.h"

namespace swage::runtime {

BackgroundCompiler& BackgroundCompiler::Get() {
  // A forked child gets a new one: the thread of the old one is not there, and its lock may be
  // held.
  static std::atomic<BackgroundCompiler*> current{nullptr};
  static std::mutex making;
  BackgroundCompiler* found = current.load(std::memory_order_acquire);
  if (found != nullptr && found->process_ == ::getpid()) return *found;
  const std::lock_guard<std::mutex> lock(making);
  found = current.load(std::memory_order_acquire);
  if (found == nullptr || found->process_ != ::getpid()) {
    found = new BackgroundCompiler;
    found->process_ = ::getpid();
    current.store(found, std::memory_order_release);
    // Before the destructors of LLVM's static objects, which were made earlier.
    std::atexit([] {
      BackgroundCompiler* const last = current.load();
      if (last->process_ == ::getpid()) last->Stop();
    });
  }
  return *found;
}

bool BackgroundCompiler::Add(std::function<void()> job) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stopping_ || waiting_.size() >= kMaxWaiting) return false;
  if (!thread_.joinable()) {
    std::optional<std::thread> started = StartBackgroundThread([this] { Work(); });
    if (!started.has_value()) return false;
    thread_ = *std::move(started);
  }
  waiting_.push_back(std::move(job));
  changed_.notify_all();
  return true;
}

void BackgroundCompiler::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    std::function<void()> job = std::move(waiting_.front());
    waiting_.pop_front();
    running_ = true;
    lock.unlock();
    job();
    job = nullptr;  // what it holds dies without the lock
    lock.lock();
    running_ = false;
    changed_.notify_all();
  }
}

void BackgroundCompiler::Drain() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return stopping_ || (waiting_.empty() && !running_); });
}

void BackgroundCompiler::Stop() {
  std::deque<std::function<void()>> dropped;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    dropped.swap(waiting_);
    changed_.notify_all();
  }
  // exit() may be called by the job itself: a log callback can.
  if (thread_.joinable() && thread_.get_id() != std::this_thread::get_id()) thread_.join();
}

}  // namespace swage::runtime
