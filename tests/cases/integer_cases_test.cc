// Integer division hazards, shifts by the width or more, and conversions that do not fit.
#include "tests/cases/case_fixture.h"

namespace swage::cases {
namespace {

class IntegerCases : public CaseTest {};
class ConvertCases : public CaseTest {};

TEST_P(IntegerCases, DivisionByZeroAndOverflowHaveDefinedResults) {
  const std::string a = "-2147483648, 17, -17, 0, -2147483648", b = "-1, 0, 0, 0, 0";
  ExpectElementwise({"s32", "s32"}, {a, b}, "ROOT r = s32[N] divide(p0, p1)", "s32",
                    "-2147483648, -1, -1, -1, -1");
  ExpectElementwise({"s32", "s32"}, {a, b}, "ROOT r = s32[N] remainder(p0, p1)", "s32",
                    "0, 17, -17, 0, -2147483648");
  ExpectElementwise({"s64", "s64"}, {"-9223372036854775808, 17", "-1, 0"},
                    "ROOT r = s64[N] divide(p0, p1)", "s64", "-9223372036854775808, -1");
  ExpectElementwise({"s64", "s64"}, {"-9223372036854775808, 17", "-1, 0"},
                    "ROOT r = s64[N] remainder(p0, p1)", "s64", "0, 17");
  ExpectElementwise({"s8", "s8"}, {"-128, -7", "-1, 2"}, "ROOT r = s8[N] divide(p0, p1)", "s8",
                    "-128, -3");
  ExpectElementwise({"s8", "s8"}, {"-128, -7", "-1, 2"}, "ROOT r = s8[N] remainder(p0, p1)", "s8",
                    "0, -1");
  ExpectElementwise({"u32", "u32"}, {"9, 0", "0, 0"}, "ROOT r = u32[N] divide(p0, p1)", "u32",
                    "4294967295, 4294967295");
  ExpectElementwise({"u32", "u32"}, {"9, 0", "0, 0"}, "ROOT r = u32[N] remainder(p0, p1)", "u32",
                    "9, 0");
}

TEST_P(IntegerCases, DivisionByAConstantZeroOrMinusOneIsNotReducedWrongly) {
  const std::string a = "-2147483648, 17, -17, 0";
  ExpectElementwise({"s32"}, {a},
                    "c = s32[] constant(0)\n b = s32[N] broadcast(c), dimensions={}\n"
                    "ROOT r = s32[N] divide(p0, b)",
                    "s32", "-1, -1, -1, -1");
  ExpectElementwise({"s32"}, {a},
                    "c = s32[] constant(0)\n b = s32[N] broadcast(c), dimensions={}\n"
                    "ROOT r = s32[N] remainder(p0, b)",
                    "s32", a);
  ExpectElementwise({"s32"}, {a},
                    "c = s32[] constant(-1)\n b = s32[N] broadcast(c), dimensions={}\n"
                    "ROOT r = s32[N] divide(p0, b)",
                    "s32", "-2147483648, -17, 17, 0");
  ExpectElementwise({"s32"}, {a},
                    "c = s32[] constant(-1)\n b = s32[N] broadcast(c), dimensions={}\n"
                    "ROOT r = s32[N] remainder(p0, b)",
                    "s32", "0, 0, 0, 0");
}

TEST_P(IntegerCases, ADivisorMayBeOneNumberOfTheCall) {
  const auto expect = [&](const std::string& op, const std::string& divisor,
                          const std::string& want) {
    ExpectSized(
        "HloModule m\nENTRY main {\n a = s32[N] parameter(0)\n b = s32[] parameter(1)\n"
        " bs = s32[N] broadcast(b), dimensions={}\n ROOT r = s32[N] " +
            op + "(a, bs)\n}",
        4, {Value("s32[4]", "{-2147483648, 17, -17, 0}"), Value("s32[]", divisor)},
        {Value("s32[4]", want)});
  };
  expect("divide", "0", "{-1, -1, -1, -1}");
  expect("divide", "-1", "{-2147483648, -17, 17, 0}");
  expect("remainder", "0", "{-2147483648, 17, -17, 0}");
  expect("remainder", "-1", "{0, 0, 0, 0}");
}

TEST_P(IntegerCases, DivisionHazardsInLanesThatASelectDropsDoNotTrap) {
  ExpectElementwise({"s32", "s32"}, {"-2147483648, 17, 40", "-1, 0, 8"},
                    "z = s32[] constant(0)\n zeros = s32[N] broadcast(z), dimensions={}\n"
                    "d = s32[N] divide(p0, p1)\n ok = pred[N] compare(p1, zeros), direction=GT\n"
                    "ROOT r = s32[N] select(ok, d, zeros)",
                    "s32", "0, 0, 5");
}

// Each value under the counts 0, 2, 31, 32, 33, 40, -1.
TEST_P(IntegerCases, ShiftCountsOfTheWidthOrMoreGiveZeroOrTheSign) {
  const std::string counts = "0, 2, 31, 32, 33, 40, -1";
  const std::string five = "5, 5, 5, 5, 5, 5, 5", one = "1, 1, 1, 1, 1, 1, 1";
  const std::string minus = "-37, -37, -37, -37, -37, -37, -37";
  const std::string left = "ROOT r = s32[N] shift-left(p0, p1)";
  const std::string arithmetic = "ROOT r = s32[N] shift-right-arithmetic(p0, p1)";
  const std::string logical = "ROOT r = s32[N] shift-right-logical(p0, p1)";
  ExpectElementwise({"s32", "s32"}, {five, counts}, left, "s32", "5, 20, -2147483648, 0, 0, 0, 0");
  ExpectElementwise({"s32", "s32"}, {five, counts}, arithmetic, "s32", "5, 1, 0, 0, 0, 0, 0");
  ExpectElementwise({"s32", "s32"}, {five, counts}, logical, "s32", "5, 1, 0, 0, 0, 0, 0");
  ExpectElementwise({"s32", "s32"}, {minus, counts}, left, "s32",
                    "-37, -148, -2147483648, 0, 0, 0, 0");
  ExpectElementwise({"s32", "s32"}, {minus, counts}, arithmetic, "s32",
                    "-37, -10, -1, -1, -1, -1, -1");
  ExpectElementwise({"s32", "s32"}, {minus, counts}, logical, "s32",
                    "-37, 1073741814, 1, 0, 0, 0, 0");
  ExpectElementwise({"s32", "s32"}, {one, counts}, left, "s32", "1, 4, -2147483648, 0, 0, 0, 0");
  ExpectElementwise({"s8", "s8"}, {"-37", "8"}, "ROOT r = s8[N] shift-right-arithmetic(p0, p1)",
                    "s8", "-1");
  ExpectElementwise({"s8", "s8"}, {"-37", "8"}, "ROOT r = s8[N] shift-right-logical(p0, p1)", "s8",
                    "0");
  ExpectElementwise({"s8", "s8"}, {"-37", "8"}, "ROOT r = s8[N] shift-left(p0, p1)", "s8", "0");
  ExpectElementwise({"s64", "s64"}, {"-37", "64"}, "ROOT r = s64[N] shift-right-arithmetic(p0, p1)",
                    "s64", "-1");
  ExpectElementwise({"s64", "s64"}, {"-37", "64"}, "ROOT r = s64[N] shift-right-logical(p0, p1)",
                    "s64", "0");
  ExpectElementwise({"s64", "s64"}, {"-37", "64"}, "ROOT r = s64[N] shift-left(p0, p1)", "s64",
                    "0");
}

TEST_P(IntegerCases, ShiftingLeftAndBackDropsTheHighBits) {
  ExpectElementwise({"u32"}, {"4026531841, 7"},
                    "k = u32[] constant(4)\n kk = u32[N] broadcast(k), dimensions={}\n"
                    "l = u32[N] shift-left(p0, kk)\n"
                    "ROOT r = u32[N] shift-right-logical(l, kk)",
                    "u32", "1, 7");
  ExpectElementwise({"s8"}, {"100"},
                    "k = s8[] constant(1)\n kk = s8[N] broadcast(k), dimensions={}\n"
                    "l = s8[N] shift-left(p0, kk)\n ROOT r = s64[N] convert(l)",
                    "s64", "-56");
}

TEST_P(ConvertCases, FloatToIntegerTruncatesSaturatesAndTakesNanToZero) {
  ExpectElementwise({"f32"}, {"-3.7, -0.2, 0.99, 254.6, 255.9, 1e6, nan, inf, -inf"},
                    "ROOT r = u8[N] convert(p0)", "u8", "0, 0, 0, 254, 255, 255, 0, 255, 0");
  ExpectElementwise({"f32"}, {"2147483520, 2147483648, 3e9, -2147483648, -2147483904, nan"},
                    "ROOT r = s32[N] convert(p0)", "s32",
                    "2147483520, 2147483647, 2147483647, -2147483648, -2147483648, 0");
}

class SaturationCases : public CaseTest {
 protected:
  void ExpectSaturation(const std::string& from);
};

void SaturationCases::ExpectSaturation(const std::string& from) {
  struct Range {
    const char* type;
    const char* low;
    const char* high;
  };
  const Range ranges[] = {{"s4", "-8", "7"},
                          {"s8", "-128", "127"},
                          {"s16", "-32768", "32767"},
                          {"s32", "-2147483648", "2147483647"},
                          {"s64", "-9223372036854775808", "9223372036854775807"},
                          {"u4", "0", "15"},
                          {"u8", "0", "255"},
                          {"u16", "0", "65535"},
                          {"u32", "0", "4294967295"},
                          {"u64", "0", "18446744073709551615"}};
  for (const Range& range : ranges) {
    ExpectElementwise({from}, {"inf, -inf, nan, -0.0, 1.5"},
                      std::string("ROOT r = ") + range.type + "[N] convert(p0)", range.type,
                      std::string(range.high) + ", " + range.low + ", 0, 0, 1");
  }
}

// One test each: there are ten integer types.
TEST_P(SaturationCases, OfF8) { ExpectSaturation("f8e5m2"); }
TEST_P(SaturationCases, OfF16) { ExpectSaturation("f16"); }
TEST_P(SaturationCases, OfBf16) { ExpectSaturation("bf16"); }
TEST_P(SaturationCases, OfF32) { ExpectSaturation("f32"); }
TEST_P(SaturationCases, OfF64) { ExpectSaturation("f64"); }

TEST_P(ConvertCases, PowersOfTwoJustOutOfRangeSaturate) {
  // 2^31, 2^63 and 2^64 are floats, but just out of range.
  for (const char* from : {"bf16", "f32", "f64"}) {
    ExpectElementwise({from}, {"2147483648, 4294967296"}, "ROOT r = s32[N] convert(p0)", "s32",
                      "2147483647, 2147483647");
    ExpectElementwise({from}, {"9223372036854775808, 18446744073709551616"},
                      "ROOT r = s64[N] convert(p0)", "s64",
                      "9223372036854775807, 9223372036854775807");
    ExpectElementwise({from}, {"9223372036854775808, 18446744073709551616"},
                      "ROOT r = u64[N] convert(p0)", "u64",
                      "9223372036854775808, 18446744073709551615");
  }
}

TEST_P(ConvertCases, NarrowIntegersSaturateAndDoNotWrapThroughWiderOnes) {
  ExpectElementwise({"f32"}, {"70000, -70000, 300, -300"}, "ROOT r = s8[N] convert(p0)", "s8",
                    "127, -128, 127, -128");
  ExpectElementwise({"f32"}, {"70000, -70000, 65535.9"}, "ROOT r = u16[N] convert(p0)", "u16",
                    "65535, 0, 65535");
}

// All 4-bit values, through a kernel of its own, in a fusion, and both ways.
TEST_P(ConvertCases, BitsOfFourBitIntegersAreReadAnew) {
  const std::string s4 = "0, 1, 6, 7, -8, -7, -2, -1", u4 = "0, 1, 6, 7, 8, 9, 14, 15";
  for (const std::string op : {"bitcast-convert", "convert"}) {
    ExpectElementwise({"s4"}, {s4}, "ROOT r = u4[N] " + op + "(p0)", "u4", u4);
    ExpectElementwise({"u4"}, {u4}, "ROOT r = s4[N] " + op + "(p0)", "s4", s4);
    ExpectElementwise({"s4"}, {s4}, "b = u4[N] " + op + "(p0)\n ROOT r = s32[N] convert(b)", "s32",
                      u4);
    ExpectElementwise({"u4"}, {u4}, "b = s4[N] " + op + "(p0)\n ROOT r = f32[N] convert(b)", "f32",
                      s4);
    ExpectElementwise({"s4"}, {s4}, "b = u4[N] " + op + "(p0)\n ROOT r = s4[N] " + op + "(b)", "s4",
                      s4);
  }
}

INSTANTIATE_TEST_SUITE_P(On, SaturationCases, testing::ValuesIn(Devices()), DeviceName);
INSTANTIATE_TEST_SUITE_P(On, ConvertCases, testing::ValuesIn(Devices()), DeviceName);
INSTANTIATE_TEST_SUITE_P(On, IntegerCases, testing::ValuesIn(Devices()), DeviceName);

}  // namespace
}  // namespace swage::cases
