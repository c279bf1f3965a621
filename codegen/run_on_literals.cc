#include "codegen/run_on_literals.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check_mode.h"

namespace swage::codegen {
namespace {

StatusOr<std::vector<ir::Literal>> RunInSpace(Executable& executable, MemorySpace& memory,
                                              absl::Span<const ir::Literal> inputs) {
  std::vector<const void*> in;
  std::vector<void*> out;
  std::vector<SpaceBlock> blocks;
  for (const ir::Literal& input : inputs) {
    const auto size = static_cast<int64_t>(input.bytes().size());
    SWAGE_ASSIGN_OR_RETURN(SpaceBlock block, SpaceBlock::Allocate(memory, size));
    SWAGE_RETURN_IF_ERROR(memory.CopyIn(block.data(), input.bytes().data(), size));
    in.push_back(block.data());
    blocks.push_back(std::move(block));
  }
  for (const ir::Shape& shape : executable.output_shapes()) {
    SWAGE_ASSIGN_OR_RETURN(const int64_t size, shape.ByteSize());
    SWAGE_ASSIGN_OR_RETURN(SpaceBlock block, SpaceBlock::Allocate(memory, size));
    out.push_back(block.data());
    blocks.push_back(std::move(block));
  }
  SWAGE_RETURN_IF_ERROR(executable.Run(in, out));
  return LiteralsAt(&memory, executable.output_shapes(), out);
}

StatusOr<std::vector<ir::Literal>> RunBetweenGuards(Executable& executable,
                                                    absl::Span<const ir::Literal> inputs) {
  std::vector<GuardedBuffer> buffers;
  std::vector<const void*> in;
  std::vector<void*> out;
  const auto add = [&](int64_t size) -> Status {
    SWAGE_ASSIGN_OR_RETURN(GuardedBuffer buffer, CheckMode::Get().Guarded(size));
    buffers.push_back(std::move(buffer));
    return OkStatus();
  };
  for (const ir::Literal& input : inputs) {
    const absl::Span<const uint8_t> bytes = input.bytes();
    SWAGE_RETURN_IF_ERROR(add(static_cast<int64_t>(bytes.size())));
    std::copy(bytes.begin(), bytes.end(), static_cast<uint8_t*>(buffers.back().data()));
    in.push_back(buffers.back().data());
  }
  for (const ir::Shape& shape : executable.output_shapes()) {
    SWAGE_ASSIGN_OR_RETURN(const int64_t size, shape.ByteSize());
    SWAGE_RETURN_IF_ERROR(add(size));
    out.push_back(buffers.back().data());
  }
  SWAGE_RETURN_IF_ERROR(executable.Run(in, out));
  for (const GuardedBuffer& buffer : buffers) SWAGE_RETURN_IF_ERROR(buffer.Check());
  return LiteralsAt(nullptr, executable.output_shapes(), out);
}

}  // namespace

StatusOr<std::vector<ir::Literal>> LiteralsAt(MemorySpace* memory,
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

StatusOr<std::vector<ir::Literal>> RunOnLiterals(Executable& executable,
                                                 absl::Span<const ir::Literal> inputs) {
  if (MemorySpace* const memory = executable.memory()) {
    return RunInSpace(executable, *memory, inputs);
  }
  if (CheckMode::Get().memory) return RunBetweenGuards(executable, inputs);
  std::vector<const void*> in;
  std::vector<void*> out;
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
