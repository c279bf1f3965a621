// File: tests/hlo_files.h
//
// The HLO texts of the test data, in order.
//
//   for (const std::string& path : HloFilesUnder({"corpus", "models"})) ...
#ifndef SWAGE_TESTS_HLO_FILES_H_
#define SWAGE_TESTS_HLO_FILES_H_

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace swage {

// Paths as tests/corpus/program/mlp/module.hlo; `folders` are in tests/. Tests run in the root of
// the repository.
inline std::vector<std::string> HloFilesUnder(const std::vector<std::string>& folders) {
  std::vector<std::string> paths;
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator("tests/" + folder)) {
      if (entry.path().extension() == ".hlo") paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace swage

#endif  // SWAGE_TESTS_HLO_FILES_H_
