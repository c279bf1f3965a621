#include "runtime/size_rules.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/ir/bind_symbols.h"
#include "compiler/ir/symbol_scope.h"
#include "runtime/tensor_impl.h"

namespace swage::runtime {
namespace {

// Patterns of automatic symbols; a function whose calls need more is keyed by exact sizes.
constexpr size_t kMaxPatterns = 64;
// Of a wrong dim in an error.
constexpr size_t kShownDim = 80;
// Programs of one warm-up; more would take hours.
constexpr size_t kMaxWarmups = 10'000;

const ir::Shape& ShapeOf(const Tensor* tensor) { return tensor->impl()->shape(); }

// A call with all its sizes. `why`: although they may be open.
SizedCall ExactCall(absl::Span<const Tensor* const> arguments, std::string why) {
  SizedCall call;
  call.shapes = internal::ShapesOf(arguments);
  call.fallback = std::move(why);
  return call;
}

// The symbol without its range: values are solved first and judged by the policy.
ir::Dim Free(const ir::Symbol& symbol) {
  if (!symbol.name.empty()) return ir::Dim::Symbol(symbol.name);
  return ir::Dim::Symbol(absl::StrCat("_", symbol.min, "_", symbol.max));
}

// "[seq,2*seq,*]" in pieces.
StatusOr<std::vector<std::string_view>> Pieces(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') {
    return InvalidArgument("got '", ToAbsl(text),
                           "', expected dims such as [batch,seq<=512,64] or *");
  }
  text = text.substr(1, text.size() - 2);
  std::vector<std::string_view> pieces;
  if (text.empty()) return pieces;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') ++depth;
    if (i < text.size() && text[i] == ')') --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    pieces.push_back(text.substr(start, i - start));
    start = i + 1;
  }
  return pieces;
}

std::string_view Stripped(std::string_view text) {
  return ToStd(absl::StripAsciiWhitespace(ToAbsl(text)));
}

StatusOr<policy::Mode> ToPolicy(Mode mode) {
  switch (mode) {
    case Mode::kExact:
      return policy::Mode::kExact;
    case Mode::kBucket:
      return policy::Mode::kBucket;
    case Mode::kSymbolic:
      return policy::Mode::kSymbolic;
  }
  return InvalidArgument("[options] got the number ", static_cast<int>(mode),
                         " for mode, expected a value such as Mode::kExact");
}

}  // namespace

StatusOr<std::unique_ptr<SizeRules>> SizeRules::Make(
    const std::string& function, const JitOptions& options,
    std::shared_ptr<const policy::FunctionPolicy> given) {
  auto rules = std::unique_ptr<SizeRules>(new SizeRules());
  rules->function_ = function;
  rules->policy_ = std::move(given);
  const policy::FunctionPolicy& policy = *rules->policy_;
  const bool declared = !options.dims.empty() || !policy.args.empty();
  policy::Mode mode = declared ? policy::Mode::kSymbolic : policy::Mode::kExact;
  // [defaults] alone do not open the sizes of functions that say nothing of theirs.
  if (policy.mode.has_value() && (declared || !policy.pattern.empty())) mode = *policy.mode;
  if (options.mode.has_value()) {
    SWAGE_ASSIGN_OR_RETURN(mode, ToPolicy(*options.mode));
  }
  if (mode == policy::Mode::kExact) return std::unique_ptr<SizeRules>();
  rules->mode_ = mode;
  rules->automatic_ = !declared;
  rules->exact_when_forced_ =
      policy.unpaddable.value_or(mode == policy::Mode::kBucket
                                     ? policy::Unpaddable::kExact
                                     : policy::Unpaddable::kError) == policy::Unpaddable::kExact;
  if (!options.dims.empty()) {
    rules->whole_signature_ = true;
    SWAGE_RETURN_IF_ERROR(rules->Declare(options.dims));
  } else if (declared) {
    SWAGE_RETURN_IF_ERROR(rules->DeclareArguments());
  }
  SWAGE_RETURN_IF_ERROR(rules->AddSymbols());
  return rules;
}

Status SizeRules::Declare(absl::Span<const std::string> dims) {
  ir::SymbolScope scope;
  for (size_t leaf = 0; leaf < dims.size(); ++leaf) {
    LeafRule rule{.text = dims[leaf]};
    const std::string_view text = Stripped(dims[leaf]);
    if (text == "*") {
      rule.exact = true;
      declared_.push_back(std::move(rule));
      continue;
    }
    const std::string where = absl::StrCat("[", function_, "] dims[", leaf, "]: ");
    const auto pieces = Pieces(text);
    if (!pieces.ok()) return InvalidArgument(where, pieces.status().message());
    for (const std::string_view piece : *pieces) {
      const std::string_view dim = Stripped(piece);
      if (dim == "*") {
        rule.dims.push_back({.exact = true});
        continue;
      }
      size_t end = 0;
      const StatusOr<ir::Dim> parsed = ir::ParseDim(dim, &end, scope);
      if (!parsed.ok()) return InvalidArgument(where, parsed.status().message());
      const bool negative = parsed->is_static() && *parsed->static_value() < 0;
      if (end != dim.size() || parsed->is_poisoned() || negative) {
        return InvalidArgument(where, "got '", ToAbsl(dim.substr(0, kShownDim)),
                               "', expected a symbol such as seq or 2<=seq<=512, a number or *");
      }
      rule.dims.push_back({.dim = *parsed});
    }
    declared_.push_back(std::move(rule));
  }
  return OkStatus();
}

Status SizeRules::DeclareArguments() {
  for (const policy::ArgPolicy& arg : policy_->args) {
    size_t leaf = 0;
    if (arg.index.has_value()) {
      leaf = static_cast<size_t>(*arg.index);
    } else if (size_t number;
               arg.name.starts_with("arg") &&
               absl::SimpleAtoi(ToAbsl(std::string_view(arg.name).substr(3)), &number)) {
      leaf = number;
    } else {
      return InvalidArgument("[", function_, "] got the argument '", arg.name,
                             "' in the policy, expected arg0, arg1, ...: tensor arguments of a C++ "
                             "function are known by their position");
    }
    while (declared_.size() <= leaf) declared_.push_back({.exact = true, .text = "*"});
    LeafRule rule{.pad_value = arg.pad_value};
    std::vector<std::string> texts;
    for (const policy::DimSpec& spec : arg.dims) {
      switch (spec.kind) {
        case policy::DimSpec::Kind::kSymbol:
          rule.dims.push_back({.dim = ir::Dim::Symbol(spec.symbol)});
          texts.push_back(spec.symbol);
          break;
        case policy::DimSpec::Kind::kSize:
          rule.dims.push_back({.dim = ir::Dim(spec.size)});
          texts.push_back(absl::StrCat(spec.size));
          break;
        case policy::DimSpec::Kind::kExact:
          rule.dims.push_back({.exact = true});
          texts.push_back("*");
          break;
      }
    }
    rule.text = absl::StrCat("[", absl::StrJoin(texts, ","), "]");
    declared_[leaf] = std::move(rule);
  }
  return OkStatus();
}

Status SizeRules::AddSymbols() {
  std::vector<const ir::Symbol*> found;
  std::vector<std::pair<const ir::Symbol*, ir::Dim>> free;
  for (const LeafRule& leaf : declared_) {
    for (const DimRule& rule : leaf.dims) rule.dim.CollectSymbols(&found);
  }
  for (const ir::Symbol* symbol : found) {
    const ir::Dim dim = Free(*symbol);
    free.emplace_back(symbol, dim);
    const policy::SymbolPolicy* known = policy_->FindSymbol(symbol->name);
    const bool ranged = symbol->min != 0 || symbol->max != ir::kUnbounded;
    if (known != nullptr && (!ranged || (known->min == symbol->min && known->max == symbol->max))) {
      symbols_.emplace_back(dim.symbol(), *known);
      continue;
    }
    SWAGE_ASSIGN_OR_RETURN(policy::SymbolPolicy made,
                           policy::DefaultSymbol(symbol->name, symbol->min, symbol->max));
    symbols_.emplace_back(dim.symbol(), std::move(made));
  }
  for (LeafRule& leaf : declared_) {
    for (DimRule& rule : leaf.dims) rule.dim = rule.dim.Substitute(free);
  }
  return OkStatus();
}

Status SizeRules::CheckLeaf(const Pattern& pattern, size_t leaf, const ir::Shape& shape) const {
  const LeafRule& rule = pattern[leaf];
  if (rule.exact || shape.rank() == static_cast<int>(rule.dims.size())) return OkStatus();
  return InvalidArgument("[", function_, "] argument ", leaf, " is ", shape.ToString(false),
                         ", of rank ", shape.rank(), "; expected rank ", rule.dims.size(),
                         ", declared as ", rule.text);
}

StatusOr<ir::SymbolBinding> SizeRules::Solve(const Pattern& pattern,
                                             absl::Span<const Tensor* const> arguments) const {
  std::vector<ir::SizeDemand> demands;
  for (size_t leaf = 0; leaf < std::min(pattern.size(), arguments.size()); ++leaf) {
    for (int i = 0; i < static_cast<int>(pattern[leaf].dims.size()); ++i) {
      const DimRule& rule = pattern[leaf].dims[i];
      if (rule.exact) continue;
      demands.push_back({.argument = leaf,
                         .dimension = i,
                         .dim = rule.dim,
                         .value = *ShapeOf(arguments[leaf]).dim(i).static_value()});
    }
  }
  const auto explain = [&](const ir::SizeDemand& demand, const Status& why,
                           const ir::SymbolBinding& known,
                           absl::Span<const ir::SizeDemand> givers) {
    std::string text = absl::StrCat(
        "[", function_, "] dimension ", demand.dimension, " of argument ", demand.argument, " (",
        ShapeOf(arguments[demand.argument]).ToString(false), ") is ", demand.value, ", expected ",
        demand.dim.ToString(), ", as declared in ", pattern[demand.argument].text);
    if (demand.dim.is_static()) return InvalidArgument(text);
    absl::StrAppend(&text, ": ", why.message());
    for (size_t i = 0; i < givers.size(); ++i) {
      const auto& [symbol, size] = known.values()[i];
      absl::StrAppend(&text, i == 0 ? "; " : ", ", symbol->name, " is ", size, " by dimension ",
                      givers[i].dimension, " of argument ", givers[i].argument);
    }
    return InvalidArgument(text);
  };
  return ir::SolveDemands(std::move(demands), explain);
}

StatusOr<SizedCall> SizeRules::PlaceIn(const Pattern& pattern, policy::Mode mode,
                                       absl::Span<const Tensor* const> arguments) const {
  for (size_t leaf = 0; leaf < std::min(pattern.size(), arguments.size()); ++leaf) {
    SWAGE_RETURN_IF_ERROR(CheckLeaf(pattern, leaf, ShapeOf(arguments[leaf])));
  }
  SWAGE_ASSIGN_OR_RETURN(const ir::SymbolBinding values, Solve(pattern, arguments));
  static const policy::SymbolPolicy* const any =
      new policy::SymbolPolicy(*policy::DefaultSymbol("size"));
  SizedCall call;
  std::vector<std::pair<const ir::Symbol*, ir::Dim>> placed;
  for (const auto& [symbol, value] : values.values()) {
    const policy::SymbolPolicy* known = any;
    for (const auto& [declared, policy] : symbols_) {
      if (declared == symbol) known = &policy;
    }
    const auto place = policy::PlaceSize(*policy_, mode, *known, value);
    if (!place.ok()) return InvalidArgument("[", function_, "] ", place.status().message());
    if (place->fallback) {
      const bool above = value > known->max;
      call.fallback = absl::StrCat("'", symbol->name, "' is ", value, ", ",
                                   above ? "above its max (" : "below its min (",
                                   above ? known->max : known->min, ")");
    }
    const ir::Dim dim = ir::Dim::Symbol(symbol->name, place->range.low, place->range.high);
    placed.emplace_back(symbol, dim);
    if (dim.is_static()) continue;
    SWAGE_RETURN_IF_ERROR(call.sizes.Bind(dim.symbol(), value));
    const bool bucket = mode == policy::Mode::kBucket && place->range.high != ir::kUnbounded;
    if (bucket) {
      call.hints.push_back({symbol->name, place->range.high});
    } else if (known->hint.has_value()) {
      call.hints.push_back({symbol->name, *known->hint});
    }
  }
  for (size_t leaf = 0; leaf < arguments.size(); ++leaf) {
    ir::Shape shape = ShapeOf(arguments[leaf]);
    const bool open = leaf < pattern.size() && !pattern[leaf].exact;
    const double pad_value = leaf < pattern.size()
                                 ? pattern[leaf].pad_value.value_or(policy_->pad_value)
                                 : policy_->pad_value;
    if (pad_value != 0) call.pad_values.emplace_back(leaf, pad_value);
    for (int i = 0; open && i < shape.rank(); ++i) {
      const DimRule& rule = pattern[leaf].dims[i];
      if (!rule.exact) shape.set_dim(i, rule.dim.Substitute(placed));
    }
    call.shapes.push_back(std::move(shape));
  }
  return call;
}

StatusOr<SizedCall> SizeRules::PlaceAutomatic(absl::Span<const Tensor* const> arguments) {
  for (const Pattern& pattern : patterns_) {
    bool fits = pattern.size() == arguments.size();
    for (size_t i = 0; fits && i < pattern.size(); ++i) {
      fits = static_cast<int>(pattern[i].dims.size()) == ShapeOf(arguments[i]).rank();
    }
    if (!fits || !Solve(pattern, arguments).ok()) continue;
    return PlaceIn(pattern, mode_, arguments);
  }
  if (patterns_.size() >= kMaxPatterns) {
    return ExactCall(arguments, "its calls need too many patterns of sizes");
  }
  absl::flat_hash_map<int64_t, ir::Dim> by_size;
  Pattern pattern;
  for (size_t leaf = 0; leaf < arguments.size(); ++leaf) {
    LeafRule rule;
    const ir::Shape& shape = ShapeOf(arguments[leaf]);
    for (int i = 0; i < shape.rank(); ++i) {
      const int64_t size = *shape.dim(i).static_value();
      DimRule dim;
      if (forced_.contains({leaf, i})) {
        dim.exact = true;
      } else if (size == 1) {
        dim.dim = 1;
      } else {
        const auto [it, fresh] = by_size.try_emplace(size);
        if (fresh) {
          it->second =
              ir::Dim::Symbol(absl::StrCat("size", patterns_.size(), "_", by_size.size() - 1));
        }
        dim.dim = it->second;
      }
      rule.dims.push_back(dim);
    }
    pattern.push_back(std::move(rule));
  }
  patterns_.push_back(std::move(pattern));
  return PlaceIn(patterns_.back(), mode_, arguments);
}

Status SizeRules::CheckCount(absl::Span<const Tensor* const> arguments) const {
  if (declared_.size() <= arguments.size() &&
      (!whole_signature_ || declared_.size() == arguments.size())) {
    return OkStatus();
  }
  return InvalidArgument("[", function_, "] dims are declared for ", declared_.size(),
                         " tensor arguments, got ", arguments.size());
}

StatusOr<SizedCall> SizeRules::Place(absl::Span<const Tensor* const> arguments, bool whole) {
  if (!automatic_) {
    if (given_up_.load()) {
      const std::lock_guard<std::mutex> lock(mutex_);
      return ExactCall(arguments, given_up_why_);
    }
    SWAGE_RETURN_IF_ERROR(CheckCount(arguments));
    return PlaceIn(declared_, whole ? policy::Mode::kSymbolic : mode_, arguments);
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  return PlaceAutomatic(arguments);
}

StatusOr<std::vector<SizeRules::SymbolSizes>> SizeRules::WarmupSizes() const {
  if (!policy_->warmup.empty()) return policy::WarmupSizes(*policy_, mode_);
  std::vector<SymbolSizes> all(1);
  if (mode_ != policy::Mode::kBucket) return all;
  for (const auto& [symbol, range] : symbols_) {
    if (range.max == ir::kUnbounded) {
      return InvalidArgument("[", function_, "] got no max of '", symbol->name,
                             "' and no warm-up sets, expected one of them");
    }
    const auto count = static_cast<size_t>(policy::CountPrograms(range, mode_));
    if (count > kMaxWarmups || count * all.size() > kMaxWarmups) {
      return InvalidArgument("[", function_, "] got more than ", kMaxWarmups,
                             " programs to warm up, expected fewer: have warm-up sets");
    }
    const std::vector<int64_t> sizes = policy::SizeOfEachProgram(range, mode_);
    std::vector<SymbolSizes> more;
    for (const SymbolSizes& one : all) {
      for (const int64_t size : sizes) {
        more.push_back(one);
        more.back()[symbol->name] = size;
      }
    }
    all = std::move(more);
  }
  return all;
}

StatusOr<std::vector<SizeRules::Warmup>> SizeRules::Warmups(absl::Span<const Tensor* const> like) {
  // What automatic symbols stand for is seen in calls alone.
  if (automatic_ || given_up_.load()) return std::vector<Warmup>{{internal::ShapesOf(like), ""}};
  SWAGE_RETURN_IF_ERROR(CheckCount(like));
  for (size_t leaf = 0; leaf < declared_.size(); ++leaf) {
    SWAGE_RETURN_IF_ERROR(CheckLeaf(declared_, leaf, ShapeOf(like[leaf])));
  }
  SWAGE_ASSIGN_OR_RETURN(const ir::SymbolBinding given, Solve(declared_, like));
  SWAGE_ASSIGN_OR_RETURN(const std::vector<SymbolSizes> programs, WarmupSizes());
  std::vector<Warmup> warmups;
  for (const SymbolSizes& program : programs) {
    ir::SymbolBinding sizes;
    for (const auto& [symbol, value] : given.values()) {
      const auto set = program.find(symbol->name);
      SWAGE_RETURN_IF_ERROR(sizes.Bind(symbol, set == program.end() ? value : set->second));
    }
    Warmup& warmup = warmups.emplace_back();
    warmup.shapes = internal::ShapesOf(like);
    for (size_t leaf = 0; leaf < declared_.size(); ++leaf) {
      for (size_t i = 0; i < declared_[leaf].dims.size(); ++i) {
        const DimRule& rule = declared_[leaf].dims[i];
        if (rule.exact) continue;
        SWAGE_ASSIGN_OR_RETURN(const int64_t size, rule.dim.Evaluate(sizes));
        warmup.shapes[leaf].set_dim(static_cast<int>(i), size);
      }
    }
    for (const auto& [symbol, value] : sizes.values()) {
      absl::StrAppend(&warmup.sizes, warmup.sizes.empty() ? "" : ", ", symbol->name, "=", value);
    }
  }
  return warmups;
}

bool SizeRules::Force(absl::Span<const ir::Symbol* const> symbols, std::string_view why) {
  if (symbols.empty()) return false;
  if (!automatic_) {
    if (!exact_when_forced_) return false;
    const std::lock_guard<std::mutex> lock(mutex_);
    given_up_why_ = why;
    given_up_.store(true);
    return true;
  }
  const auto named = [&](const ir::Dim& dim) {
    return dim.symbol() != nullptr && std::any_of(symbols.begin(), symbols.end(), [&](auto* one) {
             return one->name == dim.symbol()->name;
           });
  };
  const std::lock_guard<std::mutex> lock(mutex_);
  bool changed = false;
  for (Pattern& pattern : patterns_) {
    for (size_t leaf = 0; leaf < pattern.size(); ++leaf) {
      for (size_t i = 0; i < pattern[leaf].dims.size(); ++i) {
        DimRule& rule = pattern[leaf].dims[i];
        if (rule.exact || !named(rule.dim)) continue;
        rule = {.exact = true};
        forced_.insert({leaf, static_cast<int>(i)});
        changed = true;
      }
    }
  }
  return changed;
}

}  // namespace swage::runtime
