#include "compiler/analysis/in_place.h"

#include <gtest/gtest.h>

#include <string>

#include "compiler/ir/parser.h"

namespace swage::analysis {
namespace {

// Of a fusion with this body and these operands.
bool MayWriteOver(const std::string& body, const std::string& entry, int operand,
                  int64_t leaf = 0) {
  auto module = ir::ParseHlo(
      "HloModule m\nadd {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n"
      " ROOT s = f32[] add(x, y)\n}\nf {\n" +
      body + "\n}\nENTRY main {\n" + entry + "\n}\n");
  EXPECT_TRUE(module.ok()) << module.status().message();
  if (!module.ok()) return false;
  return CanWriteOver(*(*module)->entry()->root(), operand, leaf);
}

constexpr char kTwo[] = R"(
  a = f32[4,4] parameter(0)
  b = f32[4,4] parameter(1)
  ROOT r = f32[4,4] fusion(a, b), kind=kLoop, calls=f)";

TEST(InPlace, ElementwiseMay) {
  constexpr char kBody[] = R"(
  p = f32[4,4] parameter(0)
  q = f32[4,4] parameter(1)
  e = f32[4,4] exponential(p)
  m = f32[4,4] multiply(e, q)
  ROOT s = f32[4,4] subtract(m, p))";
  EXPECT_TRUE(MayWriteOver(kBody, kTwo, 0));
  EXPECT_TRUE(MayWriteOver(kBody, kTwo, 1));
}

TEST(InPlace, AnOperandReadElsewhereMayNot) {
  constexpr char kBody[] = R"(
  p = f32[4,4] parameter(0)
  q = f32[4,4] parameter(1)
  t = f32[4,4] transpose(p), dimensions={1,0}
  m = f32[4,4] multiply(p, q)
  ROOT s = f32[4,4] subtract(m, t))";
  EXPECT_FALSE(MayWriteOver(kBody, kTwo, 0));
  EXPECT_TRUE(MayWriteOver(kBody, kTwo, 1));
}

TEST(InPlace, FusionsWithAReduceMayNot) {
  constexpr char kBody[] = R"(
  p = f32[4,4] parameter(0)
  q = f32[4,4] parameter(1)
  z = f32[] constant(0)
  r = f32[4] reduce(p, z), dimensions={1}, to_apply=add
  b = f32[4,4] broadcast(r), dimensions={0}
  ROOT s = f32[4,4] subtract(q, b))";
  EXPECT_FALSE(MayWriteOver(kBody, kTwo, 0));
  EXPECT_FALSE(MayWriteOver(kBody, kTwo, 1));
}

TEST(InPlace, ElementsOfAnotherSizeMayNot) {
  EXPECT_FALSE(
      MayWriteOver("p = f64[4] parameter(0)\n ROOT c = f32[4] convert(p)",
                   "a = f64[4] parameter(0)\n ROOT r = f32[4] fusion(a), kind=kLoop, calls=f", 0));
  EXPECT_TRUE(
      MayWriteOver("p = s32[4] parameter(0)\n ROOT c = f32[4] convert(p)",
                   "a = s32[4] parameter(0)\n ROOT r = f32[4] fusion(a), kind=kLoop, calls=f", 0));
}

TEST(InPlace, AnUpdatedArrayMayButNotItsUpdate) {
  constexpr char kBody[] = R"(
  p = f32[4,4] parameter(0)
  q = f32[4,4] parameter(1)
  i = s32[] constant(0)
  ROOT s = f32[4,4] dynamic-update-slice(p, q, i, i))";
  EXPECT_TRUE(MayWriteOver(kBody, kTwo, 0));
  EXPECT_FALSE(MayWriteOver(kBody, kTwo, 1));
}

TEST(InPlace, BitcastsKeepStep) {
  EXPECT_TRUE(MayWriteOver(
      "p = f32[4,2] parameter(0)\n b = f32[8] bitcast(p)\n ROOT c = f32[8] negate(b)",
      "a = f32[4,2] parameter(0)\n ROOT r = f32[8] fusion(a), kind=kLoop, calls=f", 0));
}

constexpr char kTwoOutputs[] = R"(
  a = f32[4,4] parameter(0)
  b = f32[4,4] parameter(1)
  ROOT r = (f32[4,4], f32[4,4]) fusion(a, b), kind=kLoop, calls=f)";

TEST(InPlace, AnOperandMayBeAnyOutputThatReadsItInStep) {
  constexpr char kBody[] = R"(
  p = f32[4,4] parameter(0)
  q = f32[4,4] parameter(1)
  e = f32[4,4] exponential(p)
  n = f32[4,4] negate(q)
  m = f32[4,4] add(e, n)
  ROOT t = (f32[4,4], f32[4,4]) tuple(e, m))";
  EXPECT_TRUE(MayWriteOver(kBody, kTwoOutputs, 0, 0));
  EXPECT_TRUE(MayWriteOver(kBody, kTwoOutputs, 0, 1));
  EXPECT_FALSE(MayWriteOver(kBody, kTwoOutputs, 1, 0)) << "it does not read it";
  EXPECT_TRUE(MayWriteOver(kBody, kTwoOutputs, 1, 1));
}

// Element (i, j) of the other output wants element (j, i), which may have been written over.
TEST(InPlace, AnOperandThatAnotherOutputReadsElsewhereMayNot) {
  constexpr char kBody[] = R"(
  p = f32[4,4] parameter(0)
  q = f32[4,4] parameter(1)
  e = f32[4,4] exponential(p)
  t = f32[4,4] transpose(p), dimensions={1,0}
  m = f32[4,4] add(q, t)
  ROOT r = (f32[4,4], f32[4,4]) tuple(e, m))";
  EXPECT_FALSE(MayWriteOver(kBody, kTwoOutputs, 0, 0));
  EXPECT_FALSE(MayWriteOver(kBody, kTwoOutputs, 0, 1));
  EXPECT_TRUE(MayWriteOver(kBody, kTwoOutputs, 1, 1));
}

TEST(InPlace, AnOutputPerRowIsStoredBeforeTheRow) {
  EXPECT_FALSE(MayWriteOver(R"(
  p = f32[4] parameter(0)
  q = f32[4,4] parameter(1)
  n = f32[4] negate(p)
  b = f32[4,4] broadcast(p), dimensions={0}
  m = f32[4,4] add(b, q)
  ROOT r = (f32[4], f32[4,4]) tuple(n, m))",
                            R"(
  a = f32[4] parameter(0)
  b = f32[4,4] parameter(1)
  ROOT r = (f32[4], f32[4,4]) fusion(a, b), kind=kLoop, calls=f)",
                            0, 0));
}

TEST(InPlace, OnlyFusionsMay) {
  auto module = ir::ParseHlo(
      "HloModule m\nENTRY main {\n p = f32[4] parameter(0)\n ROOT n = f32[4] negate(p)\n}\n");
  EXPECT_FALSE(CanWriteOver(*(*module)->entry()->root(), 0, 0));
}

}  // namespace
}  // namespace swage::analysis
