// File: compiler/pipelines/drop_orders.h
//
// Where every pipeline begins.
#ifndef SWAGE_COMPILER_PIPELINES_DROP_ORDERS_H_
#define SWAGE_COMPILER_PIPELINES_DROP_ORDERS_H_

#include "compiler/ir/computation.h"
#include "compiler/ir/module.h"
#include "compiler/ir/parser.h"

namespace swage::pipelines {

// Layouts (but the entry's) and schedules that the text of a module had are no orders.
inline void DropOrders(ir::Module* module) {
  ir::DropLayouts(module);
  module->set_is_scheduled(false);
  for (ir::Computation* computation : module->Computations()) computation->set_schedule({});
}

}  // namespace swage::pipelines

#endif  // SWAGE_COMPILER_PIPELINES_DROP_ORDERS_H_
