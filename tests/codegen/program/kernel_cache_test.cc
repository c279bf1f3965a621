#include "codegen/program/kernel_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace swage::codegen {
namespace {

constexpr int64_t kBig = 100'000;

// A kernel without code; `name` makes it known again.
StatusOr<CompiledKernel> Make(const std::string& name) {
  CompiledKernel kernel;
  kernel.object = name + std::string(kBig, '.');
  return kernel;
}

KernelCache::Lookup Find(KernelCache& cache, const std::string& key) {
  StatusOr<KernelCache::Lookup> found = cache.Find(key, [&] { return Make(key); });
  EXPECT_TRUE(found.ok());
  EXPECT_TRUE(found->kernel->object.starts_with(key + "."));
  return *std::move(found);
}

// Room for two kernels, not for three.
struct Bounded {
  MemoryBound bound{5 * kBig / 2};
  KernelCache cache{&bound};
};

TEST(KernelCacheTest, KernelsInUseStayHoweverLittleRoomThereIs) {
  Bounded b;
  std::vector<KernelCache::Lookup> used;
  for (const char* key : {"a", "b", "c", "d"}) used.push_back(Find(b.cache, key));
  AdvanceUseTick();
  b.bound.Trim();
  EXPECT_EQ(b.cache.stats().kernels, 4);
  EXPECT_EQ(b.cache.stats().unused, 0);
  used.clear();
  EXPECT_EQ(b.cache.stats().unused, 4);
  b.bound.Trim();
  EXPECT_EQ(b.cache.stats().kernels, 2);
  EXPECT_EQ(b.cache.stats().evictions, 2);
  EXPECT_LE(b.cache.bytes(), 5 * kBig / 2);
}

TEST(KernelCacheTest, TheLeastRecentlyUsedGoFirst) {
  Bounded b;
  for (const char* key : {"a", "b"}) {
    AdvanceUseTick();
    Find(b.cache, key);
  }
  AdvanceUseTick();
  EXPECT_TRUE(Find(b.cache, "a").hit);
  AdvanceUseTick();
  Find(b.cache, "c");
  b.bound.Trim();
  EXPECT_NE(b.cache.Peek("a"), nullptr);
  EXPECT_EQ(b.cache.Peek("b"), nullptr);
}

TEST(KernelCacheTest, AUserSaysWhenItRanLast) {
  Bounded b;
  KernelCache::KernelPtr a = Find(b.cache, "a").kernel;
  Find(b.cache, "b");
  AdvanceUseTick();
  Find(b.cache, "c");
  KernelCache::RaiseUse(a, AdvanceUseTick());
  a = nullptr;
  AdvanceUseTick();
  b.bound.Trim();
  EXPECT_NE(b.cache.Peek("a"), nullptr);
  EXPECT_EQ(b.cache.Peek("b"), nullptr);
}

TEST(KernelCacheTest, AKernelIsFreedWithItsLastUserOnceItIsForgotten) {
  Bounded b;
  std::weak_ptr<const CompiledKernel> watched;
  {
    const KernelCache::Lookup first = Find(b.cache, "a");
    const KernelCache::Lookup second = Find(b.cache, "a");
    watched = first.kernel;
    EXPECT_EQ(first.kernel, second.kernel);
    b.cache.Clear();
    EXPECT_EQ(b.cache.bytes(), 0);
    EXPECT_FALSE(Find(b.cache, "a").hit);  // another one
  }
  EXPECT_TRUE(watched.expired());
  EXPECT_TRUE(Find(b.cache, "a").hit);
}

TEST(KernelCacheTest, KeysWithOneHashAreNotMixedUp) {
  MemoryBound bound(int64_t{1} << 30);
  KernelCache cache(&bound, 4);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 60; ++i) Find(cache, absl::StrCat("key ", i));
  }
  EXPECT_LE(cache.stats().kernels, 16);
  EXPECT_GT(cache.stats().hits, 0);
}

TEST(KernelCacheTest, ManyThreadsTakeLeaveAndEvict) {
  Bounded b;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 300; ++i) {
        const std::string key(1, static_cast<char>('a' + (t + i) % 5));
        AdvanceUseTick();
        const auto found = b.cache.Find(key, [&] { return Make(key); });
        if (!found.ok() || found->kernel->object[0] != key[0]) ++wrong;
        b.bound.Trim();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  AdvanceUseTick();
  b.bound.Trim();
  EXPECT_LE(b.cache.bytes(), 5 * kBig / 2);
  const KernelCache::Stats stats = b.cache.stats();
  EXPECT_EQ(stats.kernels, stats.unused);
  EXPECT_GE(stats.misses - stats.evictions, stats.kernels);
}

}  // namespace
}  // namespace swage::codegen
