// File: tools/opt_command.h
//
// swage opt module.hlo: runs the passes of a target and prints the module that comes out. For a GPU
// its kernels are compiled, too, without a card: PTX is among the dumps.
#ifndef SWAGE_TOOLS_OPT_COMMAND_H_
#define SWAGE_TOOLS_OPT_COMMAND_H_

#include <string>
#include <vector>

#include "tools/command.h"

namespace CLI {
class App;
}

namespace swage::tools {

struct OptOptions {
  std::string module;
  std::string target = "cpu";
  std::vector<std::string> disable_passes;
  std::vector<std::string> only_passes;
  std::vector<std::string> dump_passes;
  std::string dump_to;
  bool fusion = false;   // print the fusion decisions instead of the module
  bool kernels = false;  // print the GPU kernels instead
  bool fast_math = false;
};

StatusOr<ExitCode> RunOpt(const OptOptions& options);
void AddOptCommand(CLI::App& app, Action* chosen);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_OPT_COMMAND_H_
