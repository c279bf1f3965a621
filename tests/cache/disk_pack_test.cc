#include "cache/disk_pack.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "tests/cache/cache_testing.h"

namespace swage::cache {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class DiskPackTest : public CacheTest {
 protected:
  std::string Pack() const { return root_ + "/pack"; }
};

TEST_F(DiskPackTest, EntriesTravelInOneFile) {
  DiskTier disk(Options());
  disk.Put(EntryKind::kKernel, "a", std::string(100'000, 'x'));
  disk.Put(EntryKind::kModule, "a", "y");
  const StatusOr<PackResult> made = ExportPack(disk, Pack());
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->entries, 2);
  DiskTier other({.dir = root_ + "/other", .sync = false});
  const StatusOr<PackResult> read = ImportPack(Pack(), other);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->entries, 2);
  EXPECT_EQ(read->bytes, made->bytes);
  EXPECT_EQ(*other.Get(EntryKind::kKernel, "a"), std::string(100'000, 'x'));
  EXPECT_EQ(*other.Get(EntryKind::kModule, "a"), "y");
}

TEST_F(DiskPackTest, AnEmptyCacheMakesAnEmptyPack) {
  DiskTier disk(Options());
  EXPECT_EQ(ExportPack(disk, Pack())->entries, 0);
  EXPECT_EQ(ImportPack(Pack(), disk)->entries, 0);
}

TEST_F(DiskPackTest, APackFollowsALinkAndRunsThroughAPipe) {
  DiskTier disk(Options());
  disk.Put(EntryKind::kKernel, "a", "x");
  ASSERT_EQ(::symlink("pack", (root_ + "/link").c_str()), 0);
  ASSERT_TRUE(ExportPack(disk, root_ + "/link").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(root_ + "/link"));
  DiskTier other({.dir = root_ + "/other", .sync = false});
  EXPECT_EQ(ImportPack(Pack(), other)->entries, 1);
  const std::string pipe = root_ + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  StatusOr<std::string> read;
  std::thread reader([&] { read = ReadFile(pipe); });
  const StatusOr<PackResult> made = ExportPack(disk, pipe);
  reader.join();
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(*read, *ReadFile(Pack()));
}

TEST_F(DiskPackTest, DamagedEntriesAreSkippedOnEitherWay) {
  DiskTier disk(Options());
  for (const char* key : {"a", "b", "c"}) disk.Put(EntryKind::kKernel, key, "payload");
  ASSERT_TRUE(WriteFile(Files()[0], "SWGENTRY damaged").ok());
  const StatusOr<PackResult> made = ExportPack(disk, Pack());
  EXPECT_EQ(made->entries, 2);
  EXPECT_EQ(made->skipped, 1);
  EXPECT_THAT(made->problems, SizeIs(1));
  std::string bytes = *ReadFile(Pack());
  bytes[bytes.size() - 20] ^= 1;  // in the payload of the last entry
  ASSERT_TRUE(WriteFile(Pack(), bytes).ok());
  DiskTier other({.dir = root_ + "/other", .sync = false});
  const StatusOr<PackResult> read = ImportPack(Pack(), other);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->entries, 1);
  ASSERT_THAT(read->problems, SizeIs(1));
  EXPECT_THAT(read->problems[0], HasSubstr("checksum"));
}

TEST_F(DiskPackTest, EveryTruncationIsAnErrorAndBringsNothingWrong) {
  DiskTier disk(Options());
  disk.Put(EntryKind::kKernel, "a", "payload");
  disk.Put(EntryKind::kKernel, "b", "payload");
  ASSERT_TRUE(ExportPack(disk, Pack()).ok());
  const std::string bytes = *ReadFile(Pack());
  DiskTier other({.dir = root_ + "/other", .sync = false});
  for (size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_TRUE(WriteFile(Pack(), bytes.substr(0, size)).ok());
    EXPECT_EQ(ImportPack(Pack(), other).status().code(), absl::StatusCode::kInvalidArgument)
        << size;
  }
  for (const DiskEntry& entry : Entries(other, true)) EXPECT_EQ(entry.problem, "");
}

TEST_F(DiskPackTest, WhatIsNoPackIsRefused) {
  DiskTier disk(Options());
  ASSERT_TRUE(WriteFile(Pack(), "HloModule m").ok());
  EXPECT_THAT(std::string(ImportPack(Pack(), disk).status().message()), HasSubstr("is no pack"));
  EXPECT_EQ(ImportPack(root_ + "/absent", disk).status().code(), absl::StatusCode::kNotFound);
  // A size that no memory holds.
  std::string huge("SWGPACK\1", 8);
  huge += std::string(8, '\x7f');
  ASSERT_TRUE(WriteFile(Pack(), huge).ok());
  EXPECT_THAT(std::string(ImportPack(Pack(), disk).status().message()), HasSubstr("declares"));
}

}  // namespace
}  // namespace swage::cache
