#include "runtime/hlo.h"

#include "absl/strings/str_join.h"
#include "compiler/ir/assumptions.h"
#include "compiler/ir/parser.h"
#include "compiler/ir/printer.h"
#include "compiler/ir/verifier.h"
#include "compiler/learn/learn.h"
#include "runtime/hlo_state.h"
#include "runtime/miss_report.h"
#include "runtime/shape_record.h"
#include "runtime/tensor_impl.h"
#include "runtime/trace.h"

namespace swage {
namespace internal {
namespace {

// What a program with symbols takes for granted about its sizes.
StatusOr<std::vector<ir::Assumption>> AssumptionsOf(const ir::Module& module) {
  if (!ir::HasSymbols(module)) return std::vector<ir::Assumption>();
  ir::AssumptionScope scope;
  SWAGE_RETURN_IF_ERROR(ir::Verify(module));
  return scope.made();
}

}  // namespace

HloState::HloState(std::unique_ptr<ir::Module> module, runtime::ResolvedOptions options,
                   std::string name, std::string learned, std::vector<ir::Assumption> assumptions)
    : module_(std::move(module)),
      options_(std::move(options)),
      name_(std::move(name)),
      learned_(std::move(learned)),
      symbols_(ir::SymbolsOf(*module_)),
      assumptions_(std::move(assumptions)) {
  for (const ir::Instruction* parameter : module_->entry()->parameters()) {
    ir::ForEachLeaf(parameter->shape(), [&](const ir::ShapeIndex& index, const ir::Shape& leaf) {
      std::string name = parameter->name();
      if (!index.empty()) absl::StrAppend(&name, "{", absl::StrJoin(index, ","), "}");
      parameters_.push_back({leaf, std::move(name)});
      parameters_.back().shape.clear_layout();
    });
  }
  results_ = ir::PlainLeaves(module_->entry()->root()->shape());
}

StatusOr<ir::SymbolBinding> HloState::CheckArguments(std::span<const Tensor> arguments) const {
  if (arguments.size() != parameters_.size()) {
    return InvalidArgument("[", name_, "] got ", arguments.size(), " arguments, expected ",
                           parameters_.size());
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto& [expected, parameter] = parameters_[i];
    if (!arguments[i].defined()) {
      return InvalidArgument("[", name_, "] got an undefined Tensor for parameter ", i, " (",
                             parameter, "), expected ", expected.ToString(false));
    }
    const TensorImpl& impl = *arguments[i].impl();
    if (impl.traced()) {
      return Unimplemented("[", name_, "] got a traced ", impl.shape().ToString(false),
                           " for parameter ", i, " (", parameter,
                           "): a loaded program cannot be called inside jit, call it outside");
    }
  }
  if (symbols_.empty()) {
    SWAGE_RETURN_IF_ERROR(CheckShapes(arguments));
    return ir::SymbolBinding();
  }
  std::vector<const ir::Shape*> got;
  for (const Tensor& argument : arguments) got.push_back(&argument.impl()->shape());
  StatusOr<ir::SymbolBinding> sizes = ir::SolveSizes(parameters_, got);
  if (sizes.ok()) return sizes;
  return InvalidArgument("[", name_, "] ", sizes.status().message());
}

Status HloState::CheckShapes(std::span<const Tensor> arguments) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ir::Shape& shape = arguments[i].impl()->shape();
    const auto& [expected, parameter] = parameters_[i];
    if (ir::Compatible(shape, expected)) continue;
    return InvalidArgument("[", name_, "] got ", shape.ToString(false), " for parameter ", i, " (",
                           parameter, "), expected ", expected.ToString(false));
  }
  return OkStatus();
}

std::weak_ptr<cache::CachedProgram>& HloState::SlotOf(const ir::SymbolBinding& sizes) {
  constexpr size_t kTidyAt = 1024;  // slots of evicted programs go when there are so many
  Sizes values;
  for (const ir::Symbol* symbol : symbols_) values.push_back(sizes.Find(symbol).value_or(0));
  if (programs_.size() >= kTidyAt) {
    absl::erase_if(programs_, [](const auto& slot) { return slot.second.expired(); });
  }
  return programs_[values];
}

Status HloState::Admit(bool warmup) const {
  if (options_.on_miss == OnMiss::kError && !warmup) {
    return InvalidArgument("[", name_,
                           "] got a miss, expected none (on_miss is error): the program "
                           "is not compiled, or no longer; call warmup() first");
  }
  const int64_t compiles = stats_.compiles + stats_.loads;
  if (options_.max_compiles > 0 && compiles >= options_.max_compiles) {
    return ResourceExhausted("[", name_, "] got a miss after ", compiles,
                             " compiles, expected no more (max_compiles is ", options_.max_compiles,
                             "); raise max_compiles or bring fewer sizes");
  }
  return OkStatus();
}

// The program as it is loaded, with its symbols.
StatusOr<cache::ProgramPtr> HloState::Whole(bool warmup) {
  if (cache::ProgramPtr program = whole_.lock()) {
    ++stats_.hits;
    program->Touch();
    return program;
  }
  ++stats_.misses;
  SWAGE_RETURN_IF_ERROR(Admit(warmup));
  SWAGE_ASSIGN_OR_RETURN(runtime::Compiled compiled,
                         runtime::CompileModule(module_->Clone(), options_, "first call"));
  if (!compiled.cached()) {
    const codegen::CompileReport& report = compiled.executable().report();
    runtime::AddReport(report, &stats_);
    if (!report.module_load) runtime::RecordCompile(name_, report.total_ms);
  }
  report_.evicted = report_.missed;  // it has no other key
  report_.first = !report_.missed;
  report_.missed = true;
  report_.tier = compiled.tier;
  missed_key_ = compiled.cached() ? nullptr : compiled.executable().report().missed_key;
  whole_ = compiled.program;
  return std::move(compiled.program);
}

StatusOr<cache::ProgramPtr> HloState::Compile(const ir::SymbolBinding& sizes, bool warmup) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (symbols_.empty()) return Whole(warmup);
  std::weak_ptr<cache::CachedProgram>& slot = SlotOf(sizes);
  if (cache::ProgramPtr program = slot.lock()) {
    ++stats_.hits;
    program->Touch();
    return program;
  }
  SWAGE_RETURN_IF_ERROR(ir::CheckAssumptions(assumptions_, sizes));
  SWAGE_ASSIGN_OR_RETURN(const cache::ProgramPtr whole, Whole(warmup));
  SWAGE_ASSIGN_OR_RETURN(auto executable, whole->executable()->ForSizes(sizes));
  ++stats_.sizings;
  cache::ProgramPtr program = cache::ModuleCache::Global().Adopt(std::move(executable));
  slot = program;
  return program;
}

StatusOr<std::vector<Tensor>> HloState::Run(std::span<const Tensor> arguments,
                                            runtime::Donate donate) {
  calls_.fetch_add(1, std::memory_order_relaxed);
  SWAGE_ASSIGN_OR_RETURN(const ir::SymbolBinding sizes, CheckArguments(arguments));
  SWAGE_ASSIGN_OR_RETURN(const cache::ProgramPtr program, Compile(sizes, /*warmup=*/false));
  std::vector<const Tensor*> inputs;
  for (const Tensor& argument : arguments) inputs.push_back(&argument);
  runtime::ExecutableRun run(*program->executable());
  for (const Tensor* input : inputs) SWAGE_RETURN_IF_ERROR(run.Add(*input, donate));
  const runtime::CallTimer timer;
  SWAGE_RETURN_IF_ERROR(run.Run());
  timer.Record(name_, inputs);
  elements_.Add(Elements(inputs));
  donations_.fetch_add(run.donated(), std::memory_order_relaxed);
  return std::vector<Tensor>(run.results().begin(), run.results().end());
}

runtime::ArgumentElements HloState::Elements(absl::Span<const Tensor* const> arguments) const {
  if (options_.compiler.padding != passes::Padding::kForced) return runtime::ElementsOf(arguments);
  std::vector<ir::Shape> open;
  for (const ir::NamedShape& parameter : parameters_) open.push_back(parameter.shape);
  return runtime::PaddedElementsOf(arguments, open);
}

Status HloState::WarmUp(std::span<const Tensor> arguments) {
  if (arguments.empty()) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return Whole(/*warmup=*/true).status();
  }
  SWAGE_ASSIGN_OR_RETURN(const ir::SymbolBinding sizes, CheckArguments(arguments));
  return Compile(sizes, /*warmup=*/true).status();
}

MissReport HloState::explain() const {
  MissReport report;
  std::shared_ptr<const KeyMaterial> missed;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    report = report_;
    missed = missed_key_;
  }
  report.function = name_;
  AddStoredComponents(missed.get(), &report);
  return report;
}

JitStats HloState::stats() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  JitStats stats = stats_;
  stats.calls = calls_.load(std::memory_order_relaxed);
  stats.donations = donations_.load(std::memory_order_relaxed);
  stats.valid_elements = elements_.valid.load(std::memory_order_relaxed);
  stats.padded_elements = elements_.padded.load(std::memory_order_relaxed);
  return stats;
}

namespace {

// The first op that no device runs, so that the load fails and not the first call.
Status CheckOps(const ir::Module& module) {
  for (const ir::Computation* computation : module.Computations()) {
    for (const ir::Instruction* instruction : computation->Instructions()) {
      if (ir::InfoOf(instruction->opcode()).evaluated) continue;
      return Unimplemented(ToAbsl(ir::OpcodeName(instruction->opcode())), " (", instruction->name(),
                           ") is not implemented");
    }
  }
  return OkStatus();
}

Status CheckArray(const ir::Shape& shape) {
  if (shape.is_array()) return OkStatus();
  return Unimplemented(shape.ToString(false),
                       " at the border of the program; only arrays are implemented");
}

using ParsedModule = StatusOr<std::unique_ptr<ir::Module>>;

StatusOr<std::unique_ptr<ir::Module>> Checked(ParsedModule parsed) {
  SWAGE_RETURN_IF_ERROR(parsed.status());
  std::unique_ptr<ir::Module> module = *std::move(parsed);
  SWAGE_RETURN_IF_ERROR(CheckOps(*module));
  ir::DropLayouts(module.get());
  return module;
}

StatusOr<std::shared_ptr<HloState>> MakeState(std::unique_ptr<ir::Module> module,
                                              const JitOptions& options, std::string learned) {
  SWAGE_ASSIGN_OR_RETURN(runtime::ResolvedOptions resolved, runtime::ResolveOptions(options));
  if (!options.name.empty()) module->set_name(options.name);
  const std::string name = module->name();
  SWAGE_ASSIGN_OR_RETURN(std::vector<ir::Assumption> assumptions, AssumptionsOf(*module));
  auto state = std::make_shared<HloState>(std::move(module), std::move(resolved), name,
                                          std::move(learned), std::move(assumptions));
  for (const ir::NamedShape& parameter : state->parameters()) {
    SWAGE_RETURN_IF_ERROR(CheckArray(parameter.shape));
  }
  for (const ir::Shape& result : state->results()) SWAGE_RETURN_IF_ERROR(CheckArray(result));
  return state;
}

StatusOr<std::shared_ptr<HloState>> Load(ParsedModule parsed, const JitOptions& options) {
  SWAGE_ASSIGN_OR_RETURN(std::unique_ptr<ir::Module> module, Checked(std::move(parsed)));
  return MakeState(std::move(module), options, "");
}

// `names` are what errors call the lowerings.
StatusOr<std::shared_ptr<HloState>> Learn(std::vector<ParsedModule> parsed,
                                          std::vector<std::string> names,
                                          const JitOptions& options) {
  std::vector<std::unique_ptr<ir::Module>> modules;
  std::vector<const ir::Module*> lowerings;
  for (ParsedModule& one : parsed) {
    SWAGE_ASSIGN_OR_RETURN(modules.emplace_back(), Checked(std::move(one)));
    lowerings.push_back(modules.back().get());
  }
  SWAGE_ASSIGN_OR_RETURN(learn::Learned learned,
                         learn::LearnSymbolic(lowerings, {.names = std::move(names)}));
  return MakeState(std::move(learned.module), options, learned.report.ToString());
}

}  // namespace
}  // namespace internal

internal::HloState& HloProgram::State() const {
  if (state_ == nullptr) {
    runtime::ThrowStatus(InvalidArgument("got a program that was moved from, expected one that "
                                         "load_hlo() returned or a copy of it"),
                         "HloProgram", {});
  }
  return *state_;
}

namespace {

std::vector<Tensor> RunOrThrow(internal::HloState& state, std::span<const Tensor> arguments,
                               runtime::Donate donate) {
  StatusOr<std::vector<Tensor>> results = state.Run(arguments, donate);
  if (!results.ok()) runtime::ThrowStatus(results.status(), state.name(), {});
  return *std::move(results);
}

}  // namespace

std::vector<Tensor> HloProgram::operator()(std::span<const Tensor> arguments) const {
  return RunOrThrow(State(), arguments, runtime::Donate::kNo);
}

std::vector<Tensor> HloProgram::operator()(std::vector<Tensor>&& arguments) const {
  return RunOrThrow(State(), arguments, runtime::Donate::kYes);
}

std::vector<Tensor> HloProgram::operator()(std::initializer_list<Tensor> arguments) const {
  return (*this)(std::span<const Tensor>(arguments.begin(), arguments.size()));
}

void HloProgram::warmup(std::initializer_list<TensorSpec> specs) const {
  internal::HloState& state = State();
  std::vector<Tensor> arguments;
  for (const TensorSpec& spec : specs) arguments.push_back(internal::Unfilled(spec));
  const Status warmed = state.WarmUp(arguments);
  if (!warmed.ok()) runtime::ThrowStatus(warmed, state.name(), {});
}

namespace {

void CheckIndex(int i, int count, std::string_view what) {
  if (i >= 0 && i < count) return;
  const std::string expected =
      count == 0 ? ", but there are none" : absl::StrCat(", expected 0 to ", count - 1);
  runtime::ThrowStatus(InvalidArgument("got ", i, expected), what, {});
}

HloProgram Loaded(StatusOr<std::shared_ptr<internal::HloState>> state, std::string_view op) {
  if (!state.ok()) runtime::ThrowStatus(state.status(), op, {});
  return HloProgram(*std::move(state));
}

}  // namespace

int HloProgram::parameter_count() const { return static_cast<int>(State().parameters().size()); }
std::string HloProgram::parameter_shape(int i) const {
  CheckIndex(i, parameter_count(), "parameter_shape");
  return State().parameters()[i].shape.ToString(false);
}
int HloProgram::result_count() const { return static_cast<int>(State().results().size()); }
std::string HloProgram::result_shape(int i) const {
  CheckIndex(i, result_count(), "result_shape");
  return State().results()[i].ToString(false);
}
JitStats HloProgram::stats() const { return State().stats(); }
MissReport HloProgram::explain() const { return State().explain(); }
std::string HloProgram::learned() const { return State().learned(); }
std::string HloProgram::ToString() const { return ir::ToText(State().module()); }

HloProgram load_hlo(const std::string& path, JitOptions options) {
  // What text says of its symbols may leave open whether a slice fits: the call will tell.
  ir::AssumptionScope sizes_fit;
  return Loaded(internal::Load(ir::ParseHloFile(path), options), "load_hlo");
}

HloProgram parse_hlo(std::string_view text, JitOptions options) {
  ir::AssumptionScope sizes_fit;
  return Loaded(internal::Load(ir::ParseHlo(text), options), "parse_hlo");
}

HloProgram load_hlo(std::span<const std::string> paths, JitOptions options) {
  std::vector<internal::ParsedModule> parsed;
  for (const std::string& path : paths) parsed.push_back(ir::ParseHloFile(path));
  return Loaded(internal::Learn(std::move(parsed), {paths.begin(), paths.end()}, options),
                "load_hlo");
}

HloProgram load_hlo(std::initializer_list<std::string> paths, JitOptions options) {
  return load_hlo(std::span<const std::string>(paths.begin(), paths.size()), std::move(options));
}

HloProgram parse_hlo(std::initializer_list<std::string_view> texts, JitOptions options) {
  std::vector<internal::ParsedModule> parsed;
  for (const std::string_view text : texts) parsed.push_back(ir::ParseHlo(text));
  return Loaded(internal::Learn(std::move(parsed), {}, options), "parse_hlo");
}

}  // namespace swage
