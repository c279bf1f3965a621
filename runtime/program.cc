#include "runtime/program.h"

#include <new>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/env.h"
#include "base/log.h"
#include "cache/module_cache.h"
#include "compiler/ir/fingerprint.h"
#include "runtime/ir_types.h"
#include "runtime/tensor_impl.h"
#include "runtime/trace.h"

namespace swage::runtime {
namespace {

// Lists are written with their lengths, so that no two options share a key.
void AppendList(std::string* key, const std::vector<std::string>& list) {
  absl::StrAppend(key, list.size(), ";");
  for (const std::string& entry : list) absl::StrAppend(key, entry.size(), ":", entry);
}

std::string KeyOf(const ResolvedOptions& options) {
  const passes::CompilerOptions& compiler = options.compiler;
  std::string key = absl::StrCat(ToAbsl(options.backend->name), "\n");
  AppendList(&key, compiler.disable_passes);
  AppendList(&key, compiler.only_passes);
  absl::StrAppend(&key, compiler.fast_math, compiler.allow_excess_precision, compiler.check_lies,
                  compiler.check_passes, "|", compiler.fold_budget_microseconds, "|",
                  compiler.fold_budget_bytes, "\n");
  // Dumps do not change the program, but a program from the cache would not write any.
  AppendList(&key, {compiler.dump_to});
  AppendList(&key, compiler.dump_passes);
  return key;
}

void LogCompile(const std::string& name, const codegen::CompileReport& report,
                std::string_view reason) {
  if (report.kernels == 0) {  // the interpreter's, or a program of copies
    return Log(LogLevel::kInfo,
               absl::StrFormat("[compile] %s: %s; no kernels", name, ToAbsl(reason)));
  }
  Log(LogLevel::kInfo,
      absl::StrFormat("[compile] %s: %s; %.2f ms (passes %.2f, plan %.2f, llvm %.2f, link %.2f), "
                      "%d kernels, %d from llvm, %d from the cache",
                      name, ToAbsl(reason), report.total_ms, report.passes_ms, report.plan_ms,
                      report.llvm_ms, report.link_ms, report.kernels, report.llvm_runs,
                      report.kernel_hits));
}

// No exception may leave: other threads wait for the outcome.
StatusOr<std::shared_ptr<codegen::Executable>> CompileGuarded(std::unique_ptr<ir::Module> module,
                                                              const ResolvedOptions& options) {
  try {
    return options.backend->compile(std::move(module), options.compiler);
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("[compile] out of memory");
  } catch (const std::exception& error) {
    return Internal("[compile] ", error.what());
  }
}

}  // namespace

StatusOr<ResolvedOptions> ResolveOptions(const JitOptions& options) {
  CheckEnvironmentOnce();
  ResolvedOptions resolved;
  SWAGE_ASSIGN_OR_RETURN(resolved.compiler, passes::OptionsFromEnvironment());
  const std::string device =
      !options.device.empty() ? options.device : GetEnv("SWAGE_DEVICE").value_or("cpu");
  SWAGE_ASSIGN_OR_RETURN(resolved.backend, FindBackend(device));
  passes::CompilerOptions& compiler = resolved.compiler;
  if (!options.disable_passes.empty()) compiler.disable_passes = options.disable_passes;
  if (!options.only_passes.empty()) compiler.only_passes = options.only_passes;
  if (!options.dump_to.empty()) compiler.dump_to = options.dump_to;
  compiler.fast_math = options.fast_math.value_or(compiler.fast_math);
  compiler.fold_budget_bytes = options.max_constant_bytes.value_or(compiler.fold_budget_bytes);
  resolved.key = KeyOf(resolved);
  return resolved;
}

const ResolvedOptions& EagerOptions() {
  static const ResolvedOptions* const options = [] {
    StatusOr<ResolvedOptions> resolved = ResolveOptions({});
    if (!resolved.ok()) ThrowStatus(resolved.status(), "options", {});
    return new ResolvedOptions(*std::move(resolved));
  }();
  return *options;
}

StatusOr<Compiled> CompileModule(std::unique_ptr<ir::Module> module, const ResolvedOptions& options,
                                 std::string_view reason) {
  const std::string key = absl::StrCat(options.key, ir::CanonicalText(*module));
  Compiled compiled;
  auto compile = [&]() -> StatusOr<std::shared_ptr<codegen::Executable>> {
    const std::string name = module->name();
    SWAGE_ASSIGN_OR_RETURN(auto executable, CompileGuarded(std::move(module), options));
    if (LogEnabled(LogLevel::kInfo)) LogCompile(name, executable->report(), reason);
    return executable;
  };
  SWAGE_ASSIGN_OR_RETURN(compiled.executable,
                         cache::ModuleCache::Global().Get(key, compile, &compiled.cached));
  return compiled;
}

StatusOr<std::vector<Tensor>> RunExecutable(codegen::Executable& executable,
                                            absl::Span<const Tensor* const> inputs) {
  absl::InlinedVector<const void*, 16> in;
  for (const Tensor* input : inputs) in.push_back(input->impl()->buffer()->data());
  std::vector<Tensor> results;
  absl::InlinedVector<void*, 8> out;
  for (const ir::Shape& shape : executable.output_shapes()) {
    SWAGE_ASSIGN_OR_RETURN(FreshTensor made, NewTensor(shape));
    results.push_back(std::move(made.tensor));
    out.push_back(made.data);
  }
  SWAGE_RETURN_IF_ERROR(executable.Run(in, out));
  return results;
}

}  // namespace swage::runtime
