// File: tools/eager.h
//
// A module run op by op: each instruction of the entry computation is a module of its own, as it
// would be without jit.
#ifndef SWAGE_TOOLS_EAGER_H_
#define SWAGE_TOOLS_EAGER_H_

#include "tools/device.h"

namespace swage::tools {

// Runs modules instruction by instruction through `run`. Parameters, constants and tuples are
// values already and make no module.
RunModule RunEagerly(RunModule run);

// The module of one instruction: its operands are the parameters, and what it calls comes along.
StatusOr<std::unique_ptr<ir::Module>> ModuleOf(const ir::Instruction& instruction);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_EAGER_H_
