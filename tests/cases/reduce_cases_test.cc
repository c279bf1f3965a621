// Sums in half precision, softmax of infinite rows, variance without cancellation.
#include <iterator>
#include <utility>

#include "absl/strings/str_replace.h"
#include "tests/cases/case_fixture.h"
#include "tests/compiler/ir/combiners_testing.h"

namespace swage::cases {
namespace {

class ReduceCases : public CaseTest {};

const std::string& Combiners() {
  static const auto* const text =
      new std::string(ir::Combiner("add", "f32", "add") + ir::Combiner("max", "f32", "maximum"));
  return *text;
}

std::string Repeat(const std::string& element, int64_t n) {
  std::string list = "{";
  for (int64_t i = 0; i < n; ++i) list += (i == 0 ? "" : ", ") + element;
  return list + "}";
}

// The mean as a library writes it: in f32, narrowed once; and the sum.
std::string MeanOf(const std::string& type, int64_t n) {
  return "HloModule m\n" + Combiners() + "ENTRY main {\n x = " + type +
         "[N] parameter(0)\n w = f32[N] convert(x)\n z = f32[] constant(-0.0)\n"
         " s = f32[] reduce(w, z), dimensions={0}, to_apply=add\n n = f32[] constant(" +
         std::to_string(n) + ")\n d = f32[] divide(s, n)\n mean = " + type +
         "[] convert(d)\n sum = " + type + "[] convert(s)\n ROOT r = (" + type + "[], " + type +
         "[]) tuple(mean, sum)\n}";
}

TEST_P(ReduceCases, HalfPrecisionMeansAreTakenInSingle) {
  ExpectSized(MeanOf("f16", 4), 4, {Value("f16[4]", "{60000, 49984, 64000, 40000}")},
              {Value("f16[]", "53504"), Value("f16[]", "inf")});
  ExpectSized(MeanOf("bf16", 1024), 1024, {Value("bf16[1024]", Repeat("1", 1024))},
              {Value("bf16[]", "1"), Value("bf16[]", "1024")});
}

TEST_P(ReduceCases, TheMeanOfManyTinyHalvesIsNotFlushed) {
  Expect(WithDimension(MeanOf("f16", 262144), 262144),
         {Value("f16[262144]", Repeat("3e-5", 262144))},
         {Value("f16[]", "2.9981136322021484e-05"), Value("f16[]", "7.859375")});
}

TEST_P(ReduceCases, TheNormOfHalfPrecisionDoesNotStoreTheSumOfSquares) {
  ExpectSized("HloModule m\n" + Combiners() + R"(ENTRY main {
  x = f16[N] parameter(0)
  w = f32[N] convert(x)
  q = f32[N] multiply(w, w)
  z = f32[] constant(0)
  s = f32[] reduce(q, z), dimensions={0}, to_apply=add
  n = f32[] sqrt(s)
  ROOT r = f16[] convert(n)
})",
              9, {Value("f16[9]", Repeat("100", 9))}, {Value("f16[]", "300")});
}

TEST_P(ReduceCases, AReduceInHalfPrecisionRoundsAsItsCombinerSays) {
  ExpectSized("HloModule m\n" + ir::Combiner("add", "f16", "add") + R"(ENTRY main {
  x = f16[N] parameter(0)
  z = f16[] constant(0)
  ROOT r = f16[] reduce(x, z), dimensions={0}, to_apply=add
})",
              4, {Value("f16[4]", "{60000, 49984, 64000, 40000}")}, {Value("f16[]", "inf")});
}

TEST_P(ReduceCases, ASumBeyondSingleIsInfinite) {
  ExpectSized(MeanOf("f32", 3), 3, {Value("f32[3]", "{3e38, 3e38, 3e38}")},
              {Value("f32[]", "inf"), Value("f32[]", "inf")});
}

// The softmax of x[N], scaled before, of a type that is computed in f32.
std::string SoftmaxOf(const std::string& type = "f32", const std::string& scale = "1") {
  return "HloModule m\n" + Combiners() + "ENTRY main {\n given = " + type +
         "[N] parameter(0)\n wide = f32[N] convert(given)\n factor = f32[] constant(" + scale +
         ")" +
         R"(
  factors = f32[N] broadcast(factor), dimensions={}
  x = f32[N] multiply(wide, factors)
  low = f32[] constant(-inf)
  m = f32[] reduce(x, low), dimensions={0}, to_apply=max
  mb = f32[N] broadcast(m), dimensions={}
  d = f32[N] subtract(x, mb)
  e = f32[N] exponential(d)
  z = f32[] constant(-0.0)
  s = f32[] reduce(e, z), dimensions={0}, to_apply=add
  sb = f32[N] broadcast(s), dimensions={}
  p = f32[N] divide(e, sb)
  ROOT r = )" +
         type + "[N] convert(p)\n}";
}

TEST_P(ReduceCases, SoftmaxOfInfiniteRowsDoesNotDependOnTheLength) {
  const std::pair<std::string, std::vector<int64_t>> lengths[] = {
      {"f32", {1, 2, 3, 127, 128, 129, 1024, 4097}}, {"f16", {3, 1024}}};
  for (const auto& [type, all] : lengths) {
    for (const int64_t n : all) {
      const std::string shape = type + "[" + std::to_string(n) + "]";
      ExpectSized(SoftmaxOf(type), n, {Value(shape, Repeat("-inf", n))},
                  {Value(shape, Repeat("nan", n))});
      std::string row = Repeat("-inf", n), hot = Repeat("0", n);
      row.replace(1, 4, "0");
      hot.replace(1, 1, "1");
      ExpectSized(SoftmaxOf(type), n, {Value(shape, row)}, {Value(shape, hot)});
      if (HasFailure()) return;
    }
  }
}

TEST_P(ReduceCases, SoftmaxOfLargeInfiniteAndNanLogits) {
  ExpectSized(SoftmaxOf(), 2, {Value("f32[2]", "{1000, 1001}")},
              {Value("f32[2]", "{0.2689414213699951, 0.7310585786300049}")}, {3e-7, 0});
  ExpectSized(SoftmaxOf(), 2, {Value("f32[2]", "{inf, 0}")}, {Value("f32[2]", "{nan, nan}")});
  ExpectSized(SoftmaxOf(), 2, {Value("f32[2]", "{nan, 1}")}, {Value("f32[2]", "{nan, nan}")});
}

// The product is in what is reduced, and again in the exponential: contracted in one of them, they
// would differ.
TEST_P(ReduceCases, SoftmaxOfProductsRoundsThemOnce) {
  for (const std::string x : {"7.3e10", "1.1e11", "5.9e10", "9.7e10"}) {
    ExpectSized(SoftmaxOf("f32", "0.3"), 4, {Value("f32[4]", Repeat(x, 4))},
                {Value("f32[4]", Repeat("0.25", 4))});
  }
}

// log(sum(exp(x))) of x[N], and x minus that.
std::string LogsumexpOf() {
  return "HloModule m\n" + Combiners() + R"(ENTRY main {
  x = f32[N] parameter(0)
  low = f32[] constant(-inf)
  m = f32[] reduce(x, low), dimensions={0}, to_apply=max
  finite = pred[] is-finite(m)
  zero = f32[] constant(0)
  safe = f32[] select(finite, m, zero)
  mb = f32[N] broadcast(safe), dimensions={}
  d = f32[N] subtract(x, mb)
  e = f32[N] exponential(d)
  s = f32[] reduce(e, zero), dimensions={0}, to_apply=add
  l = f32[] log(s)
  lse = f32[] add(l, safe)
  lb = f32[N] broadcast(l), dimensions={}
  ls = f32[N] subtract(d, lb)
  ROOT r = (f32[], f32[N]) tuple(lse, ls)
})";
}

TEST_P(ReduceCases, LogsumexpGuardsInfiniteRows) {
  for (int64_t n : {1, 2, 3, 127, 128, 129, 1024, 4097}) {
    const std::string shape = "f32[" + std::to_string(n) + "]";
    ExpectSized(LogsumexpOf(), n, {Value(shape, Repeat("-inf", n))},
                {Value("f32[]", "-inf"), Value(shape, Repeat("nan", n))});
    std::string row = Repeat("-inf", n), hot = Repeat("-inf", n);
    row.replace(1, 4, "0");
    hot.replace(1, 4, "0");
    ExpectSized(LogsumexpOf(), n, {Value(shape, row)}, {Value("f32[]", "0"), Value(shape, hot)});
    if (HasFailure()) return;
  }
  const auto expect = [&](const std::string& row, const std::string& sum, const std::string& each,
                          Tolerance tolerance = {}) {
    ExpectSized(LogsumexpOf(), 2, {Value("f32[2]", row)},
                {Value("f32[]", sum), Value("f32[2]", each)}, tolerance);
  };
  expect("{1000, 1001}", "1001.3132616875182", "{-1.3132616875182228, -0.3132616875182228}",
         {3e-7, 0});
  expect("{0.5, 1.5}", "1.8132616875182228", "{-1.3132616875182228, -0.3132616875182228}",
         {3e-7, 0});
  expect("{nan, 1}", "nan", "{nan, nan}");
  expect("{inf, 0}", "inf", "{nan, -inf}");
}

// Population variance of each row in two passes, then (x - mean) / sqrt(var + eps).
std::string NormalisedRow(int64_t n) {
  std::string hlo = "HloModule m\n" + Combiners() + R"(ENTRY main {
  x = f32[N] parameter(0)
  z = f32[] constant(0)
  n = f32[] constant(COUNT)
  s = f32[] reduce(x, z), dimensions={0}, to_apply=add
  mean = f32[] divide(s, n)
  mb = f32[N] broadcast(mean), dimensions={}
  d = f32[N] subtract(x, mb)
  q = f32[N] multiply(d, d)
  qs = f32[] reduce(q, z), dimensions={0}, to_apply=add
  var = f32[] divide(qs, n)
  eps = f32[] constant(1e-5)
  ve = f32[] add(var, eps)
  rs = f32[] rsqrt(ve)
  rb = f32[N] broadcast(rs), dimensions={}
  y = f32[N] multiply(d, rb)
  ROOT t = (f32[], f32[], f32[N]) tuple(mean, var, y)
})";
  return hlo.replace(hlo.find("COUNT"), 5, std::to_string(n));
}

TEST_P(ReduceCases, TwoPassVarianceNeitherCancelsNorTurnsNegative) {
  ExpectSized(NormalisedRow(4), 4, {Value("f32[4]", "{2048.25, 2048.5, 2048.75, 2049.0}")},
              {Value("f32[]", "2048.625"), Value("f32[]", "0.078125"),
               Value("f32[4]", "{-1.34155493, -0.44718498, 0.44718498, 1.34155493}")},
              {1e-5, 0});
  Expect(Case{WithDimension(NormalisedRow(5), 5),
              {Value("f32[5]", Repeat("-11.3", 5))},
              {Value("f32[]", "-11.3"), Value("f32[]", "0"), Value("f32[5]", "{0, 0, 0, 0, 0}")},
              {{1e-6, 0}, {0, 1e-10}, {0, 1e-3}}});
  const std::vector<ir::Literal> got =
      Run(WithDimension(NormalisedRow(5), 5), {Value("f32[5]", Repeat("-11.3", 5))});
  ASSERT_EQ(got.size(), 3u);
  EXPECT_GE(got[1].GetDouble(0), 0);
}

// Mean, variance and the normalised values of 64 rows of 4, over the rows' elements (a layer norm)
// or over the rows (a batch norm).
std::string NormalisedBatch(bool over_rows) {
  std::string hlo = "HloModule m\n" + Combiners() + R"(ENTRY main {
  x = f32[SIZES] parameter(0)
  z = f32[] constant(0)
  n = f32[] constant(4)
  ns = f32[64] broadcast(n), dimensions={}
  s = f32[64] reduce(x, z), dimensions={REDUCED}, to_apply=add
  mean = f32[64] divide(s, ns)
  mb = f32[SIZES] broadcast(mean), dimensions={KEPT}
  d = f32[SIZES] subtract(x, mb)
  q = f32[SIZES] multiply(d, d)
  qs = f32[64] reduce(q, z), dimensions={REDUCED}, to_apply=add
  var = f32[64] divide(qs, ns)
  eps = f32[] constant(1e-5)
  es = f32[64] broadcast(eps), dimensions={}
  ve = f32[64] add(var, es)
  rs = f32[64] rsqrt(ve)
  rb = f32[SIZES] broadcast(rs), dimensions={KEPT}
  y = f32[SIZES] multiply(d, rb)
  ROOT t = (f32[64], f32[64], f32[SIZES]) tuple(mean, var, y)
})";
  return absl::StrReplaceAll(hlo, {{"SIZES", over_rows ? "4,64" : "64,4"},
                                   {"REDUCED", over_rows ? "0" : "1"},
                                   {"KEPT", over_rows ? "1" : "0"}});
}

TEST_P(ReduceCases, VarianceOfABatchIsThatOfEachRow) {
  const char* const row[] = {"2048.25", "2048.5", "2048.75", "2049.0"};
  const char* const normal[] = {"-1.34155493", "-0.44718498", "0.44718498", "1.34155493"};
  for (const bool over_rows : {false, true}) {
    const auto batch = [&](const char* const(&of)[4]) {
      std::string text = "{";
      for (int i = 0; i < (over_rows ? 4 : 64); ++i) {
        text += i == 0 ? "{" : ", {";
        for (int j = 0; j < (over_rows ? 64 : 4); ++j) {
          text += (j == 0 ? "" : ", ") + std::string(of[over_rows ? i : j]);
        }
        text += "}";
      }
      return text + "}";
    };
    const std::string shape = over_rows ? "f32[4,64]" : "f32[64,4]";
    Expect(NormalisedBatch(over_rows), {Value(shape, batch(row))},
           {Value("f32[64]", Repeat("2048.625", 64)), Value("f32[64]", Repeat("0.078125", 64)),
            Value(shape, batch(normal))},
           {1e-5, 0});
  }
}

// A reduce of x over `dims` whose combiner has this body over x and y.
std::string ReduceWith(const std::string& dtype, const std::string& shape, const std::string& dims,
                       const std::string& out, const std::string& combiner) {
  return "HloModule m\nc {\n x = " + dtype + "[] parameter(0)\n y = " + dtype +
         "[] parameter(1)\n " + combiner + "\n}\nENTRY main {\n p = " + dtype + "[" + shape +
         "] parameter(0)\n z = " + dtype + "[] parameter(1)\n ROOT r = " + dtype + "[" + out +
         "] reduce(p, z), dimensions={" + dims + "}, to_apply=c\n}";
}

TEST_P(ReduceCases, ACombinerMayIgnoreItsArguments) {
  struct Combiner {
    std::string dtype, body, result;
  };
  struct Reduced {
    std::string shape, dims, out;
    int64_t elements, results;
  };
  for (const Combiner& c :
       std::vector<Combiner>{{"s32", "ROOT r = s32[] xor(y, y)", "0"},
                             {"s32", "ROOT r = s32[] constant(7)", "7"},
                             {"s32", "k = s32[] constant(0)\n ROOT r = s32[] multiply(x, k)", "0"},
                             {"f32", "ROOT r = f32[] constant(-2.5)", "-2.5"},
                             {"pred", "n = pred[] not(x)\n ROOT r = pred[] or(x, n)", "true"}}) {
    for (const Reduced& r : std::vector<Reduced>{{"13,4", "0", "4", 52, 4},
                                                 {"4,13", "1", "4", 52, 4},
                                                 {"3,200", "1", "3", 600, 3},
                                                 {"5,67", "0", "67", 335, 67},
                                                 {"5000", "0", "", 5000, 1},
                                                 {"9,40", "0,1", "", 360, 1}}) {
      const std::string hlo = ReduceWith(c.dtype, r.shape, r.dims, r.out, c.body);
      const std::string one = c.dtype == "pred" ? "true" : "1";
      const std::string result = r.out.empty() ? c.result : Repeat(c.result, r.results);
      // The elements are given flat, whatever the shape.
      std::string flat = hlo;
      const std::string parameter = c.dtype + "[" + r.shape + "] parameter(0)";
      flat.replace(flat.find(parameter), parameter.size(),
                   c.dtype + "[" + r.shape + "] reshape(flat)");
      flat.insert(flat.find(" p = "),
                  " flat = " + c.dtype + "[" + std::to_string(r.elements) + "] parameter(0)\n");
      Expect(flat,
             {Value(c.dtype + "[" + std::to_string(r.elements) + "]", Repeat(one, r.elements)),
              Value(c.dtype + "[]", one)},
             {Value(c.dtype + "[" + r.out + "]", result)});
      if (HasFailure()) return;
    }
  }
}

TEST_P(ReduceCases, OneResultOfSeveralMayBeAConstant) {
  const std::string hlo = R"(HloModule m
c {
  a = s32[] parameter(0)
  b = f32[] parameter(1)
  x = s32[] parameter(2)
  y = f32[] parameter(3)
  k = s32[] constant(3)
  s = f32[] add(b, y)
  ROOT t = (s32[], f32[]) tuple(k, s)
}
ENTRY main {
  p = s32[N] parameter(0)
  q = f32[N] parameter(1)
  i = s32[] constant(0)
  z = f32[] constant(0)
  ROOT r = (s32[], f32[]) reduce(p, q, i, z), dimensions={0}, to_apply=c
})";
  for (int64_t n : {2, 13, 100, 4099}) {
    const std::string count = std::to_string(n);
    ExpectSized(
        hlo, n,
        {Value("s32[" + count + "]", Repeat("5", n)), Value("f32[" + count + "]", Repeat("1", n))},
        {Value("s32[]", "3"), Value("f32[]", count)});
  }
}

// Each element is combined with the initial value, by combiners of one value and of two.
TEST_P(ReduceCases, OverNoDimensions) {
  const std::pair<std::string, std::string> arrays[] = {
      {"[]", "2"}, {"[3]", "{1, 2, 3}"}, {"[2,3]", "{ {1, 2, 3}, {4, 5, 6} }"}, {"[0,3]", "{}"}};
  const std::pair<std::string, std::string> results[] = {
      {"6", "-3"},
      {"{2, 6, 12}", "{-2, -3, -4}"},
      {"{ {2, 6, 12}, {20, 30, 42} }", "{ {-2, -3, -4}, {-5, -6, -7} }"},
      {"{}", "{}"}};
  for (size_t i = 0; i < std::size(arrays); ++i) {
    const auto& [shape, values] = arrays[i];
    Expect(absl::StrReplaceAll(R"(HloModule m
one {
  a = f32[] parameter(0)
  x = f32[] parameter(1)
  s = f32[] add(a, x)
  ROOT m = f32[] multiply(s, x)
}
two {
  a = f32[] parameter(0)
  b = s32[] parameter(1)
  x = f32[] parameter(2)
  y = s32[] parameter(3)
  s = f32[] add(a, x)
  m = f32[] multiply(s, x)
  d = s32[] subtract(b, y)
  ROOT t = (f32[], s32[]) tuple(m, d)
}
ENTRY main {
  p = f32[N] parameter(0)
  q = s32[N] parameter(1)
  o = f32[] constant(1)
  l = s32[] constant(-1)
  r = f32[N] reduce(p, o), dimensions={}, to_apply=one
  v = (f32[N], s32[N]) reduce(p, q, o, l), dimensions={}, to_apply=two
  v0 = f32[N] get-tuple-element(v), index=0
  v1 = s32[N] get-tuple-element(v), index=1
  ROOT t = (f32[N], f32[N], s32[N]) tuple(r, v0, v1)
})",
                               {{"[N]", shape}}),
           {Value("f32" + shape, values), Value("s32" + shape, values)},
           {Value("f32" + shape, results[i].first), Value("f32" + shape, results[i].first),
            Value("s32" + shape, results[i].second)});
  }
}

INSTANTIATE_TEST_SUITE_P(On, ReduceCases, testing::ValuesIn(Devices()), DeviceName);

}  // namespace
}  // namespace swage::cases
