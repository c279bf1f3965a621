// File: bench/compare_functions.h
//
// The functions that `bench/compare` measures, as a user of Swage writes them. bench/peers/ has the
// same ones for other systems.
//
//   chain:N     N/10 times ten ops of which two are tanh and exp
//   exp         exp(x)
//   triad       3 x + y
//   softmax     of the rows
//   layernorm   of the rows: x, scale, bias
//   rowsum      over dimension 1
//   colsum      over dimension 0
//   transpose   of a matrix
//   dot         x y, of any size; dot:fixed: of this one
//   dot_t       x y^T, of any size
//   attend      softmax(q k^T / sqrt(width)) v, softmax in f32
//   mlp         gelu(x w1 + b1) w2 + b2; weights are captured
//   gpt         transformer layers of twelve parameters each, which are captured; four heads
//   argmax      of the rows
//   gather      rows of x at the places y
//   add         x + 1
//   muladd      x + y z
//   first       x0 + 1 of many arguments
//   hlo:PATH    a program in HLO text
#ifndef SWAGE_BENCH_COMPARE_FUNCTIONS_H_
#define SWAGE_BENCH_COMPARE_FUNCTIONS_H_

#include "bench/line_worker.h"

namespace swage::bench {

// Throws Missing for a function that Swage does not have, and swage::Error.
Task CompareTask(const Work& work);

}  // namespace swage::bench

#endif  // SWAGE_BENCH_COMPARE_FUNCTIONS_H_
