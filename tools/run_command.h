// File: tools/run_command.h
//
//   swage run module.hlo in0.npy ... [-o DIR or FILE.npz] [--device D]
//   swage run module.hlo inputs.npz [-o DIR or FILE.npz] [--device D]
//   swage run module.hlo --random [--seed S] [--bench N [--steps K]] [-o DIR] [--device D]
//
// Runs a module on arrays from files (one per leaf of the parameters, in order;
// tools/input_files.h) or on random ones (tools/random_inputs.h). -o writes DIR/out_0.npy ... in
// leaf order, bf16 and f8 as their bits; it makes DIR. What ends with .npz is one file with the
// arrays out_0 ... instead. Without -o and --bench the results are printed. --bench N times N runs
// after one that does not count and prints
//
//   compile 12.345 ms, median 0.275 ms, min 0.270 max 0.301, n 100
//
// --steps runs it N times more, each step timed (CPU), and prints the K slowest by instruction.
#ifndef SWAGE_TOOLS_RUN_COMMAND_H_
#define SWAGE_TOOLS_RUN_COMMAND_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/command.h"

namespace swage::tools {

struct RunOptions {
  std::string module;
  std::vector<std::string> inputs;
  std::string output;  // a folder, or an .npz file
  std::string device = "cpu";
  bool cache = false;  // compiled code of other processes may be used
  bool random = false;
  uint64_t seed = 0;
  int bench = 0;
  int steps = 0;
};

StatusOr<ExitCode> RunModuleFile(const RunOptions& options);

void AddRunCommand(CLI::App& app, Action* chosen);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_RUN_COMMAND_H_
