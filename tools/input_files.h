// File: tools/input_files.h
//
// The inputs of a module from .npy files, one for each leaf of its parameters, in order.
#ifndef SWAGE_TOOLS_INPUT_FILES_H_
#define SWAGE_TOOLS_INPUT_FILES_H_

#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/ir/literal.h"
#include "compiler/ir/module.h"

namespace swage::tools {

// One literal per parameter of the entry. Errors name the file, what it has and what was expected.
StatusOr<std::vector<ir::Literal>> ReadInputFiles(const std::vector<std::string>& files,
                                                  const ir::Module& module);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_INPUT_FILES_H_
