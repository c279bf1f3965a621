// File: tools/environment.h
//
// The SWAGE_* variables as the commands see them: a value that is none ends the command before it
// does anything, whichever parts of Swage it would have reached.
#ifndef SWAGE_TOOLS_ENVIRONMENT_H_
#define SWAGE_TOOLS_ENVIRONMENT_H_

#include "base/status.h"

namespace swage::tools {

// Warns of variables that Swage does not have; InvalidArgument for one with a wrong value.
Status CheckEnvironment();

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_ENVIRONMENT_H_
