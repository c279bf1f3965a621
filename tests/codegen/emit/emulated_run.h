// File: tests/codegen/emit/emulated_run.h
//
// Runs PTX on the emulated driver (tests/emulated_cuda), which checks every access, race, barrier
// and shuffle on the way.
#ifndef SWAGE_TESTS_CODEGEN_EMIT_EMULATED_RUN_H_
#define SWAGE_TESTS_CODEGEN_EMIT_EMULATED_RUN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "codegen/gpu/launch.h"
#include "compiler/ir/literal.h"

namespace swage::emit {

class EmulatedKernel {
 public:
  static StatusOr<std::shared_ptr<EmulatedKernel>> Load(const std::string& ptx, const char* name);
  ~EmulatedKernel();

  // The results, of these shapes. Threads run in an order of their own for each `seed`; 0: in turn.
  // The result holds argument `updated` before, if that is not negative.
  StatusOr<std::vector<ir::Literal>> Run(const gpu::Launch& launch,
                                         absl::Span<const ir::Literal> args,
                                         const std::vector<ir::Shape>& results,
                                         const std::vector<int64_t>& extents, int seed,
                                         int updated) const;

 private:
  EmulatedKernel() = default;

  void* module_ = nullptr;
  void* function_ = nullptr;
};

}  // namespace swage::emit

#endif  // SWAGE_TESTS_CODEGEN_EMIT_EMULATED_RUN_H_
