// File: codegen/cpu/mxcsr.h
//
// The floating-point mode that kernels expect (base/mxcsr.h), under the name that this folder uses.
#ifndef SWAGE_CODEGEN_CPU_MXCSR_H_
#define SWAGE_CODEGEN_CPU_MXCSR_H_

#include "base/mxcsr.h"

namespace swage::cpu {

using ::swage::ScopedMxcsr;

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_MXCSR_H_
