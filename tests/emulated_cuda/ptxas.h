// File: tests/emulated_cuda/ptxas.h
//
// NVIDIA's assembler, where it is installed: it tells whether a test's PTX is real PTX.
#ifndef SWAGE_TESTS_EMULATED_CUDA_PTXAS_H_
#define SWAGE_TESTS_EMULATED_CUDA_PTXAS_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace swage::emulated_cuda {

// Its path, or "".
inline std::string PtxasPath() {
  for (const char* path : {"/usr/local/cuda/bin/ptxas", "/usr/bin/ptxas"}) {
    if (access(path, X_OK) == 0) return path;
  }
  return "";
}

// Does nothing where there is no ptxas.
inline void ExpectPtxasAccepts(const std::string& ptx, const std::string& target) {
  const std::string ptxas = PtxasPath();
  if (ptxas.empty()) return;
  std::string path = std::filesystem::temp_directory_path() / "emulated_cuda_XXXXXX";
  const int file = mkstemp(path.data());
  ASSERT_GE(file, 0);
  close(file);
  std::ofstream(path) << ptx;
  std::FILE* const pipe =
      popen((ptxas + " -arch=" + target + " " + path + " -o /dev/null 2>&1").c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string output;
  std::array<char, 4096> chunk;
  while (std::fgets(chunk.data(), chunk.size(), pipe) != nullptr) output += chunk.data();
  EXPECT_EQ(pclose(pipe), 0) << output;
  std::filesystem::remove(path);
}

}  // namespace swage::emulated_cuda

#endif  // SWAGE_TESTS_EMULATED_CUDA_PTXAS_H_
