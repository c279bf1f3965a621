#include "tools/cache_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/files.h"
#include "base/key_material.h"
#include "cache/disk_tier.h"
#include "tests/tools/run_tool.h"

namespace swage {
namespace {

using cache::DiskTier;
using cache::EntryKind;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class CacheCommandTest : public ToolTest {
 protected:
  CacheCommandTest() { ::setenv("SWAGE_CACHE_DIR", cache().c_str(), 1); }

  std::string cache() const { return root_ + "/cache"; }
  static std::string Material(const std::string& text) {
    KeyMaterial material;
    material.Add("build_id", "b1");
    material.Add("cpu_features", "+avx2,+fma");
    material.Add("program", text);
    return material.Serialise();
  }
  // Returns the hash.
  std::string Put(EntryKind kind, const std::string& text, const std::string& payload = "payload") {
    DiskTier disk({.dir = cache(), .sync = false});
    disk.Put(kind, Material(text), payload);
    return HashKeyBytes(Material(text)).ToHex();
  }
  std::string PathOf(const std::string& hash, const std::string& kind) const {
    return cache() + "/" + hash.substr(0, 2) + "/" + hash + "." + kind;
  }
  void Damage(const std::string& path) {
    std::string bytes = *ReadFile(path);
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    ASSERT_TRUE(WriteFile(path, bytes).ok());
  }
  // What `args` give with a configuration whose third line has an error.
  CommandResult WithWrongConfiguration(const std::string& args) const {
    const std::string path = Write("swage.toml", "format = 1\n[cache]\ndri = \"x\"\n");
    ::setenv("SWAGE_CONFIG", path.c_str(), 1);
    const CommandResult outcome = Swage(args);
    ::unsetenv("SWAGE_CONFIG");
    return outcome;
  }
};

TEST_F(CacheCommandTest, LsShowsKindHashSizeAgeAndWhatItIs) {
  const std::string kernel = Put(EntryKind::kKernel, "@0 {\n  fused_add.1 \x1b[31m\n  more");
  const std::string module = Put(EntryKind::kModule, "HloModule attend");
  const CommandResult outcome = Swage("cache ls");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("kernel  " + kernel));
  EXPECT_THAT(outcome.output, HasSubstr("  fused_add.1 ?[31m more\n"));
  EXPECT_THAT(outcome.output, HasSubstr("module  " + module));
  EXPECT_THAT(outcome.output, HasSubstr(" s  HloModule attend\n"));
  EXPECT_THAT(outcome.output, HasSubstr("2 entries, "));
  EXPECT_THAT(outcome.output, HasSubstr(" bytes in /"));
}

TEST_F(CacheCommandTest, ACacheThatDoesNotExistYetIsEmpty) {
  const CommandResult outcome = Swage("cache ls");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, StartsWith("0 entries, 0 bytes"));
  EXPECT_EQ(Swage("cache verify").exit_code, 0);
  EXPECT_EQ(Swage("cache prune --bytes 0").exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(cache()));
}

TEST_F(CacheCommandTest, DirBeatsTheEnvironment) {
  Put(EntryKind::kKernel, "x");
  std::filesystem::rename(cache(), root_ + "/other");
  EXPECT_THAT(Swage("cache ls").output, StartsWith("0 entries"));
  EXPECT_THAT(Swage("cache ls --dir " + root_ + "/other").output, HasSubstr("1 entry, "));
  const CommandResult outcome = Swage("cache ls --dir " + root_ + "/typo");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("/typo' is no directory"));
}

TEST_F(CacheCommandTest, WithoutADirectoryItSaysSo) {
  ::setenv("SWAGE_CACHE_DIR", "off", 1);
  const CommandResult outcome = Swage("cache ls");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("the disk cache is off"));
}

TEST_F(CacheCommandTest, ADirectoryThatOthersCanWriteToIsRefused) {
  Put(EntryKind::kKernel, "x");
  ASSERT_EQ(::chmod(cache().c_str(), 0777), 0);
  EXPECT_EQ(Swage("cache ls").exit_code, 2);
}

TEST_F(CacheCommandTest, ShowPrintsThePartsOfTheKey) {
  const std::string hash = Put(EntryKind::kModule, "HloModule attend\n  line two\n", "12345");
  for (const std::string& key : {hash, hash.substr(0, 6), hash + ".module"}) {
    const CommandResult outcome = Swage("cache show " + key);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("kind     module\n"));
    EXPECT_THAT(outcome.output, HasSubstr("hash     " + hash + "\n"));
    EXPECT_THAT(outcome.output, HasSubstr("payload  5 bytes\n"));
    EXPECT_THAT(outcome.output, HasSubstr("  build_id       b1\n"));
    EXPECT_THAT(outcome.output, HasSubstr("  cpu_features   +avx2,+fma\n"));
    EXPECT_THAT(outcome.output, HasSubstr("  program\n    HloModule attend\n      line two\n"));
  }
}

TEST_F(CacheCommandTest, ShowSaysWhenAKeyIsNoneOrSeveral) {
  std::map<char, int> entries;  // by first digit; of 17 entries two have the same
  for (int i = 0; i < 17; ++i) ++entries[Put(EntryKind::kKernel, std::to_string(i))[0]];
  const auto shared = std::find_if(entries.begin(), entries.end(),
                                   [](const auto& digit) { return digit.second > 1; });
  const CommandResult none = Swage("cache show zzz");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.output, HasSubstr("no entry 'zzz'"));
  const CommandResult several = Swage(std::string("cache show ") + shared->first);
  EXPECT_EQ(several.exit_code, 2);
  EXPECT_THAT(several.output, HasSubstr(std::to_string(shared->second) + " entries"));
}

TEST_F(CacheCommandTest, AWrongConfigurationIsSaidOnce) {
  const std::string module = Write("m.hlo", "HloModule m\nENTRY e { ROOT c = s32[] constant(1) }");
  const CommandResult outcome = WithWrongConfiguration("run --cache " + module);
  EXPECT_EQ(outcome.exit_code, 2);
  const size_t first = outcome.output.find("swage.toml:3:1");
  EXPECT_NE(first, std::string::npos) << outcome.output;
  EXPECT_EQ(outcome.output.find("swage.toml:3:1", first + 1), std::string::npos) << outcome.output;
}

TEST_F(CacheCommandTest, BadEntriesAreNamedAndExitWithOne) {
  const std::string good = Put(EntryKind::kKernel, "good");
  const std::string bad = Put(EntryKind::kKernel, "bad");
  EXPECT_THAT(Swage("cache verify").output, HasSubstr("0 of 2 entries are bad"));
  Damage(PathOf(bad, "kernel"));
  const CommandResult verify = Swage("cache verify");
  EXPECT_EQ(verify.exit_code, 1);
  EXPECT_THAT(verify.output, StartsWith(bad + ".kernel: "));
  EXPECT_THAT(verify.output, HasSubstr("1 of 2 entries are bad"));
  EXPECT_THAT(verify.output, Not(HasSubstr(good)));
  EXPECT_EQ(Swage("cache show " + bad).exit_code, 1);
  EXPECT_THAT(Swage("cache show " + bad).output, HasSubstr("BAD      "));
  EXPECT_THAT(Swage("cache ls").output, HasSubstr("BAD: "));
}

TEST_F(CacheCommandTest, PruneKeepsWhatWasAskedFor) {
  for (int i = 0; i < 10; ++i) Put(EntryKind::kKernel, std::to_string(i));
  EXPECT_THAT(Swage("cache prune --bytes 1GB").output, HasSubstr("removed 0 entries"));
  const CommandResult some = Swage("cache prune --bytes 20KB");
  EXPECT_EQ(some.exit_code, 0);
  EXPECT_THAT(some.output, Not(HasSubstr("removed 0 ")));
  EXPECT_THAT(some.output, Not(HasSubstr("removed 10 ")));
  Swage("cache prune --bytes 0");
  EXPECT_THAT(Swage("cache ls").output, StartsWith("0 entries"));
  for (const char* args : {"cache prune", "cache prune --bytes x", "cache prune --bytes -1",
                           "cache prune --bytes 99999999999999999999GB"}) {
    EXPECT_EQ(Swage(args).exit_code, 2) << args;
  }
}

TEST_F(CacheCommandTest, PacksTravel) {
  Put(EntryKind::kKernel, "x", "one");
  Put(EntryKind::kModule, "y", "two");
  const std::string pack = root_ + "/warm.swagepack";
  const CommandResult packed = Swage("cache pack " + pack);
  EXPECT_EQ(packed.exit_code, 0);
  EXPECT_THAT(packed.output, HasSubstr("packed 2 entries"));
  const std::string other = root_ + "/other";
  const CommandResult unpacked = Swage("cache unpack " + pack + " --dir " + other);
  EXPECT_EQ(unpacked.exit_code, 0) << unpacked.output;
  EXPECT_THAT(unpacked.output, HasSubstr("unpacked 2 entries"));
  DiskTier disk({.dir = other});
  EXPECT_EQ(*disk.Get(EntryKind::kKernel, Material("x")), "one");
  EXPECT_EQ(*disk.Get(EntryKind::kModule, Material("y")), "two");
}

TEST_F(CacheCommandTest, PacksLeaveBadEntriesOut) {
  Put(EntryKind::kKernel, "good");
  Damage(PathOf(Put(EntryKind::kKernel, "bad"), "kernel"));
  const CommandResult packed = Swage("cache pack " + root_ + "/p");
  EXPECT_EQ(packed.exit_code, 1);
  EXPECT_THAT(packed.output, HasSubstr("packed 1 entry, "));
  EXPECT_THAT(packed.output, HasSubstr("skipped: "));
}

TEST_F(CacheCommandTest, WhatIsNoPackIsAnError) {
  EXPECT_EQ(Swage("cache unpack " + Write("p", "nonsense")).exit_code, 2);
  EXPECT_EQ(Swage("cache unpack " + root_ + "/absent").exit_code, 2);
  EXPECT_EQ(Swage("cache unpack").exit_code, 2);
  EXPECT_EQ(Swage("cache pack " + root_ + "/no/such/folder/p").exit_code, 2);
}

TEST_F(CacheCommandTest, MistakesExitWithTwo) {
  for (const char* args : {"cache", "cache no-such-part", "cache ls extra", "cache show"}) {
    const CommandResult outcome = Swage(args);
    EXPECT_EQ(outcome.exit_code, 2) << args;
    EXPECT_THAT(outcome.output, StartsWith("swage: ")) << args;
  }
}

TEST_F(CacheCommandTest, AWrongConfigurationIsAnError) {
  const CommandResult outcome = WithWrongConfiguration("cache ls");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("swage.toml:3:1"));
}

TEST(CacheTextTest, AgesAreShort) {
  using tools::AgeText;
  EXPECT_EQ(AgeText(100, 100), "0 s");
  EXPECT_EQ(AgeText(200, 100), "0 s");
  EXPECT_EQ(AgeText(0, 119), "119 s");
  EXPECT_EQ(AgeText(0, 120), "2 min");
  EXPECT_EQ(AgeText(0, 2 * 3600), "2 h");
  EXPECT_EQ(AgeText(0, 48 * 3600), "2 d");
}

TEST(CacheTextTest, FirstLinesArePlainAndBounded) {
  using tools::FirstLine;
  EXPECT_EQ(FirstLine("", 10), "");
  EXPECT_EQ(FirstLine(" \n \n", 10), "");
  EXPECT_EQ(FirstLine("\n\n  ab\tc\nd", 10), "ab?c");
  EXPECT_EQ(FirstLine("0123456789abc", 10), "0123456789");
}

}  // namespace
}  // namespace swage
