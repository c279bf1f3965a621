// File: bench/forms.h
//
// Programs of five forms in any number of operations, as C++ functions that are traced: what
// growth_bench compiles.
//
//   chain     elementwise operations, one after the other
//   wide      branches of elementwise operations that do not know each other, summed at the end
//   diamond   every value is used twice, and the uses meet again
//   unrolled  a loop as a C++ loop traces it: each step slices its row, multiplies it and the state
//             by matrices, and writes its row of the result
//   layers    transformer layers, each with weights of its own
//
//   SWAGE_ASSIGN_OR_RETURN(std::unique_ptr<ir::Module> module, TraceForm(Forms()[0], 1000));
#ifndef SWAGE_BENCH_FORMS_H_
#define SWAGE_BENCH_FORMS_H_

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/ir/module.h"
#include "runtime/swage.h"

namespace swage::bench {

// `ops` is about the number of HLO operations of the trace, without arguments, numbers and their
// broadcasts.
struct Form {
  std::string name;
  std::vector<ShapeVector> (*arguments)(int64_t ops);  // f32
  Tensor (*function)(const std::vector<Tensor>& arguments, int64_t ops);
};

const std::vector<Form>& Forms();

// The graph that `form` traces to.
StatusOr<std::unique_ptr<ir::Module>> TraceForm(const Form& form, int64_t ops);

// A layer of a transformer of 4 heads over x[length,width] with the twelve weights `w`: scale and
// bias of a layer norm, weights and bias of q, k and v together, of what comes out; the same of the
// MLP.
Tensor TransformerLayer(const Tensor& x, const Tensor* w);

}  // namespace swage::bench

#endif  // SWAGE_BENCH_FORMS_H_
