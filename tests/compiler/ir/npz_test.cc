#include "compiler/ir/npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <minizip/zip.h>
#include <zlib.h>

#include <random>
#include <string>
#include <vector>

#include "base/files.h"
#include "compiler/ir/zip_stream.h"
#include "tests/temp_folder.h"

namespace swage::ir {
namespace {

using ::testing::HasSubstr;

// A member of an archive that the tests make byte by byte; NpzWriter would refuse most of them.
struct Member {
  std::string name;
  std::string bytes;
  bool deflated = false;
};

std::string Archive(const std::vector<Member>& members) {
  ZipStream stream = ZipStream::OfMemory("");
  zlib_filefunc64_def functions = stream.Functions();
  const zipFile zip = zipOpen2_64("", APPEND_STATUS_CREATE, nullptr, &functions);
  for (const Member& member : members) {
    const zip_fileinfo info = {};
    EXPECT_EQ(zipOpenNewFileInZip64(zip, member.name.c_str(), &info, nullptr, 0, nullptr, 0,
                                    nullptr, member.deflated ? Z_DEFLATED : 0, 6, 0),
              ZIP_OK);
    EXPECT_EQ(
        zipWriteInFileInZip(zip, member.bytes.data(), static_cast<unsigned>(member.bytes.size())),
        ZIP_OK);
    EXPECT_EQ(zipCloseFileInZip(zip), ZIP_OK);
  }
  EXPECT_EQ(zipClose(zip, nullptr), ZIP_OK);
  return std::move(stream).TakeMemory();
}

Literal Floats(std::vector<float> values) {
  Literal literal =
      *Literal::Create(Shape::Array(DType::kF32, Dims{static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), literal.mutable_data<float>().begin());
  return literal;
}

std::string Npy(const Literal& literal) { return *SerializeNpy(literal); }

// Reads every member; the first error.
Status ReadAll(const std::string& bytes, int64_t max_bytes = kMaxNpzBytes) {
  SWAGE_ASSIGN_OR_RETURN(NpzReader file, NpzReader::Over(bytes, "x.npz", max_bytes));
  for (size_t i = 0; i < file.members().size(); ++i) {
    SWAGE_RETURN_IF_ERROR(file.Read(i).status());
  }
  return OkStatus();
}

std::string Message(const Status& status) { return std::string(status.message()); }

// The little-endian number at `at`.
void Poke(std::string* bytes, size_t at, uint64_t value, int width) {
  for (int i = 0; i < width; ++i) (*bytes)[at + i] = static_cast<char>(value >> (8 * i));
}

// Where the last record with this signature starts.
size_t LastRecord(const std::string& bytes, std::string_view signature) {
  const size_t at = bytes.rfind(signature);
  EXPECT_NE(at, std::string::npos);
  return at;
}
constexpr std::string_view kCentral("PK\x01\x02", 4), kLocal("PK\x03\x04", 4);

TEST(NpzTest, EveryDTypeRoundTripsStoredAndDeflated) {
  for (const bool compress : {false, true}) {
    NpzWriter writer({.compress = compress});
    std::vector<Literal> literals;
    std::vector<std::string> names;
    for (DType dtype : kAllDTypes) {
      if (dtype == DType::kToken) continue;
      for (const Dims& dims : {Dims{}, Dims{2, 0, 3}, Dims{20, 30}}) {
        Literal literal = *Literal::Create(Shape::Array(dtype, dims));
        uint8_t next = 0;
        for (uint8_t& byte : literal.mutable_bytes()) byte = ++next & 1;
        names.push_back(absl::StrCat("a/", names.size()));
        ASSERT_TRUE(writer.Add(names.back(), literal.shape(), literal.bytes()).ok());
        literals.push_back(std::move(literal));
      }
    }
    const StatusOr<std::string> bytes = std::move(writer).Finish();
    ASSERT_TRUE(bytes.ok());
    StatusOr<NpzReader> file = NpzReader::Over(*bytes, "x.npz");
    ASSERT_TRUE(file.ok()) << file.status();
    ASSERT_EQ(file->members().size(), literals.size());
    for (size_t i = literals.size(); i-- > 0;) {
      EXPECT_EQ(file->members()[i].name, names[i]);
      const StatusOr<Literal> read = file->Read(i, {.shape = literals[i].shape()});
      ASSERT_TRUE(read.ok()) << read.status();
      EXPECT_EQ(*read, literals[i]);
    }
  }
}

TEST(NpzTest, NumpysFilesAreRead) {
  StatusOr<NpzReader> stored = NpzReader::Open("tests/fuzz/npz_seeds/stored.npz");
  ASSERT_TRUE(stored.ok()) << stored.status();
  ASSERT_EQ(stored->members().size(), 3u);
  EXPECT_EQ(stored->members()[0].name, "w");
  EXPECT_EQ(stored->members()[1].name, "layer/b");
  EXPECT_EQ(stored->Read(0)->ToString(), "{ {0, 1, 2}, {3, 4, 5} }");
  EXPECT_EQ(stored->Read(1)->ToString(), "{1, 0}");
  EXPECT_EQ(stored->Read(2)->GetInt(0), 7);
  StatusOr<NpzReader> deflated = NpzReader::Open("tests/fuzz/npz_seeds/deflated.npz");
  ASSERT_TRUE(deflated.ok()) << deflated.status();
  EXPECT_EQ(deflated->members()[1].name, "arr_1");
  EXPECT_TRUE(deflated->Read(0)->IsAll(0));
  EXPECT_EQ(deflated->Read(1)->ToString(), "{0, 1, 2}");
}

TEST(NpzTest, TheSameArraysGiveTheSameBytes) {
  const auto write = [] {
    NpzWriter writer;
    EXPECT_TRUE(writer.Add("x", Floats({1, 2}).shape(), Floats({1, 2}).bytes()).ok());
    return *std::move(writer).Finish();
  };
  EXPECT_EQ(write(), write());
}

TEST(NpzTest, AnEmptyArchiveHasNoMembers) {
  StatusOr<NpzReader> file = NpzReader::Over(*NpzWriter().Finish(), "x.npz");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE(file->members().empty());
}

TEST(NpzTest, MembersAreCountedToTheLimitOfTheFormat) {
  std::vector<Member> members;
  for (int i = 0; i < 65535; ++i) members.push_back({absl::StrCat(i), ""});
  const StatusOr<NpzReader> file = NpzReader::Over(Archive(members), "x.npz");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->members().size(), members.size());
  members.push_back({"last", ""});  // which the library counts modulo 2^16
  EXPECT_EQ(Message(ReadAll(Archive(members))), "[npz] x.npz: more members than it says");
}

TEST(NpzTest, MoreArraysThanTheFormatCountsAreNotWritten) {
  NpzWriter writer;
  const Shape empty = Shape::Array(DType::kU8, Dims{0});
  for (int i = 0; i < 65534; ++i) ASSERT_TRUE(writer.Add(absl::StrCat(i), empty, {}).ok());
  EXPECT_EQ(Message(writer.Add("last", empty, {})),
            "[npz] got more than 65534 arrays for one file");
}

TEST(NpzTest, WhatIsNoArchiveSaysSo) {
  for (const std::string& bytes : {std::string(), std::string("PK"), std::string(1000, 'x'),
                                   Npy(Floats({1})), std::string(100, '\0')}) {
    EXPECT_EQ(Message(ReadAll(bytes)),
              "[npz] x.npz: no zip archive, or a truncated one; an .npz file is one, see np.savez");
  }
}

TEST(NpzTest, NamesAreKept) {
  const std::string npy = Npy(Floats({1}));
  const std::string archive =
      Archive({{"../../etc/x.npy", npy}, {"a b.npy", npy}, {"\xc3\xa4.npy", npy}});
  StatusOr<NpzReader> file = NpzReader::Over(archive, "x.npz");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->members()[0].name, "../../etc/x");
  EXPECT_EQ(file->members()[2].name, "\xc3\xa4");
  EXPECT_TRUE(ReadAll(archive).ok());
}

TEST(NpzTest, HostileNamesAreErrors) {
  const std::string npy = Npy(Floats({1}));
  EXPECT_EQ(Message(ReadAll(Archive({{"a.npy", npy}, {"b.npy", npy}, {"a.npy", npy}}))),
            "[npz] x.npz: the member 'a.npy' is there twice");
  EXPECT_EQ(Message(ReadAll(Archive({{"a\x1b[31m.npy", npy}}))),
            "[npz] x.npz: the name 'a?[31m.npy' of member 0 has control characters");
  std::string nul = Archive({{"a_.npy", npy}});
  nul[LastRecord(nul, kCentral) + 46 + 1] = '\0';
  EXPECT_THAT(Message(ReadAll(nul)), HasSubstr("has control characters"));
  EXPECT_FALSE(ReadAll(Archive({{std::string(60000, 'x'), npy}})).ok());
}

TEST(NpzTest, OtherMembersAreErrorsOnlyWhenRead) {
  const std::string archive =
      Archive({{"README.txt", "hello"}, {"x.npy", Npy(Floats({1}))}, {"dir/", ""}, {".npy", ""}});
  StatusOr<NpzReader> file = NpzReader::Over(archive, "x.npz");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE(file->Read(1).ok());
  for (const size_t other : {0, 2, 3}) {
    EXPECT_FALSE(file->members()[other].is_npy);
    EXPECT_THAT(Message(file->Read(other).status()),
                HasSubstr("expected a member whose name ends with .npy"));
  }
}

TEST(NpzTest, MembersThatAreNoArraysAreErrors) {
  EXPECT_THAT(Message(ReadAll(Archive({{"x.npy", "hello"}}))),
              HasSubstr("[npy] x.npz(x): not a .npy file"));
  EXPECT_THAT(Message(ReadAll(Archive({{"x.npy", ""}}))), HasSubstr("not a .npy file"));
  const std::string npy = Npy(Floats({1, 2}));
  for (size_t size = 0; size < npy.size(); ++size) {
    for (const bool deflated : {false, true}) {
      EXPECT_FALSE(ReadAll(Archive({{"x.npy", npy.substr(0, size), deflated}})).ok()) << size;
    }
  }
  EXPECT_THAT(Message(ReadAll(Archive({{"x.npy", npy + "z"}}))), HasSubstr("trailing bytes"));
}

TEST(NpzTest, SmallHeadersAreRead) {
  // A version 1 file whose header is padded to nothing.
  std::string npy("\x93NUMPY\x01\x00", 8);
  const std::string header = "{'descr':'|u1','fortran_order':False,'shape':(1,)}";
  npy += static_cast<char>(header.size());
  npy += '\0';
  EXPECT_TRUE(ReadAll(Archive({{"x.npy", npy + header + "a"}})).ok());
}

TEST(NpzTest, DamagedElementsAreErrors) {
  for (const bool deflated : {false, true}) {
    std::string archive = Archive({{"x.npy", Npy(Floats({1, 2, 3, 4})), deflated}});
    archive[LastRecord(archive, kCentral) - 3] ^= 0x40;  // the last elements
    EXPECT_FALSE(ReadAll(archive).ok()) << deflated;
  }
  std::string archive = Archive({{"x.npy", Npy(Floats({1, 2, 3, 4}))}});
  archive[LastRecord(archive, kCentral) - 3] ^= 0x40;
  EXPECT_EQ(Message(ReadAll(archive)),
            "[npz] x.npz(x): the checksum does not match, the file is damaged");
}

TEST(NpzTest, EveryTruncationIsAnError) {
  for (const bool deflated : {false, true}) {
    const std::string archive =
        Archive({{"x.npy", Npy(Floats({1, 2})), deflated}, {"y.npy", Npy(Floats({3})), deflated}});
    for (size_t size = 0; size < archive.size(); ++size) {
      EXPECT_FALSE(ReadAll(archive.substr(0, size)).ok()) << size;
    }
  }
}

TEST(NpzTest, BombsAreRefusedBeforeMemoryIsTaken) {
  // Claims far more than its packed bytes can give.
  const std::string npy = Npy(Floats({1, 2, 3, 4}));
  for (const bool deflated : {false, true}) {
    std::string claims = Archive({{"x.npy", npy, deflated}});
    Poke(&claims, LastRecord(claims, kCentral) + 24, 0x7fffffff, 4);
    Poke(&claims, LastRecord(claims, kLocal) + 22, 0x7fffffff, 4);
    EXPECT_THAT(Message(ReadAll(claims)), HasSubstr("cannot unpack to 2147483647")) << deflated;
  }
  // Two members over the same bytes.
  std::string overlap = Archive({{"x.npy", std::string(4000, 'a')}, {"y.npy", ""}});
  const size_t second = LastRecord(overlap, kCentral);
  Poke(&overlap, second + 20, 4000, 4);
  Poke(&overlap, second + 24, 4000, 4);
  Poke(&overlap, second + 42, 0, 4);
  EXPECT_EQ(Message(ReadAll(overlap)), "[npz] x.npz: members overlap or reach beyond the file");
  // What it honestly holds is more than the reader wants.
  const std::string zeros = Archive({{"x.npy", Npy(Floats(std::vector<float>(1 << 20))), true}});
  EXPECT_LT(zeros.size(), 10000u);
  const Status large = ReadAll(zeros, 1 << 20);
  EXPECT_EQ(large.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(Message(large), HasSubstr("the limit leaves 1048576"));
  EXPECT_TRUE(ReadAll(zeros).ok());
}

TEST(NpzTest, EncryptionAndOtherMethodsAreNamed) {
  const std::string archive = Archive({{"x.npy", Npy(Floats({1}))}});
  std::string encrypted = archive;
  encrypted[LastRecord(encrypted, kCentral) + 8] |= 1;
  EXPECT_THAT(Message(ReadAll(encrypted)), HasSubstr("the member is encrypted"));
  std::string method = archive;
  Poke(&method, LastRecord(method, kCentral) + 10, 12, 2);
  const Status status = ReadAll(method);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(Message(status), HasSubstr("packed by method 12, expected stored (0)"));
}

// Whatever becomes of a file, reading it ends, with an array of a bounded size or an error.
TEST(NpzTest, FlippedBytesAreSafe) {
  std::mt19937_64 random(7);
  for (const bool deflated : {false, true}) {
    const std::string good =
        Archive({{"x.npy", Npy(Floats({1, 2, 3})), deflated},
                 {"y.npy", Npy(Floats(std::vector<float>(300, 1.5f))), deflated}});
    int errors = 0;
    for (int i = 0; i < 5000; ++i) {
      std::string bytes = good;
      for (uint64_t flips = 1 + random() % 4; flips > 0; --flips) {
        bytes[random() % bytes.size()] = static_cast<char>(random());
      }
      errors += ReadAll(bytes, 1 << 20).ok() ? 0 : 1;
    }
    EXPECT_GT(errors, 1000);
  }
}

TEST(NpzTest, OnlyRegularFilesAreOpened) {
  const TempFolder folder;
  EXPECT_EQ(NpzReader::Open(folder.path() + "/none.npz").status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_FALSE(NpzReader::Open(folder.path()).ok());
  EXPECT_FALSE(NpzReader::Open("/dev/zero").ok());
  EXPECT_FALSE(NpzReader::Open("").ok());
  const std::string path = folder.path() + "/x.npz";
  ASSERT_TRUE(WriteFile(path, Archive({{"x.npy", Npy(Floats({1}))}})).ok());
  StatusOr<NpzReader> file = NpzReader::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_EQ(truncate(path.c_str(), 50), 0);  // under the reader's feet
  EXPECT_FALSE(file->Read(0).ok());
}

TEST(NpzTest, NamesThatAreNotWritten) {
  NpzWriter writer;
  const Literal one = Floats({1});
  const auto add = [&](std::string_view name) {
    return Message(writer.Add(name, one.shape(), one.bytes()));
  };
  EXPECT_EQ(add("a/b..c"), "");
  EXPECT_EQ(add("a/b..c"), "[npz] got the name 'a/b..c' twice");
  EXPECT_EQ(add(""), "[npz] got the name '', which is empty");
  EXPECT_EQ(add("a\nb"), "[npz] got the name 'a?b', which has control characters");
  EXPECT_THAT(add(std::string(65532, 'x')), HasSubstr("is too long for a zip archive"));
  for (const std::string_view name : {"/x", "../x", "a/../x", "..", "a/.."}) {
    EXPECT_THAT(add(name), HasSubstr("would leave the folder")) << name;
  }
}

}  // namespace
}  // namespace swage::ir
