// The cache on disk through runtime/cache.h.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/files.h"
#include "base/log.h"
#include "cache/tiers.h"
#include "runtime/cache.h"
#include "runtime/error.h"
#include "runtime/swage.h"
#include "tests/temp_folder.h"

namespace swage {
namespace {

class CacheDiskTest : public testing::Test {
 protected:
  CacheDiskTest() { Use(root_ + "/a"); }
  ~CacheDiskTest() override { cache::Tiers::ReplaceGlobal(nullptr); }

  // From now on the cache is in this folder, and nothing is in memory.
  void Use(const std::string& dir) {
    cache::Tiers::Options options;
    options.disk = {.dir = dir, .sync = false};
    auto tiers = std::make_unique<cache::Tiers>(std::move(options));
    cache::Tiers::ReplaceGlobal(tiers.get());
    tiers_ = std::move(tiers);
    clear_cache();
  }

  // Of a function that is new to the process's jit.
  static JitStats Call() {
    const auto cube = jit([](Tensor x) { return x * x * x; }, {.name = "cube"});
    cube(full({5}, 2, f32));
    return cube.stats();
  }

  const TempFolder folder_;
  const std::string root_ = folder_.path();
  std::unique_ptr<cache::Tiers> tiers_;
};

TEST_F(CacheDiskTest, EntriesAreListedPackedAndPruned) {
  Call();
  ASSERT_TRUE(flush_cache());
  const auto entries = cache_entries();
  EXPECT_GE(entries.size(), 2u);
  for (const CacheEntryInfo& entry : entries) {
    EXPECT_THAT(entry.kind, testing::AnyOf("kernel", "module"));
    EXPECT_EQ(entry.hash.size(), 32u);
    EXPECT_GT(entry.bytes, 0);
    EXPECT_EQ(entry.problem, "");
  }
  const auto count = static_cast<int64_t>(entries.size());
  EXPECT_EQ(pack_cache(root_ + "/pack"), count);
  EXPECT_EQ(prune_cache(0), count);
  EXPECT_TRUE(cache_entries().empty());
  Use(root_ + "/b");
  EXPECT_EQ(unpack_cache(root_ + "/pack"), count);
  EXPECT_EQ(cache_entries().size(), entries.size());
  EXPECT_EQ(cache_stats().disk_rejects, 0);
}

TEST_F(CacheDiskTest, EntriesOfAPackThatAreSkippedAreWarnedOf) {
  Call();
  ASSERT_TRUE(flush_cache());
  const int64_t count = pack_cache(root_ + "/pack");
  std::string pack = *ReadFile(root_ + "/pack");
  pack[pack.size() - 40] ^= 1;  // in the last entry
  ASSERT_TRUE(WriteFile(root_ + "/pack", pack).ok());
  Use(root_ + "/b");
  std::vector<std::string> lines;
  SetLogCallback([&](LogLevel, std::string_view text) { lines.emplace_back(text); });
  EXPECT_EQ(unpack_cache(root_ + "/pack"), count - 1);
  SetLogCallback(nullptr);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], testing::HasSubstr("[unpack_cache] skipped 1 of "));
}

TEST_F(CacheDiskTest, CountersTellHitsFromMisses) {
  Call();
  ASSERT_TRUE(flush_cache());
  const CacheStats first = cache_stats();
  EXPECT_EQ(first.disk_hits, 0);
  EXPECT_GT(first.disk_misses, 0);
  EXPECT_GT(first.disk_writes, 0);
  Use(root_ + "/a");
  Call();
  EXPECT_GT(cache_stats().disk_hits, 0);
}

TEST_F(CacheDiskTest, WithoutACacheThereIsNothingToPack) {
  cache::Tiers::ReplaceGlobal(nullptr);
  EXPECT_TRUE(cache_entries().empty());
  EXPECT_TRUE(flush_cache());
  EXPECT_THROW(prune_cache(0), Error);
  EXPECT_THROW(pack_cache(root_ + "/pack"), Error);
  EXPECT_THROW(unpack_cache(root_ + "/pack"), Error);
  cache::Tiers::ReplaceGlobal(tiers_.get());
  EXPECT_THROW(prune_cache(-1), Error);
  EXPECT_THROW(unpack_cache(root_ + "/absent"), Error);
}

}  // namespace
}  // namespace swage
