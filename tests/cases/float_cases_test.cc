// What IEEE arithmetic fixes and a rewrite easily breaks: signed zeros, NaN, denormals, one
// rounding per op.
#include "tests/cases/case_fixture.h"

namespace swage::cases {
namespace {

class FloatCases : public CaseTest {};

TEST_P(FloatCases, ClampIsMinimumOfMaximumAndKeepsNan) {
  ExpectElementwise(
      {"f32", "f32", "f32"},
      {"0, nan, 0, 3, -0.0, -inf", "nan, 0.5, 0.5, 0.5, 0.0, inf", "1, 1, nan, 1, 1, inf"},
      "ROOT r = f32[N] clamp(p0, p1, p2)", "f32", "nan, nan, nan, 1, 0, inf");
  ExpectElementwise({"s32", "s32", "s32"}, {"-2", "7", "3"}, "ROOT r = s32[N] clamp(p0, p1, p2)",
                    "s32", "3");
}

TEST_P(FloatCases, ClampBoundsMayBeScalarsAndMayBeNan) {
  Expect(R"(HloModule m
ENTRY main {
  lo = f32[] parameter(0)
  x = f32[5] parameter(1)
  hi = f32[] parameter(2)
  ROOT r = f32[5] clamp(lo, x, hi)
})",
         {Value("f32[]", "-1"), Value("f32[5]", "{-3, nan, -0.0, inf, 0.5}"), Value("f32[]", "1")},
         {Value("f32[5]", "{-1, nan, -0.0, 1, 0.5}")});
  Expect(R"(HloModule m
ENTRY main {
  lo = f32[] constant(nan)
  x = f32[2] parameter(0)
  hi = f32[] constant(1)
  ROOT r = f32[2] clamp(lo, x, hi)
})",
         {Value("f32[2]", "{0, 2}")}, {Value("f32[2]", "{nan, nan}")});
}

// 1 / y with one identity-like op between: what an illegal identity does to the sign of zero shows.
TEST_P(FloatCases, AddingZeroIsNotAnIdentityForMinusZero) {
  const std::string x = "-0.25, -0.75, 0.25";
  auto expect = [&](const std::string& expression, const std::string& want) {
    ExpectElementwise({"f32"}, {x},
                      "one = f32[] constant(1)\n ones = f32[N] broadcast(one), dimensions={}\n"
                      "z = f32[] constant(0)\n zero = f32[N] broadcast(z), dimensions={}\n"
                      "m = f32[] constant(-0.0)\n minus = f32[N] broadcast(m), dimensions={}\n"
                      "y = f32[N] ceil(p0)\n e = f32[N] " +
                          expression +
                          "\n"
                          "ROOT r = f32[N] divide(ones, e)",
                      "f32", want);
  };
  expect("add(y, zero)", "inf, inf, 1");
  expect("subtract(y, zero)", "-inf, -inf, 1");
  expect("subtract(zero, y)", "inf, inf, -1");
  expect("multiply(y, ones)", "-inf, -inf, 1");
  expect("negate(y)", "inf, inf, -1");
  expect("add(y, minus)", "-inf, -inf, 1");
  expect("sqrt(y)", "-inf, -inf, 1");
  ExpectElementwise({"f32"}, {x}, "ROOT r = f32[N] ceil(p0)", "f32", "-0.0, -0.0, 1");
}

TEST_P(FloatCases, SqrtAndPowerKeepTheirDomains) {
  const std::string x = "-0.0, -4, -inf, inf, 9, nan";
  const std::string half = "h = f32[] constant(0.5)\n hs = f32[N] broadcast(h), dimensions={}\n";
  ExpectElementwise({"f32"}, {x}, "s = f32[N] sqrt(p0)\n ROOT r = f32[N] multiply(s, s)", "f32",
                    "0, nan, nan, inf, 9, nan");
  ExpectElementwise({"f32"}, {x}, half + "ROOT r = f32[N] power(p0, hs)", "f32",
                    "0, nan, inf, inf, 3, nan");
  ExpectElementwise({"f32"}, {x}, "ROOT r = f32[N] sqrt(p0)", "f32", "-0.0, nan, nan, inf, 3, nan");
  ExpectElementwise({"f32", "f32"}, {"4", "9"},
                    "a = f32[N] sqrt(p0)\n b = f32[N] sqrt(p1)\n ROOT r = f32[N] multiply(a, b)",
                    "f32", "6");
  ExpectElementwise({"f64", "f64"}, {"1", "2"},
                    "a = f64[N] exponential(p0)\n b = f64[N] exponential(p1)\n"
                    "ROOT r = f64[N] multiply(a, b)",
                    "f64", "20.085536923187668", {1e-15, 0});
}

TEST_P(FloatCases, PowersOfConstantExponentsKeepTheirDomains) {
  const auto expect = [&](const std::string& exponent, const std::string& want) {
    ExpectElementwise({"f32"}, {"-0.0, -4, -inf, inf, 9, nan, 0"},
                      "h = f32[] constant(" + exponent +
                          ")\n hs = f32[N] broadcast(h), dimensions={}\n"
                          "ROOT r = f32[N] power(p0, hs)",
                      "f32", want, {1e-7, 0});
  };
  expect("0.5", "0, nan, inf, inf, 3, nan, 0");
  expect("-0.5", "inf, nan, 0, 0, 0.33333333, nan, inf");
  expect("2", "0, 16, inf, inf, 81, nan, 0");
  expect("1", "-0.0, -4, -inf, inf, 9, nan, 0");
  expect("0", "1, 1, 1, 1, 1, 1, 1");
  ExpectElementwise({"f32"}, {"-0.0, -4, -inf, inf, 9, nan, 0"}, "ROOT r = f32[N] rsqrt(p0)", "f32",
                    "-inf, nan, nan, 0, 0.33333333, nan, inf", {1e-7, 0});
}

// 1 / of the above: a zero of the wrong sign would be an infinity of the wrong sign.
TEST_P(FloatCases, ReciprocalsOfRootsShowTheSignOfZero) {
  const std::string one = "o = f32[] constant(1)\n os = f32[N] broadcast(o), dimensions={}\n";
  ExpectElementwise({"f32"}, {"-0.0, 0, 9"},
                    one +
                        "s = f32[N] sqrt(p0)\n a = f32[N] multiply(s, s)\n"
                        "ROOT r = f32[N] divide(os, a)",
                    "f32", "inf, inf, 0.11111111", {1e-7, 0});
  ExpectElementwise({"f32"}, {"-0.0, 0, 4"},
                    one +
                        "h = f32[] constant(0.5)\n hs = f32[N] broadcast(h), dimensions={}\n"
                        "b = f32[N] power(p0, hs)\n ROOT r = f32[N] divide(os, b)",
                    "f32", "inf, inf, 0.5");
}

TEST_P(FloatCases, ZeroThatIsADifferenceOrAProductKeepsNan) {
  const std::string constant = "c = f32[] constant(3)\n z = f32[] subtract(c, c)\n";
  ExpectElementwise({"f32"}, {"inf, nan, 2, -2"},
                    constant +
                        "zs = f32[N] broadcast(z), dimensions={}\n"
                        "ROOT r = f32[N] multiply(p0, zs)",
                    "f32", "nan, nan, 0, -0.0");
  ExpectElementwise({"f32"}, {"inf, nan, 2, -2"},
                    constant +
                        "zs = f32[N] broadcast(z), dimensions={}\n"
                        "ROOT r = f32[N] multiply(zs, p0)",
                    "f32", "nan, nan, 0, -0.0");
}

TEST_P(FloatCases, MultiplyingByZeroKeepsNanAndInf) {
  ExpectElementwise({"f32"}, {"0, 4"},
                    "z = f32[] constant(0)\n zs = f32[N] broadcast(z), dimensions={}\n"
                    "one = f32[] constant(1)\n ones = f32[N] broadcast(one), dimensions={}\n"
                    "s = f32[N] sqrt(p0)\n i = f32[N] divide(ones, s)\n"
                    "ROOT r = f32[N] multiply(i, zs)",
                    "f32", "nan, 0");
  ExpectElementwise({"f32"}, {"inf, 0, 3, nan"}, "ROOT r = f32[N] subtract(p0, p0)", "f32",
                    "nan, 0, 0, nan");
  ExpectElementwise({"f32"}, {"inf, 0, 3, nan"}, "ROOT r = f32[N] divide(p0, p0)", "f32",
                    "nan, nan, 1, nan");
}

TEST_P(FloatCases, AZeroTimesNanTermSurvivesInEveryTuple) {
  const ir::Literal nan = Value("f32[]", "nan"), four = Value("f32[]", "4");
  const std::pair<std::string, std::vector<ir::Literal>> roots[] = {
      {"ROOT out = (f32[]) tuple(r)", {nan}},
      {"ROOT out = (f32[], f32[]) tuple(r, t)", {nan, nan}},
      {"ROOT out = (f32[], f32[], f32[]) tuple(r, mean, t)", {nan, four, nan}}};
  for (const auto& [root, expected] : roots) {
    const std::string hlo = R"(HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  v = f32[2] parameter(0)
  m = pred[2] parameter(1)
  zero = f32[] constant(0)
  two = f32[] constant(2)
  nan = f32[] constant(nan)
  nans = f32[2] broadcast(nan), dimensions={}
  masked = f32[2] select(m, nans, v)
  tsum = f32[] reduce(masked, zero), dimensions={0}, to_apply=add
  t = f32[] divide(tsum, two)
  vsum = f32[] reduce(v, zero), dimensions={0}, to_apply=add
  mean = f32[] divide(vsum, two)
  zt = f32[] multiply(zero, t)
  r = f32[] add(mean, zt)
  )" + root + "\n}\n";
    Expect(hlo, {Value("f32[2]", "{2, 6}"), Value("pred[2]", "{true, false}")}, expected);
  }
}

TEST_P(FloatCases, DenormalsAreNumbers) {
  const std::string x = "7.174648137343064e-43";  // 2^-140
  auto expect = [&](const std::string& body, const std::string& type, const std::string& want,
                    Tolerance tolerance = {}) {
    ExpectElementwise({"f32"}, {x}, body, type, want, tolerance);
  };
  expect("ROOT r = f32[N] log(p0)", "f32", "-97.0406053", {1e-7, 0});
  expect("ROOT r = f32[N] sqrt(p0)", "f32", "8.47032947e-22");
  expect("ROOT r = f32[N] rsqrt(p0)", "f32", "1.18059162e21", {2e-7, 0});
  expect("ROOT r = f32[N] log-plus-one(p0)", "f32", x);
  expect(
      "z = f32[] constant(0)\n zs = f32[N] broadcast(z), dimensions={}\n"
      "ROOT r = f32[N] add(p0, zs)",
      "f32", x);
  expect(
      "k = f32[] constant(1048576)\n ks = f32[N] broadcast(k), dimensions={}\n"
      "ROOT r = f32[N] multiply(p0, ks)",
      "f32", "7.52316384526264e-37");
  expect(
      "z = f32[] constant(0)\n zs = f32[N] broadcast(z), dimensions={}\n"
      "ROOT r = pred[N] compare(p0, zs), direction=EQ",
      "pred", "false");
  expect(
      "z = f32[] constant(0)\n zs = f32[N] broadcast(z), dimensions={}\n"
      "ROOT r = pred[N] compare(p0, zs), direction=GT",
      "pred", "true");
  ExpectElementwise({"f64", "f64"}, {"1e-310, 1e-200", "1e100, 1e-110"},
                    "ROOT r = f64[N] multiply(p0, p1)", "f64", "1e-210, 1e-310", {1e-12, 5e-324});
  ExpectElementwise({"f32"}, {"-100"}, "ROOT r = f32[N] logistic(p0)", "f32", "3.783506e-44",
                    {0, 1.5e-45});
}

TEST_P(FloatCases, EveryOpRoundsOnceWithoutContraction) {
  ExpectElementwise({"f32"}, {"7.3e10, 1.1e11, 5.9e10, 9.7e10"},
                    "c = f32[] constant(0.3)\n s = f32[N] broadcast(c), dimensions={}\n"
                    "a = f32[N] multiply(p0, s)\n b = f32[N] multiply(p0, s)\n"
                    "d = f32[N] subtract(a, b)\n ROOT r = f32[N] exponential(d)",
                    "f32", "1, 1, 1, 1");
}

// (1 + 2^-23)^2 - (1 + 2^-22) is 2^-46 where the product is not rounded.
TEST_P(FloatCases, AProductIsRoundedBeforeItIsAdded) {
  const std::string x = "1.00000011920928955078125", y = "-1.0000002384185791015625";
  for (const std::string body :
       {"m = f32[N] multiply(p0, p0)\n ROOT r = f32[N] add(m, p1)",
        "m = f32[N] multiply(p0, p0)\n ROOT r = f32[N] add(p1, m)",
        "m = f32[N] multiply(p0, p0)\n n = f32[N] negate(p1)\n ROOT r = f32[N] subtract(m, n)"}) {
    ExpectElementwise({"f32", "f32"}, {x, y}, body, "f32", "0");
  }
}

TEST_P(FloatCases, RemainderIsExactAndTakesTheDividendsSign) {
  ExpectElementwise(
      {"f32", "f32"},
      {"5.5, -5.5, 3e19, -3e19, 7.25, -7.25, -0.0, 1, 6, -6", "inf, inf, 7, 7, -2, 2, 3, 0, -3, 3"},
      "ROOT r = f32[N] remainder(p0, p1)", "f32",
      "5.5, -5.5, 1, -1, 1.25, -1.25, -0.0, nan, 0, -0.0");
  // A quotient above 2^24: bf16(3e19) is 29975959119778021376.
  ExpectElementwise({"bf16", "bf16"}, {"3e19", "7"}, "ROOT r = bf16[N] remainder(p0, p1)", "bf16",
                    "5");
}

INSTANTIATE_TEST_SUITE_P(On, FloatCases, testing::ValuesIn(Devices()), DeviceName);

}  // namespace
}  // namespace swage::cases
