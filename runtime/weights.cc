#include "runtime/weights.h"

#include <utility>
#include <vector>

#include "compiler/ir/unchanging.h"
#include "runtime/tensor_impl.h"

namespace swage::runtime {
namespace {

// The host packs what lies there.
bool IsWeight(const Tensor& tensor) {
  if (tensor.impl()->traced()) return false;
  const Buffer& buffer = *tensor.impl()->buffer();
  return buffer.is_ours() && buffer.space() == nullptr;
}

}  // namespace

void MarkWeights(absl::Span<const Tensor> captured, ir::Computation* computation) {
  const int first = computation->parameter_count() - static_cast<int>(captured.size());
  for (size_t i = 0; i < captured.size(); ++i) {
    if (IsWeight(captured[i])) {
      ir::MarkUnchanging(computation->parameter(first + static_cast<int>(i)));
    }
  }
}

StatusOr<std::shared_ptr<codegen::Executable>> WithWeights(
    absl::Span<const Tensor> captured, const std::shared_ptr<codegen::Executable>& executable) {
  if (executable == nullptr || executable->memory() != nullptr || captured.empty()) {
    return executable;
  }
  const size_t inputs = executable->input_shapes().size();
  SWAGE_RET_CHECK(inputs >= captured.size(), inputs);
  std::vector<codegen::UnchangingInput> weights;
  for (size_t i = 0; i < captured.size(); ++i) {
    if (!IsWeight(captured[i])) continue;
    Buffer& buffer = *captured[i].impl()->buffer();
    weights.push_back({.index = static_cast<int>(inputs - captured.size() + i),
                       .data = buffer.data(),
                       .forms = &buffer.forms()});
  }
  return executable->PreparedFor(weights);
}

StatusOr<cache::ProgramPtr> WithWeights(absl::Span<const Tensor> captured,
                                        cache::ProgramPtr program) {
  SWAGE_ASSIGN_OR_RETURN(std::shared_ptr<codegen::Executable> prepared,
                         WithWeights(captured, program->executable()));
  if (prepared == program->executable()) return program;
  return cache::ModuleCache::Global().Adopt(std::move(prepared));
}

}  // namespace swage::runtime
