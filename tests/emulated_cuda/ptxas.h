// File: tests/emulated_cuda/ptxas.h
//
// NVIDIA's assembler, where it is installed: it tells whether a test's PTX is real PTX.
#ifndef SWAGE_TESTS_EMULATED_CUDA_PTXAS_H_
#define SWAGE_TESTS_EMULATED_CUDA_PTXAS_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "tests/run_command.h"
#include "tests/temp_folder.h"

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
  const TempFolder folder;
  const std::string path = folder.path() + "/kernel.ptx";
  std::ofstream(path) << ptx;
  const CommandResult ran = RunCommand(ptxas + " -arch=" + target + " " + path + " -o /dev/null");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
}

}  // namespace swage::emulated_cuda

#endif  // SWAGE_TESTS_EMULATED_CUDA_PTXAS_H_
