// The known ways to get padding wrong: each program runs padded to a bound above its size, whatever
// the padding holds, and gives what it gives without padding.
#include <gmock/gmock.h>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "compiler/ir/assumptions.h"
#include "compiler/ir/parser.h"
#include "tests/cases/case_fixture.h"
#include "tests/compiler/ir/combiners_testing.h"

namespace swage::cases {
namespace {

using ir::Literal;
using passes::PaddingFill;
using passes::PaddingMasks;
using ::testing::HasSubstr;

std::unique_ptr<ir::Module> Parse(const std::string& entry) {
  auto module = ir::ParseHlo(absl::StrCat("HloModule m\n", ir::KnownCombiners(),
                                          ir::kArgmaxCombiner, "ENTRY main {\n", entry, "\n}"));
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}

// On a device of tools::DeviceNames.
class PaddingCases : public testing::TestWithParam<std::string> {
 protected:
  // With each fill, with the masks that are needed and with all.
  static void Expect(const std::string& entry, const std::vector<Literal>& args,
                     const std::vector<Literal>& expected, Tolerance tolerance = {}) {
    SCOPED_TRACE(entry);
    ir::AssumptionScope sizes_fit;
    const auto module = Parse(entry);
    ASSERT_NE(module, nullptr);
    for (const PaddingFill fill :
         {PaddingFill::kZero, PaddingFill::kNan, PaddingFill::kInfinity, PaddingFill::kLarge}) {
      for (const PaddingMasks masks : {PaddingMasks::kNeeded, PaddingMasks::kAll}) {
        SCOPED_TRACE(
            absl::StrCat("fill ", static_cast<int>(fill), ", masks ", static_cast<int>(masks)));
        const auto device =
            tools::FindDevice(GetParam(), {.pad = true, .fill = fill, .masks = masks});
        ASSERT_TRUE(device.ok()) << device.status();
        const auto got = tools::RunOn(*device)(*module, args);
        ASSERT_TRUE(got.ok()) << got.status();
        ASSERT_EQ(got->size(), expected.size());
        for (size_t i = 0; i < expected.size(); ++i) {
          ExpectSame((*got)[i], expected[i], tolerance);
        }
      }
    }
  }

  // With the row f32[n] padded to 4, 8 and 32.
  static void ExpectOfRow(const std::string& entry, const std::string& row, const Literal& expected,
                          Tolerance tolerance = {}) {
    for (const char* bound : {"4", "8", "32"}) {
      Expect(absl::StrCat("x = f32[n<=", bound, "] parameter(0)\n", entry), {Value("f32[3]", row)},
             {expected}, tolerance);
    }
  }
};

std::string Reduced(const std::string& init, const std::string& combiner) {
  return absl::StrCat("k = f32[] constant(", init,
                      ")\nROOT r = f32[] reduce(x, k), dimensions={0}, to_apply=", combiner,
                      "_f32");
}

constexpr char kArgmax[] = R"(
  i = s32[n] iota(), iota_dimension=0
  low = f32[] constant(-inf)
  zero = s32[] constant(0)
  m = (f32[], s32[]) reduce(x, i, low, zero), dimensions={0}, to_apply=argmax
  ROOT r = s32[] get-tuple-element(m), index=1)";

constexpr char kCumsum[] = R"(
  x = f32[n<=4] parameter(0)
  zero = f32[] constant(0)
  zeros = f32[n,n] broadcast(zero), dimensions={}
  i = s32[n,n] iota(), iota_dimension=0
  j = s32[n,n] iota(), iota_dimension=1
  below = pred[n,n] compare(j, i), direction=LE
  rows = f32[n,n] broadcast(x), dimensions={1}
  taken = f32[n,n] select(below, rows, zeros)
  ROOT r = f32[n] reduce(taken, zero), dimensions={1}, to_apply=add_f32)";

TEST_P(PaddingCases, ReductionsGetTheirIdentity) {
  const std::string p = "{3, 7, 5}", n = "{-3, -7, -5}";
  const struct {
    std::string init, combiner, of_p, of_n;
  } cases[] = {{"0", "add", "15", "-15"},
               {"1", "multiply", "105", "-105"},
               {"-inf", "maximum", "7", "-3"},
               {"inf", "minimum", "3", "-7"}};
  for (const auto& one : cases) {
    ExpectOfRow(Reduced(one.init, one.combiner), p, Value("f32[]", one.of_p));
    ExpectOfRow(Reduced(one.init, one.combiner), n, Value("f32[]", one.of_n));
  }
}

TEST_P(PaddingCases, InitialValuesThatAreNotNeutralCountOnce) {
  ExpectOfRow(Reduced("5", "add"), "{3, 7, 5}", Value("f32[]", "20"));
  ExpectOfRow(Reduced("2", "multiply"), "{3, 7, 5}", Value("f32[]", "210"));
}

TEST_P(PaddingCases, DataThatEqualTheIdentityStay) {
  ExpectOfRow(Reduced("-inf", "maximum"), "{-inf, -inf, -inf}", Value("f32[]", "-inf"));
  ExpectOfRow(Reduced("inf", "minimum"), "{inf, inf, inf}", Value("f32[]", "inf"));
  ExpectOfRow(Reduced("-inf", "maximum"), "{nan, nan, nan}", Value("f32[]", "nan"));
  ExpectOfRow(Reduced("-0", "add"), "{-0, -0, -0}", Value("f32[]", "-0"));
}

TEST_P(PaddingCases, ArgmaxIsBelowTheSize) {
  ExpectOfRow(kArgmax, "{3, 7, 5}", Value("s32[]", "1"));
  ExpectOfRow(kArgmax, "{-3, -7, -5}", Value("s32[]", "0"));
  ExpectOfRow(kArgmax, "{-inf, -inf, -inf}", Value("s32[]", "0"));
  ExpectOfRow(kArgmax, "{1, nan, 5}", Value("s32[]", "1"));
  ExpectOfRow(absl::StrReplaceAll(kArgmax, {{"reduce(x,", "reduce(y,"},
                                            {"i = s32[n]", "y = f32[n] negate(x)\n  i = s32[n]"}}),
              "{-3, -7, -5}", Value("s32[]", "1"));
  Expect(absl::StrCat("x = f32[n<=16] parameter(0)", kArgmax),
         {Value("f32[10]", "{5, 3, 2, 1, 10, 9, 6, 7, 4, 8}")}, {Value("s32[]", "4")});
}

TEST_P(PaddingCases, AnyAllAndBits) {
  const std::string compared = R"(
    k = f32[] constant(6)
    ks = f32[n] broadcast(k), dimensions={}
    c = pred[n] compare(x, ks), direction=GT
    f = pred[] constant(false)
    ROOT r = pred[] reduce(c, f), dimensions={0}, to_apply=or_pred)";
  ExpectOfRow(compared, "{3, 7, 5}", Value("pred[]", "true"));
  ExpectOfRow(compared, "{3, 4, 5}", Value("pred[]", "false"));
  ExpectOfRow(absl::StrReplaceAll(compared, {{"constant(6)", "constant(2)"},
                                             {"constant(false)", "constant(true)"},
                                             {"to_apply=or_pred", "to_apply=and_pred"}}),
              "{3, 7, 5}", Value("pred[]", "true"));
  for (const auto& [init, combiner, want] :
       {std::tuple{"-1", "and_s32", "2"}, std::tuple{"0", "or_s32", "7"}}) {
    Expect(absl::StrCat("x = s32[n<=8] parameter(0)\nk = s32[] constant(", init,
                        ")\nROOT r = s32[] reduce(x, k), dimensions={0}, to_apply=", combiner),
           {Value("s32[2]", "{6, 3}")}, {Value("s32[]", want)});
  }
}

TEST_P(PaddingCases, LogsumexpAndNormSeeValidElementsOnly) {
  ExpectOfRow(R"(
    low = f32[] constant(-inf)
    zero = f32[] constant(0)
    m = f32[] reduce(x, low), dimensions={0}, to_apply=maximum_f32
    ms = f32[n] broadcast(m), dimensions={}
    d = f32[n] subtract(x, ms)
    e = f32[n] exponential(d)
    s = f32[] reduce(e, zero), dimensions={0}, to_apply=add_f32
    l = f32[] log(s)
    ROOT r = f32[] add(l, m))",
              "{-3, -7, -5}", Value("f32[]", "-2.8570683715001004"), {.rtol = 1e-6});
  ExpectOfRow(R"(
    zero = f32[] constant(0)
    q = f32[n] multiply(x, x)
    s = f32[] reduce(q, zero), dimensions={0}, to_apply=add_f32
    ROOT r = f32[] sqrt(s))",
              "{-3, -7, -5}", Value("f32[]", "9.1104335791443"), {.rtol = 1e-6});
}

TEST_P(PaddingCases, CumulativeSumsOfThreeOneAndNone) {
  Expect(kCumsum, {Value("f32[3]", "{3, 7, 5}")}, {Value("f32[3]", "{3, 10, 15}")});
  Expect(kCumsum, {Value("f32[3]", "{1, 2, 3}")}, {Value("f32[3]", "{1, 3, 6}")});
  Expect(kCumsum, {Value("f32[1]", "{1}")}, {Value("f32[1]", "{1}")});
  Expect(kCumsum, {Value("f32[0]", "{}")}, {Value("f32[0]", "{}")});
}

// Row 0 of the table gets what its index asks for, and nothing of the padded indices.
TEST_P(PaddingCases, PaddedIndicesTouchNoRow) {
  const std::string gathered = R"(
    t = f32[3,2] parameter(0)
    i = s32[n<=8,1] parameter(1)
    zero = f32[] constant(0)
    g = f32[n,2] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}
    ROOT r = f32[2] reduce(g, zero), dimensions={0}, to_apply=add_f32)";
  Expect(gathered,
         {Value("f32[3,2]", "{ {1, 1}, {2, 2}, {3, 3} }"), Value("s32[3,1]", "{ {2}, {0}, {1} }")},
         {Value("f32[2]", "{6, 6}")});
  // The gradient of the above, and a segmented sum: products with the rows that indices choose.
  const std::string chosen = R"(
    d = f32[n<=8,2] parameter(0)
    i = s32[n] parameter(1)
    is = s32[n,3] broadcast(i), dimensions={0}
    j = s32[n,3] iota(), iota_dimension=1
    c = pred[n,3] compare(is, j), direction=EQ
    w = f32[n,3] convert(c)
    ROOT r = f32[3,2] dot(w, d), lhs_contracting_dims={0}, rhs_contracting_dims={0})";
  Expect(chosen, {Value("f32[3,2]", "{ {1, 1}, {1, 1}, {1, 1} }"), Value("s32[3]", "{2, 0, 1}")},
         {Value("f32[3,2]", "{ {1, 1}, {1, 1}, {1, 1} }")});
  Expect(chosen, {Value("f32[3,2]", "{ {1, 0}, {2, 0}, {3, 0} }"), Value("s32[3]", "{0, 1, 1}")},
         {Value("f32[3,2]", "{ {1, 0}, {5, 0}, {0, 0} }")});
}

TEST(PaddingRefusals, AScatterIsNamed) {
  const auto module = Parse(R"(
    t = f32[4] parameter(0)
    i = s32[n<=8,1] parameter(1)
    u = f32[n] parameter(2)
    ROOT scattered = f32[4] scatter(t, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_f32)");
  ASSERT_NE(module, nullptr);
  const Status status = (*tools::FindDevice("cpu", {.pad = true}))(*module).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("scatter (scattered) has no padding rule, got sizes from argument 1 (i"));
}

// The softmax over the lanes of a mask, and the derivative of its element 0.
constexpr char kMaskedSoftmax[] = R"(
  x = f32[n<=8] parameter(0)
  mask = pred[n] parameter(1)
  zero = f32[] constant(0)
  one = f32[] constant(1)
  low = f32[] constant(-inf)
  zeros = f32[n] broadcast(zero), dimensions={}
  lows = f32[n] broadcast(low), dimensions={}
  y = f32[n] select(mask, x, lows)
  m = f32[] reduce(y, low), dimensions={0}, to_apply=maximum_f32
  f = pred[] is-finite(m)
  top = f32[] select(f, m, zero)
  tops = f32[n] broadcast(top), dimensions={}
  d = f32[n] subtract(y, tops)
  e = f32[n] exponential(d)
  kept = f32[n] select(mask, e, zeros)
  s = f32[] reduce(kept, zero), dimensions={0}, to_apply=add_f32
  none = pred[] compare(s, zero), direction=EQ
  t = f32[] select(none, one, s)
  ts = f32[n] broadcast(t), dimensions={}
  p = f32[n] divide(kept, ts)
  p0 = f32[1] slice(p), slice={[0:1]}
  p00 = f32[] reshape(p0)
  p0s = f32[n] broadcast(p00), dimensions={}
  i = s32[n] iota(), iota_dimension=0
  first = s32[] constant(0)
  firsts = s32[n] broadcast(first), dimensions={}
  is0 = pred[n] compare(i, firsts), direction=EQ
  delta = f32[n] convert(is0)
  away = f32[n] subtract(delta, p)
  g = f32[n] multiply(p0s, away)
  ROOT r = (f32[n], f32[n]) tuple(p, g))";

TEST_P(PaddingCases, MaskedSoftmaxOfAnyValuesBehindTheMask) {
  const Literal mask = Value("pred[3]", "{true, true, false}");
  for (const char* behind : {"200", "inf", "nan", "-inf"}) {
    Expect(kMaskedSoftmax, {Value("f32[3]", absl::StrCat("{0.5, 1.5, ", behind, "}")), mask},
           {Value("f32[3]", "{0.2689414213699951, 0.7310585786300049, 0}"),
            Value("f32[3]", "{0.19661193324148185, -0.19661193324148185, 0}")},
           {.rtol = 1e-6});
  }
}

TEST_P(PaddingCases, SoftmaxOfNothingIsZero) {
  Expect(kMaskedSoftmax,
         {Value("f32[3]", "{0.5, 1.5, 200}"), Value("pred[3]", "{false, false, false}")},
         {Value("f32[3]", "{0, 0, 0}"), Value("f32[3]", "{0, 0, 0}")});
}

TEST_P(PaddingCases, PaddedRowsOfASoftmaxReachNoRealRow) {
  Expect(
      R"(
    x = f32[n<=4,2] parameter(0)
    zero = f32[] constant(0)
    low = f32[] constant(-inf)
    m = f32[n] reduce(x, low), dimensions={1}, to_apply=maximum_f32
    ms = f32[n,2] broadcast(m), dimensions={0}
    d = f32[n,2] subtract(x, ms)
    e = f32[n,2] exponential(d)
    s = f32[n] reduce(e, zero), dimensions={1}, to_apply=add_f32
    ss = f32[n,2] broadcast(s), dimensions={0}
    p = f32[n,2] divide(e, ss)
    t = f32[2] reduce(p, zero), dimensions={0}, to_apply=add_f32
    ROOT r = (f32[n,2], f32[2]) tuple(p, t))",
      {Value("f32[3,2]", "{ {0, 0}, {1, 1}, {-2, -2} }")},
      {Value("f32[3,2]", "{ {0.5, 0.5}, {0.5, 0.5}, {0.5, 0.5} }"), Value("f32[2]", "{1.5, 1.5}")});
}

TEST_P(PaddingCases, RowsBehindTheSizeDoNotLeakThroughProducts) {
  Expect(
      R"(
    x = f32[n<=4,2] parameter(0)
    dy = f32[n,2] parameter(1)
    w = f32[2,2] constant({ {1, 0}, {0, 1} })
    zero = f32[] constant(0)
    dw = f32[2,2] dot(x, dy), lhs_contracting_dims={0}, rhs_contracting_dims={0}
    db = f32[2] reduce(dy, zero), dimensions={0}, to_apply=add_f32
    y = f32[n,2] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    s = f32[] reduce(x, zero), dimensions={0,1}, to_apply=add_f32
    zeros = f32[n,2] broadcast(zero), dimensions={}
    relu = f32[n,2] maximum(x, zeros)
    total = f32[2] reduce(relu, zero), dimensions={0}, to_apply=add_f32
    size = s32[] get-dimension-size(x), dimensions={0}
    count = f32[] convert(size)
    counts = f32[2] broadcast(count), dimensions={}
    mean = f32[2] divide(total, counts)
    ROOT r = (f32[2,2], f32[2], f32[n,2], f32[], f32[2]) tuple(dw, db, y, s, mean))",
      {Value("f32[2,2]", "{ {1, 2}, {3, -1} }"), Value("f32[2,2]", "{ {0.5, 1}, {2, -1} }")},
      {Value("f32[2,2]", "{ {6.5, -2}, {-1, 3} }"), Value("f32[2]", "{2.5, 0}"),
       Value("f32[2,2]", "{ {1, 2}, {3, -1} }"), Value("f32[]", "5"), Value("f32[2]", "{2, 1}")});
}

TEST_P(PaddingCases, AttentionWithPaddedKeysAndQueries) {
  Expect(R"(
    q = f32[m<=4,2] parameter(0)
    k = f32[n<=8,2] parameter(1)
    v = f32[n,1] parameter(2)
    zero = f32[] constant(0)
    low = f32[] constant(-inf)
    s = f32[m,n] dot(q, k), lhs_contracting_dims={1}, rhs_contracting_dims={1}
    h = f32[m] reduce(s, low), dimensions={1}, to_apply=maximum_f32
    hs = f32[m,n] broadcast(h), dimensions={0}
    d = f32[m,n] subtract(s, hs)
    e = f32[m,n] exponential(d)
    t = f32[m] reduce(e, zero), dimensions={1}, to_apply=add_f32
    ts = f32[m,n] broadcast(t), dimensions={0}
    p = f32[m,n] divide(e, ts)
    ROOT r = f32[m,1] dot(p, v), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
         {Value("f32[1,2]", "{ {0, 0} }"), Value("f32[3,2]", "{ {1, 2}, {3, 4}, {5, 6} }"),
          Value("f32[3,1]", "{ {1}, {2}, {6} }")},
         {Value("f32[1,1]", "{ {3} }")}, {.rtol = 1e-6});
}

// Mean and variance of a row, both by the size of the call.
constexpr char kStatistics[] = R"(
  zero = f32[] constant(0)
  size = s32[] get-dimension-size(x), dimensions={0}
  count = f32[] convert(size)
  total = f32[] reduce(x, zero), dimensions={0}, to_apply=add_f32
  mean = f32[] divide(total, count)
  means = f32[n] broadcast(mean), dimensions={}
  away = f32[n] subtract(x, means)
  squares = f32[n] multiply(away, away)
  spread = f32[] reduce(squares, zero), dimensions={0}, to_apply=add_f32
  variance = f32[] divide(spread, count)
)";

TEST_P(PaddingCases, BatchStatisticsDivideByTheSize) {
  Expect(absl::StrCat("x = f32[n<=10] parameter(0)", kStatistics,
                      "ROOT r = (f32[], f32[]) tuple(mean, variance)"),
         {Value("f32[5]", "{1, 2, 3, 4, 5}")}, {Value("f32[]", "3"), Value("f32[]", "2")});
}

TEST_P(PaddingCases, LayernormOfThree) {
  Expect(absl::StrCat("x = f32[n<=4] parameter(0)", kStatistics, R"(
           root = f32[] sqrt(variance)
           roots = f32[n] broadcast(root), dimensions={}
           ROOT r = f32[n] divide(away, roots))"),
         {Value("f32[3]", "{1, 2, 3}")}, {Value("f32[3]", "{-1.2247449, 0, 1.2247449}")},
         {.rtol = 1e-6});
}

TEST_P(PaddingCases, AMeanLossDividesByTheSize) {
  Expect(absl::StrCat("x = f32[n<=4] parameter(0)", kStatistics, R"(
           q = f32[n] multiply(x, x)
           sum = f32[] reduce(q, zero), dimensions={0}, to_apply=add_f32
           ROOT r = f32[] divide(sum, count))"),
         {Value("f32[3]", "{1, 1, 1}")}, {Value("f32[]", "1")});
}

TEST_P(PaddingCases, ConcatenationsAreAsLongAsTheirParts) {
  Expect(R"(
    x = f32[n<=4] parameter(0)
    y = f32[m<=8] parameter(1)
    c = f32[n+m] concatenate(x, y), dimensions={0}
    ROOT r = f32[n+m] negate(c))",
         {Value("f32[2]", "{1, 2}"), Value("f32[3]", "{3, 4, 5}")},
         {Value("f32[5]", "{-1, -2, -3, -4, -5}")});
  Expect(R"(
    x = f32[n<=4] parameter(0)
    ROOT c = f32[2*n] concatenate(x, x), dimensions={0})",
         {Value("f32[3]", "{1, 2, 3}")}, {Value("f32[6]", "{1, 2, 3, 1, 2, 3}")});
}

TEST_P(PaddingCases, ReversalsAndTailsStartAtTheSize) {
  Expect(R"(
    x = f32[n<=4] parameter(0)
    ROOT r = f32[n] reverse(x), dimensions={0})",
         {Value("f32[3]", "{1, 2, 3}")}, {Value("f32[3]", "{3, 2, 1}")});
  Expect(R"(
    x = f32[2,n<=8] parameter(0)
    ROOT r = f32[2*n] reshape(x))",
         {Value("f32[2,3]", "{ {1, 2, 3}, {4, 5, 6} }")}, {Value("f32[6]", "{1, 2, 3, 4, 5, 6}")});
}

INSTANTIATE_TEST_SUITE_P(On, PaddingCases, testing::ValuesIn(tools::DeviceNames()),
                         [](const auto& info) {
                           std::string name = info.param;
                           name[0] = absl::ascii_toupper(static_cast<unsigned char>(name[0]));
                           return name;
                         });

}  // namespace
}  // namespace swage::cases
