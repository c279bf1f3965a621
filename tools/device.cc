#include "tools/device.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/nearest.h"
#include "cache/tiers.h"
#include "codegen/compile_log.h"
#include "codegen/cpu/compile.h"
#include "codegen/gpu/compile.h"
#include "codegen/run_on_literals.h"
#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/assumptions.h"
#include "compiler/ir/bind_symbols.h"
#include "compiler/ir/parser.h"
#include "compiler/passes/inline.h"
#include "compiler/passes/physical_padding.h"
#include "runtime/device_name.h"

namespace swage::tools {
namespace {

struct HowToCompile {
  codegen::EntryStore* store = nullptr;
  int ordinal = 0;  // of a GPU
  DeviceOptions options;
};

void SetPadding(const DeviceOptions& options, passes::CompilerOptions* compiler) {
  if (!options.pad) return;
  compiler->padding = passes::Padding::kForced;
  compiler->padding_fill = options.fill;
  compiler->padding_masks = options.masks;
}

StatusOr<codegen::CompileOptions> OptionsOf(codegen::EntryStore* store,
                                            const DeviceOptions& options) {
  codegen::CompileOptions compile;
  compile.kernels.store = store;
  compile.kernels.baked_dims = options.baked_dims;
  SWAGE_ASSIGN_OR_RETURN(compile.compiler, pipelines::OptionsFromEnvironment());
  SetPadding(options, &compile.compiler);
  return compile;
}

// Logs a compile.
StatusOr<std::shared_ptr<codegen::Executable>> Finish(
    const std::string& name, StatusOr<std::shared_ptr<codegen::Executable>> compiled,
    const std::vector<passes::Message>& messages, std::string_view reason) {
  for (const passes::Message& message : messages) {
    if (message.severity == passes::Severity::kWarning) LogWarning(message.text);
  }
  if (compiled.ok()) codegen::LogCompile(name, (*compiled)->report(), reason);
  return compiled;
}

StatusOr<RunCompiled> EvaluatePadded(const ir::Module& module, const DeviceOptions& options) {
  passes::CompilerOptions compiler;
  SetPadding(options, &compiler);
  passes::PassContext context(compiler);
  const std::shared_ptr<ir::Module> padded = module.Clone();
  ir::AssumptionScope sizes_fit;
  SWAGE_RETURN_IF_ERROR(passes::Inline().Run(*padded, context).status());
  SWAGE_RETURN_IF_ERROR(passes::PhysicalPadding().Run(*padded, context).status());
  return RunCompiled(
      [padded](const std::vector<ir::Literal>& args) -> StatusOr<std::vector<ir::Literal>> {
        SWAGE_ASSIGN_OR_RETURN(const ir::Literal result, evaluator::Evaluate(*padded, args));
        return ir::Leaves(result);
      });
}

StatusOr<RunCompiled> CompileForEvaluator(const ir::Module& module, const HowToCompile& how) {
  if (how.options.pad) return EvaluatePadded(module, how.options);
  return RunCompiled(
      [&module](const std::vector<ir::Literal>& args) -> StatusOr<std::vector<ir::Literal>> {
        SWAGE_ASSIGN_OR_RETURN(const ir::Literal result, evaluator::Evaluate(module, args));
        return ir::Leaves(result);
      });
}

// The program of the sizes of `args`, of one that has symbols.
StatusOr<std::shared_ptr<codegen::Executable>> SizedFor(const ir::Module& module,
                                                        const codegen::Executable& executable,
                                                        const std::vector<ir::Literal>& args) {
  std::vector<const ir::Shape*> got;
  for (const ir::Literal& arg : args) got.push_back(&arg.shape());
  const StatusOr<ir::SymbolBinding> sizes = ir::SolveSizes(module, got);
  if (!sizes.ok()) return InvalidArgument("[sizes] ", sizes.status().message());
  return executable.ForSizes(*sizes);
}

// Runs `executable`, the program of the module, on values.
RunCompiled Runner(const ir::Module& module, std::shared_ptr<codegen::Executable> executable) {
  const bool open = ir::HasSymbols(module);
  return [&module, executable = std::move(executable),
          open](const std::vector<ir::Literal>& args) -> StatusOr<std::vector<ir::Literal>> {
    std::vector<ir::Literal> leaves;
    for (const ir::Literal& arg : args) ir::AppendLeaves(arg, &leaves);
    if (!open) return codegen::RunOnLiterals(*executable, leaves);
    SWAGE_ASSIGN_OR_RETURN(const auto sized, SizedFor(module, *executable, args));
    return codegen::RunOnLiterals(*sized, leaves);
  };
}

using Compiled = StatusOr<std::shared_ptr<codegen::Executable>>;

Compiled CompileForCpu(std::unique_ptr<ir::Module> module, int, const codegen::CompileOptions& how,
                       std::vector<passes::Message>* messages) {
  return cpu::Compile(std::move(module), how, messages);
}

struct NamedDevice {
  const char* name;
  // Null: it compiles nothing, and is the evaluator.
  Compiled (*compile)(std::unique_ptr<ir::Module> module, int ordinal,
                      const codegen::CompileOptions& options,
                      std::vector<passes::Message>* messages);
  Status (*check)(int ordinal);  // whether it is there
};

constexpr NamedDevice kDevices[] = {
    {"cpu", CompileForCpu, [](int) { return OkStatus(); }},
    {"cuda", gpu::Compile, gpu::CheckDevice},
    {"evaluator", nullptr, [](int) { return OkStatus(); }},
};

StatusOr<const NamedDevice*> DeviceNamed(const std::string& name) {
  const auto [kind, ordinal] = runtime::SplitDevice(name);
  for (const NamedDevice& device : kDevices) {
    if (kind != device.name) continue;
    SWAGE_RETURN_IF_ERROR(device.check(ordinal));
    return &device;
  }
  return NotFound("[device] got '", name, "', expected ", ToAbsl(runtime::kDeviceNames),
                  DidYouMean(name, DeviceNames()));
}

Compiled CompileOn(const NamedDevice& device, std::unique_ptr<ir::Module> module,
                   const HowToCompile& how, std::string_view reason) {
  SWAGE_ASSIGN_OR_RETURN(const codegen::CompileOptions compile, OptionsOf(how.store, how.options));
  const std::string name = module->name();
  std::vector<passes::Message> messages;
  auto compiled = device.compile(std::move(module), how.ordinal, compile, &messages);
  if (compiled.ok() && how.options.on_compiled) how.options.on_compiled(*compiled);
  return Finish(name, std::move(compiled), messages, reason);
}

Status NoCache(const std::string& name) {
  return InvalidArgument("[device] ", name, " compiles nothing that a cache could keep");
}

}  // namespace

std::vector<std::string> DeviceNames() {
  std::vector<std::string> names;
  for (const NamedDevice& device : kDevices) names.push_back(device.name);
  return names;
}

void AddDeviceOption(CLI::App* command, const std::string& doc, std::string* device) {
  command->add_option("--device", *device, absl::StrCat(doc, ": ", ToAbsl(runtime::kDeviceNames)))
      ->envname("SWAGE_DEVICE")
      ->capture_default_str();
}

StatusOr<CompileModule> FindDevice(const std::string& name, const DeviceOptions& options) {
  SWAGE_ASSIGN_OR_RETURN(const NamedDevice* const device, DeviceNamed(name));
  HowToCompile how{.ordinal = runtime::SplitDevice(name).ordinal, .options = options};
  if (options.cache) {
    if (device->compile == nullptr) return NoCache(name);
    SWAGE_RETURN_IF_ERROR(cache::Tiers::GlobalStatus());
    how.store = cache::Tiers::Global();
  }
  if (options.baked_dims && device->compile == nullptr) {
    return InvalidArgument("[device] ", name, " compiles nothing that sizes could be baked into");
  }
  if (device->compile == nullptr) {
    return CompileModule(
        [how](const ir::Module& module) { return CompileForEvaluator(module, how); });
  }
  return CompileModule([device, how](const ir::Module& module) -> StatusOr<RunCompiled> {
    SWAGE_ASSIGN_OR_RETURN(auto executable, CompileOn(*device, module.Clone(), how, "to run it"));
    return Runner(module, std::move(executable));
  });
}

StatusOr<CompileInto> FindCompiler(const std::string& name) {
  SWAGE_ASSIGN_OR_RETURN(const NamedDevice* const device, DeviceNamed(name));
  if (device->compile == nullptr) return NoCache(name);
  return CompileInto(
      [device, ordinal = runtime::SplitDevice(name).ordinal](
          std::unique_ptr<ir::Module> module, codegen::EntryStore* store, std::string_view reason) {
        return CompileOn(*device, std::move(module),
                         {.store = store, .ordinal = ordinal, .options = {}}, reason);
      });
}

RunModule RunOn(CompileModule compile) {
  return [compile = std::move(compile)](
             const ir::Module& module,
             const std::vector<ir::Literal>& args) -> StatusOr<std::vector<ir::Literal>> {
    SWAGE_ASSIGN_OR_RETURN(const RunCompiled run, compile(module));
    return run(args);
  };
}

StatusOr<std::unique_ptr<ir::Module>> LoadModule(const std::string& path) {
  SWAGE_ASSIGN_OR_RETURN(std::unique_ptr<ir::Module> module, ir::ParseHloFile(path));
  return module;
}

}  // namespace swage::tools
