// File: compiler/pipelines/options.h
//
// The options of a compilation under the name that pipelines and everything above them use.
#ifndef SWAGE_COMPILER_PIPELINES_OPTIONS_H_
#define SWAGE_COMPILER_PIPELINES_OPTIONS_H_

#include "compiler/passes/options.h"

namespace swage::pipelines {

using passes::CompilerOptions;
using passes::OptionsFromEnvironment;

}  // namespace swage::pipelines

#endif  // SWAGE_COMPILER_PIPELINES_OPTIONS_H_
