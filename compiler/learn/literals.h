// File: compiler/learn/literals.h
//
// Literals that vary become instructions that compute them from the sizes. See learn.h for which.
#ifndef SWAGE_COMPILER_LEARN_LITERALS_H_
#define SWAGE_COMPILER_LEARN_LITERALS_H_

#include "compiler/learn/extents.h"
#include "compiler/learn/merge.h"

namespace swage::learn {

// Replaces the stand-ins. The module's extents are final.
Status ReplaceLiterals(const Merger& merger, const Extents& extents, LearnReport* report);

}  // namespace swage::learn

#endif  // SWAGE_COMPILER_LEARN_LITERALS_H_
