// File: tools/passes_command.h
//
// swage passes: the passes of a target in the order in which they run, nested as their pipelines
// are. With --padding-rules, what physical-padding does with each op.
#ifndef SWAGE_TOOLS_PASSES_COMMAND_H_
#define SWAGE_TOOLS_PASSES_COMMAND_H_

#include <string>

#include "tools/command.h"

namespace CLI {
class App;
}

namespace swage::tools {

struct PassesOptions {
  std::string target = "cpu";
  std::string grep;
  bool padding_rules = false;
};

StatusOr<ExitCode> RunPasses(const PassesOptions& options);
void AddPassesCommand(CLI::App& app, Action* chosen);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_PASSES_COMMAND_H_
