// File: tests/differential/graph_parts.h
//
// What generators of random programs share: random choices, the values made so far, and the steps
// that need nothing of the generator's own.
//
//   class Generator : public GraphParts { ... };    // adds its ops to values_, then Finish
#ifndef SWAGE_TESTS_DIFFERENTIAL_GRAPH_PARTS_H_
#define SWAGE_TESTS_DIFFERENTIAL_GRAPH_PARTS_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "compiler/ir/builder.h"
#include "compiler/ir/module.h"
#include "tests/differential/random_graph.h"

namespace swage::differential {

class GraphParts {
 protected:
  // The module is named `name`_`seed`.
  GraphParts(const std::string& name, uint64_t seed, const GraphOptions& options);

  int Below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  template <typename T>
  T OneOf(std::initializer_list<T> list) {
    return list.begin()[Below(static_cast<int>(list.size()))];
  }

  // One of the newest values.
  ir::Instruction* AnyOfNewest(int count);
  // Mostly another value of x's shape and dtype; null where there is none.
  ir::Instruction* AnotherLike(const ir::Instruction* x);
  std::vector<int64_t> SomeDimensions(const ir::Instruction* x);

  // Maybe with dimensions before and after x's own, whose extents the functions give.
  StatusOr<ir::Instruction*> AnyBroadcast(ir::Instruction* x, absl::FunctionRef<ir::Dim()> before,
                                          absl::FunctionRef<ir::Dim()> after);
  StatusOr<ir::Instruction*> AnyTranspose(ir::Instruction* x);

  // The program of the newest values: several, so that values are shared between kernels. `more`
  // adds to them.
  std::unique_ptr<ir::Module> Finish(int newest, const std::vector<ir::Instruction*>& more = {});

  std::mt19937_64 random_;
  const GraphOptions options_;
  std::unique_ptr<ir::Module> module_;
  ir::Computation* const entry_;
  ir::Builder builder_;
  std::vector<ir::Instruction*> values_;
};

}  // namespace swage::differential

#endif  // SWAGE_TESTS_DIFFERENTIAL_GRAPH_PARTS_H_
