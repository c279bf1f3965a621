#include "runtime/compile_options.h"

#include <atomic>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "cache/tiers.h"

namespace swage::runtime {
namespace {

std::atomic<bool> baked_dims{false};

LogLevel LevelOf(passes::Severity severity) {
  return severity == passes::Severity::kWarning ? LogLevel::kWarn : LogLevel::kDebug;
}

}  // namespace

StatusOr<std::shared_ptr<codegen::Executable>> CompileAndTell(
    std::unique_ptr<ir::Module> module, const passes::CompilerOptions& options, Effort effort,
    CompileFn compile) {
  codegen::CompileOptions compile_options;
  compile_options.compiler = options;
  compile_options.kernels.quick = effort == Effort::kQuick;
  compile_options.kernels.baked_dims = baked_dims.load(std::memory_order_relaxed);
  compile_options.kernels.store = cache::Tiers::Global();
  const std::string name = module->name();
  std::vector<passes::Message> messages;
  auto executable = compile(std::move(module), compile_options, &messages);
  for (const passes::Message& message : messages) {
    Log(LevelOf(message.severity), absl::StrCat("[compile] ", name, ": ", message.text));
  }
  return executable;
}

bool SetBakedDims(bool baked) { return baked_dims.exchange(baked); }

}  // namespace swage::runtime
