#include "base/guard_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <utility>

namespace swage {
namespace {

using ::testing::HasSubstr;

volatile uint8_t sink;

uint8_t* Bytes(const GuardedBuffer& buffer) { return static_cast<uint8_t*>(buffer.data()); }

TEST(GuardMemoryTest, WholeBufferIsUsable) {
  for (GuardSide side : {GuardSide::kStart, GuardSide::kEnd}) {
    for (size_t bytes : {0, 1, 4, 4095, 4096, 4097, 100'000}) {
      for (size_t alignment : {1, 4, 64, 4096}) {
        GuardedBuffer buffer = *GuardedBuffer::Create(bytes, alignment, side);
        EXPECT_EQ(buffer.size(), bytes);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % alignment, 0u);
        if (bytes > 0) std::memset(buffer.data(), 0x11, bytes);
        EXPECT_TRUE(buffer.Check().ok());
      }
    }
  }
}

TEST(GuardMemoryDeathTest, ReadAfterTheEndStops) {
  GuardedBuffer buffer = *GuardedBuffer::Create(12, 4, GuardSide::kEnd);
  EXPECT_DEATH(sink = Bytes(buffer)[12], "");
}

TEST(GuardMemoryDeathTest, ReadBeforeTheStartStops) {
  GuardedBuffer buffer = *GuardedBuffer::Create(12, 4, GuardSide::kStart);
  EXPECT_DEATH(sink = Bytes(buffer)[-1], "");
}

TEST(GuardMemoryTest, WritesOnTheOpenSideAreReported) {
  GuardedBuffer at_end = *GuardedBuffer::Create(12, 4, GuardSide::kEnd);
  Bytes(at_end)[-3] = 0;
  EXPECT_THAT(std::string(at_end.Check().message()), HasSubstr("offset -3"));
  GuardedBuffer at_start = *GuardedBuffer::Create(12, 4, GuardSide::kStart);
  Bytes(at_start)[13] = 0;
  EXPECT_THAT(std::string(at_start.Check().message()), HasSubstr("offset 13"));
}

TEST(GuardMemoryTest, WritesInTheAlignmentGapAreReported) {
  GuardedBuffer buffer = *GuardedBuffer::Create(12, 64, GuardSide::kEnd);
  Bytes(buffer)[12] = 0;
  EXPECT_THAT(std::string(buffer.Check().message()), HasSubstr("offset 12"));
}

TEST(GuardMemoryTest, MovesKeepTheMemory) {
  GuardedBuffer a = *GuardedBuffer::Create(8, 8, GuardSide::kEnd);
  void* const data = a.data();
  GuardedBuffer b = std::move(a);
  EXPECT_EQ(b.data(), data);
  GuardedBuffer c = *GuardedBuffer::Create(8, 8, GuardSide::kEnd);
  c = std::move(b);
  EXPECT_EQ(c.data(), data);
  EXPECT_TRUE(c.Check().ok());
}

TEST(GuardMemoryTest, ImpossibleRequestsAreErrors) {
  EXPECT_EQ(GuardedBuffer::Create(SIZE_MAX, 1, GuardSide::kEnd).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(GuardedBuffer::Create(size_t{1} << 60, 1, GuardSide::kEnd).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(GuardedBuffer::Create(8, 3, GuardSide::kEnd).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace swage
