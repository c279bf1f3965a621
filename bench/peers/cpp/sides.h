// File: bench/peers/cpp/sides.h
//
// What peer_worker serves: bench/compare_functions.h says what each function is.
#ifndef SWAGE_BENCH_PEERS_CPP_SIDES_H_
#define SWAGE_BENCH_PEERS_CPP_SIDES_H_

#include <string>

#include "bench/line_worker.h"

namespace swage::bench {

// Loops over the cores, their results recycled. exp is good to 1 and tanh to 2 units in the last
// place. `streaming`: stores that do not read what they overwrite, where results are large.
Task LoopTask(const Work& work, bool streaming);

// oneDNN's primitives, made for the sizes at hand; nothing is packed in advance.
Task OneDnnTask(const Work& work);
std::string OneDnnName();

}  // namespace swage::bench

#endif  // SWAGE_BENCH_PEERS_CPP_SIDES_H_
