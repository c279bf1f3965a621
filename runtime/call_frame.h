// File: runtime/call_frame.h
//
// How a jit call reaches the library: what the templates of jit.h are made of. Not for users.
#ifndef SWAGE_RUNTIME_CALL_FRAME_H_
#define SWAGE_RUNTIME_CALL_FRAME_H_

#include <any>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/tensor.h"
#include "runtime/tree.h"

namespace swage {
namespace internal {

class JitState;    // cache and counters of one function identity
class CacheEntry;  // one key: executable and result structure

// Results of one call, and the buffers that hold them.
using TensorList = std::vector<Tensor>;

// Runs the user's function on traced tensors. Gets the traced leaves of the arguments, in order;
// returns the leaves of the result and keeps the result itself as the skeleton of later results.
struct TraceResult {
  TensorList leaves;
  std::shared_ptr<const void> skeleton;
};
using TraceFn = std::function<TraceResult(const TensorList& traced)>;

// At which item of the key each parameter of the function begins; for messages about misses.
struct ParameterStarts {
  std::vector<size_t> first_item;
};

// Whether the caller gives an argument of this type (a reference) away.
template <typename Argument>
inline constexpr bool kIsGiven =
    std::is_rvalue_reference_v<Argument> && !std::is_const_v<std::remove_reference_t<Argument>>;

// Counts the items of a key.
class SWAGE_API ItemCounter final : public ArgumentSink {
 public:
  void AddTensor(const Tensor&, bool) override { ++count_; }
  void AddStructure(Structure, int64_t) override { ++count_; }
  void AddStatic(const std::type_info&, const void*, size_t, bool) override { ++count_; }
  void AddStaticObject(size_t, const std::function<std::any()>&,
                       const std::function<bool(const std::any&)>&) override {
    ++count_;
  }
  size_t count() const { return count_; }

 private:
  size_t count_ = 0;
};

template <typename... Args>
ParameterStarts StartsOf(const Args&... args) {
  ParameterStarts starts;
  ItemCounter items;
  ((starts.first_item.push_back(items.count()), PackArgument<false>(items, args)), ...);
  return starts;
}

// One call: packs the arguments on the stack, finds the entry, runs. No lock on a hit of a key that
// the thread used lately, and no allocation but the results.
class SWAGE_API CallFrame final : public ArgumentSink {
 public:
  explicit CallFrame(JitState& state);
  ~CallFrame();
  CallFrame(const CallFrame&) = delete;
  CallFrame& operator=(const CallFrame&) = delete;

  void AddTensor(const Tensor& tensor, bool movable) override;
  void AddStructure(Structure kind, int64_t value) override;
  void AddStatic(const std::type_info& type, const void* bytes, size_t size,
                 bool arithmetic) override;
  void AddStaticObject(size_t hash, const std::function<std::any()>& copy,
                       const std::function<bool(const std::any&)>& equals) override;

  // Whether there is an entry of this signature; if not, Miss() makes it.
  bool Find();
  void Miss(const TraceFn& trace, const ParameterStarts& parameters);
  // Instead of Find, Miss and Run: makes the entry if there is none.
  void WarmUp(const TraceFn& trace, const ParameterStarts& parameters);
  // Runs the entry (or adds a call to the graph when the arguments are traced).
  const void* Run();
  // Result leaf i, after Run.
  Tensor TakeOutput(int i);

 private:
  struct Storage;
  alignas(16) unsigned char storage_[1024];
  Storage* s_;
};

// The parameter types of a callable: a function pointer, or a class with one plain operator().
// Empty when they are not known (a generic lambda).
template <typename... Ps>
struct ParameterList {};
template <typename M>
struct MemberParameters {
  using Type = ParameterList<>;
};
#define SWAGE_MEMBER_PARAMETERS_(qualifiers)            \
  template <typename C, typename R, typename... Ps>     \
  struct MemberParameters<R (C::*)(Ps...) qualifiers> { \
    using Type = ParameterList<Ps...>;                  \
  };
SWAGE_MEMBER_PARAMETERS_()
SWAGE_MEMBER_PARAMETERS_(const)
SWAGE_MEMBER_PARAMETERS_(noexcept)
SWAGE_MEMBER_PARAMETERS_(const noexcept)
#undef SWAGE_MEMBER_PARAMETERS_
template <typename F, typename = void>
struct ParametersOf {
  using Type = ParameterList<>;
};
template <typename R, typename... Ps>
struct ParametersOf<R (*)(Ps...), void> {
  using Type = ParameterList<Ps...>;
};
template <typename R, typename... Ps>
struct ParametersOf<R (*)(Ps...) noexcept, void> {
  using Type = ParameterList<Ps...>;
};
template <typename F>
struct ParametersOf<F, std::void_t<decltype(&F::operator())>>
    : MemberParameters<decltype(&F::operator())> {};

// The type of parameter I; void when it is not known.
template <size_t I, typename List>
struct ParameterAt {
  using Type = void;
};
template <typename P, typename... Ps>
struct ParameterAt<0, ParameterList<P, Ps...>> {
  using Type = std::remove_cvref_t<P>;
};
template <size_t I, typename P, typename... Ps>
requires(I > 0) struct ParameterAt<I, ParameterList<P, Ps...>>
    : ParameterAt<I - 1, ParameterList<Ps...>> {
};

// An argument as it is, or made a Scalar<T> where the parameter is one.
template <typename Parameter, typename Argument>
decltype(auto) ToParameter(Argument&& argument) {
  using Plain = std::remove_cvref_t<Argument>;
  if constexpr (IsScalarArgument<Parameter>::value && !std::is_same_v<Plain, Parameter>) {
    return Parameter(std::forward<Argument>(argument));
  } else {
    return std::forward<Argument>(argument);
  }
}

}  // namespace internal
}  // namespace swage

#endif  // SWAGE_RUNTIME_CALL_FRAME_H_
