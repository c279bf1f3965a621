#include "compiler/ir/npy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>

#include "base/files.h"
#include "base/guard_memory.h"
#include "tests/temp_folder.h"

namespace swage::ir {
namespace {

// A version 1 file with this header and data.
std::string File(std::string header, std::string_view data, char major = 1) {
  std::string out("\x93NUMPY");
  out += major;
  out += '\0';
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  if (major > 1) out += std::string(2, '\0');
  return out + header + std::string(data);
}

std::string Header(std::string_view descr, std::string_view shape,
                   std::string_view fortran = "False") {
  return "{'descr': '" + std::string(descr) + "', 'fortran_order': " + std::string(fortran) +
         ", 'shape': " + std::string(shape) + ", }   \n";
}

void ExpectError(const StatusOr<Literal>& literal, std::string_view want) {
  ASSERT_FALSE(literal.ok()) << want;
  EXPECT_EQ(literal.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(ToStd(literal.status().message()).find("x.npy: "), std::string_view::npos)
      << literal.status();
  EXPECT_NE(ToStd(literal.status().message()).find(want), std::string_view::npos)
      << literal.status();
}

TEST(NpyTest, EveryDTypeRoundTrips) {
  for (DType dtype : kAllDTypes) {
    if (dtype == DType::kToken) continue;
    for (const Dims& dims : {Dims{}, Dims{5}, Dims{2, 0, 3}, Dims{2, 3}}) {
      Literal literal = *Literal::Create(Shape::Array(dtype, dims));
      uint8_t next = 0;
      for (uint8_t& byte : literal.mutable_bytes()) byte = ++next & 1;
      const std::string bytes = *SerializeNpy(literal);
      const StatusOr<Literal> read = ParseNpy(bytes, "x.npy", {.dtype = dtype});
      ASSERT_TRUE(read.ok()) << read.status();
      EXPECT_EQ(*read, literal);
      EXPECT_EQ((bytes.size() - literal.bytes().size()) % 64, 0u);
      EXPECT_TRUE(ParseNpy(bytes, "x.npy", {.shape = literal.shape()}).ok());
    }
  }
}

TEST(NpyTest, WithoutAWishTheFileDecides) {
  EXPECT_EQ(ParseNpy(File(Header("<f4", "(1,)"), "abcd"), "x.npy")->dtype(), DType::kF32);
  EXPECT_EQ(ParseNpy(File(Header("<u2", "(2,)"), "abcd"), "x.npy")->dtype(), DType::kU16);
  EXPECT_EQ(ParseNpy(File(Header("|i1", "(4,)"), "abcd"), "x.npy")->dtype(), DType::kS8);
  EXPECT_EQ(ParseNpy(File(Header("<c8", "()"), "abcdefgh"), "x.npy")->dtype(), DType::kC64);
}

TEST(NpyTest, AllVersionsAndSpellings) {
  for (char version : {1, 2, 3}) {
    EXPECT_TRUE(ParseNpy(File(Header("<f4", "(1,)"), "abcd", version), "x.npy").ok());
  }
  EXPECT_TRUE(
      ParseNpy(File("{\"shape\":(1L,2L),\"descr\":\"=f2\",\"fortran_order\":False}", "abcd"),
               "x.npy")
          .ok());
  EXPECT_TRUE(ParseNpy(File(Header("|V2", "(2,)"), "abcd"), "x.npy", {.dtype = DType::kBF16}).ok());
  EXPECT_TRUE(ParseNpy(File(Header("<f4", "(1,)", "True"), "abcd"), "x.npy").ok());
}

TEST(NpyTest, ErrorsNameFileGotAndExpected) {
  const std::string good = File(Header("<f4", "(2, 3)"), std::string(24, 'a'));
  ASSERT_TRUE(ParseNpy(good, "x.npy").ok());
  ExpectError(ParseNpy("", "x.npy"), "not a .npy file");
  ExpectError(ParseNpy("PK\x03\x04zip", "x.npy"), "got 'PK..zi'");
  ExpectError(ParseNpy(good.substr(0, 8), "x.npy"), "truncated header");
  ExpectError(ParseNpy(good.substr(0, 40), "x.npy"), "truncated header");
  ExpectError(ParseNpy(good.substr(0, good.size() - 1), "x.npy"),
              "takes 24 bytes after the header, got 23");
  ExpectError(ParseNpy(good + "a", "x.npy"), "trailing bytes");
  ExpectError(ParseNpy(File(Header("<f4", "(2, 3)", "True"), std::string(24, 'a')), "x.npy"),
              "Fortran order, expected C order");
  ExpectError(ParseNpy(File(Header(">f4", "(1,)"), "abcd"), "x.npy"), "big-endian");
  ExpectError(ParseNpy(File(Header("|O", "(1,)"), "abcd"), "x.npy"), "Python objects");
  ExpectError(ParseNpy(File(Header("<U5", "(1,)"), "abcd"), "x.npy"), "unsupported dtype '<U5'");
  ExpectError(ParseNpy(good, "x.npy", {.dtype = DType::kBF16}),
              "dtype mismatch, expected bf16 stored as 'u2', got '<f4'");
  ExpectError(ParseNpy(good, "x.npy", {.shape = Shape::Array(DType::kF32, {3, 2})}),
              "shape mismatch, expected (3, 2), got (2, 3)");
  ExpectError(ParseNpy(File(Header("<f4", "(9223372036854775807, 9)"), ""), "x.npy"),
              "absurd shape");
  ExpectError(ParseNpy(File(Header("<f4", "(99999999999999999999,)"), ""), "x.npy"), "int64");
  ExpectError(ParseNpy(File(Header("<f4", "(1000000000000,)"), "abcd"), "x.npy"), "truncated");
  ExpectError(ParseNpy(File(Header("<f4", "(-1,)"), ""), "x.npy"), "an extent");
  ExpectError(ParseNpy(File("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", ""),
                       "x.npy"),
              "structured dtype");
  ExpectError(ParseNpy(File("{'descr': '<f4', 'shape': (1,)}", "abcd"), "x.npy"), "lacks one of");
  ExpectError(ParseNpy(File("{'descr': '<f4', 'descr': '<f4'}", "abcd"), "x.npy"), "repeated");
  ExpectError(ParseNpy(File(Header("|b1", "(1,)"), "\x02"), "x.npy"),
              "got 2 at byte 0 of pred data, expected 0 to 1");
  ExpectError(ParseNpy(File(Header("|i1", "(2,)"), "\x07\x08"), "x.npy", {.dtype = DType::kS4}),
              "got 8 at byte 1 of s4 data, expected -8 to 7");
  ExpectError(ParseNpy(std::string("\x93NUMPY\x04\x00xx", 10), "x.npy"), "format version 4.0");
  ExpectError(ParseNpy(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12), "x.npy"),
              "the limit is");
}

// Each prefix of a file lies at a page that nobody may touch: what is not there is not read.
TEST(NpyTest, EveryTruncationIsAnErrorThatReadsNothingBeyondIt) {
  for (char version : {1, 2, 3}) {
    const std::string good = File(Header("<f4", "(2, 3)"), std::string(24, 'a'), version);
    for (size_t size = 0; size <= good.size(); ++size) {
      const GuardedBuffer buffer = *GuardedBuffer::Create(size, 1, GuardSide::kEnd);
      char* const bytes = static_cast<char*>(buffer.data());
      std::copy_n(good.data(), size, bytes);
      EXPECT_EQ(ParseNpy({bytes, size}, "x.npy").ok(), size == good.size()) << size;
    }
  }
}

TEST(NpyTest, WrongElementTypesAreErrors) {
  for (const char* descr :
       {"",     "<",      "f",   "<f",      "<f0", "<f3", "<f16", "<i16", "<u0", "<c32",
        "<b1 ", "<f4<f4", "|S4", "<m8[ns]", "<M8", "V4",  "|V2",  "4f",   "?",   "<e"}) {
    ExpectError(ParseNpy(File(Header(descr, "(1,)"), "abcdefghabcdefgh"), "x.npy"), "dtype");
  }
}

TEST(NpyTest, ShapesThatNoArrayHasAreErrors) {
  for (const char* shape :
       {"(-1,)", "(1, -2)", "(+1,)", "(1.5,)", "(1e3,)", "((1,),)", "[1]", "1", "(,)", "(1", "None",
        "(9223372036854775808,)", "(4611686018427387904, 2)", "(4294967296, 4294967296)",
        "(2305843009213693952,)"}) {
    const StatusOr<Literal> literal = ParseNpy(File(Header("<f4", shape), "abcd"), "x.npy");
    EXPECT_EQ(literal.status().code(), absl::StatusCode::kInvalidArgument) << shape;
  }
  std::string most = "(", more = "(";
  for (int i = 0; i < 64; ++i) most += "1,";
  for (int i = 0; i < 65; ++i) more += "1,";
  EXPECT_TRUE(ParseNpy(File(Header("<f4", most + ")"), "abcd"), "x.npy").ok());
  ExpectError(ParseNpy(File(Header("<f4", more + ")"), "abcd"), "x.npy"),
              "more than 64 dimensions");
  // Nothing in all, however long the other extents.
  EXPECT_TRUE(ParseNpy(File(Header("<f4", "(0, 1000000)"), ""), "x.npy").ok());
}

TEST(NpyTest, FilesAreWrittenAndRead) {
  const TempFolder folder;
  const std::string path = folder.path() + "/a.npy";
  const Literal literal = Literal::Scalar(DType::kF64, 2.5);
  ASSERT_TRUE(WriteNpy(path, literal).ok());
  EXPECT_EQ(*ReadNpy(path), literal);
  std::remove(path.c_str());
  EXPECT_EQ(ReadNpy(path).status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(WriteNpy(path, Literal::Tuple({literal})).ok());
}

TEST(NpyTest, NumpysOwnFilesAreReadAndReproduced) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator("tests/corpus/elementwise")) {
    if (entry.path().extension() != ".npy") continue;
    const StatusOr<Literal> literal = ReadNpy(entry.path().string());
    ASSERT_TRUE(literal.ok()) << literal.status();
    EXPECT_EQ(*SerializeNpy(*literal), *ReadFile(entry.path().string())) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 50);
}

TEST(NpyTest, MutatedFilesNeverCrash) {
  const std::string seeds[] = {File(Header("<f4", "(2, 3)"), std::string(24, 'a')),
                               File(Header("|b1", "(2,)"), std::string(2, '\1'), 2)};
  std::mt19937 rng(5);
  int read = 0;
  for (int round = 0; round < 100000; ++round) {
    std::string bytes = seeds[round % 2];
    for (int edits = 1 + rng() % 4; edits > 0 && !bytes.empty(); --edits) {
      const size_t at = rng() % bytes.size();
      switch (rng() % 4) {
        case 0:
          bytes[at] = static_cast<char>(rng());
          break;
        case 1:
          bytes.erase(at, 1 + rng() % 4);
          break;
        case 2:
          bytes.resize(rng() % bytes.size());
          break;
        default:
          bytes[at] = "0123456789<>|(),'{}LOV"[rng() % 22];
      }
    }
    const StatusOr<Literal> literal = ParseNpy(bytes, "x.npy");
    if (!literal.ok()) continue;
    ++read;
    ASSERT_EQ(*ParseNpy(*SerializeNpy(*literal), "y.npy"), *literal);
  }
  EXPECT_GT(read, 1000);
}

}  // namespace
}  // namespace swage::ir
