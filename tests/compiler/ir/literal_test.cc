#include "compiler/ir/literal.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/files.h"
#include "compiler/ir/float_bits.h"
#include "tests/hlo_files.h"

namespace swage::ir {
namespace {

constexpr DType kFloats[] = {DType::kF8E4M3FN, DType::kF8E5M2, DType::kF16,
                             DType::kBF16,     DType::kF32,    DType::kF64};

Shape ShapeOf(std::string_view text) { return *ParseShape(text); }

StatusOr<Literal> Parse(std::string_view shape, std::string_view text) {
  size_t pos = 0;
  StatusOr<Literal> literal = ParseLiteral(text, &pos, ShapeOf(shape));
  if (literal.ok() && pos != text.size()) return InvalidArgument("rest: ", text.substr(pos).data());
  return literal;
}

std::string Reprint(std::string_view shape, std::string_view text) {
  const StatusOr<Literal> literal = Parse(shape, text);
  return literal.ok() ? literal->ToString() : std::string(literal.status().message());
}

TEST(FloatBitsTest, DecodedSmallFloatsEncodeToThemselves) {
  for (DType dtype : {DType::kF8E4M3FN, DType::kF8E5M2, DType::kF16, DType::kBF16}) {
    for (uint64_t bits = 0; bits < uint64_t{1} << DTypeBits(dtype); ++bits) {
      const double value = DecodeFloat(dtype, bits);
      EXPECT_EQ(std::isnan(value), IsNanBits(dtype, bits));
      EXPECT_EQ(std::isinf(value), IsInfBits(dtype, bits));
      if (!std::isnan(value)) {
        ASSERT_EQ(EncodeFloat(dtype, value), bits) << DTypeName(dtype);
      }
    }
  }
}

TEST(FloatBitsTest, EncodingRoundsToTheNearestEven) {
  for (DType dtype : {DType::kF8E4M3FN, DType::kF8E5M2, DType::kF16, DType::kBF16}) {
    const uint64_t last = uint64_t{1} << (DTypeBits(dtype) - 1);
    for (uint64_t bits = 0; bits + 1 < last; ++bits) {
      const double low = DecodeFloat(dtype, bits), high = DecodeFloat(dtype, bits + 1);
      if (!std::isfinite(high)) break;
      const double middle = (low + high) / 2;
      ASSERT_EQ(EncodeFloat(dtype, middle), bits + (bits & 1)) << DTypeName(dtype) << bits;
      ASSERT_EQ(EncodeFloat(dtype, std::nextafter(middle, 0)), bits);
      ASSERT_EQ(EncodeFloat(dtype, std::nextafter(middle, 1e300)), bits + 1);
      ASSERT_EQ(EncodeFloat(dtype, -middle), last | (bits + (bits & 1)));
    }
  }
}

TEST(FloatBitsTest, OverflowGoesToInfinityOrNan) {
  EXPECT_EQ(EncodeFloat(DType::kF16, 65519.99), 0x7bffu);
  EXPECT_EQ(EncodeFloat(DType::kF16, 65520), 0x7c00u);
  EXPECT_EQ(EncodeFloat(DType::kF8E4M3FN, 464), 0x7eu);
  EXPECT_EQ(EncodeFloat(DType::kF8E4M3FN, 465), 0x7fu);
  EXPECT_EQ(EncodeFloat(DType::kF8E4M3FN, -HUGE_VAL), 0xffu);
  EXPECT_EQ(EncodeFloat(DType::kF8E5M2, 1e9), 0x7cu);
  EXPECT_EQ(EncodeFloat(DType::kBF16, 1e300), 0x7f80u);
  EXPECT_EQ(EncodeFloat(DType::kBF16, std::nan("")), 0x7fc0u);
  EXPECT_EQ(EncodeFloat(DType::kF32, std::nan("")), 0x7fc00000u);
}

TEST(LiteralTest, ScalarsConvertNumerically) {
  EXPECT_EQ(Literal::Scalar(DType::kBF16, 0.1).GetBits(0), 0x3dcdu);
  EXPECT_EQ(Literal::Scalar(DType::kF32, 1).data<float>()[0], 1.0f);
  EXPECT_EQ(Literal::Scalar(DType::kS8, 300).GetInt(0), 44);
  EXPECT_EQ(Literal::Scalar(DType::kS8, 300.0).GetInt(0), 127);
  EXPECT_EQ(Literal::Scalar(DType::kU8, -3.0).GetInt(0), 0);
  EXPECT_EQ(Literal::Scalar(DType::kS4, -3).GetInt(0), -3);
  EXPECT_EQ(Literal::Scalar(DType::kS4, 9).GetInt(0), -7);
  EXPECT_EQ(Literal::Scalar(DType::kU4, 17).GetInt(0), 1);
  EXPECT_EQ(Literal::Scalar(DType::kS64, std::nan("")).GetInt(0), 0);
  EXPECT_EQ(Literal::Scalar(DType::kS64, 1e30).GetInt(0), kUnbounded);
  EXPECT_EQ(Literal::Scalar(DType::kU64, ~uint64_t{0}).GetBits(0), ~uint64_t{0});
  EXPECT_EQ(Literal::Scalar(DType::kF32, ~uint64_t{0}).GetDouble(0), 18446744073709551616.0);
  EXPECT_EQ(Literal::Scalar(DType::kF64, std::numeric_limits<int64_t>::min()).GetDouble(0),
            -0x1p63);
  // Through double this would round twice, to 2^60.
  EXPECT_EQ(Literal::Scalar(DType::kF32, (int64_t{1} << 60) + (int64_t{1} << 36) + 1).GetDouble(0),
            0x1p60 + 0x1p37);
  EXPECT_EQ(Literal::Scalar(DType::kPred, 7).GetBits(0), 1u);
  EXPECT_EQ(Literal::Scalar(DType::kC64, 2.5).GetComplex(0), std::complex<double>(2.5, 0));
  EXPECT_EQ(Literal::Scalar(DType::kC128, std::complex<double>(1, -2)).GetComplex(0),
            std::complex<double>(1, -2));
}

TEST(LiteralTest, EqualityAndHashAreOfBits) {
  const Literal zero = Literal::Scalar(DType::kF32, 0.0),
                minus = Literal::Scalar(DType::kF32, -0.0);
  const Literal nan = Literal::Scalar(DType::kF32, std::nan(""));
  EXPECT_FALSE(zero == minus);
  EXPECT_EQ(nan, Literal::Scalar(DType::kF32, std::nan("")));
  EXPECT_EQ(nan.Hash(), Literal::Scalar(DType::kF32, std::nan("")).Hash());
  EXPECT_NE(zero.Hash(), minus.Hash());
  EXPECT_NE(zero.Hash(), Literal::Scalar(DType::kS32, 0).Hash());
  EXPECT_FALSE(zero == Literal::Scalar(DType::kS32, 0));
  EXPECT_EQ(Literal(), Literal::Tuple({}));
  EXPECT_EQ(Literal::Tuple({zero, nan}), Literal::Tuple({zero, nan}));
  EXPECT_FALSE(Literal::Tuple({zero}) == Literal::Tuple({minus}));
}

TEST(LiteralTest, CopiesAreIndependent) {
  Literal a = *Literal::Create(ShapeOf("f32[3]{0}"));
  EXPECT_EQ(a.shape(), ShapeOf("f32[3]"));
  Literal b = a;
  EXPECT_EQ(a.bytes().data(), b.bytes().data());
  b.mutable_data<float>()[1] = 5;
  EXPECT_EQ(a.data<float>()[1], 0);
  EXPECT_EQ(b.data<float>()[1], 5);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a.bytes().data()) % 64, 0u);
}

TEST(LiteralTest, UniformValuesAreRecognised) {
  const Literal ones = *Literal::Broadcast(Literal::Scalar(DType::kF16, 1), {2, 3});
  EXPECT_TRUE(ones.IsUniform());
  EXPECT_TRUE(ones.IsAllValue(1));
  EXPECT_TRUE(ones.IsAll(0x3c00));
  EXPECT_FALSE(ones.IsAllValue(0));
  Literal mixed = ones;
  mixed.SetBits(5, 0);
  EXPECT_FALSE(mixed.IsUniform());
  EXPECT_FALSE(Literal::Scalar(DType::kF32, -0.0).IsAllValue(0.0));
  EXPECT_TRUE(Literal::Scalar(DType::kF32, -0.0).IsAllValue(-0.0));
  EXPECT_FALSE(Literal::Scalar(DType::kF32, 0.1).IsAllValue(0.1));
  EXPECT_TRUE(Literal::Scalar(DType::kS32, -4).IsAllValue(-4));
  EXPECT_FALSE(Literal::Create(ShapeOf("f32[0]"))->IsUniform());
  EXPECT_TRUE(Literal::Broadcast(Literal::Scalar(DType::kC128, 1), {4})->IsUniform());
}

TEST(LiteralTest, BytesAreChecked) {
  const std::vector<uint8_t> bytes = {0, 1, 2, 255};
  EXPECT_TRUE(Literal::FromBytes(ShapeOf("f32[1]"), bytes).ok());
  EXPECT_FALSE(Literal::FromBytes(ShapeOf("f32[2]"), bytes).ok());
  EXPECT_FALSE(Literal::FromBytes(ShapeOf("pred[4]"), bytes).ok());
  EXPECT_TRUE(Literal::FromBytes(ShapeOf("s4[4]"), bytes).ok());
  EXPECT_FALSE(Literal::FromBytes(ShapeOf("u4[4]"), bytes).ok());
  EXPECT_FALSE(Literal::FromBytes(ShapeOf("f32[n]"), bytes).ok());
  EXPECT_FALSE(Literal::Create(ShapeOf("f32[99999999999]")).ok());
  EXPECT_FALSE(Literal::Create(ShapeOf("f32[9999999999,9999999999]")).ok());
  EXPECT_FALSE(Literal::Create(Shape::Token()).ok());
}

TEST(LiteralTest, ReshapedSharesBytes) {
  const Literal a = *Parse("s32[6]", "{1, 2, 3, 4, 5, 6}");
  const Literal b = *a.Reshaped(ShapeOf("s32[2,3]"));
  EXPECT_EQ(a.bytes().data(), b.bytes().data());
  EXPECT_EQ(b.ToString(), "{ {1, 2, 3}, {4, 5, 6} }");
  EXPECT_FALSE(a.Reshaped(ShapeOf("s32[4]")).ok());
  EXPECT_FALSE(a.Reshaped(ShapeOf("s64[6]")).ok());
  EXPECT_EQ(a.ElementAt(4), Literal::Scalar(DType::kS32, 5));
}

TEST(LiteralTextTest, PrintsTheWayHloDoes) {
  EXPECT_EQ(Reprint("f32[2,2]", "{ { 1, 2 }, { 3, 4.5 } }"), "{ {1, 2}, {3, 4.5} }");
  EXPECT_EQ(Reprint("f32[1,1,2]", "{{{1,2}}}"), "{ { {1, 2} } }");
  EXPECT_EQ(Reprint("s32[2]", "{/*i0=0*/ -1, 2}"), "{-1, 2}");
  EXPECT_EQ(Reprint("pred[]", "true"), "true");
  EXPECT_EQ(Reprint("pred[2]", "{true, 0}"), "{1, 0}");
  EXPECT_EQ(Reprint("f32[]", "-1e+09"), "-1e+09");
  EXPECT_EQ(Reprint("f32[]", "-0"), "-0");
  EXPECT_EQ(Reprint("bf16[]", "11.31"), "11.3125");
  EXPECT_EQ(Reprint("c64[]", "(2, -0.5)"), "(2, -0.5)");
  EXPECT_EQ(Reprint("c64[2]", "{(1, nan), (inf, 0)}"), "{(1, nan), (inf, 0)}");
  EXPECT_EQ(Reprint("(f32[2], (s32[], pred[]))", "({1, 2}, (3, false))"), "({1, 2}, (3, false))");
  EXPECT_EQ(Reprint("()", "()"), "()");
  EXPECT_EQ(Reprint("f32[0]", "{}"), "{}");
  EXPECT_EQ(Reprint("f32[2,0]", "{ {}, {} }"), "{ {}, {} }");
  EXPECT_EQ(Reprint("f32[2,0]", "{}"), "{ {}, {} }");
  EXPECT_EQ(Reprint("f32[0,2]", "{}"), "{}");
  EXPECT_EQ(Reprint("f32[99999999,0]", "{}"), "{}");
  EXPECT_EQ(Reprint("u64[]", "18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(Reprint("s64[]", "-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(Reprint("s4[2]", "{-8, 7}"), "{-8, 7}");
}

TEST(LiteralTextTest, SpecialFloats) {
  EXPECT_EQ(Parse("f32[]", "nan")->GetBits(0), 0x7fc00000u);
  EXPECT_EQ(Parse("f32[]", "-nan")->GetBits(0), 0xffc00000u);
  EXPECT_EQ(Parse("f32[]", "nan(0x401234)")->GetBits(0), 0x7fc01234u);
  EXPECT_EQ(Parse("f32[]", "nan(0x7fc01234)")->GetBits(0), 0x7fc01234u);
  EXPECT_EQ(Parse("f32[]", "-nan(0x1)")->GetBits(0), 0xff800001u);
  EXPECT_EQ(Parse("f32[]", "-inf")->GetBits(0), 0xff800000u);
  EXPECT_EQ(Parse("f8e4m3fn[]", "nan")->GetBits(0), 0x7fu);
  EXPECT_EQ(Reprint("f32[]", "nan(0x7fc01234)"), "nan(0x401234)");
  EXPECT_EQ(Reprint("bf16[]", "-nan"), "-nan");
  EXPECT_EQ(Parse("f32[]", "1e-45")->GetBits(0), 1u);
  EXPECT_EQ(Parse("f32[]", "1e-60")->GetBits(0), 0u);
  EXPECT_EQ(Parse("f64[]", "-1e-400")->GetBits(0), uint64_t{1} << 63);
}

TEST(LiteralTextTest, EveryBitPatternOfSmallFloatsRoundTrips) {
  for (DType dtype : {DType::kF8E4M3FN, DType::kF8E5M2, DType::kF16, DType::kBF16}) {
    const int64_t count = int64_t{1} << DTypeBits(dtype);
    Literal all = *Literal::Create(Shape::Array(dtype, {count}));
    for (int64_t i = 0; i < count; ++i) all.SetBits(i, static_cast<uint64_t>(i));
    const std::string text = all.ToString();
    size_t pos = 0;
    const StatusOr<Literal> parsed = ParseLiteral(text, &pos, all.shape());
    ASSERT_TRUE(parsed.ok()) << DTypeName(dtype) << parsed.status();
    EXPECT_EQ(*parsed, all) << DTypeName(dtype);
  }
}

TEST(LiteralTextTest, RandomBitsOfEveryDTypeRoundTrip) {
  std::mt19937_64 rng(3);
  for (DType dtype : kAllDTypes) {
    if (dtype == DType::kToken) continue;
    Literal literal = *Literal::Create(Shape::Array(dtype, {20, 3, 17}));
    for (uint8_t& byte : literal.mutable_bytes()) byte = static_cast<uint8_t>(rng() >> 32);
    if (DTypeBits(dtype) == 4 || dtype == DType::kPred) {
      for (int64_t i = 0; i < literal.element_count(); ++i) {
        const int64_t value = static_cast<int64_t>(rng() >> 32);
        literal.SetBits(
            i, Literal::Scalar(dtype, dtype == DType::kPred ? value & 1 : value).GetBits(0));
      }
    }
    size_t pos = 0;
    const StatusOr<Literal> parsed = ParseLiteral(literal.ToString(), &pos, literal.shape());
    ASSERT_TRUE(parsed.ok()) << DTypeName(dtype) << parsed.status();
    EXPECT_EQ(*parsed, literal) << DTypeName(dtype);
  }
}

TEST(LiteralTextTest, ErrorsNameWhatIsWrong) {
  const auto expect = [](std::string_view shape, std::string_view text, std::string_view want) {
    const StatusOr<Literal> literal = Parse(shape, text);
    ASSERT_FALSE(literal.ok()) << text;
    EXPECT_NE(ToStd(literal.status().message()).find(want), std::string_view::npos)
        << literal.status();
  };
  expect("f32[4]", "{...}", "elided");
  expect("f32[2,2]", "{ ... }", "elided");
  expect("(f32[4])", "({...})", "elided");
  expect("f32[3]", "{1, 2}", "has 3 elements, got 2");
  expect("f32[2]", "{1, 2, 3}", "expected '}' after 2 elements");
  expect("f32[2]", "{}", "no elements in dimension 0");
  expect("f32[]", "1e39", "out of range for f32");
  expect("f16[]", "65520", "out of range for f16");
  expect("f8e4m3fn[]", "inf", "no infinity");
  expect("f8e4m3fn[]", "500", "out of range");
  expect("s8[]", "128", "does not fit in s8");
  expect("s4[]", "8", "does not fit in s4");
  expect("u8[]", "-1", "an integer");
  expect("s32[]", "1.5", "an integer");
  expect("pred[]", "2", "true, false");
  expect("pred[]", "truely", "true, false");
  expect("f32[]", "nan(0x0)", "no payload");
  expect("f32[]", "nan(0x1ffffffff)", "no payload");
  expect("f32[]", "NaN", "a number");
  expect("f32[]", "0x10", "a number");
  expect("f32[]", "", "more than the rest of the text");
  expect("f32[]", "-", "a number");
  expect("f32[]", "1e", "a number");
  expect("f32[n]", "{1}", "not static");
  expect("f32[1000000000]", "{1}", "more than the rest of the text");
  expect("(f32[], f32[])", "(1)", "','");
}

// Every constant that JAX and XLA wrote into the corpus.
TEST(LiteralTextTest, ConstantsOfTheCorpusParseAndPrintBack) {
  int constants = 0, same_text = 0;
  for (const std::string& path : HloFilesUnder({"corpus", "hlo_text", "models"})) {
    const std::string text = *ReadFile(path);
    constexpr std::string_view kOp = " constant(";
    for (size_t at = text.find(kOp); at != std::string::npos; at = text.find(kOp, at + 1)) {
      const size_t shape_at = text.rfind("= ", at) + 2;
      const StatusOr<Shape> shape =
          ParseShape(std::string_view(text).substr(shape_at, at - shape_at));
      ASSERT_TRUE(shape.ok()) << path << shape.status();
      size_t pos = at + kOp.size();
      const size_t start = pos;
      if (text.compare(pos, 5, "{...}") == 0) continue;
      const StatusOr<Literal> literal = ParseLiteral(text, &pos, *shape);
      ASSERT_TRUE(literal.ok()) << path << literal.status();
      ASSERT_EQ(text[pos], ')') << path;
      same_text += literal->ToString() == text.substr(start, pos - start);
      ++constants;
    }
  }
  EXPECT_GT(constants, 300);
  // XLA prints f32 in %.9g and shortens bf16; nearly everything else is the same text.
  EXPECT_GT(same_text, constants * 3 / 4);
}

TEST(LiteralTextTest, MutatedTextNeverCrashes) {
  struct Seed {
    const char* shape;
    const char* text;
  };
  const Seed seeds[] = {{"f32[2,2]", "{ { 1.5, -inf }, { nan(0x7fc01234), 4e-3 } }"},
                        {"(c64[2], pred[3], s4[])", "({(1, 2), (nan, -0)}, {1, 0, true}, -8)"},
                        {"bf16[2,0,3]", "{ {}, {} }"}};
  std::mt19937 rng(11);
  for (int round = 0; round < 30000; ++round) {
    const Seed& seed = seeds[round % 3];
    std::string text = seed.text;
    for (int edits = 1 + rng() % 3; edits > 0 && !text.empty(); --edits) {
      const size_t at = rng() % text.size();
      switch (rng() % 3) {
        case 0:
          text[at] = static_cast<char>(rng());
          break;
        case 1:
          text.erase(at, 1 + rng() % 3);
          break;
        default:
          text.insert(at, text.substr(rng() % text.size(), 1 + rng() % 8));
      }
    }
    size_t pos = 0;
    const StatusOr<Literal> literal = ParseLiteral(text, &pos, ShapeOf(seed.shape));
    if (!literal.ok()) continue;
    ASSERT_LE(pos, text.size());
    ASSERT_EQ(*Parse(seed.shape, literal->ToString()), *literal) << text;
  }
}

}  // namespace
}  // namespace swage::ir
