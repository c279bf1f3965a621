// Elementwise kernels over dtypes: what is emitted equals the evaluator, special values included.
#include <gtest/gtest.h>

#include <string>

#include "tests/codegen/emit/kernel_runner.h"
#include "tests/codegen/emit/kernel_texts.h"

namespace swage::emit {
namespace {

TEST(Elementwise, ArithmeticOverEveryDtype) {
  for (const char* t : {"s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "f8e4m3fn", "f8e5m2",
                        "f16", "bf16", "f32", "f64"}) {
    EXPECT_KERNEL(Substitute(R"(
HloModule m
ENTRY e {
  x = T[3,39] parameter(0)
  y = T[3,39] parameter(1)
  a = T[3,39] add(x, y)
  m = T[3,39] multiply(a, x)
  d = T[3,39] divide(m, y)
  n = T[3,39] minimum(d, x)
  c = pred[3,39] compare(n, y), direction=LT
  s = T[3,39] select(c, n, a)
  ROOT r = T[3,39] clamp(y, s, x)
})",
                             "T[", std::string(t) + "["),
                  0, /*special=*/true);
  }
}

TEST(Elementwise, PredicatesAndScalars) {
  EXPECT_KERNEL(R"(
HloModule m
ENTRY e {
  p = pred[77] parameter(0)
  q = pred[77] parameter(1)
  s = pred[] parameter(2)
  a = pred[77] and(p, q)
  x = pred[77] xor(a, q)
  n = pred[77] not(x)
  sb = pred[77] broadcast(s), dimensions={}
  ROOT r = pred[77] select(sb, n, p)
})");
}

TEST(Elementwise, Scalars) {
  EXPECT_KERNEL(R"(
HloModule m
ENTRY e {
  x = f32[] parameter(0)
  y = f32[] exponential(x)
  z = f32[1,1] broadcast(y), dimensions={}
  ROOT r = f32[] reshape(z)
})");
}

TEST(Elementwise, ConversionsBetweenWidths) {
  EXPECT_KERNEL(R"(
HloModule m
ENTRY e {
  x = f64[45] parameter(0)
  a = f32[45] convert(x)
  b = bf16[45] convert(a)
  c = s8[45] convert(b)
  d = f16[45] convert(c)
  ROOT t = (f32[45], bf16[45], s8[45], f16[45]) tuple(a, b, c, d)
})",
                0, /*special=*/true);
}

TEST(Elementwise, CallsAndMapsOfScalarComputations) {
  EXPECT_KERNEL(R"(
HloModule m
f { a = f32[] parameter(0) b = f32[] parameter(1) s = f32[] add(a, b) ROOT r = f32[] multiply(s, a) }
ENTRY e {
  x = f32[45] parameter(0)
  y = f32[45] parameter(1)
  m = f32[45] map(x, y), dimensions={0}, to_apply=f
  ROOT r = f32[45] negate(m)
})");
}

}  // namespace
}  // namespace swage::emit
