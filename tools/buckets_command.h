// File: tools/buckets_command.h
//
// swage buckets: the sizes of arguments, and the programs that they share (docs/buckets.md).
//
//   swage buckets check swage.toml                   its problems, or its buckets
//   swage buckets learn encode.trace -k 6            the best buckets for what was recorded
//   swage buckets learn encode.trace --compile-cost measured
//   swage buckets plot encode.trace -o encode.svg    what more buckets would save
#ifndef SWAGE_TOOLS_BUCKETS_COMMAND_H_
#define SWAGE_TOOLS_BUCKETS_COMMAND_H_

#include <string>

#include "tools/buckets_learn.h"
#include "tools/command.h"

namespace CLI {
class App;
}

namespace swage::tools {

struct PlotOptions {
  std::string trace;
  std::string function;
  std::string output;
};

StatusOr<ExitCode> RunBucketsCheck(const std::string& file);
StatusOr<ExitCode> RunBucketsLearn(const LearnOptions& options);
StatusOr<ExitCode> RunBucketsPlot(const PlotOptions& options);

void AddBucketsCommand(CLI::App& app, Action* chosen);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_BUCKETS_COMMAND_H_
