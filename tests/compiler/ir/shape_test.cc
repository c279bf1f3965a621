#include "compiler/ir/shape.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "absl/hash/hash.h"

namespace swage::ir {
namespace {

Shape Parse(std::string_view text) {
  StatusOr<Shape> shape = ParseShape(text);
  EXPECT_TRUE(shape.ok()) << text << ": " << shape.status();
  return shape.ok() ? *shape : Shape();
}

TEST(ShapeTest, ArraysTuplesAndTokens) {
  const Shape array = Shape::Array(DType::kBF16, {2, Dim::Symbol("seq", 0, 512)});
  EXPECT_EQ(array.rank(), 2);
  EXPECT_EQ(array.dim(0), Dim(2));
  EXPECT_FALSE(array.is_static());
  const Shape tuple = Shape::Tuple({array, Shape::Token(), Shape::Scalar(DType::kPred)});
  EXPECT_EQ(tuple.tuple_size(), 3);
  EXPECT_EQ(tuple.tuple_shape(0), array);
  EXPECT_EQ(tuple.ToString(), "(bf16[2,seq<=512], token[], pred[])");
  EXPECT_TRUE(Shape::Array(DType::kF32, {}).is_scalar());
}

TEST(ShapeTest, CountsAndBytes) {
  EXPECT_EQ(*Shape::Array(DType::kF32, {2, 3}).NumElements(), 6);
  EXPECT_EQ(*Shape::Array(DType::kC128, {2, 3}).ByteSize(), 96);
  EXPECT_EQ(*Shape::Array(DType::kS4, {3}).ByteSize(), 3);
  EXPECT_EQ(*Shape::Scalar(DType::kF64).ByteSize(), 8);
  EXPECT_EQ(*Shape::Array(DType::kF32, {0, kUnbounded, kUnbounded}).NumElements(), 0);
  EXPECT_EQ(*Parse("(f32[2], (s32[], token[]))").ByteSize(), 12);
  const Dim seq = Dim::Symbol("seq");
  EXPECT_EQ(Shape::Array(DType::kF32, {seq, 4}).num_elements_dim(), 4 * seq);
}

TEST(ShapeTest, CountsThatAreNotKnownOrDoNotFitAreErrors) {
  EXPECT_FALSE(Shape::Array(DType::kF32, {Dim::Symbol("seq")}).NumElements().ok());
  const StatusOr<int64_t> huge = Shape::Array(DType::kF32, {kUnbounded, 3}).NumElements();
  ASSERT_FALSE(huge.ok());
  EXPECT_NE(huge.status().message().find("f32[9223372036854775807,3]"), absl::string_view::npos);
  EXPECT_FALSE(Shape::Array(DType::kF32, {kUnbounded}).ByteSize().ok());
  EXPECT_FALSE(Shape::Array(DType::kF32, {Dim::Poisoned()}).Check().ok());
  EXPECT_FALSE(Shape::Array(DType::kF32, {-1}).Check().ok());
  EXPECT_FALSE(Shape::Token().NumElements().ok());
  EXPECT_TRUE(Shape::Array(DType::kF32, {kUnbounded, 3}).num_elements_dim().is_poisoned());
}

TEST(ShapeTest, LayoutsCountInEqualityButNotInCompatible) {
  const Shape row = Parse("f32[2,3]{1,0}"), column = Parse("f32[2,3]{0,1}"),
              bare = Parse("f32[2,3]");
  EXPECT_TRUE(row.layout().IsRowMajor());
  EXPECT_FALSE(column.layout().IsRowMajor());
  EXPECT_FALSE(row == column);
  EXPECT_TRUE(Compatible(row, column));
  EXPECT_TRUE(Compatible(Shape::Tuple({row}), Shape::Tuple({bare})));
  EXPECT_FALSE(Compatible(bare, Parse("s32[2,3]")));
  EXPECT_TRUE(SameDims(bare, Parse("s32[2,3]")));
  EXPECT_FALSE(Compatible(bare, Shape::Tuple({bare})));
  EXPECT_FALSE(Compatible(Parse("f32[n]"), Parse("f32[m]")));
  EXPECT_TRUE(MaybeCompatible(Parse("f32[n]"), Parse("f32[m]")));
  EXPECT_FALSE(MaybeCompatible(Parse("f32[n<=4]"), Parse("f32[5]")));
  Shape cleared = Shape::Tuple({row, column});
  EXPECT_TRUE(cleared.LayoutIsComplete());
  cleared.clear_layout();
  EXPECT_EQ(cleared, Shape::Tuple({bare, bare}));
  EXPECT_FALSE(cleared.HasAnyLayout());
}

TEST(ShapeTest, AScalarNeedsNoLayout) {
  Shape scalar = Shape::Scalar(DType::kF32);
  scalar.set_layout(Layout::RowMajor(0));
  EXPECT_EQ(scalar, Shape::Scalar(DType::kF32));
  EXPECT_TRUE(scalar.LayoutIsComplete());
  EXPECT_EQ(Parse("f32[]{}"), scalar);
}

TEST(ShapeTest, LeavesAreFoundByIndex) {
  const Shape shape = Parse("(f32[1], (s32[2], pred[]), ())");
  std::vector<std::pair<ShapeIndex, std::string>> leaves;
  ForEachLeaf(shape, [&](const ShapeIndex& index, const Shape& leaf) {
    leaves.emplace_back(index, leaf.ToString());
    EXPECT_EQ(*Subshape(shape, index), leaf);
  });
  ASSERT_EQ(leaves.size(), 3u);
  EXPECT_EQ(LeafCount(shape), 3);
  EXPECT_EQ(leaves[2].first, (ShapeIndex{1, 1}));
  EXPECT_EQ(leaves[2].second, "pred[]");
  EXPECT_EQ(Subshape(shape, {1, 2}), nullptr);
  EXPECT_EQ(Subshape(shape, {0, 0}), nullptr);
}

TEST(ShapeTest, EqualShapesHashEqual) {
  const absl::Hash<Shape> hash;
  EXPECT_EQ(hash(Parse("(f32[2,n<=3]{1,0}, s32[])")), hash(Parse("(f32[2,n<=3]{1,0}, s32[])")));
  EXPECT_NE(hash(Parse("f32[2,3]")), hash(Parse("f32[3,2]")));
}

TEST(ShapeTextTest, RoundTripsExactly) {
  for (const char* text : {"f32[2,3]{1,0}",
                           "pred[]",
                           "f32[0]",
                           "(f32[2]{0}, s32[])",
                           "()",
                           "(())",
                           "token[]",
                           "f32[seq<=512,64]",
                           "f32[2*(seq<=512),seq]",
                           "f32[seq,64]",
                           "f32[3<=seq<=512]",
                           "f32[<=512,64]",
                           "f32[?,3]",
                           "bf16[8,128]{1,0:T(8,128)(2,1)S(1)}",
                           "f32[]{:T(128)}",
                           "f8e4m3fn[4]{0}",
                           "c64[ceildiv((seq<=512),64),mod(seq,64)]",
                           "(f32[seq<=512], f32[2*seq+1])",
                           "s4[7]",
                           "u4[7]",
                           "f32[max(a,b,4)]",
                           "f8e5m2[1,2,3,4]{3,2,1,0}"}) {
    EXPECT_EQ(Parse(text).ToString(), text);
    EXPECT_EQ(Parse(Parse(text).ToString()), Parse(text));
  }
  EXPECT_EQ(Parse("f32[2,3]{1,0}").ToString(false), "f32[2,3]");
}

TEST(ShapeTextTest, BlanksAndIndexCommentsAreSkipped) {
  EXPECT_EQ(Parse("(f32[2], /*index=5*/ s32[])").ToString(), "(f32[2], s32[])");
  EXPECT_EQ(Parse("f32[2, 3]{1, 0}").ToString(), "f32[2,3]{1,0}");
}

TEST(ShapeTextTest, AScopeSpansShapes) {
  SymbolScope scope;
  size_t pos = 0;
  const std::string text = "f32[seq<=512], f32[2*seq]{0} rest";
  const Shape first = *ParseShape(text, &pos, scope);
  pos += 2;
  const Shape second = *ParseShape(text, &pos, scope);
  EXPECT_EQ(text.substr(pos), " rest");
  EXPECT_EQ(second.dim(0), 2 * first.dim(0));
  SymbolScope printed;
  EXPECT_EQ(first.ToString(true, printed), "f32[seq<=512]");
  EXPECT_EQ(second.ToString(true, printed), "f32[2*seq]{0}");
}

TEST(ShapeTextTest, RejectsWhatIsNoShape) {
  for (const char* text : {"",
                           "f32",
                           "f32[",
                           "f32[2",
                           "f32[2,",
                           "f32[2,]",
                           "f32[-1]",
                           "f32[2]{1}",
                           "f32[2,3]{0,0}",
                           "f32[2,3]{1}",
                           "f32[2,3]{1,0",
                           "f32[]{0}",
                           "f33[2]",
                           "token[2]",
                           "(f32[2]",
                           "(f32[2],)",
                           "f32[2]x",
                           "f32[2]{0:T(8",
                           "f32[9223372036854775808]",
                           "f32[seq<=2,seq<=3]",
                           "f32[2]{}",
                           "f32[\x80]",
                           "f32[2]{4294967296}",
                           "(/*",
                           "[2]"}) {
    EXPECT_FALSE(ParseShape(text).ok()) << text;
  }
}

TEST(ShapeTextTest, LimitsHold) {
  EXPECT_FALSE(ParseShape(std::string(1000000, '(')).ok());
  std::string ok_rank = "f32[1", deep;
  for (int i = 1; i < kMaxRank; ++i) ok_rank += ",1";
  EXPECT_TRUE(ParseShape(ok_rank + "]").ok());
  EXPECT_FALSE(ParseShape(ok_rank + ",1]").ok());
  for (int i = 0; i < kMaxTupleDepth; ++i) deep += "(";
  deep += "f32[]";
  for (int i = 0; i < kMaxTupleDepth; ++i) deep += ")";
  EXPECT_TRUE(ParseShape(deep).ok());
  EXPECT_FALSE(ParseShape("(" + deep + ")").ok());
}

TEST(ShapeTextTest, MutatedTextNeverCrashes) {
  const std::string seeds[] = {"(f32[2*(seq<=512),64]{1,0:T(8,128)}, s32[max(a,3)], token[])",
                               "f32[ceildiv((3<=q<=9)*q,64),<=512,?]"};
  std::mt19937 rng(7);
  int parsed = 0;
  for (int round = 0; round < 50000; ++round) {
    std::string text = seeds[round % 2];
    for (int edits = 1 + rng() % 4; edits > 0; --edits) {
      const size_t at = rng() % text.size();
      switch (rng() % 4) {
        case 0:
          text[at] = static_cast<char>(rng());
          break;
        case 1:
          text.erase(at, 1 + rng() % 3);
          break;
        case 2:
          text.insert(at, text.substr(rng() % text.size(), 1 + rng() % 8));
          break;
        default:
          text[at] = "0123456789<=()[]{},*+-?"[rng() % 23];
      }
      if (text.empty()) text = "f";
    }
    const StatusOr<Shape> shape = ParseShape(text);
    if (!shape.ok()) continue;
    ++parsed;
    const StatusOr<Shape> again = ParseShape(shape->ToString());
    ASSERT_TRUE(again.ok()) << text << " -> " << shape->ToString() << " " << again.status();
    ASSERT_EQ(*again, *shape) << text;
  }
  EXPECT_GT(parsed, 1000);
}

}  // namespace
}  // namespace swage::ir
