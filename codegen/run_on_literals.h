// File: codegen/run_on_literals.h
//
// An executable on values of the graph: for tools and tests, which have literals instead of tensors.
#ifndef SWAGE_CODEGEN_RUN_ON_LITERALS_H_
#define SWAGE_CODEGEN_RUN_ON_LITERALS_H_

#include <vector>

#include "absl/types/span.h"
#include "base/status.h"
#include "codegen/executable.h"
#include "compiler/ir/literal.h"

namespace swage::codegen {

// Leaves in, of the executable's input shapes; the leaves of the result out.
inline StatusOr<std::vector<ir::Literal>> RunOnLiterals(Executable& executable,
                                                        absl::Span<const ir::Literal> inputs) {
  std::vector<const void*> in;
  for (const ir::Literal& input : inputs) in.push_back(input.bytes().data());
  std::vector<ir::Literal> results;
  std::vector<void*> out;
  for (const ir::Shape& shape : executable.output_shapes()) {
    SWAGE_ASSIGN_OR_RETURN(results.emplace_back(), ir::Literal::Create(shape));
    out.push_back(results.back().mutable_bytes().data());
  }
  SWAGE_RETURN_IF_ERROR(executable.Run(in, out));
  return results;
}

}  // namespace swage::codegen

#endif  // SWAGE_CODEGEN_RUN_ON_LITERALS_H_
