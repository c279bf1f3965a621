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
  explicit Nothing(int64_t bytes = 0) : bytes_(bytes) {}
  int64_t memory_bytes() const override { return bytes_; }
  Status Run(absl::Span<const void* const>, absl::Span<void* const>) override { return OkStatus(); }

 private:
  int64_t bytes_;
};

constexpr int64_t kBig = 100'000;

StatusOr<ModuleCache::ExecutablePtr> Make() { return std::make_shared<Nothing>(kBig); }

// Room for two of Make's, not for three.
struct Bounded {
  MemoryBound bound{5 * kBig / 2};
  ModuleCache cache{&bound};
};

TEST(ModuleCacheTest, EqualKeysShareOneExecutable) {
  Bounded bounded;
  ModuleCache& cache = bounded.cache;
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
  Bounded bounded;
  ModuleCache& cache = bounded.cache;
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
  EXPECT_TRUE((*a)->executable()->Run({}, {}).ok());  // held, so it lives
}

TEST(ModuleCacheTest, UseCountsNotOnlyLookups) {
  Bounded bounded;
  bool hit;
  const auto a = bounded.cache.Get("a", Make, &hit);
  (void)bounded.cache.Get("b", Make, &hit);
  (*a)->Touch();
  (void)bounded.cache.Get("c", Make, &hit);
  EXPECT_NE(bounded.cache.Peek("a"), nullptr);
  EXPECT_EQ(bounded.cache.Peek("b"), nullptr);
  EXPECT_EQ(bounded.cache.stats().evictions, 1);
}

TEST(ModuleCacheTest, KeepersLetGoOnceAndTheirBytesCount) {
  Bounded bounded;
  ModuleCache& cache = bounded.cache;
  bool hit;
  const ProgramPtr a = *cache.Get("a", Make, &hit);
  const int64_t alone = cache.bytes();
  int calls = 0;
  KeeperId first, second;
  ASSERT_TRUE(cache.OnEvict(a, {.let_go = [&] { ++calls; }, .bytes = 1000}, &first));
  ASSERT_TRUE(cache.OnEvict(a, {.let_go = [&] { ++calls; }, .bytes = 500}, &second));
  EXPECT_EQ(cache.bytes(), alone + 1500);
  cache.Forget(a, second);
  EXPECT_EQ(cache.bytes(), alone + 1000);
  cache.Evict(a);
  cache.Evict(a);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(cache.bytes(), 0);
  EXPECT_FALSE(cache.OnEvict(a, {.let_go = [&] { ++calls; }, .bytes = 0}, &first));
}

TEST(ModuleCacheTest, KeysWithOneHashAreNotMixedUp) {
  MemoryBound bound(1 << 20);
  ModuleCache cache(&bound, 4);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 100; ++i) {
      bool hit;
      const auto program = cache.Get(
          absl::StrCat("key ", i),
          [&]() -> StatusOr<ModuleCache::ExecutablePtr> { return std::make_shared<Nothing>(i); },
          &hit);
      EXPECT_EQ((*program)->executable()->memory_bytes(), i);
      EXPECT_TRUE(!hit || round == 1);
    }
  }
  EXPECT_GT(cache.stats().hits, 0);
}

TEST(ModuleCacheTest, AFailureIsNotKept) {
  Bounded bounded;
  ModuleCache& cache = bounded.cache;
  bool hit;
  const auto failed = cache.Get(
      "a", []() -> StatusOr<ModuleCache::ExecutablePtr> { return InvalidArgument("[x] no"); },
      &hit);
  EXPECT_EQ(failed.status().message(), "[x] no");
  EXPECT_TRUE(cache.Get("a", Make, &hit).ok());
  EXPECT_FALSE(hit);
}

TEST(ModuleCacheTest, OneCompilePerKeyHoweverManyAsk) {
  Bounded bounded;
  ModuleCache& cache = bounded.cache;
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
