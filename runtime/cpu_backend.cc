#include "runtime/cpu_backend.h"

#include <utility>

#include "cache/tiers.h"
#include "codegen/cpu/compile.h"
#include "codegen/cpu/specialise.h"
#include "runtime/compile_options.h"

namespace swage::runtime {
namespace {

// Which store there is, is asked for when it is needed: it may be another by then.
const cpu::Specialisation kSpecialisation{
    .store = []() -> codegen::EntryStore* { return cache::Tiers::Global(); }};

}  // namespace

StatusOr<std::shared_ptr<codegen::Executable>> CompileForCpu(const Backend&,
                                                             std::unique_ptr<ir::Module> module,
                                                             const passes::CompilerOptions& options,
                                                             Effort effort) {
  const auto compile = [&](std::unique_ptr<ir::Module> whole, const codegen::CompileOptions& how,
                           std::vector<passes::Message>* messages) {
    return cpu::Compile(std::move(whole), how, messages,
                        options.specialise ? &kSpecialisation : nullptr);
  };
  return CompileAndTell(std::move(module), options, effort, compile);
}

}  // namespace swage::runtime
