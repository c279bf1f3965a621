#include "base/check_mode.h"

#include <gtest/gtest.h>

namespace swage {
namespace {

TEST(CheckModeTest, ReadsACommaList) {
  CheckMode mode = *CheckMode::Parse("passes,memory");
  EXPECT_TRUE(mode.passes);
  EXPECT_TRUE(mode.memory);
  EXPECT_FALSE(mode.lies);
  EXPECT_FALSE(mode.padding);
  EXPECT_TRUE(CheckMode::Parse("padding")->padding);
  EXPECT_FALSE(CheckMode::Parse("")->passes);
}

TEST(CheckModeTest, MemoryIsGuardedAtOneSide) {
  EXPECT_EQ(CheckMode::Parse("memory")->guard, GuardSide::kEnd);
  const CheckMode at_start = *CheckMode::Parse("passes, memory-start");
  EXPECT_TRUE(at_start.memory);
  EXPECT_TRUE(at_start.passes);
  EXPECT_EQ(at_start.guard, GuardSide::kStart);
  const Status both = CheckMode::Parse("memory-start,memory").status();
  EXPECT_EQ(both.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(both.message().find("expected one of them"), absl::string_view::npos);
}

constexpr uintptr_t kPage = 4096;
volatile uint8_t sink;

TEST(CheckModeTest, BuffersTouchThePageWhateverTheirSize) {
  const CheckMode at_end = *CheckMode::Parse("memory"),
                  at_start = *CheckMode::Parse("memory-start");
  for (const int64_t bytes : {1, 2, 3, 4, 12, 63, 64, 65, 4095, 4096, 4097, 100'000}) {
    const GuardedBuffer ends = *at_end.Guarded(bytes), begins = *at_start.Guarded(bytes);
    EXPECT_EQ((reinterpret_cast<uintptr_t>(ends.data()) + bytes) % kPage, 0u) << bytes;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(begins.data()) % kPage, 0u) << bytes;
  }
}

TEST(CheckModeDeathTest, OneByteBesideABufferStops) {
  const CheckMode at_end = *CheckMode::Parse("memory"),
                  at_start = *CheckMode::Parse("memory-start");
  for (const int64_t bytes : {1, 28, 5000}) {
    const GuardedBuffer ends = *at_end.Guarded(bytes), begins = *at_start.Guarded(bytes);
    EXPECT_DEATH(sink = static_cast<uint8_t*>(ends.data())[bytes], "");
    EXPECT_DEATH(sink = static_cast<uint8_t*>(begins.data())[-1], "");
  }
  for (const CheckMode& mode : {at_end, at_start}) {
    const GuardedBuffer empty = *mode.Guarded(0);
    EXPECT_DEATH(sink = static_cast<uint8_t*>(empty.data())[0], "");
  }
}

// What nobody has written is no plausible zero.
TEST(CheckModeTest, BuffersAreFilledWithThePattern) {
  const GuardedBuffer buffer = *CheckMode::Parse("memory")->Guarded(3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(static_cast<uint8_t*>(buffer.data())[i], 0xd5);
}

TEST(CheckModeTest, AnUnknownWordNamesTheNearest) {
  const Status status = CheckMode::Parse("memry").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("did you mean 'memory'"), absl::string_view::npos);
}

}  // namespace
}  // namespace swage
