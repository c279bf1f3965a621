// File: tools/buckets_learn.h
//
// swage buckets learn: a configuration file with the best buckets for the calls of a trace.
#ifndef SWAGE_TOOLS_BUCKETS_LEARN_H_
#define SWAGE_TOOLS_BUCKETS_LEARN_H_

#include <optional>
#include <string>

#include "base/status.h"
#include "cache/policy/shape_trace.h"

namespace swage::tools {

// Either `k` or `compile_cost` is given.
struct LearnOptions {
  std::string trace = {};
  std::string function = {};      // this one alone; "": all
  std::optional<int> k = {};      // buckets of each symbol
  std::string compile_cost = {};  // what a compile takes, in ms, or "measured"
  // How much longer a call takes with one more of a dimension, in ns; default: as the times tell.
  std::optional<double> size_cost = {};
};

// The text of the file, which reads back. InvalidArgument where there is nothing to learn, or times
// are needed that the trace does not have.
StatusOr<std::string> LearnConfig(const policy::TraceContent& content, const LearnOptions& options);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_BUCKETS_LEARN_H_
