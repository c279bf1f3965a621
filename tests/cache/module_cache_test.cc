#include "cache/module_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace swage::cache {
namespace {

class Nothing final : public codegen::Executable {
 public:
  Status Run(absl::Span<const void* const>, absl::Span<void* const>) override { return OkStatus(); }
};

StatusOr<ModuleCache::ExecutablePtr> Make() { return std::make_shared<Nothing>(); }

TEST(ModuleCacheTest, EqualKeysShareOneExecutable) {
  ModuleCache cache(10);
  bool hit = true;
  const auto first = cache.Get("a", Make, &hit);
  EXPECT_FALSE(hit);
  const auto again = cache.Get("a", Make, &hit);
  EXPECT_TRUE(hit);
  EXPECT_EQ(*first, *again);
  EXPECT_NE(*cache.Get("b", Make, &hit), *first);
  EXPECT_EQ(cache.stats().hits, 1);
  EXPECT_EQ(cache.stats().misses, 2);
}

TEST(ModuleCacheTest, TheLeastRecentlyUsedGoFirst) {
  ModuleCache cache(2);
  bool hit;
  const auto a = cache.Get("a", Make, &hit);
  (void)cache.Get("b", Make, &hit);
  (void)cache.Get("a", Make, &hit);
  (void)cache.Get("c", Make, &hit);
  EXPECT_EQ(cache.stats().entries, 2);
  (void)cache.Get("a", Make, &hit);
  EXPECT_TRUE(hit);
  (void)cache.Get("b", Make, &hit);
  EXPECT_FALSE(hit);
  cache.Clear();
  EXPECT_EQ(cache.stats().entries, 0);
  EXPECT_TRUE((*a)->Run({}, {}).ok());  // held, so it lives
}

TEST(ModuleCacheTest, AFailureIsNotKept) {
  ModuleCache cache(2);
  bool hit;
  const auto failed = cache.Get(
      "a", []() -> StatusOr<ModuleCache::ExecutablePtr> { return InvalidArgument("[x] no"); },
      &hit);
  EXPECT_EQ(failed.status().message(), "[x] no");
  EXPECT_TRUE(cache.Get("a", Make, &hit).ok());
  EXPECT_FALSE(hit);
}

TEST(ModuleCacheTest, OneCompilePerKeyHoweverManyAsk) {
  ModuleCache cache(2);
  std::atomic<int> compiles{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      bool hit;
      const auto made = cache.Get(
          "a",
          [&] {
            ++compiles;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            return Make();
          },
          &hit);
      EXPECT_TRUE(made.ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(compiles.load(), 1);
}

}  // namespace
}  // namespace swage::cache
