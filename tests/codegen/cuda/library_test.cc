// Files that are no shared library, or a part of one, are errors: no wait, no signal.
#include "codegen/cuda/library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "codegen/cuda/cublaslt.h"
#include "codegen/cuda/driver.h"
#include "tests/temp_folder.h"

namespace swage::cuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class LibraryTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string ErrorOf(const std::string& path) const {
    const StatusOr<void*> library = OpenLibrary(path);
    EXPECT_EQ(library.status().code(), absl::StatusCode::kUnavailable);
    return std::string(library.status().message());
  }

  const TempFolder folder_;
};

TEST_F(LibraryTest, AFileThatEndsTooEarlyIsAnError) {
  const StatusOr<std::string> whole = ReadFile(EMULATED_LIBCUDA);
  ASSERT_TRUE(whole.ok()) << whole.status();
  for (const size_t bytes :
       {size_t{0}, size_t{10}, size_t{64}, size_t{200}, size_t{5000}, whole->size() / 2}) {
    const std::string path = Path("cut" + std::to_string(bytes));
    ASSERT_TRUE(WriteFile(path, whole->substr(0, bytes)).ok());
    EXPECT_THAT(ErrorOf(path), HasSubstr(path)) << bytes;
  }
  EXPECT_THAT(ErrorOf(Path("cut5000")), HasSubstr("is cut off: it has 5000 bytes"));
}

TEST_F(LibraryTest, WhatIsNoRegularFileIsAnErrorAtOnce) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  for (const std::string& path : {Path("pipe"), folder_.path(), std::string("/dev/zero")}) {
    EXPECT_THAT(ErrorOf(path), AllOf(HasSubstr(path), HasSubstr("no regular file")));
  }
  EXPECT_THAT(ErrorOf(Path("none")), HasSubstr("none' cannot be opened: No such file"));
}

TEST_F(LibraryTest, ANameWithoutASlashIsNotAFileHere) {
  ASSERT_TRUE(WriteFile(Path("garbage"), "no library").ok());
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  EXPECT_THAT(ErrorOf("garbage"), HasSubstr("the file here is './garbage'"));
  EXPECT_THAT(ErrorOf("./garbage"), HasSubstr("./garbage"));
  std::filesystem::current_path(before);
  const StatusOr<void*> math = OpenLibrary("libm.so.6");
  EXPECT_TRUE(math.ok()) << math.status();
}

TEST_F(LibraryTest, AnotherLibraryIsNamedAsWhatItIsNot) {
  EXPECT_THAT(std::string(Driver::Open(std::vector<std::string>{"libm.so.6"}).status().message()),
              HasSubstr("'libm.so.6' is no CUDA driver"));
  EXPECT_THAT(std::string(CublasLt::Open(std::vector<std::string>{"libm.so.6"}).status().message()),
              HasSubstr("'libm.so.6' is no cuBLASLt"));
}

}  // namespace
}  // namespace swage::cuda
