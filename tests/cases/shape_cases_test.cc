// Broadcasts at odd ranks, chains of views, and more than 2^31 elements.
#include <gmock/gmock.h>

#include "tests/cases/case_fixture.h"

namespace swage::cases {
namespace {

class ShapeCases : public CaseTest {};

TEST_P(ShapeCases, BroadcastOfSizeOneDimensionsAtRankFive) {
  Expect(
      R"(HloModule m
add {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT s = s32[] add(a, b)
}
ENTRY main {
  six = s32[6] parameter(0)
  l = s32[2,1,1,1,3] reshape(six)
  lr = s32[2,1,1,3] reshape(l)
  lb = s32[2,1,1,4,3] broadcast(lr), dimensions={0,1,2,4}
  four = s32[4] parameter(1)
  rb = s32[2,1,1,4,3] broadcast(four), dimensions={3}
  s = s32[2,1,1,4,3] add(lb, rb)
  flat = s32[24] reshape(s)
  zero = s32[] constant(0)
  sum = s32[] reduce(s, zero), dimensions={0,1,2,3,4}, to_apply=add
  ROOT t = (s32[24], s32[]) tuple(flat, sum)
})",
      {Value("s32[6]", "{0, 1, 2, 3, 4, 5}"), Value("s32[4]", "{0, 10, 20, 30}")},
      {Value("s32[24]",
             "{0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32, 3, 4, 5, 13, 14, 15, 23, 24, 25, 33, "
             "34, 35}"),
       Value("s32[]", "420")});
}

TEST_P(ShapeCases, TransposeOfRankTen) {
  Expect(R"(HloModule m
ENTRY main {
  x = s32[16] iota(), iota_dimension=0
  p = s32[1,2,1,2,1,2,1,2,1,1] reshape(x)
  q = s32[1,2,2,2,2,1,1,1,1,1] transpose(p), dimensions={9,7,5,3,1,0,2,4,6,8}
  ROOT r = s32[16] reshape(q)
})",
         {}, {Value("s32[16]", "{0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15}")});
}

TEST_P(ShapeCases, RankZeroBroadcastsToSizeOneDimensions) {
  Expect(R"(HloModule m
ENTRY main {
  a = f32[] parameter(0)
  b = f32[1,1,1] parameter(1)
  ab = f32[1,1,1] broadcast(a), dimensions={}
  ROOT r = f32[1,1,1] add(ab, b)
})",
         {Value("f32[]", "2"), Value("f32[1,1,1]", "{{{3}}}")}, {Value("f32[1,1,1]", "{{{5}}}")});
}

// Each operand has extents of 1 where the other does not, in every position.
TEST_P(ShapeCases, OperandsBroadcastInDifferentAxes) {
  const int extents[] = {2, 3, 2, 4};
  for (int mask = 0; mask < 16; ++mask) {
    std::string dims[2], squeezed[2], kept[2];
    int counts[2] = {1, 1};
    for (int i = 0; i < 4; ++i) {
      const int side = mask >> i & 1;  // which operand has this axis
      const std::string extent = std::to_string(extents[i]);
      for (int of : {0, 1}) {
        dims[of] += (i == 0 ? "" : ",") + (of == side ? extent : std::string("1"));
        if (of != side) continue;
        squeezed[of] += (squeezed[of].empty() ? "" : ",") + extent;
        kept[of] += (kept[of].empty() ? "" : ",") + std::to_string(i);
        counts[of] *= extents[i];
      }
    }
    std::string want = "{";
    for (int flat = 0; flat < 48; ++flat) {
      int at[2] = {0, 0}, rest = flat, index[4];
      for (int i = 3; i >= 0; --i) {
        index[i] = rest % extents[i];
        rest /= extents[i];
      }
      for (int i = 0; i < 4; ++i) {
        int& of = at[mask >> i & 1];
        of = of * extents[i] + index[i];
      }
      want += (flat == 0 ? "" : ", ") + std::to_string(at[0] + 100 * at[1]);
    }
    std::string hlo = "HloModule m\nENTRY main {\n";
    std::vector<ir::Literal> args;
    for (int of : {0, 1}) {
      const std::string k = std::to_string(of), count = std::to_string(counts[of]);
      hlo += " p" + k + " = s32[" + count + "] parameter(" + k + ")\n a" + k + " = s32[" +
             dims[of] + "] reshape(p" + k + ")\n s" + k + " = s32[" + squeezed[of] + "] reshape(a" +
             k + ")\n b" + k + " = s32[2,3,2,4] broadcast(s" + k + "), dimensions={" + kept[of] +
             "}\n";
      std::string values = "{";
      for (int i = 0; i < counts[of]; ++i) {
        values += (i == 0 ? "" : ", ") + std::to_string(of == 0 ? i : 100 * i);
      }
      args.push_back(Value("s32[" + count + "]", values + "}"));
    }
    hlo += " s = s32[2,3,2,4] add(b0, b1)\n ROOT r = s32[48] reshape(s)\n}";
    Expect(hlo, args, {Value("s32[48]", want + "}")});
    if (HasFailure()) return;
  }
}

// Also where the dimension turns out to be 1 at run time.
TEST_P(ShapeCases, AReductionIsBroadcastBack) {
  for (const int n : {1, 2, 5}) {
    std::string row = "{", want = "{";
    for (int i = 0; i < n; ++i) {
      row += (i == 0 ? "" : ", ") + std::to_string(i * i);
      want += (i == 0 ? "" : ", ") + std::to_string(i * i - (n - 1) * (n - 1));
    }
    const std::string shape = "s32[" + std::to_string(n) + "]";
    ExpectSized(R"(HloModule m
max {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT s = s32[] maximum(a, b)
}
ENTRY main {
  x = s32[N] parameter(0)
  low = s32[] constant(-2147483648)
  m = s32[] reduce(x, low), dimensions={0}, to_apply=max
  one = s32[1] reshape(m)
  again = s32[] reshape(one)
  ms = s32[N] broadcast(again), dimensions={}
  ROOT r = s32[N] subtract(x, ms)
})",
                n, {Value(shape, row + "}")}, {Value(shape, want + "}")});
  }
}

TEST_P(ShapeCases, StridedReversedTransposedViewsReadTheRightElements) {
  Expect(
      R"(HloModule m
add {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT s = s32[] add(a, b)
}
ENTRY main {
  x = s32[2,3,4] parameter(0)
  t = s32[4,2,3] transpose(x), dimensions={2,0,1}
  r = s32[4,2,3] reverse(t), dimensions={0}
  v = s32[2,2,2] slice(r), slice={[0:4:2], [0:2], [1:3]}
  w = s32[8] reshape(v)
  w2 = s32[2,4] reshape(w)
  wt = s32[4,2] transpose(w2), dimensions={1,0}
  u = s32[8] reshape(wt)
  zero = s32[] constant(0)
  sum = s32[] reduce(v, zero), dimensions={0,1,2}, to_apply=add
  ROOT out = (s32[2,2,2], s32[8], s32[8], s32[]) tuple(v, w, u, sum)
})",
      {Value("s32[2,3,4]",
             "{{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}, {{12, 13, 14, 15}, {16, 17, 18, 19}, "
             "{20, 21, 22, 23}}}")},
      {Value("s32[2,2,2]", "{{{7, 11}, {19, 23}}, {{5, 9}, {17, 21}}}"),
       Value("s32[8]", "{7, 11, 19, 23, 5, 9, 17, 21}"),
       Value("s32[8]", "{7, 5, 11, 9, 19, 17, 23, 21}"), Value("s32[]", "112")});
}

TEST_P(ShapeCases, NegativeAndInteriorPadding) {
  Expect(R"(HloModule m
ENTRY main {
  x = s32[2,3] parameter(0)
  z = s32[] parameter(1)
  ROOT r = s32[3,4] pad(x, z), padding=0_0_1x1_-2_1
})",
         {Value("s32[2,3]", "{{1, 2, 3}, {4, 5, 6}}"), Value("s32[]", "9")},
         {Value("s32[3,4]", "{{9, 1, 9, 2}, {9, 9, 9, 9}, {9, 4, 9, 5}}")});
}

// The right value, or an error that gives the true size; never a wrapped count.
TEST_P(ShapeCases, MoreThanTwoToTheThirtyOneElementsAreCountedInSixtyFourBits) {
  if (GetParam().name.starts_with("Cuda")) {
    GTEST_SKIP() << "2^31 threads are too many for the emulated GPU";
  }
  if (GetParam().name.ends_with("OpByOp")) GTEST_SKIP() << "op by op there are 17 GB of them";
  StatusOr<std::vector<ir::Literal>> mean = TryRun(R"(HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  c = f32[] parameter(0)
  b = f32[65536,65537] broadcast(c), dimensions={}
  zero = f32[] constant(-0.0)
  sum = f32[] reduce(b, zero), dimensions={0,1}, to_apply=add
  n = f32[] constant(4295032832)
  ROOT m = f32[] divide(sum, n)
})",
                                                   {Value("f32[]", "1.5")});
  if (mean.ok()) {
    ExpectSame((*mean)[0], Value("f32[]", "1.5"), {1e-6, 0});
  } else {
    EXPECT_EQ(mean.status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(mean.status().message()), testing::HasSubstr("17180131328"));
  }

  StatusOr<std::vector<ir::Literal>> largest = TryRun(R"(HloModule m
max {
  a = u64[] parameter(0)
  b = u64[] parameter(1)
  ROOT s = u64[] maximum(a, b)
}
ENTRY main {
  i = u64[3221225472] iota(), iota_dimension=0
  zero = u64[] constant(0)
  ROOT m = u64[] reduce(i, zero), dimensions={0}, to_apply=max
})",
                                                      {});
  if (largest.ok()) {
    ExpectSame((*largest)[0], Value("u64[]", "3221225471"), {});
  } else {
    EXPECT_EQ(largest.status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(largest.status().message()), testing::HasSubstr("25769803776"));
  }
}

TEST_P(ShapeCases, TheLastElementOfALongBroadcastIsTheValue) {
  if (GetParam().name.ends_with("OpByOp")) GTEST_SKIP() << "op by op there are 13 GB of them";
  const StatusOr<std::vector<ir::Literal>> got = TryRun(R"(HloModule m
ENTRY main {
  c = f32[] parameter(0)
  b = f32[3221225472] broadcast(c), dimensions={}
  i = s64[1] constant({3221225471})
  ROOT r = f32[1] gather(b, i), offset_dims={0}, collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=0, slice_sizes={1}
})",
                                                        {Value("f32[]", "1.5")});
  if (got.ok()) {
    ExpectSame((*got)[0], Value("f32[1]", "{1.5}"), {});
  } else {
    EXPECT_EQ(got.status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(got.status().message()), testing::HasSubstr("12884901888"));
  }
}

TEST(LargeShapes, CountsAndBytesDoNotWrap) {
  const ir::Shape shape = *ir::ParseShape("f16[3,1073741824]");
  EXPECT_EQ(*shape.NumElements(), 3221225472);
  EXPECT_EQ(*shape.ByteSize(), 6442450944);
}

TEST_P(ShapeCases, AnAbsurdBroadcastIsAnErrorAndNotACrash) {
  for (const std::string shape : {"f32[1099511627776,1024]", "f64[4611686018427387904]"}) {
    const StatusOr<std::vector<ir::Literal>> got = TryRun(
        "HloModule m\nENTRY main {\n c = " + shape.substr(0, 3) + "[] parameter(0)\n b = " + shape +
            " broadcast(c), dimensions={}\n ROOT r = " + shape + " negate(b)\n}",
        {Value(shape.substr(0, 3) + "[]", "1.5")});
    ASSERT_FALSE(got.ok());
    EXPECT_TRUE(got.status().code() == absl::StatusCode::kResourceExhausted ||
                got.status().code() == absl::StatusCode::kInvalidArgument)
        << got.status();
  }
}

// `count` times `extent`, separated by commas.
std::string Extents(int count, const std::string& extent) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + extent;
  return text;
}

TEST_P(ShapeCases, RanksUpToTheLimit) {
  // Reversing the order of dimensions of 2 reverses the bits of an element's place.
  for (int rank : {8, 9, 13, 17}) {
    const int n = 1 << rank;
    std::string dims, want = "{";
    for (int i = rank - 1; i >= 0; --i) dims += std::to_string(i) + (i > 0 ? "," : "");
    for (int i = 0; i < n; ++i) {
      int reversed = 0;
      for (int bit = 0; bit < rank; ++bit) reversed |= (i >> bit & 1) << (rank - 1 - bit);
      want += (i == 0 ? "" : ", ") + std::to_string(-reversed);
    }
    const std::string cube = "s32[" + Extents(rank, "2") + "]";
    const std::string flat = "s32[" + std::to_string(n) + "]";
    Expect("HloModule m\nENTRY main {\n i = " + flat + " iota(), iota_dimension=0\n c = " + cube +
               " reshape(i)\n t = " + cube + " transpose(c), dimensions={" + dims +
               "}\n n = " + cube + " negate(t)\n ROOT r = " + flat + " reshape(n)\n}",
           {}, {Value(flat, want + "}")});
  }
  const std::string most = "f32[" + Extents(60, "1") + ",2,3,2,2]";
  Expect("HloModule m\nENTRY main {\n x = f32[24] parameter(0)\n m = " + most +
             " reshape(x)\n e = " + most + " add(m, m)\n ROOT r = f32[24] reshape(e)\n}",
         {Value("f32[24]", "{" + Extents(24, "1.5") + "}")},
         {Value("f32[24]", "{" + Extents(24, "3") + "}")});
}

TEST_P(ShapeCases, SumsOfHighRanks) {
  const std::string high = "s32[1,2,1,2,1,2,1,2,1,2,1,3]";
  Expect(
      "HloModule m\nadd {\n a = s32[] parameter(0)\n b = s32[] parameter(1)\n"
      " ROOT s = s32[] add(a, b)\n}\nENTRY main {\n x = s32[96] iota(), iota_dimension=0\n h = " +
          high + " reshape(x)\n z = s32[] constant(0)\n" +
          " r = s32[1,1,2,2,1,1,2,1,3] reduce(h, z), dimensions={1,4,7}, to_apply=add\n"
          " ROOT s = s32[] reduce(r, z), dimensions={0,1,2,3,4,5,6,7,8}, to_apply=add\n}",
      {}, {Value("s32[]", "4560")});
}

INSTANTIATE_TEST_SUITE_P(On, ShapeCases, testing::ValuesIn(Devices()), DeviceName);

}  // namespace
}  // namespace swage::cases
