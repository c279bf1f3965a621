#include "runtime/cpu_backend.h"

#include <atomic>

#include "base/log.h"
#include "cache/tiers.h"
#include "codegen/cpu/compile.h"
#include "codegen/cpu/specialise.h"

namespace swage::runtime {
namespace {

std::atomic<bool> baked_dims{false};

LogLevel LevelOf(passes::Severity severity) {
  return severity == passes::Severity::kWarning ? LogLevel::kWarn : LogLevel::kDebug;
}

// Which store there is, is asked for when it is needed: it may be another by then.
const cpu::Specialisation kSpecialisation{
    .store = []() -> codegen::EntryStore* { return cache::Tiers::Global(); }};

}  // namespace

StatusOr<std::shared_ptr<codegen::Executable>> CompileForCpu(std::unique_ptr<ir::Module> module,
                                                             const passes::CompilerOptions& options,
                                                             Effort effort) {
  cpu::CompileOptions compile_options;
  compile_options.compiler = options;
  compile_options.kernels.quick = effort == Effort::kQuick;
  compile_options.kernels.baked_dims = baked_dims.load(std::memory_order_relaxed);
  compile_options.kernels.store = cache::Tiers::Global();
  if (options.specialise) compile_options.specialise = &kSpecialisation;
  const std::string name = module->name();
  std::vector<passes::Message> messages;
  auto executable = cpu::Compile(std::move(module), compile_options, &messages);
  for (const passes::Message& message : messages) {
    Log(LevelOf(message.severity), absl::StrCat("[compile] ", name, ": ", message.text));
  }
  return executable;
}

bool SetBakedDims(bool baked) { return baked_dims.exchange(baked); }

}  // namespace swage::runtime
