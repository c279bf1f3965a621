// File: runtime/swage.h
//
// Everything of Swage: tensors, ops, layers, jit, HLO programs, DLPack.
//
//   #include <swage/swage.h>
//   namespace sw = swage;
//   sw::Tensor f(sw::Tensor x) { return sw::softmax(x * 2, -1); }
//   int main() { std::cout << sw::jit(f)(sw::array({1.f, 2.f, 3.f, 4.f}, {2, 2})); }
#ifndef SWAGE_RUNTIME_SWAGE_H_
#define SWAGE_RUNTIME_SWAGE_H_

#include "runtime/cache.h"
#include "runtime/dlpack.h"
#include "runtime/dtype.h"
#include "runtime/error.h"
#include "runtime/hlo.h"
#include "runtime/jit.h"
#include "runtime/nn.h"
#include "runtime/npz.h"
#include "runtime/ops.h"
#include "runtime/tensor.h"
#include "runtime/tree.h"
#include "runtime/version.h"

#endif  // SWAGE_RUNTIME_SWAGE_H_
