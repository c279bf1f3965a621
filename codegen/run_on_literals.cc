#include "codegen/run_on_literals.h"

#include <cstring>
#include <utility>

#include "base/check_mode.h"

namespace swage::codegen {
StatusOr<void*> RunBuffers::Add(int64_t bytes, const void* content) {
  if (memory_ == nullptr) {
    SWAGE_ASSIGN_OR_RETURN(GuardedBuffer buffer, CheckMode::Get().Guarded(bytes));
    if (content != nullptr) std::memcpy(buffer.data(), content, static_cast<size_t>(bytes));
    return guarded_.emplace_back(std::move(buffer)).data();
  }
  SWAGE_ASSIGN_OR_RETURN(SpaceBlock block, SpaceBlock::Allocate(*memory_, bytes));
  if (content != nullptr) SWAGE_RETURN_IF_ERROR(memory_->CopyIn(block.data(), content, bytes));
  return blocks_.emplace_back(std::move(block)).data();
}

StatusOr<RunBuffers> RunBuffers::Create(const Executable& executable,
                                        absl::Span<const ir::Literal> inputs) {
  RunBuffers buffers(executable.memory());
  buffers.shapes_ = executable.output_shapes();
  buffers.in_literals_ = buffers.memory_ == nullptr && !CheckMode::Get().memory;
  for (const ir::Literal& input : inputs) {
    const void* data = input.bytes().data();
    if (!buffers.in_literals_) {
      SWAGE_ASSIGN_OR_RETURN(data, buffers.Add(static_cast<int64_t>(input.bytes().size()), data));
    }
    buffers.in_.push_back(data);
  }
  for (const ir::Shape& shape : buffers.shapes_) {
    if (buffers.in_literals_) {
      SWAGE_ASSIGN_OR_RETURN(buffers.results_.emplace_back(), ir::Literal::Create(shape));
      buffers.out_.push_back(buffers.results_.back().mutable_bytes().data());
      continue;
    }
    SWAGE_ASSIGN_OR_RETURN(const int64_t size, shape.ByteSize());
    SWAGE_ASSIGN_OR_RETURN(buffers.out_.emplace_back(), buffers.Add(size, nullptr));
  }
  return buffers;
}

StatusOr<std::vector<ir::Literal>> RunBuffers::CopyResults() const {
  for (const GuardedBuffer& buffer : guarded_) SWAGE_RETURN_IF_ERROR(buffer.Check());
  return LiteralsAt(memory_, shapes_, out_);
}

StatusOr<std::vector<ir::Literal>> RunBuffers::Results() const& {
  if (in_literals_) return results_;
  return CopyResults();
}

StatusOr<std::vector<ir::Literal>> RunBuffers::Results() && {
  if (in_literals_) return std::move(results_);
  return CopyResults();
}

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
  SWAGE_ASSIGN_OR_RETURN(RunBuffers buffers, RunBuffers::Create(executable, inputs));
  SWAGE_RETURN_IF_ERROR(executable.Run(buffers.in(), buffers.out()));
  return std::move(buffers).Results();
}

}  // namespace swage::codegen
