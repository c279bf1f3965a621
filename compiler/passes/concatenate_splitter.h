// File: compiler/passes/concatenate_splitter.h
//
// concatenate-splitter joins the operands of a wide concatenate in groups, and then the groups, so
// that no kernel has more operands than a kernel may have (fusion_rules.h):
//
//   concatenate(x0 ... x199)  ->  concatenate(concatenate(x0 ... x49), ... concatenate(x150 ...))
//
// After it nothing may flatten concatenates again. Exact.
#ifndef SWAGE_COMPILER_PASSES_CONCATENATE_SPLITTER_H_
#define SWAGE_COMPILER_PASSES_CONCATENATE_SPLITTER_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class ConcatenateSplitter : public Pass {
 public:
  std::string_view name() const override { return "concatenate-splitter"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_CONCATENATE_SPLITTER_H_
