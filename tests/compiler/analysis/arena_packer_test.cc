#include "compiler/analysis/arena_packer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <random>

namespace swage::analysis {
namespace {

void ExpectValid(const std::vector<Lifetime>& lives, const Packing& packing, int64_t alignment) {
  ASSERT_EQ(packing.offsets.size(), lives.size());
  for (size_t i = 0; i < lives.size(); ++i) {
    EXPECT_EQ(packing.offsets[i] % alignment, 0);
    EXPECT_LE(packing.offsets[i] + lives[i].bytes, packing.bytes);
    for (size_t j = 0; j < i; ++j) {
      const bool together = lives[i].begin <= lives[j].end && lives[j].begin <= lives[i].end;
      const bool apart = packing.offsets[i] + lives[i].bytes <= packing.offsets[j] ||
                         packing.offsets[j] + lives[j].bytes <= packing.offsets[i];
      if (lives[i].bytes == 0 || lives[j].bytes == 0) continue;
      EXPECT_TRUE(!together || apart) << i << " and " << j;
    }
  }
}

TEST(ArenaPacker, NothingNeedsNothing) {
  EXPECT_EQ(PackArena({}, 64)->bytes, 0);
  EXPECT_EQ(PackArena({{{0, 0, 5}}}, 64)->bytes, 0);
}

TEST(ArenaPacker, SharesBytesOfBuffersThatNeverMeet) {
  const std::vector<Lifetime> lives = {{100, 0, 1}, {100, 1, 2}, {100, 2, 3}, {100, 3, 4}};
  const Packing packing = PackArena(lives, 64).value();
  ExpectValid(lives, packing, 64);
  EXPECT_EQ(packing.bytes, 256);
}

TEST(ArenaPacker, BuffersThatTouchAtOneTimeMeet) {
  const std::vector<Lifetime> lives = {{64, 0, 3}, {64, 3, 5}};
  EXPECT_EQ(PackArena(lives, 64)->bytes, 128);
}

TEST(ArenaPacker, RandomLivesStayApartAndNearThePeak) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> lives;
    const int n = 1 + static_cast<int>(random() % 60);
    for (int i = 0; i < n; ++i) {
      const int64_t begin = random() % 40;
      lives.push_back({static_cast<int64_t>(random() % 1000), begin,
                       begin + static_cast<int64_t>(random() % 12)});
    }
    const Packing packing = PackArena(lives, 64).value();
    ExpectValid(lives, packing, 64);
    const int64_t peak = PeakBytes(lives, 64).value();
    EXPECT_GE(packing.bytes, peak);
    EXPECT_LE(packing.bytes, peak * 3 / 2);
  }
}

TEST(ArenaPacker, PeakIsTheLargestSumAtOneTime) {
  int64_t when = -1;
  EXPECT_EQ(PeakBytes({{{64, 0, 2}, {128, 2, 3}, {65, 4, 4}}}, 64, &when).value(), 192);
  EXPECT_EQ(when, 2);
}

TEST(ArenaPacker, SizesBeyond64BitsAreResourceExhausted) {
  const int64_t huge = std::numeric_limits<int64_t>::max() - 100;
  EXPECT_EQ(PackArena({{{huge, 0, 1}, {huge, 1, 2}}}, 64).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(PackArena({{{std::numeric_limits<int64_t>::max(), 0, 1}}}, 64).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(ArenaPacker, ManyBuffersAreFast) {
  std::mt19937 random(3);
  for (const int64_t life : {int64_t{3}, int64_t{200'000}}) {  // few alive at once, and all
    std::vector<Lifetime> lives;
    for (int64_t i = 0; i < 100'000; ++i) {
      lives.push_back(
          {static_cast<int64_t>(random() % 10'000), i, std::min<int64_t>(i + life, 100'000)});
    }
    const auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(PackArena(lives, 64).ok());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_LT(seconds.count(), 60) << life;
  }
}

}  // namespace
}  // namespace swage::analysis
