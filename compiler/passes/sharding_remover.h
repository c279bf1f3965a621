// File: compiler/passes/sharding_remover.h
//
// sharding-remover drops what partitions a program: `sharding` attributes and the custom calls that
// mark a sharding or its borders. It stands where the spmd-partitioner would on one device. A
// module for more than one partition is an error. What it drops has no kernel, so it is required.
#ifndef SWAGE_COMPILER_PASSES_SHARDING_REMOVER_H_
#define SWAGE_COMPILER_PASSES_SHARDING_REMOVER_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class ShardingRemover : public Pass {
 public:
  std::string_view name() const override { return "sharding-remover"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
  bool IsRequired() const override { return true; }
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_SHARDING_REMOVER_H_
