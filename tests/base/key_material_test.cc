#include "base/key_material.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace swage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

KeyMaterial Make(std::initializer_list<std::pair<std::string_view, std::string_view>> fields) {
  KeyMaterial material;
  for (const auto& [name, value] : fields) material.Add(name, value);
  return material;
}

TEST(KeyMaterialTest, SerialisedFieldsComeBackInOrder) {
  const KeyMaterial material =
      Make({{"z", "last first"}, {"a", std::string_view("x\0\xff", 3)}, {"", ""}, {"z", "again"}});
  const StatusOr<KeyMaterial> back = KeyMaterial::Parse(material.Serialise());
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, material);
  EXPECT_EQ(*KeyMaterial::Parse(KeyMaterial().Serialise()), KeyMaterial());
}

TEST(KeyMaterialTest, NumbersAreDecimalText) {
  KeyMaterial material;
  material.Add("min", std::numeric_limits<int64_t>::min());
  material.Add("max", std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(material.Find("min"), "-9223372036854775808");
  EXPECT_EQ(material.Find("max"), "18446744073709551615");
  EXPECT_EQ(material.Find("other"), std::nullopt);
}

TEST(KeyMaterialTest, BoundariesOfFieldsAreInTheHash) {
  const Hash128 hash = Make({{"ab", "c"}}).Hash();
  EXPECT_NE(hash, Make({{"a", "bc"}}).Hash());
  EXPECT_NE(hash, Make({{"ab", "c"}, {"", ""}}).Hash());
  EXPECT_NE(Make({{"x", "1"}, {"y", "2"}}).Hash(), Make({{"y", "2"}, {"x", "1"}}).Hash());
  EXPECT_EQ(hash, HashBytes(Make({{"ab", "c"}}).Serialise()));
}

TEST(KeyMaterialTest, BytesAreTheSameOnEveryMachine) {
  EXPECT_EQ(Make({{"n", "v"}}).Serialise(), std::string("SWGKEY\0\1"
                                                        "\1\0\0\0\0\0\0\0"
                                                        "\1\0\0\0\0\0\0\0n"
                                                        "\1\0\0\0\0\0\0\0v",
                                                        34));
}

TEST(KeyMaterialTest, EveryTruncationAndExtensionIsRefused) {
  const std::string bytes = Make({{"build", "abc"}, {"cpu", "x86-64-v3"}}).Serialise();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(KeyMaterial::Parse(bytes.substr(0, size)).status().code(),
              absl::StatusCode::kInvalidArgument)
        << size;
  }
  EXPECT_FALSE(KeyMaterial::Parse(bytes + '\0').ok());
}

TEST(KeyMaterialTest, HugeLengthsAllocateNothing) {
  std::string bytes = Make({{"build", "abc"}}).Serialise();
  for (size_t offset : {8, 16, 29}) {
    std::string broken = bytes;
    for (size_t i = 0; i < 8; ++i) broken[offset + i] = '\xff';
    EXPECT_FALSE(KeyMaterial::Parse(broken).ok()) << offset;
  }
}

TEST(KeyMaterialTest, DamagedBytesEitherFailOrRoundTrip) {
  const std::string bytes = Make({{"a", "1"}, {"b", ""}, {"c", "333"}}).Serialise();
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string damaged = bytes;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    damaged[random() % damaged.size()] = static_cast<char>(random());
    const StatusOr<KeyMaterial> parsed = KeyMaterial::Parse(damaged);
    if (parsed.ok()) {
      ASSERT_EQ(parsed->Serialise(), damaged);
    }
  }
}

TEST(DiffKeysTest, NamesEveryDifferenceWithBothValues) {
  const KeyMaterial a = Make({{"build", "1"}, {"cpu", "v3"}, {"only_a", "x"}});
  const KeyMaterial b = Make({{"only_b", ""}, {"build", "2"}, {"cpu", "v3"}});
  EXPECT_THAT(DiffKeys(a, b), ElementsAre(KeyDifference{"build", "1", "2"},
                                          KeyDifference{"only_a", "x", std::nullopt},
                                          KeyDifference{"only_b", std::nullopt, ""}));
}

TEST(DiffKeysTest, RepeatedNamesAreComparedOneByOne) {
  const KeyMaterial a = Make({{"arg", "f32[2]"}, {"arg", "f32[3]"}});
  const KeyMaterial b = Make({{"arg", "f32[2]"}, {"arg", "f32[4]"}, {"arg", "s32[]"}});
  EXPECT_THAT(DiffKeys(a, b), ElementsAre(KeyDifference{"arg", "f32[3]", "f32[4]"},
                                          KeyDifference{"arg", std::nullopt, "s32[]"}));
}

TEST(DiffKeysTest, EqualFieldsInAnyOrderDoNotDiffer) {
  EXPECT_THAT(DiffKeys(Make({{"a", "1"}, {"b", "2"}}), Make({{"b", "2"}, {"a", "1"}})), IsEmpty());
  EXPECT_THAT(DiffKeys(KeyMaterial(), KeyMaterial()), IsEmpty());
}

}  // namespace
}  // namespace swage
