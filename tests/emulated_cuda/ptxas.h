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

// What it says about `ptx`, with registers and spills; an error is a failure of the test. "" where
// there is no ptxas.
inline std::string PtxasReport(const std::string& ptx, const std::string& target) {
  const std::string ptxas = PtxasPath();
  if (ptxas.empty()) return "";
  std::string path = std::filesystem::temp_directory_path() / "emulated_cuda_XXXXXX";
  const int file = mkstemp(path.data());
  EXPECT_GE(file, 0);
  if (file < 0) return "";
  close(file);
  std::ofstream(path) << ptx;
  std::FILE* const pipe =
      popen((ptxas + " -v -arch=" + target + " " + path + " -o /dev/null 2>&1").c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  if (pipe == nullptr) return "";
  std::string output;
  std::array<char, 4096> chunk;
  while (std::fgets(chunk.data(), chunk.size(), pipe) != nullptr) output += chunk.data();
  EXPECT_EQ(pclose(pipe), 0) << output;
  std::filesystem::remove(path);
  return output;
}

// Does nothing where there is no ptxas.
inline void ExpectPtxasAccepts(const std::string& ptx, const std::string& target) {
  PtxasReport(ptx, target);
}

}  // namespace swage::emulated_cuda

#endif  // SWAGE_TESTS_EMULATED_CUDA_PTXAS_H_
