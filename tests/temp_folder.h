// File: tests/temp_folder.h
//
// A folder that is gone after the test.
//
//   const TempFolder folder;
//   WriteFile(folder.path() + "/m.hlo", text);
#ifndef SWAGE_TESTS_TEMP_FOLDER_H_
#define SWAGE_TESTS_TEMP_FOLDER_H_

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace swage {

class TempFolder {
 public:
  // `parent`: for what needs a short path.
  explicit TempFolder(const std::filesystem::path& parent = ::testing::TempDir())
      : path_((parent / "swage_XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace swage

#endif  // SWAGE_TESTS_TEMP_FOLDER_H_
