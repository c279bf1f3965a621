#include "runtime/cpu_backend.h"

#include <atomic>

#include "base/log.h"
#include "cache/tiers.h"
#include "codegen/cpu/compile.h"
#include "codegen/cpu/specialise.h"

namespace swage::runtime {
namespace {

std::atomic<bool> baked{false};

LogLevel LevelOf(passes::Severity severity) {
  return severity == passes::Severity::kWarning ? LogLevel::kWarn : LogLevel::kDebug;
}

// Which store there is, is asked for when it is needed: it may be another by then.
const cpu::Specialisation kSpecialisation{
    .store = []() -> codegen::EntryStore* { return cache::Tiers::Global(); }};

}  // namespace

StatusOr<std::shared_ptr<codegen::Executable>> CompileForCpu(const Backend&,
                                                             std::unique_ptr<ir::Module> module,
                                                             const passes::CompilerOptions& options,
                                                             Effort effort) {
  cpu::CompileOptions compile_options;
  compile_options.compiler = options;
  compile_options.kernels.quick = effort == Effort::kQuick;
  compile_options.kernels.baked_dims = baked_dims();
  compile_options.kernels.store = cache::Tiers::Global();
  if (options.specialise) compile_options.specialise = &kSpecialisation;
  const std::string name = module->name();
  std::vector<passes::Message> messages;
  auto executable = cpu::Compile(std::move(module), compile_options, &messages);
  LogMessages(name, messages);
  return executable;
}

bool SetBakedDims(bool value) { return baked.exchange(value); }

bool baked_dims() { return baked.load(std::memory_order_relaxed); }

void LogMessages(const std::string& module, const std::vector<passes::Message>& messages) {
  for (const passes::Message& message : messages) {
    Log(LevelOf(message.severity), absl::StrCat("[compile] ", module, ": ", message.text));
  }
}

}  // namespace swage::runtime
