#include "compiler/evaluator/budget.h"

#include <unistd.h>

#include <algorithm>
#include <limits>

#include "compiler/ir/literal.h"

namespace swage::evaluator {
namespace {

// More than this machine has would be killed rather than refused.
int64_t MachineBytes() {
  const int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  return pages > 0 && page > 0 ? pages * page : std::numeric_limits<int64_t>::max();
}

}  // namespace

Budget::Budget(int64_t max_time_ms, int64_t max_bytes)
    : max_time_ms_(max_time_ms), max_bytes_(std::min(max_bytes, MachineBytes())) {}

Status Budget::Reserve(const ir::Instruction& instruction, const ir::Shape& shape, int64_t* bytes) {
  *bytes = 0;
  const StatusOr<int64_t> size = shape.ByteSize();
  if (!size.ok()) {
    return ResourceExhausted("[evaluate] ", instruction.name(), ": ", shape.ToString(),
                             " is too large: ", size.status().message());
  }
  if (*size > max_bytes_ - live_bytes_ || *size > ir::kMaxLiteralBytes) {
    return ResourceExhausted("[evaluate] ", instruction.name(), ": ", shape.ToString(), " needs ",
                             *size, " bytes, while ", live_bytes_, " of at most ", max_bytes_,
                             " are in use (one value may have ", ir::kMaxLiteralBytes, ")");
  }
  *bytes = *size;
  live_bytes_ += *size;
  return OkStatus();
}

Status Budget::CheckTime(const ir::Instruction& instruction) const {
  if (max_time_ms_ == std::numeric_limits<int64_t>::max()) return OkStatus();
  const auto passed = std::chrono::steady_clock::now() - start_;
  if (passed <= std::chrono::milliseconds(max_time_ms_)) return OkStatus();
  return ResourceExhausted("[evaluate] the budget of ", max_time_ms_, " ms was over at ",
                           instruction.name(), " = ", ToAbsl(ir::OpcodeName(instruction.opcode())));
}

}  // namespace swage::evaluator
