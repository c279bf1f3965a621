#include "base/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <thread>
#include <vector>

#include "tests/temp_folder.h"

namespace swage {
namespace {

using ::testing::HasSubstr;

class FilesTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return directory_ + "/" + name; }
  int FileCount() const {
    int count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory_))
      ++count;
    return count;
  }

  const TempFolder folder_;
  const std::string directory_ = folder_.path();
};

TEST_F(FilesTest, WrittenBytesComeBack) {
  const std::string bytes("a\0b\r\n\xff", 6);
  for (const std::string& content : {std::string(), bytes, std::string(1'000'000, 'x')}) {
    ASSERT_TRUE(WriteFile(Path("f"), content).ok());
    EXPECT_EQ(*ReadFile(Path("f")), content);
    ASSERT_TRUE(WriteFileAtomic(Path("g"), content, {.sync = true}).ok());
    EXPECT_EQ(*ReadFile(Path("g")), content);
  }
  EXPECT_EQ(FileCount(), 2);
}

TEST_F(FilesTest, MissingFileNamesThePath) {
  const Status status = ReadFile(Path("absent.hlo")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("absent.hlo': No such file"));
}

TEST_F(FilesTest, DirectoryIsNotAFile) {
  EXPECT_EQ(ReadFile(directory_).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(WriteFile(directory_, "x").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(WriteFileAtomic(directory_, "x").code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(FilesTest, SizeBoundHolds) {
  ASSERT_TRUE(WriteFile(Path("f"), "12345").ok());
  EXPECT_EQ(*ReadFile(Path("f"), 5), "12345");
  EXPECT_EQ(ReadFile(Path("f"), 4).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ReadFile("/dev/zero", 100'000).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(FilesTest, FilesOfUnknownSizeAreReadWhole) {
  EXPECT_FALSE(ReadFile("/proc/self/status")->empty());
  EXPECT_EQ(*ReadFile("/dev/null"), "");
}

TEST_F(FilesTest, FullDiskIsReported) {
  EXPECT_EQ(WriteFile("/dev/full", "x").code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(FilesTest, BadNamesAreRefused) {
  EXPECT_EQ(ReadFile("").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReadFile(std::string("/dev/null\0x", 11)).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReadFile(Path(std::string(5000, 'n'))).status().code(),
            absl::StatusCode::kInvalidArgument);
}

// In a process that was started without them, the numbers of stdin, stdout and stderr are free, and
// whoever prints would write into the file that gets one.
TEST_F(FilesTest, NoFileTakesTheNumberOfAStandardStream) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(0);
    ::close(1);
    ::close(2);
    const Descriptor read(file_ops::Open(AT_FDCWD, "/dev/null", O_RDONLY));
    const Descriptor written(file_ops::Open(AT_FDCWD, Path("f"), O_WRONLY | O_CREAT, 0600));
    const bool above = read.get() > 2 && written.get() > 2;
    const bool closed_on_exec = ::fcntl(written.get(), F_GETFD) == FD_CLOEXEC;
    const bool others_free = ::write(1, "x", 1) < 0 && ::write(2, "x", 1) < 0;
    ::_exit(above && closed_on_exec && others_free ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(*ReadFile(Path("f")), "");
}

TEST_F(FilesTest, FailedAtomicWriteLeavesNothingBehind) {
  ASSERT_TRUE(MakeDirectories(Path("taken/inside")).ok());
  EXPECT_FALSE(WriteFileAtomic(Path("taken"), "x").ok());
  EXPECT_EQ(WriteFileAtomic(Path("no/such/dir"), "x").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(FileCount(), 1);
}

TEST_F(FilesTest, WhatIsNotRegularIsRefusedWithoutWaiting) {
  ASSERT_TRUE(WriteFile(Path("f"), "x").ok());
  ASSERT_EQ(::symlink("f", Path("link").c_str()), 0);
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(*ReadRegularFile(Path("link")), "x");
  EXPECT_EQ(ReadRegularFile(directory_).status().code(), absl::StatusCode::kInvalidArgument);
  for (const std::string& path : {Path("pipe"), std::string("/dev/null")}) {
    EXPECT_THAT(std::string(ReadRegularFile(path).status().message()),
                HasSubstr("is not a regular file"));
  }
}

TEST_F(FilesTest, ALinkThatAUserNamesIsFollowedAndStays) {
  ASSERT_TRUE(MakeDirectories(Path("a/b")).ok());
  ASSERT_EQ(::symlink("a/second", Path("first").c_str()), 0);
  ASSERT_EQ(::symlink("b/f", Path("a/second").c_str()), 0);
  // The first write makes what the link names.
  for (const char* content : {"new", "newer"}) {
    const Status status = WriteNamedFile(Path("first"), content, IfSpecial::kRefuse);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(*ReadFile(Path("a/b/f")), content);
  }
  EXPECT_TRUE(std::filesystem::is_symlink(Path("first")));
  EXPECT_TRUE(std::filesystem::is_symlink(Path("a/second")));
  ASSERT_EQ(::symlink("ring", Path("ring").c_str()), 0);
  EXPECT_EQ(WriteNamedFile(Path("ring"), "x", IfSpecial::kRefuse).code(),
            absl::StatusCode::kInvalidArgument);
  ASSERT_EQ(::symlink("a", Path("folder").c_str()), 0);
  for (const std::string& path : {Path("a"), Path("folder")}) {
    EXPECT_THAT(std::string(WriteNamedFile(path, "x", IfSpecial::kWriteThrough).message()),
                HasSubstr("Is a directory"));
  }
}

TEST_F(FilesTest, DevicesAndPipesThatAUserNamesAreNotReplaced) {
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  ASSERT_EQ(::symlink(Path("pipe").c_str(), Path("link").c_str()), 0);
  for (const std::string& path : {Path("pipe"), Path("link"), std::string("/dev/null")}) {
    EXPECT_THAT(std::string(WriteNamedFile(path, "x", IfSpecial::kRefuse).message()),
                HasSubstr("is not a regular file"));
  }
  EXPECT_TRUE(WriteNamedFile("/dev/null", "x", IfSpecial::kWriteThrough).ok());
  EXPECT_EQ(WriteNamedFile("/dev/full", "x", IfSpecial::kWriteThrough).code(),
            absl::StatusCode::kResourceExhausted);
  const Descriptor reader(file_ops::Open(AT_FDCWD, Path("pipe"), O_RDONLY | O_NONBLOCK));
  EXPECT_TRUE(WriteNamedFile(Path("link"), "through", IfSpecial::kWriteThrough).ok());
  char text[8] = {};
  EXPECT_EQ(::read(reader.get(), text, sizeof(text)), 7);
  EXPECT_EQ(std::string(text), "through");
  EXPECT_TRUE(std::filesystem::is_fifo(Path("pipe")));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_EQ(FileCount(), 2);
}

TEST_F(FilesTest, AnOpenFileIsWrittenOnFromWhereItStands) {
  const Descriptor file(file_ops::Open(AT_FDCWD, Path("f"), O_WRONLY | O_CREAT, 0600));
  ASSERT_EQ(file_ops::WriteAll(file.get(), Path("f"), "one "), 0);
  for (const char* folder : {"/proc/self/fd/", "/dev/fd/"}) {
    const std::string path = absl::StrCat(folder, file.get());
    const Status status = WriteNamedFile(path, "two ", IfSpecial::kWriteThrough);
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_FALSE(WriteNamedFile(path, "x", IfSpecial::kRefuse).ok());
  }
  ASSERT_EQ(file_ops::WriteAll(file.get(), Path("f"), "three"), 0);
  EXPECT_EQ(*ReadFile(Path("f")), "one two two three");
}

FileStep failing_step;
int failing_error;
int FailOneStep(FileStep step, const char*) { return step == failing_step ? failing_error : 0; }

TEST_F(FilesTest, EveryStepThatFailsKeepsTheOldFile) {
  ASSERT_TRUE(WriteFile(Path("f"), "old").ok());
  for (FileStep step : {FileStep::kCreate, FileStep::kWrite, FileStep::kSync, FileStep::kClose,
                        FileStep::kRename}) {
    failing_step = step;
    for (int error : {ENOSPC, EROFS, EIO}) {
      failing_error = error;
      file_ops::SetHook(FailOneStep);
      const Status status =
          WriteFileAtomic(Path("f"), std::string(5000, 'n'), {.sync = true, .sync_folder = true});
      file_ops::SetHook(nullptr);
      EXPECT_THAT(std::string(status.message()), HasSubstr(::strerror(error)));
      EXPECT_EQ(*ReadFile(Path("f")), "old");
      EXPECT_EQ(FileCount(), 1);
    }
  }
}

TEST_F(FilesTest, FileOfPiecesAppearsWhole) {
  {
    StatusOr<AtomicFile> file = AtomicFile::Create(AT_FDCWD, Path("f"));
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->Append("one,").ok());
    ASSERT_TRUE(file->Append("two").ok());
    EXPECT_EQ(ReadFile(Path("f")).status().code(), absl::StatusCode::kNotFound);
    ASSERT_TRUE(file->Commit().ok());
    EXPECT_EQ(*ReadFile(Path("f")), "one,two");
    StatusOr<AtomicFile> dropped = AtomicFile::Create(AT_FDCWD, Path("f"));
    ASSERT_TRUE(dropped->Append("three").ok());
    EXPECT_EQ(FileCount(), 2);
  }
  EXPECT_EQ(*ReadFile(Path("f")), "one,two");
  EXPECT_EQ(FileCount(), 1);
}

TEST_F(FilesTest, TemporaryNamesAreRecognised) {
  StatusOr<AtomicFile> file = AtomicFile::Create(AT_FDCWD, Path("f"));
  ASSERT_TRUE(file.ok());
  for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
    EXPECT_TRUE(IsTemporaryName(entry.path().filename().string())) << entry.path();
  }
  EXPECT_FALSE(IsTemporaryName("f"));
}

TEST_F(FilesTest, ExactModeIgnoresTheUmask) {
  const mode_t before = ::umask(0777);
  const Status status = WriteFileAtomic(Path("f"), "x", {.mode = 0640, .exact_mode = true});
  ::umask(before);
  ASSERT_TRUE(status.ok());
  struct stat info;
  ASSERT_EQ(::stat(Path("f").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST_F(FilesTest, AtomicWriteSetsTheMode) {
  ASSERT_TRUE(WriteFileAtomic(Path("f"), "x", {.mode = 0600}).ok());
  struct stat info;
  ASSERT_EQ(::stat(Path("f").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(FilesTest, ReadersNeverSeeAMixture) {
  ASSERT_TRUE(WriteFileAtomic(Path("f"), std::string(50'000, 'a')).ok());
  std::vector<std::thread> writers;
  for (char letter : {'a', 'b', 'c'}) {
    writers.emplace_back([&, letter] {
      for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE(WriteFileAtomic(Path("f"), std::string(50'000, letter)).ok());
      }
    });
  }
  for (int i = 0; i < 100; ++i) {
    const std::string seen = *ReadFile(Path("f"));
    ASSERT_EQ(seen, std::string(50'000, seen[0]));
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(FileCount(), 1);
}

TEST_F(FilesTest, DirectoriesAreMadeWithParents) {
  ASSERT_TRUE(MakeDirectories(Path("a/b/c")).ok());
  ASSERT_TRUE(MakeDirectories(Path("a/b/c")).ok());
  ASSERT_TRUE(WriteFile(Path("a/f"), "").ok());
  EXPECT_EQ(MakeDirectories(Path("a/f")).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MakeDirectories(Path("a/f/g")).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace swage
