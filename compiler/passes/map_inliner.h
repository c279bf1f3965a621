// File: compiler/passes/map_inliner.h
//
// map-inliner replaces map by the instructions of its body on whole arrays. The body must consist
// of elementwise ops, constants and ops that do nothing to a scalar (copy, reshape, broadcast); any
// other map is left.
#ifndef SWAGE_COMPILER_PASSES_MAP_INLINER_H_
#define SWAGE_COMPILER_PASSES_MAP_INLINER_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class MapInliner : public Pass {
 public:
  std::string_view name() const override { return "map-inliner"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_MAP_INLINER_H_
