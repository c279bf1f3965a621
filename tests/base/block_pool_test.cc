#include "base/block_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

namespace swage {
namespace {

TEST(BlockPoolTest, BlocksOfAllSizesAreAlignedAndApart) {
  std::vector<std::pair<char*, size_t>> blocks;
  for (size_t bytes : {0, 1, 63, 64, 65, 256, 257, 320, 321, 4096, 32767, 32768, 32769, 1 << 20}) {
    for (int i = 0; i < 3; ++i) {
      auto* block = static_cast<char*>(TakeBlock(bytes));
      ASSERT_NE(block, nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % kBlockAlignment, 0u);
      std::memset(block, static_cast<int>(blocks.size()), bytes);
      blocks.emplace_back(block, bytes);
    }
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    for (size_t b = 0; b < blocks[i].second; ++b) {
      ASSERT_EQ(blocks[i].first[b], static_cast<char>(i)) << blocks[i].second;
    }
    GiveBlock(blocks[i].first, blocks[i].second);
  }
  TrimBlocks();
}

#ifndef __SANITIZE_ADDRESS__

TEST(BlockPoolTest, AFreedBlockIsTheNextOfItsSize) {
  for (size_t bytes : {1000, 1 << 20}) {
    void* block = TakeBlock(bytes);
    GiveBlock(block, bytes);
    EXPECT_EQ(TakeBlock(bytes - 8), block);
    GiveBlock(block, bytes - 8);
  }
}

TEST(BlockPoolTest, FreeBytesAreBounded) {
  TrimBlocks();
  EXPECT_EQ(block_stats().shared_free_bytes, 0);
  EXPECT_EQ(block_stats().thread_free_bytes, 0);
  std::vector<void*> small, large;
  for (int i = 0; i < 1000; ++i) small.push_back(TakeBlock(4096));
  for (int i = 0; i < 20; ++i) large.push_back(TakeBlock(30 << 20));
  for (void* block : small) GiveBlock(block, 4096);
  for (void* block : large) GiveBlock(block, 30 << 20);
  GiveBlock(TakeBlock(300 << 20), 300 << 20);  // larger than all that is kept
  EXPECT_EQ(block_stats().thread_free_bytes, static_cast<int64_t>(kThreadFreeBytes));
  EXPECT_LE(block_stats().shared_free_bytes, static_cast<int64_t>(kSharedFreeBytes));
  EXPECT_GT(block_stats().shared_free_bytes, static_cast<int64_t>(kSharedFreeBytes / 2));
  TrimBlocks();
  EXPECT_EQ(block_stats().shared_free_bytes, 0);
}

TEST(BlockPoolTest, TheBoundIsAQuarterOfTheMostThatWasEverInUse) {
  TrimBlocks();
  constexpr size_t kLarge = 384 << 20;  // more than the least bound
  GiveBlock(TakeBlock(kLarge), kLarge);
  EXPECT_EQ(block_stats().shared_free_bytes, 0);
  std::vector<void*> blocks;
  for (int i = 0; i < 5; ++i) blocks.push_back(TakeBlock(kLarge));
  for (void* block : blocks) {
    ASSERT_NE(block, nullptr);
    GiveBlock(block, kLarge);
  }
  EXPECT_EQ(block_stats().shared_free_bytes, static_cast<int64_t>(kLarge));
  TrimBlocks();
}

TEST(BlockPoolTest, ABlockThatIsTooLargeToBeKeptLeavesTheOthers) {
  TrimBlocks();
  GiveBlock(TakeBlock(1 << 20), 1 << 20);
  GiveBlock(TakeBlock(size_t{3} << 30), size_t{3} << 30);
  EXPECT_EQ(block_stats().shared_free_bytes, 1 << 20);
  TrimBlocks();
}

TEST(BlockPoolTest, OnlyWhatWasNotWantedForSoLongIsTrimmed) {
  TrimBlocks();
  GiveBlock(TakeBlock(1 << 20), 1 << 20);
  TrimBlocks(std::chrono::hours(1));
  EXPECT_EQ(block_stats().shared_free_bytes, 1 << 20);
  TrimBlocks(std::chrono::nanoseconds(0));
  EXPECT_EQ(block_stats().shared_free_bytes, 0);
}

TEST(BlockPoolTest, LargeBlocksBeginAtHugePages) {
  for (size_t bytes : {size_t{2} << 20, (size_t{5} << 20) + 1, size_t{300} << 20}) {
    auto* block = static_cast<char*>(TakeBlock(bytes));
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % (2 << 20), 0u);
    block[0] = block[bytes - 1] = 1;
    GiveBlock(block, bytes);
  }
  TrimBlocks();
}

#endif

TEST(BlockPoolTest, BlocksMoveBetweenThreads) {
  std::vector<unsigned char*> made(64);
  const auto bytes_of = [](size_t i) { return size_t{1} << (i % 20); };
  for (int round = 0; round < 5; ++round) {
    std::thread([&] {
      for (size_t i = 0; i < made.size(); ++i) {
        made[i] = static_cast<unsigned char*>(TakeBlock(bytes_of(i)));
        std::memset(made[i], static_cast<int>(i), bytes_of(i));
      }
    }).join();
    for (size_t i = 0; i < made.size(); ++i) {
      EXPECT_EQ(made[i][bytes_of(i) - 1], i);
      GiveBlock(made[i], bytes_of(i));
    }
  }
}

}  // namespace
}  // namespace swage
