// File: runtime/jit.h
//
// jit: wraps a C++ function of tensors into a callable that is traced and compiled once per key
// (dtypes, shapes, structure and static values of the arguments) and run from then on.
//
//   swage::Tensor attend(swage::Tensor q, swage::Tensor k, swage::Tensor v);
//   auto f = swage::jit(attend, {.name = "attend"});
//   swage::Tensor out = f(q, k, v);               // miss: trace, compile, run
//   out = f(q, k, v);                             // hit: run
//   std::cout << f.stats() << f.explain();        // counters; why the last miss missed
//
// - The function runs once per key, with traced tensors: its C++ side effects happen then only.
// - A Tensor that it captures becomes a hidden argument, bound when the trace is made: its content
//   is not in the key, and rebinding the C++ variable later is not seen. Weights that are captured
//   may be kept in memory twice, as they are and as a product of matrices reads them fastest.
// - A function pointer or a lambda without captures has one cache for the whole program or plugin,
//   so a temporary `swage::jit(f)(x)` hits too; a closure with captures has one per jit object.
//   The cache of a plugin's functions goes when the plugin is unloaded.
// - Inside another jit function a call becomes a call of the graph, traced once per key.
// - If the function throws, the exception passes through and no trace state is left behind.
// - Calling from many threads at once is safe; the first call of a key compiles, the others wait. A
//   function must not wait for a thread that calls the same jit function with the same arguments:
//   that call ends with an error after a minute.
// - Memory is bounded (runtime/cache.h): the least recently used keys are evicted and compiled
//   again when they are called.
// - After fork() the child may call warm and new keys, but none of a GPU that its parent opened, as
//   jit() does; its loops run on one thread. A fork waits for the compiles that run. Other parts of
//   a miss may hold a lock that stays held in the child: a server should fork before it serves.
// - A server warms up and then forbids misses:
//     f.warmup({{swage::f32, {64, 128}}, {swage::f32, {128}}});    // compiles, does not run
//     f.set_on_miss(swage::OnMiss::kError);
// Errors: swage::Error; compile and run errors name the function.
#ifndef SWAGE_RUNTIME_JIT_H_
#define SWAGE_RUNTIME_JIT_H_

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/call_frame.h"
#include "runtime/function_identity.h"
#include "runtime/tree.h"

namespace swage {

// What a call does whose key is not there.
enum class OnMiss {
  kWait,        // compile, then run
  kBackground,  // run a stand-in that compiles fast, until the program that a second thread makes
                // is ready; the bits of the results are the same. On a GPU: kWait
  kError,       // throw swage::Error; only warmup() compiles
  kExact,  // of a function whose sizes are open: compile for the sizes of the call alone, so that
           // only warmup() makes programs that serve more; of others: kWait
};

// Which sizes a compiled program serves.
enum class Mode {
  kExact,     // those of one call
  kBucket,    // for each symbol the sizes of one bucket
  kSymbolic,  // all sizes of its symbols
};

// Every option but name, dims and mode also has an environment variable (docs/environment.md); a
// set option beats it.
struct JitOptions {
  // In dumps, errors and explain(); default: file_line of the jit call.
  std::string name = {};
  // "cpu" (default), a GPU, "cuda:0" and up, or "evaluator": the interpreter, for checking. Results
  // of a GPU stay there (Tensor::to copies them); arguments of the host are copied there at every
  // call, captured tensors once. A function for another device than an argument's is an error.
  std::string device = {};
  // Passes that do not run, or the only ones that do; `swage passes` lists the names.
  std::vector<std::string> disable_passes = {};
  std::vector<std::string> only_passes = {};
  // Folder for dumps after every pass that changed something; empty: none.
  std::string dump_to = {};
  // Allow rewrites that change values; default no.
  std::optional<bool> fast_math = {};
  // Constant folding makes no larger literal; default 1 MiB.
  std::optional<int64_t> max_constant_bytes = {};
  // Which sizes of the tensor arguments may vary without a compile: one text per Tensor leaf, in
  // the order of the arguments. "[batch,seq<=512,64]": a symbol, perhaps with a range (default:
  // from 0 on), a number that must be met, "*" for an extent of which every value is compiled
  // anew; "*" alone: all extents of that leaf. Expressions such as 2*seq+1 are allowed where seq
  // stands alone elsewhere. Equal names have equal sizes, in one call. See docs/buckets.md.
  std::vector<std::string> dims = {};
  // Default: symbolic where dims are declared (here or in the configuration file), else exact.
  // Symbolic without dims: every dimension is a symbol.
  std::optional<Mode> mode = {};
  // Default: wait. Of a function inside another one only the outermost has misses.
  std::optional<OnMiss> on_miss = {};
  // The miss after so many compiled keys is an error that says what differed; 0 (default): no
  // limit.
  std::optional<int64_t> max_compiles = {};
};

// The dtype and shape of an argument that is not there yet; see Jitted::warmup.
struct TensorSpec {
  DType dtype;
  ShapeVector shape;
};

// One program of a warm-up is ready.
struct WarmupProgress {
  int done = 0;  // programs, this one included
  int total = 0;
  std::string sizes = {};  // "batch=8, seq=128"
};
using OnWarmup = std::function<void(const WarmupProgress&)>;

// Puts the policies of a configuration file (docs/buckets.md) in force for every jit function of
// the process; calls that are under way end as they began. Of functions that exist only the sizes
// change: their on_miss and max_compiles stay. Throws with every problem of the file, and then
// nothing changes. SWAGE_CONFIG names the file that a process begins with.
SWAGE_API void load_policies(const std::string& path);

// Counters of one jit function. Consistent with each other only when no call is running.
struct JitStats {
  int64_t calls = 0;  // inside another jit function too, where they are neither hits nor misses
  int64_t hits = 0;
  int64_t misses = 0;
  int64_t traces = 0;
  int64_t compiles = 0;         // pass pipeline runs
  int64_t sizings = 0;          // programs set up for other sizes of their symbols: no pass ran
  int64_t exact_fallbacks = 0;  // calls compiled for their sizes though their dims are symbols
  int64_t interpreted = 0;      // keys that are interpreted, since max_compiles was reached
  int64_t loads = 0;            // programs that were stored on disk or remotely: no pass ran
  int64_t stand_ins = 0;        // of the compiles: programs that ran until a better one was ready
  int64_t swapped = 0;          // stand-ins that were replaced
  int64_t evictions = 0;        // keys that were given up for the bound of the memory
  int64_t llvm_runs = 0;        // kernels that LLVM generated for this function
  int64_t kernel_hits = 0;      // kernels that came from the kernel cache instead
  int64_t kernel_loads = 0;     // kernels that were stored on disk or remotely
  double compile_ms = 0;        // in total, of the compiles and loads, as time passed; of it:
  double passes_ms = 0;         // the pass pipeline. Summed over threads, so they may exceed it:
  double llvm_ms = 0;           // LLVM,
  double link_ms = 0;           // linking; of a GPU's kernels the driver does it,
  double load_ms = 0;           // loading code onto a GPU
  // Arguments that were moved in and whose memory became that of a result. `swage opt --dump-to`
  // and SWAGE_DUMP_TO write down which arguments a program can take so, and why not others.
  int64_t donations = 0;
  // Elements of the tensor arguments of all calls, and what physical padding added to them; the
  // part of the work that is wasted is padded / (valid + padded).
  int64_t valid_elements = 0;
  int64_t padded_elements = 0;
};
SWAGE_API std::ostream& operator<<(std::ostream& out, const JitStats& stats);

// Why the last miss missed: against the nearest key already there.
struct MissReport {
  std::string function = {};
  bool missed = false;   // false: no miss yet
  bool first = false;    // the first key of this function
  bool evicted = false;  // this key was there, and was evicted
  // Why a function with open sizes was compiled for these alone: what an op or a limit asks of
  // them; empty: it was not.
  std::string fallback = {};
  // Every part that differs: "dtype", "shape", "static", "structure", "evicted".
  std::vector<std::string> components = {};
  int parameter = -1;  // of the C++ function, from 0, where the first difference is; -1: unknown
  int argument = -1;   // flattened tensor argument that differed first; -1: a static or structure
  std::string argument_shape = {};  // its "f32[32,64]"
  int axis = -1;                    // its dimension that differed; -1: dtype or rank
  std::string expected = {};        // what the nearest key has: "32", "f32[32,64]"
  std::string got = {};
  std::string nearest_key = {};  // "(f32[32,64], f32[32,64], f32[32,64])"
  // Where the program came from: "compiled", "memory" (another jit object had it),
  // "stored" (another process had it: on disk or remotely).
  std::string tier = {};
  // When it was compiled although this very program is kept on disk: the parts of the key in which
  // the kept one differs, such as "build_id", "cpu_features", "num_threads", "fast_math"
  // (docs/cache.md). `swage cache show` prints a key whole.
  std::vector<std::string> stored_components = {};
};
SWAGE_API std::ostream& operator<<(std::ostream& out, const MissReport& report);

namespace internal {
// `identity`: null for a function with an object of its own, whose state nobody else shares.
SWAGE_API std::shared_ptr<JitState> MakeJitState(JitOptions options,
                                                 const FunctionIdentity* identity,
                                                 const void* function_pointer,
                                                 std::source_location where);
SWAGE_API JitStats StatsOf(const JitState& state);
SWAGE_API MissReport ExplainOf(const JitState& state);
SWAGE_API void SetOnMiss(JitState& state, OnMiss policy);
SWAGE_API OnMiss OnMissOf(const JitState& state);
// A tensor of no particular content, to warm up with.
SWAGE_API Tensor Unfilled(const TensorSpec& spec);
// Tensor arguments like these, but of sizes to warm up for, and how progress calls each.
struct WarmupCall {
  TensorList tensors;
  std::string sizes;
};
SWAGE_API std::vector<WarmupCall> WarmupCalls(JitState& state, const TensorList& like);
[[noreturn]] SWAGE_API void ThrowMovedFrom();
[[noreturn]] SWAGE_API void ThrowNullFunction(std::source_location where);
[[noreturn]] SWAGE_API void ThrowSpecCount(const JitState& state, size_t got, size_t expected);
}  // namespace internal

// What jit() returns: called like the function, with the same arguments and results (tree.h).
// Copies share the cache.
//
// A Tensor that is moved in (`state = step(std::move(state), x)`; a temporary is too) gives its
// memory to a result, if nobody else holds it and the program can compute the result there: then
// it is undefined behind the call, also where the call fails while it runs. JitStats::donations
// counts them. On a GPU nothing is given.
template <typename F>
class Jitted {
 public:
  Jitted(F function, std::shared_ptr<internal::JitState> state)
      : function_(std::move(function)), state_(std::move(state)) {}

  template <typename... Args>
  auto operator()(Args&&... args) const {
    return Convert(std::index_sequence_for<Args...>(), std::forward<Args>(args)...);
  }

  JitStats stats() const { return internal::StatsOf(State()); }
  MissReport explain() const { return internal::ExplainOf(State()); }

  // For all copies, and all callers of a function that is known by its pointer.
  void set_on_miss(OnMiss policy) const { internal::SetOnMiss(State(), policy); }

  OnMiss on_miss() const { return internal::OnMissOf(State()); }

  // Compiles for arguments like these and runs nothing; waits whatever on_miss says.
  template <typename... Args>
  void warmup(Args&&... args) const {
    WarmUp(std::index_sequence_for<Args...>(), std::forward<Args>(args)...);
  }
  // The same for a function whose parameters are all Tensors.
  void warmup(std::initializer_list<TensorSpec> specs) const {
    auto tensors = Unfilled(specs);
    std::apply([this](auto&... all) { CompileOnly(all...); }, tensors);
  }

  // For a function whose sizes are open: compiles for arguments like these but of other sizes.
  // Those are the warm-up sets of its policy (docs/buckets.md), or without any a size of every
  // bucket of every symbol, at most 10,000 combinations. `on_progress` may be null.
  template <typename... Args>
  void warmup_sizes(const OnWarmup& on_progress, Args&&... like) const {
    CompileSizes(on_progress, like...);
  }
  void warmup_sizes(std::initializer_list<TensorSpec> like,
                    const OnWarmup& on_progress = {}) const {
    auto tensors = Unfilled(like);
    std::apply([&](auto&... all) { CompileSizes(on_progress, all...); }, tensors);
  }

 private:
  internal::JitState& State() const {
    if (state_ == nullptr) internal::ThrowMovedFrom();
    return *state_;
  }

  template <size_t... Is, typename... Args>
  auto Convert(std::index_sequence<Is...>, Args&&... args) const {
    using Parameters = typename internal::ParametersOf<F>::Type;
    return Call(internal::ToParameter<typename internal::ParameterAt<Is, Parameters>::Type>(
        std::forward<Args>(args))...);
  }

  template <size_t... Is, typename... Args>
  void WarmUp(std::index_sequence<Is...>, Args&&... args) const {
    using Parameters = typename internal::ParametersOf<F>::Type;
    CompileOnly(internal::ToParameter<typename internal::ParameterAt<Is, Parameters>::Type>(
        std::forward<Args>(args))...);
  }

  // A tensor for each parameter.
  auto Unfilled(const std::vector<TensorSpec>& specs) const {
    return Unfilled(typename internal::ParametersOf<F>::Type(), specs);
  }

  template <typename... Ps>
  auto Unfilled(internal::ParameterList<Ps...>, const std::vector<TensorSpec>& specs) const {
    static_assert(sizeof...(Ps) > 0 && (std::is_same_v<std::remove_cvref_t<Ps>, Tensor> && ...),
                  "warmup({...}) is for functions of Tensors alone; pass arguments instead");
    if (specs.size() != sizeof...(Ps)) {
      internal::ThrowSpecCount(State(), specs.size(), sizeof...(Ps));
    }
    auto next = specs.begin();
    std::array<Tensor, sizeof...(Ps)> tensors;
    for (Tensor& tensor : tensors) tensor = internal::Unfilled(*next++);
    return tensors;
  }

  template <typename... Args>
  void CompileSizes(const OnWarmup& on_progress, const Args&... like) const {
    internal::TensorList leaves;
    (internal::ForEachTensor(like, [&](const Tensor& leaf) { leaves.push_back(leaf); }), ...);
    const std::vector<internal::WarmupCall> calls = internal::WarmupCalls(State(), leaves);
    int done = 0;
    for (const internal::WarmupCall& call : calls) {
      std::tuple<std::decay_t<Args>...> copies(like...);
      size_t next = 0;
      internal::ForEachTensor(copies, [&](Tensor& leaf) { leaf = call.tensors[next++]; });
      std::apply([this](auto&... all) { WarmUp(std::index_sequence_for<Args...>(), all...); },
                 copies);
      ++done;
      if (on_progress) on_progress({done, static_cast<int>(calls.size()), call.sizes});
    }
  }

  template <typename... Args>
  using ResultOf = std::decay_t<std::invoke_result_t<F&, std::decay_t<Args>&...>>;

  template <typename... Args>
  void CompileOnly(Args&&... args) const {
    internal::CallFrame frame(State());
    (internal::PackArgument<false>(frame, args), ...);
    frame.WarmUp(Tracer<ResultOf<Args...>, std::remove_reference_t<Args>...>(args...),
                 internal::StartsOf(args...));
  }

  template <typename... Args>
  auto Call(Args&&... args) const {
    using Result = ResultOf<Args...>;
    static_assert(internal::kIsTree<Result>,
                  "a jit function returns a Tensor or a tree of Tensors");
    internal::CallFrame frame(State());
    (internal::PackArgument<internal::kIsGiven<Args&&>>(frame, args), ...);
    if (!frame.Find()) {
      frame.Miss(Tracer<Result, std::remove_reference_t<Args>...>(args...),
                 internal::StartsOf(args...));
    }
    const auto* skeleton = static_cast<const Result*>(frame.Run());
    if constexpr (std::is_same_v<Result, Tensor>) {
      return frame.TakeOutput(0);
    } else {
      Result result = *skeleton;
      int next = 0;
      internal::ForEachTensor(result, [&](Tensor& leaf) { leaf = frame.TakeOutput(next++); });
      return result;
    }
  }

  // The user's function over copies of the arguments whose tensors are the traced ones.
  template <typename Result, typename... Args>
  internal::TraceFn Tracer(const Args&... args) const {
    return [this, &args...](const internal::TensorList& traced) {
      std::tuple<std::decay_t<Args>...> copies(args...);
      size_t next = 0;
      internal::ForEachTensor(copies, [&](Tensor& leaf) { leaf = traced[next++]; });
      auto result = std::make_shared<Result>(std::apply(
          [this](auto&... inputs) { return std::invoke(function_, inputs...); }, copies));
      internal::TraceResult out;
      internal::ForEachTensor(*result, [&](Tensor& leaf) {
        out.leaves.push_back(leaf);
        leaf = Tensor();
      });
      out.skeleton = std::move(result);
      return out;
    };
  }

  mutable F function_;
  std::shared_ptr<internal::JitState> state_;
};

// Wraps `function`. Nothing is traced before the first call.
template <typename F>
Jitted<std::decay_t<F>> jit(F&& function, JitOptions options = {},
                            std::source_location where = std::source_location::current()) {
  using Function = std::decay_t<F>;
  const internal::FunctionIdentity* identity = nullptr;
  const void* pointer = nullptr;
  if constexpr (std::is_pointer_v<Function> || std::is_empty_v<Function>) {
    identity = &internal::IdentityOf<Function>();
  }
  if constexpr (std::is_pointer_v<Function> || std::is_member_pointer_v<Function>) {
    const Function given = function;
    if (given == nullptr) internal::ThrowNullFunction(where);
    if constexpr (std::is_pointer_v<Function>) pointer = reinterpret_cast<const void*>(given);
  }
  auto state = internal::MakeJitState(std::move(options), identity, pointer, where);
  return Jitted<Function>(std::forward<F>(function), std::move(state));
}

}  // namespace swage

#endif  // SWAGE_RUNTIME_JIT_H_
