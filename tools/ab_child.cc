#include "tools/ab_child.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/files.h"
#include "base/nearest.h"
#include "codegen/cpu/compile.h"
#include "codegen/gpu/compile.h"
#include "codegen/program/module_entry.h"
#include "compiler/ir/bind_symbols.h"
#include "compiler/ir/fingerprint.h"
#include "compiler/ir/npy.h"
#include "compiler/passes/evaluation_check.h"
#include "runtime/device_name.h"
#include "tools/cache_warm.h"
#include "tools/device.h"
#include "tools/folder_store.h"
#include "tools/input_files.h"
#include "tools/prepared_run.h"
#include "tools/program_text.h"
#include "tools/random_inputs.h"
#include "tools/size_ranges.h"

namespace swage::tools {
namespace {

using Json = nlohmann::json;
using ExecutablePtr = std::shared_ptr<codegen::Executable>;

// Where things lie in memory is worth a percent or two, and depends on the length of a name
// (T. Mytkowicz and others, Producing wrong data without doing anything obviously wrong, 2009). So
// that this is noise and not an effect, all that is allocated from now on lies elsewhere each time.
std::unique_ptr<char[]> ShiftHeap() {
  constexpr uint32_t kMost = 4096, kStep = 16;  // less than what has pages of its own
  return std::unique_ptr<char[]>(new char[kStep * (1 + std::random_device()() % kMost)]);
}

std::string ResultPath(const std::string& folder, size_t i) {
  return absl::StrCat(folder, "/out_", i, ".npy");
}

// The sizes that --dims gives the symbols of the module.
StatusOr<ir::SymbolBinding> SizesFrom(const std::string& dims, const ir::Module& module) {
  SWAGE_ASSIGN_OR_RETURN(const SizeLists lists, ParseSizeLists(dims));
  const std::vector<const ir::Symbol*> symbols = ir::SymbolsOf(module);
  std::vector<std::string> names;
  for (const ir::Symbol* symbol : symbols) names.push_back(symbol->name);
  ir::SymbolBinding sizes;
  for (const auto& [name, values] : lists) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end() || values.size() != 1) {
      return InvalidArgument("[ab] --dims ", name, ", expected one size for each of ",
                             names.empty() ? "no symbols" : absl::StrJoin(names, ", "),
                             DidYouMean(name, names));
    }
    SWAGE_RETURN_IF_ERROR(sizes.Bind(symbols[at - names.begin()], values[0]));
  }
  if (sizes.values().size() < symbols.size()) {
    return InvalidArgument("[ab] the module has the open sizes ", absl::StrJoin(names, ", "),
                           ", expected one value for each in --dims");
  }
  return sizes;
}

StatusOr<std::vector<ir::Literal>> InputsFor(const AbChildOptions& options,
                                             const ir::Module& module) {
  if (!options.inputs.empty()) return ReadInputFiles(options.inputs, module);
  if (!ir::HasSymbols(module) && options.dims.empty()) return RandomInputs(module, options.seed);
  SWAGE_ASSIGN_OR_RETURN(const ir::SymbolBinding sizes, SizesFrom(options.dims, module));
  const std::unique_ptr<ir::Module> sized = module.Clone();
  SWAGE_RETURN_IF_ERROR(ir::BindSymbols(sizes, sized.get()));
  return RandomInputs(*sized, options.seed);
}

StatusOr<ir::SymbolBinding> SizesOf(const ir::Module& module,
                                    const std::vector<ir::Literal>& inputs) {
  std::vector<const ir::Shape*> got;
  for (const ir::Literal& input : inputs) got.push_back(&input.shape());
  const StatusOr<ir::SymbolBinding> sizes = ir::SolveSizes(module, got);
  if (!sizes.ok()) return InvalidArgument("[sizes] ", sizes.status().message());
  return sizes;
}

// The module that the mode compiles for these inputs.
StatusOr<std::unique_ptr<ir::Module>> InMode(const ir::Module& module,
                                             const std::vector<ir::Literal>& inputs,
                                             const std::string& mode) {
  if (!ir::HasSymbols(module)) return module.Clone();
  SWAGE_ASSIGN_OR_RETURN(const ir::SymbolBinding sizes, SizesOf(module, inputs));
  if (mode != "exact") {
    SWAGE_ASSIGN_OR_RETURN(const SizeRanges ranges, SizeRangesOf(sizes, mode));
    return InRanges(module, ranges);
  }
  std::unique_ptr<ir::Module> bound = module.Clone();
  SWAGE_RETURN_IF_ERROR(ir::BindSymbols(sizes, bound.get()));
  return bound;
}

StatusOr<ExecutablePtr> Compile(const ir::Module& module, const AbSet& set, FolderStore* store,
                                std::vector<passes::Message>* messages) {
  codegen::CompileOptions compile;
  compile.kernels.store = store;
  compile.kernels.baked_dims = set.baked_dims;
  SWAGE_ASSIGN_OR_RETURN(compile.compiler, passes::OptionsFromEnvironment());
  passes::CompilerOptions& compiler = compile.compiler;
  if (!set.disable_passes.empty()) compiler.disable_passes = set.disable_passes;
  if (!set.only_passes.empty()) compiler.only_passes = set.only_passes;
  compiler.fast_math = compiler.fast_math || set.fast_math;
  if (set.mode == "pad") compiler.padding = passes::Padding::kForced;
  const runtime::DeviceName device = runtime::SplitDevice(set.device);
  return device.kind == "cuda" ? gpu::Compile(module.Clone(), device.ordinal, compile, messages)
                               : cpu::Compile(module.Clone(), compile, messages);
}

// `executable`, whose module was compiled into the store, for the sizes of the call.
StatusOr<AbCode> CodeOf(const codegen::Executable& executable, const FolderStore& store) {
  SWAGE_RET_CHECK(!store.last_module().empty(), "the program was not stored");
  SWAGE_ASSIGN_OR_RETURN(const codegen::ModuleEntry entry,
                         codegen::DecodeModuleEntry(store.last_module()));
  AbCode code;
  code.module = HashBytes(ir::CanonicalText(*entry.module)).ToHex();
  for (const ir::Computation* computation : entry.module->NonFusionComputations()) {
    code.instructions += computation->instruction_count();
  }
  SWAGE_ASSIGN_OR_RETURN(ProgramText program, TextOf(executable));
  code.program = HashBytes(program.text).ToHex();
  code.kernels = std::move(program.kernels);
  return code;
}

// What differs from the results in the folder; empty: nothing.
StatusOr<std::string> DifferenceFrom(const std::string& folder, bool closely,
                                     const std::vector<ir::Literal>& results) {
  for (size_t i = 0; i < results.size(); ++i) {
    SWAGE_ASSIGN_OR_RETURN(const ir::Literal want,
                           ir::ReadNpy(ResultPath(folder, i), {.dtype = results[i].shape().dtype(),
                                                               .shape = results[i].shape()}));
    const auto difference = passes::FirstDifference(want, results[i], closely);
    if (difference.has_value()) return absl::StrCat("out_", i, ": ", *difference);
  }
  return std::string();
}

StatusOr<AbAnswer> RunExecutable(const AbChildOptions& options, const ExecutablePtr& executable,
                                 std::vector<ir::Literal> inputs) {
  SWAGE_ASSIGN_OR_RETURN(const std::unique_ptr<PreparedRun> run,
                         PreparedRun::Create(executable, std::move(inputs)));
  AbAnswer answer;
  SWAGE_RETURN_IF_ERROR(run->Run(1));
  if (options.time_ms > 0) {
    SWAGE_ASSIGN_OR_RETURN(const RunTime time, TimeRuns(*run, options.time_ms));
    answer.ms = time.ms;
    answer.runs = time.runs;
  }
  // Of the last run: a kernel that is right at first only is wrong.
  SWAGE_ASSIGN_OR_RETURN(const std::vector<ir::Literal> results, run->Results());
  for (size_t i = 0; i < results.size() && !options.write.empty(); ++i) {
    SWAGE_RETURN_IF_ERROR(ir::WriteNpy(ResultPath(options.write, i), results[i]));
  }
  if (!options.expect.empty()) {
    SWAGE_ASSIGN_OR_RETURN(answer.difference,
                           DifferenceFrom(options.expect, options.closely, results));
  }
  return answer;
}

}  // namespace

std::string ToJson(const AbAnswer& answer) {
  const Json json = {{"program", answer.code.program},
                     {"module", answer.code.module},
                     {"instructions", answer.code.instructions},
                     {"kernels", answer.code.kernels},
                     {"messages", answer.messages},
                     {"compile_ms", answer.compile_ms},
                     {"difference", answer.difference},
                     {"ms", answer.ms},
                     {"runs", answer.runs}};
  // A name in a message may have any bytes.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

StatusOr<AbAnswer> AbAnswerFrom(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const Json want = Json::parse(ToJson({}));
  AbAnswer answer;
  if (!json.is_object()) return Internal("[ab] a measurement said no JSON object");
  for (const auto& [name, value] : want.items()) {
    const auto got = json.find(name);
    const bool right =
        got != json.end() &&
        (value.is_number() ? got->is_number()
         : value.is_string()
             ? got->is_string()
             : got->is_array() && std::all_of(got->begin(), got->end(),
                                              [](const Json& entry) { return entry.is_string(); }));
    if (!right) return Internal("[ab] a measurement said no '", name, "'");
  }
  answer.code.program = json["program"].get<std::string>();
  answer.code.module = json["module"].get<std::string>();
  answer.code.instructions = json["instructions"].get<int64_t>();
  answer.code.kernels = json["kernels"].get<std::vector<std::string>>();
  answer.messages = json["messages"].get<std::vector<std::string>>();
  answer.compile_ms = json["compile_ms"].get<double>();
  answer.difference = json["difference"].get<std::string>();
  answer.ms = json["ms"].get<double>();
  answer.runs = json["runs"].get<int64_t>();
  return answer;
}

StatusOr<AbAnswer> RunAbChild(const AbChildOptions& options) {
  SWAGE_RETURN_IF_ERROR(CheckSet(options.set));
  const std::unique_ptr<char[]> shift = ShiftHeap();
  SWAGE_ASSIGN_OR_RETURN(const std::unique_ptr<ir::Module> module, LoadModule(options.module));
  SWAGE_ASSIGN_OR_RETURN(std::vector<ir::Literal> inputs, InputsFor(options, *module));
  SWAGE_ASSIGN_OR_RETURN(const std::unique_ptr<ir::Module> compiled,
                         InMode(*module, inputs, options.set.mode));
  FolderStore store(options.store);
  std::vector<passes::Message> messages;
  SWAGE_ASSIGN_OR_RETURN(ExecutablePtr executable,
                         Compile(*compiled, options.set, &store, &messages));
  const codegen::CompileReport report = executable->report();
  const bool is_first = options.time_ms == 0;
  SWAGE_RET_CHECK(is_first || report.module_load, "the program to be timed was not stored");
  if (ir::HasSymbols(*compiled)) {
    SWAGE_ASSIGN_OR_RETURN(const ir::SymbolBinding sizes, SizesOf(*compiled, inputs));
    SWAGE_ASSIGN_OR_RETURN(executable, executable->ForSizes(sizes));
  }
  AbCode code;
  if (is_first) {
    SWAGE_ASSIGN_OR_RETURN(code, CodeOf(*executable, store));
  }
  SWAGE_ASSIGN_OR_RETURN(AbAnswer answer, RunExecutable(options, executable, std::move(inputs)));
  answer.code = std::move(code);
  answer.compile_ms = report.total_ms;
  for (const passes::Message& message : messages) {
    if (message.severity == passes::Severity::kWarning) answer.messages.push_back(message.text);
  }
  return answer;
}

std::vector<std::string> ArgumentsOf(const AbChildOptions& options) {
  std::vector<std::string> arguments = ArgumentsOf(options.set);
  arguments.insert(arguments.begin(), {"swage", "ab-child"});
  const auto add = [&](const char* flag, const std::string& value) {
    if (value.empty()) return;
    arguments.push_back(flag);
    arguments.push_back(value);
  };
  add("--dims", options.dims);
  add("--seed", std::to_string(options.seed));
  add("--store", options.store);
  add("--write", options.write);
  add("--expect", options.expect);
  if (options.closely) arguments.push_back("--closely");
  if (options.time_ms > 0) add("--time-ms", absl::StrCat(options.time_ms));
  // Names of files may begin with a dash.
  arguments.push_back("--");
  arguments.push_back(options.module);
  arguments.insert(arguments.end(), options.inputs.begin(), options.inputs.end());
  return arguments;
}

void AddAbChildCommand(CLI::App& app, Action* chosen) {
  auto options = std::make_shared<AbChildOptions>();
  CLI::App* command = app.add_subcommand("ab-child", "One measurement of swage ab");
  command->group("");  // not in the help
  command->add_option("module", options->module)->required();
  command->add_option("inputs", options->inputs);
  AddSetOptions(command, "", &options->set);
  command->add_option("--device", options->set.device);
  command->add_option("--dims", options->dims);
  command->add_option("--seed", options->seed);
  command->add_option("--store", options->store)->required();
  command->add_option("--write", options->write);
  command->add_option("--expect", options->expect);
  command->add_flag("--closely", options->closely);
  command->add_option("--time-ms", options->time_ms)->check(CLI::Range(0.001, 1e7));
  command->callback([=] {
    *chosen = [=]() -> StatusOr<ExitCode> {
      SWAGE_ASSIGN_OR_RETURN(const AbAnswer answer, RunAbChild(*options));
      std::fputs(ToJson(answer).c_str(), stdout);
      return kFine;
    };
  });
}

}  // namespace swage::tools
