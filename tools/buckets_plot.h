// File: tools/buckets_plot.h
//
// swage buckets plot: what more buckets would save, as a picture.
#ifndef SWAGE_TOOLS_BUCKETS_PLOT_H_
#define SWAGE_TOOLS_BUCKETS_PLOT_H_

#include <string>

#include "base/status.h"
#include "cache/policy/shape_trace.h"

namespace swage::tools {

// An SVG with a panel for each function: the share of padding, if arguments were padded, and the
// number of programs, both against the number of buckets of each symbol. `function`: this one
// alone; "": all, the ones with most calls first, up to a dozen.
StatusOr<std::string> PlotBuckets(const policy::TraceContent& content, const std::string& function);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_BUCKETS_PLOT_H_
