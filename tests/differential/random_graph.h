// File: tests/differential/random_graph.h
//
// A random program for differential tests: the same seed gives the same module. It mixes elementwise
// ops, broadcasts, reshapes, transposes, slices, pads, concatenations, reversals, selects, converts,
// reductions (simple and of several dimensions), dynamic slices and gathers, over several dtypes and
// over extents around the vector widths, 0 and 1 included.
#ifndef SWAGE_TESTS_DIFFERENTIAL_RANDOM_GRAPH_H_
#define SWAGE_TESTS_DIFFERENTIAL_RANDOM_GRAPH_H_

#include <cstdint>
#include <memory>

#include "compiler/ir/module.h"

namespace swage::differential {

struct GraphOptions {
  int ops = 25;
  bool dots = false;  // results then agree only within a tolerance
};

std::unique_ptr<ir::Module> RandomGraph(uint64_t seed, const GraphOptions& options);

}  // namespace swage::differential

#endif  // SWAGE_TESTS_DIFFERENTIAL_RANDOM_GRAPH_H_
