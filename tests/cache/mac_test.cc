#include "cache/mac.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "tests/temp_folder.h"

namespace swage::cache {
namespace {

using ::testing::HasSubstr;

MacKey Key(char fill) { return *MacKey::FromBytes(std::string(MacKey::kBytes, fill)); }

TEST(MacTest, WhatWasSealedOpensUnderTheSameNameAndKey) {
  for (const std::string& bytes :
       {std::string(), std::string("a\0b", 3), std::string(100'000, 'x')}) {
    const std::string sealed = Seal(Key('k'), "name", bytes);
    EXPECT_EQ(sealed.size(), bytes.size() + kSealBytes);
    std::string_view opened;
    ASSERT_EQ(Open(Key('k'), "name", sealed, &opened), SealCheck::kGood);
    EXPECT_EQ(opened, bytes);
  }
}

TEST(MacTest, AnotherKeyOrNameDoesNotOpen) {
  const std::string sealed = Seal(Key('k'), "name", "bytes");
  std::string_view opened = "untouched";
  EXPECT_EQ(Open(Key('l'), "name", sealed, &opened), SealCheck::kWrongMac);
  EXPECT_EQ(Open(Key('k'), "nam", sealed, &opened), SealCheck::kWrongMac);
  EXPECT_EQ(Open(Key('k'), "", sealed, &opened), SealCheck::kWrongMac);
  EXPECT_EQ(opened, "untouched");
}

TEST(MacTest, BytesDoNotMoveBetweenNameAndContent) {
  const std::string sealed = Seal(Key('k'), "ab", "cd");
  std::string moved = Seal(Key('k'), "abc", "d");
  std::string_view opened;
  EXPECT_NE(sealed.substr(8, 32), moved.substr(8, 32));
  moved.replace(8, 32, sealed, 8, 32);
  EXPECT_EQ(Open(Key('k'), "abc", moved, &opened), SealCheck::kWrongMac);
}

TEST(MacTest, EveryChangedBitAndEveryTruncationIsSeen) {
  const std::string sealed = Seal(Key('k'), "name", "0123456789");
  std::string_view opened;
  for (size_t bit = 0; bit < 8 * sealed.size(); ++bit) {
    std::string changed = sealed;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_NE(Open(Key('k'), "name", changed, &opened), SealCheck::kGood) << bit;
  }
  for (size_t length = 0; length < sealed.size(); ++length) {
    EXPECT_EQ(Open(Key('k'), "name", sealed.substr(0, length), &opened),
              length < kSealBytes ? SealCheck::kUnsigned : SealCheck::kWrongMac);
  }
  EXPECT_EQ(Open(Key('k'), "name", sealed + "x", &opened), SealCheck::kWrongMac);
}

TEST(MacTest, BytesWithoutASealAreUnsigned) {
  std::string_view opened;
  EXPECT_EQ(Open(Key('k'), "name", "", &opened), SealCheck::kUnsigned);
  EXPECT_EQ(Open(Key('k'), "name", std::string(1000, 'x'), &opened), SealCheck::kUnsigned);
}

TEST(MacTest, KeysHave32Bytes) {
  EXPECT_EQ(MacKey::FromBytes(std::string(31, 'k')).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(MacKey::FromBytes(std::string(33, 'k')).ok());
}

class KeyFileTest : public ::testing::Test {
 protected:
  void Write(const std::string& content, mode_t mode = 0600) {
    ASSERT_TRUE(WriteFile(path_, content).ok());
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
  }
  std::string ErrorOf(const std::string& path) {
    const Status status = LoadKeyFile(path).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr("'" + path + "'"));
    return std::string(status.message());
  }

  const TempFolder folder_;
  const std::string directory_ = folder_.path();
  const std::string path_ = directory_ + "/key";
};

TEST_F(KeyFileTest, BytesAndHexDigitsAreTheSameKey) {
  Write(std::string(MacKey::kBytes, '\x4a'));
  const std::string sealed = Seal(*LoadKeyFile(path_), "name", "bytes");
  std::string hex;
  for (size_t i = 0; i < MacKey::kBytes; ++i) hex += i % 2 == 0 ? "4a" : "4A";
  std::string_view opened;
  for (const std::string& content : {hex, hex + "\n"}) {
    Write(content, 0400);
    std::filesystem::permissions(path_, std::filesystem::perms::owner_read);
    EXPECT_EQ(Open(*LoadKeyFile(path_), "name", sealed, &opened), SealCheck::kGood);
    std::filesystem::remove(path_);
  }
}

TEST_F(KeyFileTest, ContentThatIsNoKeyIsAnError) {
  const std::string hex(64, 'a');
  for (const std::string& content :
       {std::string(), std::string(31, 'k'), std::string(33, 'k'), hex + "a", hex + "\n\n",
        hex.substr(1) + "g", std::string(1000, 'a')}) {
    Write(content);
    EXPECT_THAT(ErrorOf(path_), HasSubstr("32 bytes or 64 hex digits")) << content.size();
  }
}

TEST_F(KeyFileTest, FilesOpenToOthersAreRefused) {
  for (const mode_t mode : {0640, 0604, 0620, 0602, 0610, 0644}) {
    Write(std::string(MacKey::kBytes, 'k'), mode);
    EXPECT_THAT(ErrorOf(path_), HasSubstr("chmod 600"));
  }
}

TEST_F(KeyFileTest, WhatIsNoRegularFileIsRefused) {
  EXPECT_THAT(ErrorOf(path_), HasSubstr("No such file"));
  EXPECT_THAT(ErrorOf(directory_), HasSubstr("not a regular file"));
  ASSERT_EQ(::mkfifo((directory_ + "/fifo").c_str(), 0600), 0);
  EXPECT_THAT(ErrorOf(directory_ + "/fifo"), HasSubstr("not a regular file"));
  Write(std::string(MacKey::kBytes, 'k'));
  std::filesystem::create_symlink(path_, directory_ + "/link");
  EXPECT_THAT(ErrorOf(directory_ + "/link"), HasSubstr("symbolic link"));
  EXPECT_TRUE(LoadKeyFile(path_).ok());
}

TEST_F(KeyFileTest, FilesOfAnotherUserAreRefused) {
  constexpr uid_t kNobody = 65534;
  if (::geteuid() == 0) {
    Write(std::string(MacKey::kBytes, 'k'));
    ASSERT_EQ(::chown(path_.c_str(), kNobody, kNobody), 0);
    EXPECT_THAT(ErrorOf(path_), HasSubstr("belongs to user 65534"));
  } else {
    // A file of root's that anybody can read.
    EXPECT_THAT(ErrorOf("/etc/passwd"), HasSubstr("belongs to user 0"));
  }
}

}  // namespace
}  // namespace swage::cache
