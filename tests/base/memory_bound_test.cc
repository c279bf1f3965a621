#include "base/memory_bound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <thread>

namespace swage {
namespace {

using ::testing::ElementsAre;

// Things of 10 bytes by their stamp.
class Things final : public MemoryHolder {
 public:
  int64_t Add() {
    const std::lock_guard<std::mutex> lock(mutex_);
    stamps_.push_back(AdvanceUseTick());
    return stamps_.back();
  }
  int64_t bytes() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return 10 * static_cast<int64_t>(stamps_.size());
  }
  int64_t OldestUse() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return stamps_.empty() ? kNothing : stamps_.front();
  }
  void EvictOldest() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (stamps_.empty()) return;
      stamps_.erase(stamps_.begin());
    }
    if (on_evict) on_evict();
  }
  std::vector<int64_t> stamps() const { return stamps_; }

  std::function<void()> on_evict;

 private:
  mutable std::mutex mutex_;
  std::vector<int64_t> stamps_;
};

TEST(MemoryBoundTest, TheOldestGoesWhoeverHoldsIt) {
  Things a, b;
  MemoryBound bound(30);
  bound.Add(&a);
  bound.Add(&b);
  a.Add();
  const int64_t b1 = b.Add(), a2 = a.Add(), b2 = b.Add();
  bound.Trim();
  EXPECT_THAT(a.stamps(), ElementsAre(a2));
  EXPECT_THAT(b.stamps(), ElementsAre(b1, b2));
  bound.set_limit(15);
  EXPECT_TRUE(a.stamps().empty());
  EXPECT_THAT(b.stamps(), ElementsAre(b2));
}

TEST(MemoryBoundTest, WhatWasUsedLastStays) {
  Things a;
  MemoryBound bound(0);
  bound.Add(&a);
  for (int i = 0; i < 3; ++i) {
    const int64_t last = a.Add();
    bound.Trim();
    EXPECT_THAT(a.stamps(), ElementsAre(last));
  }
}

TEST(MemoryBoundTest, GivingUpMayAskForATrim) {
  Things a;
  MemoryBound bound(10);
  bound.Add(&a);
  int calls = 0;
  a.on_evict = [&] {
    ++calls;
    bound.Trim();
  };
  for (int i = 0; i < 5; ++i) a.Add();
  bound.Trim();
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(a.bytes(), 10);
}

TEST(MemoryBoundTest, ManyThreadsStayWithinTheBound) {
  Things a;
  MemoryBound bound(100);
  bound.Add(&a);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        a.Add();
        bound.Trim();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(a.bytes(), 100);
}

TEST(MemoryBoundTest, AUseCostsAStoreOnlyAfterAnAddition) {
  UseStamp stamp;
  stamp.Touch();
  EXPECT_EQ(stamp.value(), UseTick());
  const int64_t later = AdvanceUseTick();
  EXPECT_LT(stamp.value(), later);
  stamp.Touch();
  EXPECT_EQ(stamp.value(), later);
  stamp.Raise(later - 1);
  EXPECT_EQ(stamp.value(), later);
}

}  // namespace
}  // namespace swage
