// File: compiler/passes/buffer_assignment.h
//
// buffer-assignment assigns the buffers of every computation that runs step by step
// (compiler/analysis/buffer_assignment.h), changes nothing, and
//   - is an error of ours if one cannot be assigned, or needs a larger arena than the order of the
//     program would,
//   - reports the bytes of intermediate values,
//   - dumps the tables: <module>.<computation>-buffer-assignment.txt.
#ifndef SWAGE_COMPILER_PASSES_BUFFER_ASSIGNMENT_H_
#define SWAGE_COMPILER_PASSES_BUFFER_ASSIGNMENT_H_

#include "compiler/passes/pass.h"

namespace swage::passes {

class BufferAssignment : public Pass {
 public:
  std::string_view name() const override { return "buffer-assignment"; }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override;
};

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_BUFFER_ASSIGNMENT_H_
