// File: compiler/passes/start_hoister.h
//
// start-hoister takes the numbers that say where windows begin out of kernels:
//
//   fusion(x, u) { ... dynamic-update-slice(x, u, constant(7), constant(0)) }
//     ->  fusion(x, u, constant(7)) { ... dynamic-update-slice(x, u, param, constant(0)) }
//
// Of several windows along one dimension the first start is taken out, and the others are sums of
// it and their distance. Kernels that differ in it alone are one kernel then, and a loop that was
// unrolled has one for its steps. A start of 0 stays: a kernel that knows it is simpler. It runs
// after fusion, and leaves a kernel alone that would get too many operands (fusion_rules.h). Exact.
#ifndef SWAGE_COMPILER_PASSES_START_HOISTER_H_
#define SWAGE_COMPILER_PASSES_START_HOISTER_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class StartHoister : public Pass {
 public:
  std::string_view name() const override { return "start-hoister"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_START_HOISTER_H_
