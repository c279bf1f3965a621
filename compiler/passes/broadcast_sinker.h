// File: compiler/passes/broadcast_sinker.h
//
// broadcast-sinker computes on the small side of a broadcast: an elementwise op whose operands are
// all broadcast the same way becomes the broadcast of the op.
//
//   add(broadcast(a), broadcast(b))  ->  broadcast(add(a, b))
//   exp(broadcast(a))                ->  broadcast(exp(a))
//
// Broadcast scalars among the operands fit any broadcast. Exact: every element is computed from the
// same values. Each rewrite lowers the number of elements that are computed.
#ifndef SWAGE_COMPILER_PASSES_BROADCAST_SINKER_H_
#define SWAGE_COMPILER_PASSES_BROADCAST_SINKER_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class BroadcastSinker : public Pass {
 public:
  std::string_view name() const override { return "broadcast-sinker"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_BROADCAST_SINKER_H_
