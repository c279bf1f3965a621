// Ops that move data, each at sizes around the vector width, alone and fused with arithmetic.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/ir/parser.h"
#include "tests/codegen/emit/kernel_runner.h"
#include "tests/codegen/emit/kernel_texts.h"

namespace swage::emit {
namespace {

using ir::DType;
using ir::Literal;

constexpr int kFew[] = {1, 7, 16, 33, 65};

// A module whose entry has this body.
std::string Entry(const std::string& body) { return "HloModule m\nENTRY e {\n" + body + "\n}"; }

TEST(IndexOps, Transpose) {
  for (int n : kFew) {
    EXPECT_KERNEL(WithSizes(Entry(R"(
  x = f32[5,$N] parameter(0)
  t = f32[$N,5] transpose(x), dimensions={1,0}
  ROOT r = f32[$N,5] add(t, t))"),
                            {{"$N", n}}));
    EXPECT_KERNEL(WithSizes(Entry(R"(
  x = bf16[3,4,$N] parameter(0)
  ROOT t = bf16[4,3,$N] transpose(x), dimensions={1,0,2})"),
                            {{"$N", n}}));
  }
}

TEST(IndexOps, ReshapeSplitsAndMerges) {
  for (int n : kFew) {
    // Heads of attention, both ways.
    EXPECT_KERNEL(WithSizes(Entry(R"(
  x = f32[2,$N,24] parameter(0)
  r = f32[2,$N,3,8] reshape(x)
  ROOT t = f32[2,3,$N,8] transpose(r), dimensions={0,2,1,3})"),
                            {{"$N", n}}));
    EXPECT_KERNEL(WithSizes(Entry(R"(
  x = f32[2,3,$N,8] parameter(0)
  t = f32[2,$N,3,8] transpose(x), dimensions={0,2,1,3}
  ROOT r = f32[2,$N,24] reshape(t))"),
                            {{"$N", n}}));
  }
  EXPECT_KERNEL(Entry(R"(
  x = s32[6,35] parameter(0)
  r = s32[14,15] reshape(x)
  ROOT n = s32[14,15] negate(r))"));
  EXPECT_KERNEL(Entry(R"(
  x = f32[1,6,1,4] parameter(0)
  t = f32[4,1,6,1] transpose(x), dimensions={3,2,1,0}
  ROOT r = f32[24] reshape(t))"));
}

TEST(IndexOps, SliceAndReverse) {
  for (int n : kFew) {
    EXPECT_KERNEL(WithSizes(Entry(R"(
  x = f32[4,$M] parameter(0)
  a = f32[3,$N] slice(x), slice={[1:4], [2:$E]}
  r = f32[3,$N] reverse(a), dimensions={0,1}
  ROOT s = f32[3,$N] subtract(a, r))"),
                            {{"$N", n}, {"$M", n + 5}, {"$E", n + 2}}));
    EXPECT_KERNEL(WithSizes(Entry(R"(
  x = s16[$M] parameter(0)
  ROOT a = s16[$N] slice(x), slice={[1:$E:3]})"),
                            {{"$N", n}, {"$M", 3 * n + 2}, {"$E", 3 * n + 1}}));
  }
}

TEST(IndexOps, PadWithEveryKindOfBorder) {
  for (int n : kFew) {
    for (const char* config : {"2_3", "0_5", "4_0", "1_2_2", "-1_3", "3_-1"}) {
      const int interior = std::string(config) == "1_2_2" ? 2 : 0;
      const int low = std::atoi(config),
                high = std::atoi(
                    std::string(config).substr(std::string(config).find('_') + 1).c_str());
      const int m = n + low + high + (n - 1) * interior;
      EXPECT_KERNEL(Substitute(WithSizes(Entry(R"(
  x = f32[3,$N] parameter(0)
  z = f32[] parameter(1)
  e = f32[3,$N] negate(x)
  p = f32[4,$M] pad(e, z), padding=1_0x$C
  ROOT r = f32[4,$M] add(p, p))"),
                                         {{"$N", n}, {"$M", m}}),
                               "$C", config));
    }
  }
}

TEST(IndexOps, Concatenate) {
  for (int n : kFew) {
    EXPECT_KERNEL(WithSizes(Entry(R"(
  x = f32[3,$N] parameter(0)
  y = f32[3,1] parameter(1)
  z = f32[3,5] parameter(2)
  nx = f32[3,$N] negate(x)
  ROOT c = f32[3,$M] concatenate(nx, y, z), dimensions={1})"),
                            {{"$N", n}, {"$M", n + 6}}));
    EXPECT_KERNEL(WithSizes(Entry(R"(
  x = u8[3,$N] parameter(0)
  y = u8[0,$N] parameter(1)
  z = u8[2,$N] parameter(2)
  ROOT c = u8[5,$N] concatenate(x, y, z), dimensions={0})"),
                            {{"$N", n}}));
  }
}

// `count` operands of different extents along the dimension, an empty one among them.
std::string Concatenated(int count, bool minor) {
  std::string text, names;
  int total = 0;
  for (int i = 0; i < count; ++i) {
    const int extent = i == 3 ? 0 : i % 4 + 1;
    const std::string shape =
        minor ? absl::StrCat("f32[6,", extent, "]") : absl::StrCat("f32[", extent, ",6]");
    absl::StrAppend(&text, "  p", i, " = ", shape, " parameter(", i, ")\n  n", i, " = ", shape,
                    " negate(p", i, ")\n");
    absl::StrAppend(&names, i == 0 ? "" : ", ", i % 2 == 0 ? "p" : "n", i);
    total += extent;
  }
  const std::string shape =
      minor ? absl::StrCat("f32[6,", total, "]") : absl::StrCat("f32[", total, ",6]");
  return Entry(absl::StrCat(text, "  ROOT c = ", shape, " concatenate(", names, "), dimensions={",
                            minor ? 1 : 0, "}"));
}

TEST(IndexOps, ConcatenateOfManyOperands) {
  for (int count : {2, 3, 4, 7, 16, 33}) {
    EXPECT_KERNEL(Concatenated(count, true));
    EXPECT_KERNEL(Concatenated(count, false));
  }
}

TEST(IndexOps, AConcatenateOfPartsThatAreComputedElsewhere) {
  for (int n : kFew) {
    EXPECT_KERNEL(WithSizes(Entry(R"(
  x = f32[3,$N] parameter(0)
  y = f32[$N] parameter(1)
  i = s32[3] parameter(2)
  g = f32[3,$N] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,$N}
  b = f32[3,$N] broadcast(y), dimensions={1}
  a = f32[6,$N] concatenate(g, b), dimensions={0}
  r = f32[$M] reshape(a)
  z = f32[5] parameter(3)
  c = f32[$K] concatenate(z, r, z), dimensions={0}
  ROOT t = f32[$K] multiply(c, c))"),
                            {{"$N", n}, {"$M", 6 * n}, {"$K", 6 * n + 10}}));
  }
}

TEST(IndexOps, AConcatenateOnAGpuReadsOneOperand) {
  auto module = ir::ParseHlo(Concatenated(16, true));
  ASSERT_TRUE(module.ok()) << module.status().message();
  CompileOptions options;
  options.emit = EmitOptions::ForGpu();
  options.keep_text = true;
  const auto kernel = CompiledKernel::Compile(*(*module)->entry(), options);
  ASSERT_TRUE(kernel.ok()) << kernel.status().message();
  // Branches choose, not selections among what was read.
  EXPECT_THAT(kernel->assembly(), testing::Not(testing::HasSubstr("selp.f32")));
}

TEST(IndexOps, IotaOfEveryDtype) {
  for (const char* t : {"s8", "u16", "s32", "s64", "f16", "bf16", "f32", "f64"}) {
    EXPECT_KERNEL(Substitute(Entry(R"(
  i = T[5,37] iota(), iota_dimension=1
  j = T[5,37] iota(), iota_dimension=0
  ROOT s = T[5,37] add(i, j))"),
                             "T[", std::string(t) + "["));
  }
}

TEST(IndexOps, DynamicSliceClampsStarts) {
  for (int start : {-5, 0, 2, 100}) {
    const std::string hlo = Entry(R"(
  x = f32[4,40] parameter(0)
  a = s32[] parameter(1)
  b = s32[] parameter(2)
  ROOT d = f32[2,33] dynamic-slice(x, a, b), dynamic_slice_sizes={2,33})");
    const Status status = CheckWithArgs(
        hlo, {RandomLiteral(ir::Shape::Array(DType::kF32, {4, 40}), 1),
              Literal::Scalar(DType::kS32, start), Literal::Scalar(DType::kS32, start + 1)});
    EXPECT_TRUE(status.ok()) << status.message();
  }
}

TEST(IndexOps, UnsignedStartsAreLargeNotNegative) {
  const std::string hlo = Entry(R"(
  x = f32[40] parameter(0)
  a = T[] parameter(1)
  ROOT d = f32[17] dynamic-slice(x, a), dynamic_slice_sizes={17})");
  for (DType dtype : {DType::kU8, DType::kU32, DType::kU64}) {
    const std::string text = Substitute(hlo, "T[", std::string(ir::DTypeName(dtype)) + "[");
    const Status status =
        CheckWithArgs(text, {RandomLiteral(ir::Shape::Array(DType::kF32, {40}), 1),
                             Literal::Scalar(dtype, ~uint64_t{0})});
    EXPECT_TRUE(status.ok()) << status.message();
  }
}

TEST(IndexOps, DynamicUpdateSlice) {
  for (int start : {-3, 0, 5, 1000}) {
    const std::string hlo = Entry(R"(
  x = f32[3,50] parameter(0)
  u = f32[2,19] parameter(1)
  a = s32[] parameter(2)
  ROOT d = f32[3,50] dynamic-update-slice(x, u, a, a))");
    const Status status =
        CheckWithArgs(hlo, {RandomLiteral(ir::Shape::Array(DType::kF32, {3, 50}), 1),
                            RandomLiteral(ir::Shape::Array(DType::kF32, {2, 19}), 2),
                            Literal::Scalar(DType::kS32, start)});
    EXPECT_TRUE(status.ok()) << status.message();
  }
}

// A CPU kernel writes the computed update only.
TEST(IndexOps, DynamicUpdateSliceOfAComputedValue) {
  for (int start : {-3, 0, 4, 1000}) {
    for (int width : {1, 19, 50}) {
      const std::string hlo = WithSizes(Entry(R"(
  x = bf16[4,3,50] parameter(0)
  u = f32[2,$W] parameter(1)
  a = s32[] parameter(2)
  t = f32[$W,2] transpose(u), dimensions={1,0}
  c = bf16[$W,2] convert(t)
  n = bf16[$W,2] negate(c)
  v = bf16[2,$W] transpose(n), dimensions={1,0}
  w = bf16[2,1,$W] reshape(v)
  two = s32[] constant(2)
  b = s32[] multiply(a, two)
  ROOT d = bf16[4,3,50] dynamic-update-slice(x, w, a, b, b))"),
                                        {{"$W", width}});
      const Status status =
          CheckWithArgs(hlo, {RandomLiteral(ir::Shape::Array(DType::kBF16, {4, 3, 50}), 1),
                              RandomLiteral(ir::Shape::Array(DType::kF32, {2, width}), 2),
                              Literal::Scalar(DType::kS32, start)});
      EXPECT_TRUE(status.ok()) << status.message();
    }
  }
}

TEST(IndexOps, DynamicUpdateSliceOfAnArrayThatIsAlsoReadIsNotInPlace) {
  const std::string hlo = Entry(R"(
  x = f32[3,50] parameter(0)
  a = s32[] parameter(1)
  r = f32[3,50] reverse(x), dimensions={1}
  u = f32[2,19] slice(r), slice={[0:2], [3:22]}
  ROOT d = f32[3,50] dynamic-update-slice(x, u, a, a))");
  const Status status = CheckWithArgs(
      hlo,
      {RandomLiteral(ir::Shape::Array(DType::kF32, {3, 50}), 1), Literal::Scalar(DType::kS32, 1)});
  EXPECT_TRUE(status.ok()) << status.message();
}

Literal Indices(const ir::Shape& shape, int64_t modulus) {
  Literal literal = *Literal::Create(shape);
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    literal.SetBits(i, Literal::Scalar(shape.dtype(), (i * 7 + 3) % modulus - 2).GetBits(0));
  }
  return literal;
}

TEST(IndexOps, GatherRowsAndPoints) {
  for (int n : kFew) {
    Status status = CheckWithArgs(WithSizes(Entry(R"(
  x = f32[11,$N] parameter(0)
  i = s32[6,1] parameter(1)
  ROOT g = f32[6,$N] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,$N})"),
                                            {{"$N", n}}),
                                  {RandomLiteral(ir::Shape::Array(DType::kF32, {11, n}), 1),
                                   Indices(ir::Shape::Array(DType::kS32, {6, 1}), 15)});
    EXPECT_TRUE(status.ok()) << status.message();
    status = CheckWithArgs(WithSizes(Entry(R"(
  x = f32[11,9] parameter(0)
  i = s32[$N,2] parameter(1)
  ROOT g = f32[$N] gather(x, i), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={1,0}, index_vector_dim=1, slice_sizes={1,1})"),
                                     {{"$N", n}}),
                           {RandomLiteral(ir::Shape::Array(DType::kF32, {11, 9}), 1),
                            Indices(ir::Shape::Array(DType::kS32, {n, 2}), 15)});
    EXPECT_TRUE(status.ok()) << status.message();
    status = CheckWithArgs(WithSizes(Entry(R"(
  x = s8[4,11] parameter(0)
  i = u8[4,$N,1] parameter(1)
  ROOT g = s8[4,$N] gather(x, i), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1})"),
                                     {{"$N", n}}),
                           {RandomLiteral(ir::Shape::Array(DType::kS8, {4, 11}), 1),
                            Indices(ir::Shape::Array(DType::kU8, {4, n, 1}), 250)});
    EXPECT_TRUE(status.ok()) << status.message();
  }
}

TEST(IndexOps, BitcastConvertKeepsAndChangesWidth) {
  for (int n : kFew) {
    EXPECT_KERNEL(WithSizes(Entry(R"(
  x = f32[$N] parameter(0)
  b = s32[$N] bitcast-convert(x)
  ROOT a = s32[$N] add(b, b))"),
                            {{"$N", n}}));
    EXPECT_KERNEL(WithSizes(Entry(R"(
  x = u32[$N] parameter(0)
  ROOT b = u8[$N,4] bitcast-convert(x))"),
                            {{"$N", n}}));
    EXPECT_KERNEL(WithSizes(Entry(R"(
  x = u16[$N,2] parameter(0)
  ROOT b = f32[$N] bitcast-convert(x))"),
                            {{"$N", n}}));
  }
}

TEST(IndexOps, ArrayConstants) {
  EXPECT_KERNEL(Entry(R"(
  x = f32[3,5] parameter(0)
  c = f32[5] constant({1, 2, 3, 4, 5})
  u = f32[3] constant({7, 7, 7})
  b = f32[3,5] broadcast(c), dimensions={1}
  d = f32[3,5] broadcast(u), dimensions={0}
  s = f32[3,5] add(x, b)
  ROOT r = f32[3,5] multiply(s, d))"));
}

TEST(IndexOps, TupleRootsOfEqualShapes) {
  for (int n : kFew) {
    EXPECT_KERNEL(WithSizes(Entry(R"(
  x = f32[$N,3] parameter(0)
  a = f32[$N,3] negate(x)
  b = s32[$N,3] convert(x)
  c = pred[$N,3] compare(x, a), direction=GT
  ROOT t = (f32[$N,3], s32[$N,3], pred[$N,3]) tuple(a, b, c))"),
                            {{"$N", n}}));
  }
}

}  // namespace
}  // namespace swage::emit
