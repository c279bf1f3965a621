#include "base/background_queue.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

namespace swage {
namespace {

using Added = BackgroundQueue::Added;
using std::chrono::milliseconds;

constexpr milliseconds kLong{30'000};

// Work that lasts until it is let go.
class Gate {
 public:
  BackgroundQueue::Work Work() {
    return [this](const std::atomic<bool>& stop) {
      entered_ = true;
      while (!open_ && !stop) std::this_thread::sleep_for(milliseconds(1));
    };
  }
  void AwaitEntry() const {
    while (!entered_) std::this_thread::sleep_for(milliseconds(1));
  }
  void Open() { open_ = true; }

 private:
  std::atomic<bool> entered_{false};
  std::atomic<bool> open_{false};
};

TEST(BackgroundQueueTest, WorkIsDoneInItsOrder) {
  BackgroundQueue queue({});
  EXPECT_TRUE(queue.Flush(milliseconds(0)));
  std::vector<int> done;
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(queue.Add(1, [&done, i](const std::atomic<bool>&) { done.push_back(i); }),
              Added::kYes);
  }
  ASSERT_TRUE(queue.Flush(kLong));
  ASSERT_EQ(done.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done[i], i);
}

TEST(BackgroundQueueTest, EntriesAndBytesAreBounded) {
  Gate gate;
  BackgroundQueue queue({.bytes = 100, .entries = 3});
  // Alone it may be as large as it likes.
  ASSERT_EQ(queue.Add(90, gate.Work()), Added::kYes);
  gate.AwaitEntry();
  const auto nothing = [](const std::atomic<bool>&) {};
  EXPECT_EQ(queue.Add(11, nothing), Added::kFull);
  EXPECT_EQ(queue.Add(10, nothing), Added::kYes);
  EXPECT_EQ(queue.Add(1, nothing), Added::kFull);
  EXPECT_EQ(queue.Add(0, nothing), Added::kYes);
  EXPECT_EQ(queue.Add(0, nothing), Added::kYes);
  EXPECT_EQ(queue.Add(0, nothing), Added::kFull);
  EXPECT_FALSE(queue.Flush(milliseconds(1)));
  gate.Open();
  EXPECT_TRUE(queue.Flush(kLong));
  EXPECT_EQ(queue.Add(1000, nothing), Added::kYes);
}

TEST(BackgroundQueueTest, StopDropsWhatWaitsAndTellsTheWorkUnderWay) {
  Gate gate;
  BackgroundQueue queue({});
  ASSERT_EQ(queue.Add(1, gate.Work()), Added::kYes);
  gate.AwaitEntry();
  bool done = false;
  ASSERT_EQ(queue.Add(1, [&](const std::atomic<bool>&) { done = true; }), Added::kYes);
  queue.Stop();
  EXPECT_FALSE(done);
  EXPECT_EQ(queue.Add(1, [](const std::atomic<bool>&) {}), Added::kStopped);
  EXPECT_TRUE(queue.Flush(milliseconds(0)));
  queue.Stop();
}

TEST(BackgroundQueueTest, AForkedChildStartsEmpty) {
  Gate gate;
  BackgroundQueue queue({.bytes = 10, .entries = 1});
  ASSERT_EQ(queue.Add(10, gate.Work()), Added::kYes);
  gate.AwaitEntry();
  const pid_t child = ::fork();
  if (child == 0) {
    bool fine = queue.Flush(milliseconds(0));
#ifndef __SANITIZE_THREAD__  // it allows a forked child no threads
    std::atomic<bool> done{false};
    fine &= queue.Add(10, [&](const std::atomic<bool>&) { done = true; }) == Added::kYes;
    fine &= queue.Flush(kLong) && done;
    queue.Stop();
#endif
    ::_exit(fine ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(queue.Flush(milliseconds(1)));
  gate.Open();
  EXPECT_TRUE(queue.Flush(kLong));
}

}  // namespace
}  // namespace swage
