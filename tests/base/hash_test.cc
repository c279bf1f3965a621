#include "base/hash.h"

#include <gtest/gtest.h>

#include <string>
#include <unordered_set>

#include "absl/container/flat_hash_set.h"

namespace swage {
namespace {

TEST(HashTest, ValueNeverChanges) {
  // The published XXH3-128 (seed 0) of the empty input: keys on disk depend on it.
  EXPECT_EQ(HashBytes("").ToHex(), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(HashBytes("").ToHex(), Hasher().Finish().ToHex());
}

TEST(HashTest, HexRoundTrips) {
  const Hash128 hash = HashBytes("swage");
  EXPECT_EQ(*ParseHash128(hash.ToHex()), hash);
  EXPECT_EQ((Hash128{.high = 1, .low = 2}).ToHex(), "00000000000000010000000000000002");
}

TEST(HashTest, BadHexIsRefused) {
  EXPECT_FALSE(ParseHash128("").ok());
  EXPECT_FALSE(ParseHash128(std::string(31, '0')).ok());
  EXPECT_FALSE(ParseHash128(std::string(33, '0')).ok());
  EXPECT_FALSE(ParseHash128(std::string(31, '0') + "g").ok());
}

TEST(HashTest, PiecesHashLikeTheWhole) {
  const std::string text(100'000, 'q');
  Hasher pieces;
  for (size_t at = 0; at < text.size(); at += 777)
    pieces.Raw(std::string_view(text).substr(at, 777));
  EXPECT_EQ(pieces.Finish(), HashBytes(text));
}

TEST(HashTest, FieldBoundariesCount) {
  EXPECT_NE(Hasher().Field("ab").Field("c").Finish(), Hasher().Field("a").Field("bc").Finish());
  EXPECT_NE(Hasher().Field("a").Finish(), Hasher().Field("a").Field("").Finish());
  EXPECT_NE(Hasher().Field("a").Finish(), HashBytes("a"));
}

TEST(HashTest, IntegersOfAnyWidthAgree) {
  EXPECT_EQ(Hasher().Field(7).Finish(), Hasher().Field(uint64_t{7}).Finish());
  EXPECT_EQ(Hasher().Field(int8_t{-1}).Finish(), Hasher().Field(int64_t{-1}).Finish());
  EXPECT_NE(Hasher().Field(7).Finish(), Hasher().Field(7.0).Finish());
}

TEST(HashTest, FloatsGoByBits) {
  EXPECT_NE(Hasher().Field(0.0).Finish(), Hasher().Field(-0.0).Finish());
}

TEST(HashTest, FinishDoesNotEndTheHasher) {
  Hasher hasher;
  hasher.Field("a");
  const Hash128 first = hasher.Finish();
  EXPECT_EQ(hasher.Finish(), first);
  EXPECT_EQ(hasher.Field("b").Finish(), Hasher().Field("a").Field("b").Finish());
}

TEST(HashTest, WorksInHashContainers) {
  absl::flat_hash_set<Hash128> absl_set = {HashBytes("a"), HashBytes("b"), HashBytes("a")};
  std::unordered_set<Hash128> std_set = {HashBytes("a"), HashBytes("b"), HashBytes("a")};
  EXPECT_EQ(absl_set.size(), 2u);
  EXPECT_EQ(std_set.size(), 2u);
}

}  // namespace
}  // namespace swage
