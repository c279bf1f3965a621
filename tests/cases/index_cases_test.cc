// Run-time indices: out of range, in every index dtype, through nested slices.
#include "tests/cases/case_fixture.h"

namespace swage::cases {
namespace {

class IndexCases : public CaseTest {};

std::string GatherOfIota(const std::string& index_type) {
  return R"(HloModule m
ENTRY main {
  t = s32[260] iota(), iota_dimension=0
  i = )" +
         index_type + R"([3,1] parameter(0)
  ROOT r = s32[3] gather(t, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}
})";
}

TEST_P(IndexCases, GatherTakesIndicesAsMathematicalIntegers) {
  Expect(GatherOfIota("u8"), {Value("u8[3,1]", "{{250}, {0}, {255}}")},
         {Value("s32[3]", "{250, 0, 255}")});
  Expect(GatherOfIota("s8"), {Value("s8[3,1]", "{{100}, {-1}, {127}}")},
         {Value("s32[3]", "{100, 0, 127}")});
  Expect(GatherOfIota("u64"),
         {Value("u64[3,1]", "{{9223372036854775808}, {18446744073709551615}, {7}}")},
         {Value("s32[3]", "{259, 259, 7}")});
  Expect(GatherOfIota("u32"), {Value("u32[3,1]", "{{2147483648}, {4294967295}, {258}}")},
         {Value("s32[3]", "{259, 259, 258}")});
  Expect(GatherOfIota("s64"),
         {Value("s64[3,1]", "{{-9223372036854775808}, {9223372036854775807}, {4294967297}}")},
         {Value("s32[3]", "{0, 259, 259}")});
}

TEST_P(IndexCases, GatherClampsEachStartSoThatTheWindowFits) {
  Expect(R"(HloModule m
ENTRY main {
  t = s32[3] parameter(0)
  i = s32[3] parameter(1)
  ROOT r = s32[3] gather(t, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}
})",
         {Value("s32[3]", "{10, 20, 30}"), Value("s32[3]", "{-4, 1, 99}")},
         {Value("s32[3]", "{10, 20, 30}")});
  // Windows of 2 x 2: a start beyond the last row and column moves back inside, and never into the
  // next row.
  Expect(R"(HloModule m
ENTRY main {
  t = s32[3,4] parameter(0)
  i = s32[2,2] parameter(1)
  ROOT r = s32[2,2,2] gather(t, i), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={2,2}
})",
         {Value("s32[3,4]", "{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}"),
          Value("s32[2,2]", "{{0, 9}, {7, -3}}")},
         {Value("s32[2,2,2]", "{{{2, 3}, {6, 7}}, {{4, 5}, {8, 9}}}")});
}

TEST_P(IndexCases, GatherWithBatchingDimensionsPairsRows) {
  Expect(R"(HloModule m
ENTRY main {
  t = s32[2,3] parameter(0)
  i = s32[2,2,1] parameter(1)
  ROOT r = s32[2,2] gather(t, i), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1}
})",
         {Value("s32[2,3]", "{{1, 2, 3}, {4, 5, 6}}"),
          Value("s32[2,2,1]", "{{{2}, {0}}, {{1}, {9}}}")},
         {Value("s32[2,2]", "{{3, 1}, {5, 6}}")});
}

TEST_P(IndexCases, DynamicUpdateSliceClampsEachStart) {
  for (const std::string type : {"s32", "u8", "u64", "s64"}) {
    Expect(
        "HloModule m\nENTRY main {\n z = f32[] constant(0)\n"
        " operand = f32[2,6] broadcast(z), dimensions={}\n one = f32[] constant(1)\n"
        " update = f32[1,3] broadcast(one), dimensions={}\n"
        " i = " +
            type + "[] parameter(0)\n j = " + type +
            "[] parameter(1)\n"
            " ROOT r = f32[2,6] dynamic-update-slice(operand, update, i, j)\n}",
        {Value(type + "[]", "5"), Value(type + "[]", "5")},
        {Value("f32[2,6]", "{{0, 0, 0, 0, 0, 0}, {0, 0, 0, 1, 1, 1}}")});
  }
}

TEST_P(IndexCases, NestedDynamicSlicesClampEachForItself) {
  const std::string hlo = R"(HloModule m
ENTRY main {
  b = f32[12] parameter(0)
  i = s32[] parameter(1)
  j = s32[] parameter(2)
  outer = f32[5] dynamic-slice(b, i), dynamic_slice_sizes={5}
  ROOT r = f32[2] dynamic-slice(outer, j), dynamic_slice_sizes={2}
})";
  const ir::Literal buffer =
      Value("f32[12]", "{100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111}");
  auto expect = [&](const std::string& i, const std::string& j, const std::string& want) {
    Expect(hlo, {buffer, Value("s32[]", i), Value("s32[]", j)}, {Value("f32[2]", want)});
  };
  expect("11", "4", "{110, 111}");
  expect("3", "9", "{106, 107}");
  expect("-2", "1", "{101, 102}");
  expect("7", "0", "{107, 108}");
  expect("2", "-5", "{102, 103}");
}

TEST_P(IndexCases, StartsOfEveryTypeAreClampedAsMathematicalIntegers) {
  struct Start {
    const char* type;
    const char* value;
    const char* want;
  };
  for (const Start& start :
       {Start{"u8", "255", "{110, 111}"}, Start{"u8", "130", "{110, 111}"},
        Start{"s8", "-128", "{100, 101}"}, Start{"u32", "4294967295", "{110, 111}"},
        Start{"s64", "-4294967290", "{100, 101}"}, Start{"s64", "4294967297", "{110, 111}"},
        Start{"u64", "18446744073709551615", "{110, 111}"}, Start{"u64", "3", "{103, 104}"}}) {
    const std::string type = start.type;
    Expect("HloModule m\nENTRY main {\n b = s32[12] parameter(0)\n i = " + type +
               "[] parameter(1)\n ROOT r = s32[2] dynamic-slice(b, i), dynamic_slice_sizes={2}\n}",
           {Value("s32[12]", "{100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111}"),
            Value(type + "[]", start.value)},
           {Value("s32[2]", start.want)});
  }
}

TEST_P(IndexCases, EachAxisIsClampedForItself) {
  const std::string hlo = R"(HloModule m
ENTRY main {
  b = s32[3,4] parameter(0)
  i = s32[] parameter(1)
  j = s32[] parameter(2)
  ROOT r = s32[2,2] dynamic-slice(b, i, j), dynamic_slice_sizes={2,2}
})";
  const ir::Literal table = Value("s32[3,4]", "{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}");
  const auto expect = [&](const char* i, const char* j, const char* want) {
    Expect(hlo, {table, Value("s32[]", i), Value("s32[]", j)}, {Value("s32[2,2]", want)});
  };
  expect("0", "9", "{{2, 3}, {6, 7}}");
  expect("9", "1", "{{5, 6}, {9, 10}}");
  expect("-7", "2", "{{2, 3}, {6, 7}}");
  expect("1", "-2147483648", "{{4, 5}, {8, 9}}");
}

TEST_P(IndexCases, AnUpdateAndASliceOfItClampEachForItself) {
  const std::string hlo = R"(HloModule m
ENTRY main {
  b = s32[8] parameter(0)
  u = s32[3] parameter(1)
  i = s32[] parameter(2)
  j = s32[] parameter(3)
  d = s32[8] dynamic-update-slice(b, u, i)
  ROOT r = s32[4] dynamic-slice(d, j), dynamic_slice_sizes={4}
})";
  const auto expect = [&](const char* i, const char* j, const char* want) {
    Expect(hlo,
           {Value("s32[8]", "{0, 1, 2, 3, 4, 5, 6, 7}"), Value("s32[3]", "{10, 11, 12}"),
            Value("s32[]", i), Value("s32[]", j)},
           {Value("s32[4]", want)});
  };
  expect("7", "7", "{4, 10, 11, 12}");
  expect("-3", "2", "{12, 3, 4, 5}");
  expect("2", "-1", "{0, 1, 10, 11}");
}

TEST_P(IndexCases, SlicesOfDynamicSlicesReversesPadsAndConcatenations) {
  Expect(R"(HloModule m
ENTRY main {
  b = s32[6] parameter(0)
  i = s64[] parameter(1)
  d = s32[4] dynamic-slice(b, i), dynamic_slice_sizes={4}
  s = s32[2] slice(d), slice={[1:4:2]}
  v = s32[6] reverse(b), dimensions={0}
  dv = s32[2] dynamic-slice(v, i), dynamic_slice_sizes={2}
  z = s32[] constant(-1)
  p = s32[8] pad(b, z), padding=1_1
  dp = s32[2] dynamic-slice(p, i), dynamic_slice_sizes={2}
  c = s32[12] concatenate(b, v), dimensions={0}
  dc = s32[2] dynamic-slice(c, i), dynamic_slice_sizes={2}
  ROOT t = (s32[2], s32[2], s32[2], s32[2]) tuple(s, dv, dp, dc)
})",
         {Value("s32[6]", "{0, 1, 2, 3, 4, 5}"), Value("s64[]", "5")},
         {Value("s32[2]", "{3, 5}"), Value("s32[2]", "{1, 0}"), Value("s32[2]", "{4, 5}"),
          Value("s32[2]", "{5, 5}")});
}

INSTANTIATE_TEST_SUITE_P(On, IndexCases, testing::ValuesIn(Devices()), DeviceName);

}  // namespace
}  // namespace swage::cases
