// File: tests/card_check/program_lowering.h
//
// A scheduled module as launches over buffers: one buffer for every value, none shared.
#ifndef SWAGE_TESTS_CARD_CHECK_PROGRAM_LOWERING_H_
#define SWAGE_TESTS_CARD_CHECK_PROGRAM_LOWERING_H_

#include "base/function_ref.h"
#include "base/status.h"
#include "compiler/ir/module.h"
#include "tests/card_check/bundle.h"

namespace swage::card {

// The buffers of parameters come first, one per parameter, filled at random. `launch` gives the
// kernel of a fusion. Unimplemented names what is no kernel: calls, loops.
StatusOr<CardProgram> LowerProgram(
    const ir::Module& module,
    FunctionRef<StatusOr<CardLaunch>(const ir::Instruction& fusion)> launch);

}  // namespace swage::card

#endif  // SWAGE_TESTS_CARD_CHECK_PROGRAM_LOWERING_H_
