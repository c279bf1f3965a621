// File: compiler/ir/fingerprint.h
//
// What a module or computation says, without how it is called: equal programs have equal text and
// hash, whatever their instructions, computations and the module are named, in whatever order they
// were added, and wherever they came from (metadata). Used in cache keys and to catch a pass that
// changes a module and does not say so.
//
// Values are numbered: parameters first, then in post-order from the root, then what the root does
// not need. Computations with equal text are one. Shapes with their layouts, attributes, raw
// attributes, control edges and schedules count, and the bits of constants: 0.0 and -0.0 differ.
// The names of symbols in dims count too.
#ifndef SWAGE_COMPILER_IR_FINGERPRINT_H_
#define SWAGE_COMPILER_IR_FINGERPRINT_H_

#include <string>

#include "base/hash.h"
#include "compiler/ir/module.h"

namespace swage::ir {

// The text of a computation and of all that it calls.
std::string CanonicalText(const Computation& computation);
// The text of every computation, the entry's first, and of the module's header.
std::string CanonicalText(const Module& module);

Hash128 Fingerprint(const Computation& computation);
Hash128 Fingerprint(const Module& module);

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_FINGERPRINT_H_
