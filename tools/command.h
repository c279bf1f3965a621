// File: tools/command.h
//
// A subcommand of `swage` is one pair of files, tools/<name>_command.{h,cc}, with one function
//
//   void AddPassesCommand(CLI::App& app, Action* chosen) {
//     auto options = std::make_shared<PassesOptions>();
//     CLI::App* command = app.add_subcommand("passes", "Lists the passes of a target, in order");
//     command->add_option("--target", options->target, "cpu");
//     command->callback([=] { *chosen = [=] { return RunPasses(*options); }; });
//   }
//
// and one line in main.cc. The action runs after all flags were parsed; its error or exit code is
// the command's. Results go to stdout, everything else to stderr.
#ifndef SWAGE_TOOLS_COMMAND_H_
#define SWAGE_TOOLS_COMMAND_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "base/status.h"
#include "tools/exit_code.h"

namespace swage::tools {

using Action = std::function<StatusOr<ExitCode>()>;

// For a command that is nothing without one of its subcommands, which are all there: a missing or
// unknown one is an error that lists them.
void NeedSubcommand(CLI::App* command, Action* chosen);

// A check of CLI11 for an option that is a seed, whose own parser would wrap -1 around and cut what
// is too large.
std::string IsSeed(const std::string& text);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_COMMAND_H_
