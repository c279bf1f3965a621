// File: tools/random_inputs.h
//
// Inputs for a module without any: floats normal with standard deviation 0.02 for rank 2 and more,
// else 1; integers uniform in [0, 100); pred uniform. The same seed gives the same values
// everywhere.
#ifndef SWAGE_TOOLS_RANDOM_INPUTS_H_
#define SWAGE_TOOLS_RANDOM_INPUTS_H_

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "compiler/ir/literal.h"
#include "compiler/ir/module.h"

namespace swage::tools {

// One literal per parameter of the entry; an error names a parameter with a symbolic extent.
StatusOr<std::vector<ir::Literal>> RandomInputs(const ir::Module& module, uint64_t seed);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_RANDOM_INPUTS_H_
