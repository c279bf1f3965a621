#include "base/small_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace swage {
namespace {

TEST(SmallMapTest, KeepsTheFirstValueOfAKey) {
  SmallMap<int, int> map;
  EXPECT_TRUE(map.Insert(7, 1).second);
  const auto [value, is_new] = map.Insert(7, 2);
  EXPECT_FALSE(is_new);
  EXPECT_EQ(*value, 1);
  EXPECT_EQ(map.size(), 1u);
}

TEST(SmallMapTest, IteratesInTheOrderOfInsertion) {
  SmallMap<int, int> map;
  std::vector<int> keys;
  for (int key : {5, 3, 9, 1, 12, 7, 2, 8, 30, 4, 6}) map.Insert(key, 10 * key);
  for (const auto& [key, value] : map) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<int>{5, 3, 9, 1, 12, 7, 2, 8, 30, 4, 6}));
}

TEST(SmallMapTest, AnErasureMovesTheLastEntryIntoTheGap) {
  SmallMap<int, int> map;
  for (int key : {5, 3, 9}) map.Insert(key, key);
  EXPECT_TRUE(map.Erase(5));
  EXPECT_FALSE(map.Erase(5));
  EXPECT_EQ(map.begin()->first, 9);
  EXPECT_EQ(map.Find(5), nullptr);
}

TEST(SmallMapTest, AgreesWithAnOrderedMap) {
  for (int keys : {4, 12, 200}) {
    SmallMap<int, int> map;
    std::map<int, int> expected;
    std::mt19937 random(1);
    for (int step = 0; step < 3000; ++step) {
      const int key = static_cast<int>(random() % keys);
      if (random() % 3 == 0) {
        EXPECT_EQ(map.Erase(key), expected.erase(key) > 0);
      } else {
        const auto [value, is_new] = map.Insert(key, step);
        EXPECT_EQ(is_new, expected.emplace(key, step).second);
        EXPECT_EQ(*value, expected[key]);
      }
      ASSERT_EQ(map.size(), expected.size());
    }
    for (const auto& [key, value] : expected) {
      ASSERT_NE(map.Find(key), nullptr);
      EXPECT_EQ(*map.Find(key), value);
    }
  }
}

}  // namespace
}  // namespace swage
