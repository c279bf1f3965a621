#include "compiler/ir/reshape_groups.h"

#include <gtest/gtest.h>

namespace swage::ir {
namespace {

// "0,1->0 2->1", or "open".
std::string GroupsOf(const Dims& from, const Dims& to) {
  const auto groups = ReshapeGroups(from, to);
  if (!groups.has_value()) return "open";
  std::string text;
  const auto append = [&](const DimList& dims) {
    for (size_t i = 0; i < dims.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(dims[i]);
  };
  for (const ReshapeGroup& group : *groups) {
    if (!text.empty()) text += " ";
    append(group.from);
    text += "->";
    append(group.to);
  }
  return text;
}

TEST(ReshapeGroups, AreAsShortAsTheyCanBe) {
  EXPECT_EQ(GroupsOf({2, 3, 4}, {6, 4}), "0,1->0 2->1");
  EXPECT_EQ(GroupsOf({6, 4}, {2, 3, 4}), "0->0,1 1->2");
  EXPECT_EQ(GroupsOf({4, 6}, {6, 4}), "0,1->0,1");
  EXPECT_EQ(GroupsOf({5, 7}, {5, 7}), "0->0 1->1");
}

TEST(ReshapeGroups, LeaveOutDimensionsOfOne) {
  EXPECT_EQ(GroupsOf({1, 5, 1, 2}, {5, 1, 2, 1}), "1->0 3->2");
  EXPECT_EQ(GroupsOf({2, 1, 3}, {6}), "0,2->0");
  EXPECT_EQ(GroupsOf({1, 1}, {}), "");
}

TEST(ReshapeGroups, KnowSizesThatAreEqualWhateverTheyAre) {
  const Dim n = Dim::Symbol("n"), m = Dim::Symbol("m", 1, 8);
  EXPECT_EQ(GroupsOf({n, 2, m}, {2 * n, m}), "0,1->0 2->1");
  EXPECT_EQ(GroupsOf({n * m, 3}, {n, m, 3}), "0->0,1 1->2");
  EXPECT_EQ(GroupsOf({n, m}, {m, n}), "0,1->0,1");
  EXPECT_EQ(GroupsOf({FloorDiv(n, 2), 2}, {n}), "open");
}

TEST(ReshapeGroups, AreOpenWhereThereAreNoElements) {
  EXPECT_EQ(GroupsOf({0, 3}, {0, 3}), "open");
  EXPECT_EQ(GroupsOf({3, 0}, {0}), "open");
}

}  // namespace
}  // namespace swage::ir
