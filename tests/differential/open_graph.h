// File: tests/differential/open_graph.h
//
// A random program over open sizes n, m and k, for differential tests of what treats sizes
// specially: the same seed gives the same module. Dimensions are expressions (n+m, 2*n+1,
// floordiv(n,2)), and the ops are those that move or combine elements along them: reductions by
// known, unknown and variadic combiners, dots with batch dimensions, windows and borders that
// depend on the size, reshapes that split and merge, clamped starts.
//
//   const ir::AssumptionScope sizes_fit;      // windows may not fit at every size
//   const auto module = OpenGraph(seed, {.ops = 12});
#ifndef SWAGE_TESTS_DIFFERENTIAL_OPEN_GRAPH_H_
#define SWAGE_TESTS_DIFFERENTIAL_OPEN_GRAPH_H_

#include <cstdint>
#include <memory>

#include "compiler/ir/module.h"
#include "tests/differential/random_graph.h"

namespace swage::differential {

std::unique_ptr<ir::Module> OpenGraph(uint64_t seed, const GraphOptions& options);

}  // namespace swage::differential

#endif  // SWAGE_TESTS_DIFFERENTIAL_OPEN_GRAPH_H_
