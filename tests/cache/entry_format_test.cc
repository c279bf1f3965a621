#include "cache/entry_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace swage::cache {
namespace {

using ::testing::HasSubstr;

const std::string kMaterial("build\0abc", 9);
const std::string kPayload = std::string(3000, 'p') + std::string("\0end", 4);

std::string Entry(EntryKind kind = EntryKind::kKernel, const std::string& material = kMaterial,
                  const std::string& payload = kPayload) {
  return *EncodeEntry(kind, material, payload);
}

EntryFault Decode(std::string_view bytes) {
  std::string payload;
  return DecodeEntry(bytes, EntryKind::kKernel, kMaterial, &payload);
}

// `bytes` with a number at `offset` replaced and the checksum made to fit.
std::string WithNumber(std::string bytes, size_t offset, int size, uint64_t value) {
  for (int i = 0; i < size; ++i) bytes[offset + i] = static_cast<char>(value >> (8 * i));
  SealEntry(&bytes);
  return bytes;
}

TEST(EntryFormatTest, PayloadsOfAnySizeComeBack) {
  std::mt19937 random(3);
  for (size_t size : {0, 1, 100, 100'000, 3'000'000}) {
    std::string noise(size, '\0');
    for (char& c : noise) c = static_cast<char>(random());
    for (const std::string& payload : {noise, std::string(size, 'x')}) {
      for (EntryKind kind : {EntryKind::kKernel, EntryKind::kModule}) {
        std::string back;
        const EntryFault fault = DecodeEntry(Entry(kind, "", payload), kind, "", &back);
        ASSERT_TRUE(fault.ok()) << fault.text;
        ASSERT_EQ(back, payload);
      }
    }
  }
}

TEST(EntryFormatTest, EntriesAreCompressed) {
  EXPECT_LT(Entry(EntryKind::kKernel, "", std::string(1'000'000, 'x')).size(), 1000u);
}

TEST(EntryFormatTest, EveryTruncationIsRefused) {
  const std::string entry = Entry();
  for (size_t size = 0; size < entry.size(); ++size) {
    EXPECT_EQ(Decode(entry.substr(0, size)).problem, EntryProblem::kTruncated) << size;
  }
  EXPECT_EQ(Decode(entry + '\0').problem, EntryProblem::kTruncated);
}

TEST(EntryFormatTest, EveryBitFlipIsRefused) {
  const std::string entry = Entry();
  for (size_t bit = 0; bit < 8 * entry.size(); ++bit) {
    std::string damaged = entry;
    damaged[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    EXPECT_FALSE(Decode(damaged).ok()) << bit;
  }
}

TEST(EntryFormatTest, EachProblemIsNamed) {
  std::string other = Entry();
  other[0] = 'X';
  EXPECT_EQ(Decode(other).problem, EntryProblem::kMagic);
  EXPECT_EQ(Decode("\x7f"
                   "ELF")
                .problem,
            EntryProblem::kMagic);

  const EntryFault version = Decode(WithNumber(Entry(), 8, 4, 7));
  EXPECT_EQ(version.problem, EntryProblem::kVersion);
  EXPECT_THAT(version.text, HasSubstr("format version 7, this build reads 1"));

  std::string damaged = Entry();
  damaged.back() ^= 1;
  EXPECT_EQ(Decode(damaged).problem, EntryProblem::kChecksum);

  const EntryFault kind = Decode(Entry(EntryKind::kModule));
  EXPECT_EQ(kind.problem, EntryProblem::kKind);
  EXPECT_THAT(kind.text, HasSubstr("a module where a kernel is wanted"));
  EXPECT_EQ(Decode(WithNumber(Entry(), 12, 4, 9)).problem, EntryProblem::kKind);

  const EntryFault material = Decode(Entry(EntryKind::kKernel, "another key"));
  EXPECT_EQ(material.problem, EntryProblem::kMaterial);
  EXPECT_THAT(material.text, HasSubstr("another key"));
}

TEST(EntryFormatTest, DeclaredSizesAreBounds) {
  // The payload's declared size is too small, too large, or absurd.
  for (uint64_t size : {uint64_t{0}, kPayload.size() - 1, kPayload.size() + 1, kMaxPayloadBytes,
                        kMaxPayloadBytes + 1, ~uint64_t{0}}) {
    EXPECT_EQ(Decode(WithNumber(Entry(), 32, 8, size)).problem, EntryProblem::kCompression) << size;
  }
  // So are those of the parts; sums that wrap around included.
  for (uint64_t size : {uint64_t{0}, uint64_t{1} << 20, ~uint64_t{0}, ~uint64_t{0} - 50}) {
    EXPECT_EQ(Decode(WithNumber(Entry(), 16, 8, size)).problem, EntryProblem::kTruncated) << size;
    EXPECT_EQ(Decode(WithNumber(Entry(), 24, 8, size)).problem, EntryProblem::kTruncated) << size;
  }
}

TEST(EntryFormatTest, PayloadThatIsNoFrameIsRefused) {
  std::string entry = Entry();
  for (size_t i = kEntryHeaderBytes + kMaterial.size(); i < entry.size(); ++i) entry[i] = 'z';
  SealEntry(&entry);
  EXPECT_EQ(Decode(entry).problem, EntryProblem::kCompression);
}

TEST(EntryFormatTest, OversizedMaterialIsAnError) {
  const std::string material(kMaxMaterialBytes + 1, 'm');
  EXPECT_EQ(EncodeEntry(EntryKind::kKernel, material, "").status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace swage::cache
