// Reductions: rows, columns, several dimensions, row tiles, any combiner.
#include <gtest/gtest.h>

#include <string>

#include "compiler/ir/parser.h"
#include "tests/codegen/emit/kernel_runner.h"
#include "tests/codegen/emit/kernel_texts.h"

namespace swage::emit {
namespace {

// A module's begin with a combiner of two values without an identity.
const std::string kGreater = R"(
HloModule m
f {
  v0 = f32[] parameter(0)
  i0 = s32[] parameter(1)
  v1 = f32[] parameter(2)
  i1 = s32[] parameter(3)
  gt = pred[] compare(v0, v1), direction=GE
  v = f32[] select(gt, v0, v1)
  i = s32[] select(gt, i0, i1)
  ROOT t = (f32[], s32[]) tuple(v, i)
})";

TEST(RowReduction, SumsRowsOfEverySize) {
  for (int n : kSizes) EXPECT_KERNEL(WithSizes(RowSum(), {{"$R", 5}, {"$N", n}}));
}

TEST(RowReduction, SumsLongRows) {
  for (int n : {4095, 4096, 4097, 12288, 20000, 29000}) {
    EXPECT_KERNEL(WithSizes(RowSum(), {{"$R", 2}, {"$N", n}}));
  }
}

// A reduce of $D[3,$N] by `op` over these dims.
std::string Reduce(const std::string& dtype, const std::string& op, const std::string& init,
                   const std::string& dims, const std::string& out) {
  std::string text = R"(
HloModule m
f { a = T[] parameter(0) b = T[] parameter(1) ROOT c = T[] OP(a, b) }
ENTRY e {
  x = T[3,4,$N] parameter(0)
  zero = T[] constant(INIT)
  ROOT s = T[OUT] reduce(x, zero), dimensions={DIMS}, to_apply=f
})";
  text = Substitute(text, "OP", op);
  text = Substitute(text, "INIT", init);
  text = Substitute(text, "DIMS", dims);
  text = Substitute(text, "OUT", out);
  return Substitute(text, "T[", dtype + "[");
}

TEST(RowReduction, EveryDtypeAndWellKnownCombiner) {
  for (const char* t : {"s8", "u16", "s32", "s64", "f8e4m3fn", "f16", "bf16", "f32", "f64"}) {
    for (const char* op : {"add", "multiply", "maximum", "minimum"}) {
      for (int n : {1, 130}) {
        EXPECT_KERNEL(WithSizes(Reduce(t, op, "1", "2", "3,4"), {{"$N", n}}));
      }
    }
  }
  for (const char* op : {"and", "or", "xor"}) {
    EXPECT_KERNEL(WithSizes(Reduce("s32", op, "5", "2", "3,4"), {{"$N", 70}}));
    EXPECT_KERNEL(WithSizes(Reduce("pred", op, "true", "2", "3,4"), {{"$N", 70}}));
  }
}

TEST(RowReduction, SeveralDimensionsOneAfterAnother) {
  for (int n : {0, 1, 7, 64, 65, 300}) {
    EXPECT_KERNEL(WithSizes(Reduce("f32", "add", "0.5", "1,2", "3"), {{"$N", n}}));
    EXPECT_KERNEL(WithSizes(Reduce("f32", "add", "0.5", "0,2", "4"), {{"$N", n}}));
    EXPECT_KERNEL(WithSizes(Reduce("f32", "add", "0.5", "0,1,2", ""), {{"$N", n}}));
  }
}

TEST(ColumnReduction, EverySize) {
  for (int n : kSizes) {
    EXPECT_KERNEL(WithSizes(Reduce("f32", "add", "0", "0", "4,$N"), {{"$N", n}}));
    EXPECT_KERNEL(WithSizes(Reduce("f32", "maximum", "0", "0,1", "$N"), {{"$N", n}}));
  }
}

TEST(ColumnReduction, LongColumns) {
  for (int n : {1, 5, 8, 9, 511, 512, 513, 5000}) {
    EXPECT_KERNEL(WithSizes(R"(
HloModule m
f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[$N,19] parameter(0)
  zero = f32[] constant(0)
  e = f32[$N,19] multiply(x, x)
  s = f32[19] reduce(e, zero), dimensions={0}, to_apply=f
  ROOT r = f32[19] sqrt(s)
})",
                            {{"$N", n}}));
  }
}

// Groups of threads that take the chunks of a column side by side on a GPU.
TEST(ColumnReduction, FewLongColumns) {
  for (int columns : {1, 2, 3, 9, 17}) {
    for (int n : {513, 1024, 1025, 5000}) {
      const std::vector<std::pair<std::string, int>> sizes = {{"$N", n}, {"$C", columns}};
      EXPECT_KERNEL(WithSizes(R"(
HloModule m
f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[$N,$C] parameter(0)
  zero = f32[] constant(0.5)
  ROOT s = f32[$C] reduce(x, zero), dimensions={0}, to_apply=f
})",
                              sizes));
      // A combiner without an identity, of two values.
      EXPECT_KERNEL(WithSizes(kGreater + R"(
ENTRY e {
  x = f32[$N,$C] parameter(0)
  i = s32[$N,$C] iota(), iota_dimension=0
  lowest = f32[] constant(-inf)
  zero = s32[] constant(0)
  ROOT r = (f32[$C], s32[$C]) reduce(x, i, lowest, zero), dimensions={0}, to_apply=f
})",
                              sizes));
    }
  }
}

TEST(RowReduction, AnyCombinerAndTwoValues) {
  for (int n : {1, 7, 31, 64, 65, 130, 4100}) {
    EXPECT_KERNEL(WithSizes(kGreater + R"(
ENTRY e {
  x = f32[3,$N] parameter(0)
  i = s32[3,$N] iota(), iota_dimension=1
  lowest = f32[] constant(-inf)
  zero = s32[] constant(0)
  ROOT r = (f32[3], s32[3]) reduce(x, i, lowest, zero), dimensions={1}, to_apply=f
})",
                            {{"$N", n}}));
    EXPECT_KERNEL(WithSizes(R"(
HloModule m
f {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ea = f32[] exponential(a)
  s = f32[] subtract(ea, b)
  ROOT r = f32[] multiply(s, b)
}
ENTRY e {
  x = f32[3,$N] parameter(0)
  half = f32[] constant(0.5)
  ROOT r = f32[3] reduce(x, half), dimensions={1}, to_apply=f
})",
                            {{"$N", n}}));
  }
}

TEST(RowReduction, UsedUnderAGuardAndByLane) {
  // The reduced rows run along the lanes of the output, and are padded.
  EXPECT_KERNEL(R"(
HloModule m
f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[21,70] parameter(0)
  zero = f32[] constant(0)
  s = f32[21] reduce(x, zero), dimensions={1}, to_apply=f
  p = f32[30] pad(s, zero), padding=4_5
  ROOT b = f32[3,30] broadcast(p), dimensions={1}
})");
}

TEST(RowTile, SoftmaxOfEverySize) {
  for (int n : kSizes) EXPECT_KERNEL(WithSizes(Softmax(), {{"$R", 5}, {"$N", n}}));
  for (int n : {5000, 8192, 9000}) {
    EXPECT_KERNEL(WithSizes(Softmax(), {{"$R", 2}, {"$N", n}}));
  }
}

TEST(RowTile, OneKernelTextForNeighbouringLengths) {
  std::string first;
  for (int n : {31, 32, 33}) {
    auto module = ir::ParseHlo(WithSizes(Softmax(), {{"$R", 5}, {"$N", n}}));
    ASSERT_TRUE(module.ok());
    auto kernel = CompiledKernel::Compile(*(*module)->entry(), {TargetsHere()[0]});
    ASSERT_TRUE(kernel.ok()) << kernel.status().message();
    EXPECT_EQ(kernel->schedule(), Schedule::kRowTile);
    if (first.empty()) first = kernel->text();
    EXPECT_EQ(kernel->text(), first);
  }
}

TEST(RowTile, LayerNormWithRowOutputs) {
  for (int n : kSizes) {
    if (n == 0) continue;
    EXPECT_KERNEL(WithSizes(R"(
HloModule m
f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[2,3,$N] parameter(0)
  g = f32[$N] parameter(1)
  zero = f32[] constant(0)
  count = f32[] constant(17)
  counts = f32[2,3] broadcast(count), dimensions={}
  s = f32[2,3] reduce(x, zero), dimensions={2}, to_apply=f
  mean = f32[2,3] divide(s, counts)
  mb = f32[2,3,$N] broadcast(mean), dimensions={0,1}
  d = f32[2,3,$N] subtract(x, mb)
  dd = f32[2,3,$N] multiply(d, d)
  v = f32[2,3] reduce(dd, zero), dimensions={2}, to_apply=f
  rs = f32[2,3] rsqrt(v)
  rb = f32[2,3,$N] broadcast(rs), dimensions={0,1}
  gb = f32[2,3,$N] broadcast(g), dimensions={2}
  y = f32[2,3,$N] multiply(d, rb)
  z = f32[2,3,$N] multiply(y, gb)
  ROOT t = (f32[2,3,$N], f32[2,3]) tuple(z, mean)
})",
                            {{"$N", n}}));
  }
}

}  // namespace
}  // namespace swage::emit
