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
//   is not in the key, and rebinding the C++ variable later is not seen.
// - A function pointer or a lambda without captures has one cache for the whole process, so a
//   temporary `swage::jit(f)(x)` hits too; a closure with captures has one per jit object.
// - Inside another jit function a call becomes a call of the graph, traced once per key.
// - If the function throws, the exception passes through and no trace state is left behind.
// - Calling from many threads at once is safe; the first call of a key compiles, the others wait.
// Errors: swage::Error; compile and run errors name the function.
#ifndef SWAGE_RUNTIME_JIT_H_
#define SWAGE_RUNTIME_JIT_H_

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/call_frame.h"
#include "runtime/tree.h"

namespace swage {

// Every option but the name also has an environment variable (docs/environment.md); a set option
// beats it.
struct JitOptions {
  // In dumps, errors and explain(); default: file_line of the jit call.
  std::string name = {};
  // "cpu" (default), or "evaluator": the interpreter, for checking.
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
};

// Counters of one jit function. Consistent with each other only when no call is running.
struct JitStats {
  int64_t calls = 0;
  int64_t hits = 0;
  int64_t misses = 0;
  int64_t traces = 0;
  int64_t compiles = 0;     // pass pipeline runs
  int64_t llvm_runs = 0;    // kernels that LLVM generated for this function
  int64_t kernel_hits = 0;  // kernels that came from the kernel cache instead
  double compile_ms = 0;    // in total, of the compiles
};
SWAGE_API std::ostream& operator<<(std::ostream& out, const JitStats& stats);

// Why the last miss missed: against the nearest key already there.
struct MissReport {
  std::string function = {};
  bool missed = false;  // false: no miss yet
  bool first = false;   // the first key of this function
  int argument = -1;    // flattened tensor argument that differed first; -1: a static or structure
  std::string argument_shape = {};  // its "f32[32,64]"
  int axis = -1;                    // its dimension that differed; -1: dtype or rank
  std::string expected = {};        // what the nearest key has: "32", "f32[32,64]"
  std::string got = {};
  std::string nearest_key = {};  // "(f32[32,64], f32[32,64], f32[32,64])"
};
SWAGE_API std::ostream& operator<<(std::ostream& out, const MissReport& report);

namespace internal {
SWAGE_API std::shared_ptr<JitState> MakeJitState(JitOptions options, const std::type_info& type,
                                                 const void* function_pointer, bool shared,
                                                 std::source_location where);
SWAGE_API JitStats StatsOf(const JitState& state);
SWAGE_API MissReport ExplainOf(const JitState& state);
}  // namespace internal

// What jit() returns: called like the function, with the same arguments and results (tree.h).
// Copies share the cache.
template <typename F>
class Jitted {
 public:
  Jitted(F function, std::shared_ptr<internal::JitState> state)
      : function_(std::move(function)), state_(std::move(state)) {}

  template <typename... Args>
  auto operator()(Args&&... args) const {
    return Convert(std::index_sequence_for<Args...>(), std::forward<Args>(args)...);
  }

  JitStats stats() const { return internal::StatsOf(*state_); }
  MissReport explain() const { return internal::ExplainOf(*state_); }

 private:
  template <size_t... Is, typename... Args>
  auto Convert(std::index_sequence<Is...>, Args&&... args) const {
    using Parameters = typename internal::ParametersOf<F>::Type;
    return Call(internal::ToParameter<typename internal::ParameterAt<Is, Parameters>::Type>(
        std::forward<Args>(args))...);
  }

  template <typename... Args>
  auto Call(Args&&... args) const {
    using Result = std::decay_t<std::invoke_result_t<F&, std::decay_t<Args>&...>>;
    static_assert(internal::kIsTree<Result>,
                  "a jit function returns a Tensor or a tree of Tensors");
    internal::CallFrame frame(*state_);
    (internal::Pack<std::is_rvalue_reference_v<Args&&>>(frame, args), ...);
    if (!frame.Find()) frame.Miss(Tracer<Result, std::remove_reference_t<Args>...>(args...));
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
  const void* pointer = nullptr;
  constexpr bool kPointer = std::is_pointer_v<Function>;
  if constexpr (kPointer) pointer = reinterpret_cast<const void*>(function);
  auto state = internal::MakeJitState(std::move(options), typeid(Function), pointer,
                                      kPointer || std::is_empty_v<Function>, where);
  return Jitted<Function>(std::forward<F>(function), std::move(state));
}

}  // namespace swage

#endif  // SWAGE_RUNTIME_JIT_H_
