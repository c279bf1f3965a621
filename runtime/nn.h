// File: runtime/nn.h
//
// The layers of neural networks that are compositions of ops.h; errors and threads as there.
#ifndef SWAGE_RUNTIME_NN_H_
#define SWAGE_RUNTIME_NN_H_

#include "runtime/ops.h"

namespace swage {

// exp(x - max) / sum along `axis`. A row of -inf only gives NaN, for every length.
SWAGE_API Tensor softmax(const Tensor& x, int axis = -1, Where where = Where::current());
SWAGE_API Tensor log_softmax(const Tensor& x, int axis = -1, Where where = Where::current());
// (x - mean) / sqrt(var + epsilon) * scale + bias over the last dimension; population variance, two
// passes. scale and bias have the extent of the last dimension; an undefined Tensor leaves it out.
SWAGE_API Tensor layer_norm(const Tensor& x, const Tensor& scale = {}, const Tensor& bias = {},
                            double epsilon = 1e-5, Where where = Where::current());
SWAGE_API Tensor rms_norm(const Tensor& x, const Tensor& scale = {}, double epsilon = 1e-5,
                          Where where = Where::current());
// x * (1 + erf(x / sqrt(2))) / 2; approximate: the tanh form.
SWAGE_API Tensor gelu(const Tensor& x, bool approximate = false, Where where = Where::current());
SWAGE_API Tensor relu(const Tensor& x, Where where = Where::current());
SWAGE_API Tensor silu(const Tensor& x, Where where = Where::current());  // x * sigmoid(x)
// A new last dimension of `classes`; 1 where it equals x (integers), else 0.
SWAGE_API Tensor one_hot(const Tensor& x, int64_t classes, DType dtype = f32,
                         Where where = Where::current());

}  // namespace swage

#endif  // SWAGE_RUNTIME_NN_H_
