// File: compiler/ir/unchanging.h
//
// A parameter whose elements are the same in every call of whoever made the program: weights that a
// function captured. What is slow to read can be brought into another order once. The mark is a
// frontend attribute, so it is in the text and in the key of a module; it changes no value.
//
//   %w = f32[512,2048] parameter(1), frontend_attributes={swage_unchanging="true"}
#ifndef SWAGE_COMPILER_IR_UNCHANGING_H_
#define SWAGE_COMPILER_IR_UNCHANGING_H_

#include "compiler/ir/instruction.h"

namespace swage::ir {

void MarkUnchanging(Instruction* parameter);
// Whether it is a parameter with the mark.
bool IsUnchanging(const Instruction& instruction);

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_UNCHANGING_H_
