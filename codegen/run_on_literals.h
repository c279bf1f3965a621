// File: codegen/run_on_literals.h
//
// An executable on values of the graph: for tools and tests, which have literals instead of
// tensors.
#ifndef SWAGE_CODEGEN_RUN_ON_LITERALS_H_
#define SWAGE_CODEGEN_RUN_ON_LITERALS_H_

#include <cstring>
#include <vector>

#include "absl/types/span.h"
#include "base/status.h"
#include "codegen/executable.h"
#include "codegen/memory_space.h"
#include "compiler/ir/literal.h"

namespace swage::codegen {

// The arrays of `shapes` at these addresses of an executable's memory.
inline StatusOr<std::vector<ir::Literal>> LiteralsAt(MemorySpace* memory,
                                                     absl::Span<const ir::Shape> shapes,
                                                     absl::Span<const void* const> addresses) {
  std::vector<ir::Literal> literals;
  for (size_t i = 0; i < shapes.size(); ++i) {
    SWAGE_ASSIGN_OR_RETURN(ir::Literal literal, ir::Literal::Create(shapes[i]));
    const auto bytes = literal.mutable_bytes();
    if (memory != nullptr) {
      SWAGE_RETURN_IF_ERROR(
          memory->CopyOut(bytes.data(), addresses[i], static_cast<int64_t>(bytes.size())));
    } else if (!bytes.empty()) {
      std::memcpy(bytes.data(), addresses[i], bytes.size());
    }
    literals.push_back(std::move(literal));
  }
  return literals;
}

// Leaves in, of the executable's input shapes; the leaves of the result out.
inline StatusOr<std::vector<ir::Literal>> RunOnLiterals(Executable& executable,
                                                        absl::Span<const ir::Literal> inputs) {
  std::vector<const void*> in;
  std::vector<void*> out;
  if (MemorySpace* const memory = executable.memory()) {
    std::vector<SpaceBlock> blocks;
    for (const ir::Literal& input : inputs) {
      const auto size = static_cast<int64_t>(input.bytes().size());
      SWAGE_ASSIGN_OR_RETURN(SpaceBlock block, SpaceBlock::Allocate(*memory, size));
      SWAGE_RETURN_IF_ERROR(memory->CopyIn(block.data(), input.bytes().data(), size));
      in.push_back(block.data());
      blocks.push_back(std::move(block));
    }
    for (const ir::Shape& shape : executable.output_shapes()) {
      SWAGE_ASSIGN_OR_RETURN(const int64_t size, shape.ByteSize());
      SWAGE_ASSIGN_OR_RETURN(SpaceBlock block, SpaceBlock::Allocate(*memory, size));
      out.push_back(block.data());
      blocks.push_back(std::move(block));
    }
    SWAGE_RETURN_IF_ERROR(executable.Run(in, out));
    return LiteralsAt(memory, executable.output_shapes(), out);
  }
  for (const ir::Literal& input : inputs) in.push_back(input.bytes().data());
  std::vector<ir::Literal> results;
  for (const ir::Shape& shape : executable.output_shapes()) {
    SWAGE_ASSIGN_OR_RETURN(results.emplace_back(), ir::Literal::Create(shape));
    out.push_back(results.back().mutable_bytes().data());
  }
  SWAGE_RETURN_IF_ERROR(executable.Run(in, out));
  return results;
}

}  // namespace swage::codegen

#endif  // SWAGE_CODEGEN_RUN_ON_LITERALS_H_
