// File: compiler/passes/algebraic_simplifier/constants.h
//
// Rewrites that several families share: where constants stand, and meeting of two constants.
#ifndef SWAGE_COMPILER_PASSES_ALGEBRAIC_SIMPLIFIER_CONSTANTS_H_
#define SWAGE_COMPILER_PASSES_ALGEBRAIC_SIMPLIFIER_CONSTANTS_H_

#include "compiler/passes/editor.h"

namespace swage::passes {

// c op x -> x op c, for a commutative op.
ir::Instruction* ConstantToRight(ir::Instruction& instruction, Editor& editor);

// (x op c) op d -> x op (c op d) where op is associative bit for bit: add, multiply, and, or, xor
// of integers, maximum and minimum of any dtype.
ir::Instruction* JoinConstants(ir::Instruction& instruction, Editor& editor);

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_ALGEBRAIC_SIMPLIFIER_CONSTANTS_H_
