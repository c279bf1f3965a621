// File: runtime/tree.h
//
// Which arguments and results a jit function may have. A Tensor is a leaf; std::vector, array,
// tuple, pair and optional of trees are trees, and so is a struct of yours:
//
//   struct Params { swage::Tensor w, b; };
//   SWAGE_TREE(Params, w, b)                 // at namespace scope, after the struct
//
// Anything else that can be hashed and compared is *static*: part of the key, so another value
// means another trace. A number that changes from call to call should be a Scalar<T>: a traced
// rank-0 argument of which only the dtype is in the key.
#ifndef SWAGE_RUNTIME_TREE_H_
#define SWAGE_RUNTIME_TREE_H_

#include <any>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "runtime/tensor.h"

namespace swage {

namespace internal {
// Throws when `tensor` is not of rank 0 and this dtype.
SWAGE_API void RequireScalar(const Tensor& tensor, DType dtype);
}  // namespace internal

// A traced rank-0 argument: `float loss(Tensor x, Scalar<float> rate)`, called with a plain number.
// Inside the function it converts to a Tensor.
template <typename T>
class Scalar {
 public:
  Scalar(T value) : tensor_(scalar(value)) {}
  // A rank-0 tensor of T's dtype.
  explicit Scalar(Tensor tensor) : tensor_(std::move(tensor)) {
    internal::RequireScalar(tensor_, DTypeOf<T>());
  }
  operator const Tensor&() const { return tensor_; }
  const Tensor& tensor() const { return tensor_; }

 private:
  Tensor tensor_;
};

namespace internal {

// Receives the flattened arguments. Implemented by the library: CallFrame packs the signature.
class SWAGE_API ArgumentSink {
 public:
  // `movable`: the caller gave its handle away (std::move); its memory may be reused.
  virtual void AddTensor(const Tensor& tensor, bool movable) = 0;
  // Structure: how many elements a list has, whether an optional has a value; and the type of an
  // argument that is no plain Tensor, since functions of any type (auto) may treat two types of one
  // structure differently.
  enum class Structure : unsigned char { kList, kOptional, kType };
  virtual void AddStructure(Structure kind, int64_t value) = 0;
  // A static argument, by value: bytes that decide equality.
  virtual void AddStatic(const std::type_info& type, const void* bytes, size_t size,
                         bool arithmetic) = 0;
  // A static argument without a byte form: its hash, a copy, and how to compare with another copy.
  virtual void AddStaticObject(size_t hash, const std::function<std::any()>& copy,
                               const std::function<bool(const std::any&)>& equals) = 0;

 protected:
  ~ArgumentSink() = default;
};

template <typename T>
struct IsScalarArgument : std::false_type {};
template <typename T>
struct IsScalarArgument<Scalar<T>> : std::true_type {};

template <typename T>
concept UserTree = requires(T& tree) {
  swage_tree_fields(tree);
};

template <typename T>
struct TreeTraits {
  static constexpr bool kIsTree = UserTree<T>;
  // Calls fn(Tensor&) for each leaf, left to right.
  template <typename Tree, typename Fn>
  static void ForEach(Tree& tree, Fn&& fn);
};

template <typename T>
inline constexpr bool kIsTree = TreeTraits<std::remove_cvref_t<T>>::kIsTree;

// Calls fn(leaf) for each Tensor of a tree; static parts are passed over.
template <typename Tree, typename Fn>
void ForEachTensor(Tree& tree, Fn&& fn) {
  using T = std::remove_cvref_t<Tree>;
  if constexpr (std::is_same_v<T, Tensor>) {
    fn(tree);
  } else if constexpr (IsScalarArgument<T>::value) {
    fn(const_cast<Tensor&>(tree.tensor()));
  } else if constexpr (kIsTree<T>) {
    TreeTraits<T>::ForEach(tree, fn);
  }
}

template <typename T>
template <typename Tree, typename Fn>
void TreeTraits<T>::ForEach(Tree& tree, Fn&& fn) {
  if constexpr (UserTree<T>) {
    std::apply([&](auto&... fields) { (ForEachTensor(fields, fn), ...); }, swage_tree_fields(tree));
  }
}

template <typename T>
struct TreeTraits<std::vector<T>> {
  static constexpr bool kIsTree = TreeTraits<T>::kIsTree || std::is_same_v<T, Tensor>;
  template <typename Tree, typename Fn>
  static void ForEach(Tree& tree, Fn&& fn) {
    for (auto& element : tree) ForEachTensor(element, fn);
  }
};
template <typename T, size_t N>
struct TreeTraits<std::array<T, N>> {
  static constexpr bool kIsTree = TreeTraits<T>::kIsTree || std::is_same_v<T, Tensor>;
  template <typename Tree, typename Fn>
  static void ForEach(Tree& tree, Fn&& fn) {
    for (auto& element : tree) ForEachTensor(element, fn);
  }
};
template <typename T>
struct TreeTraits<std::optional<T>> {
  static constexpr bool kIsTree = TreeTraits<T>::kIsTree || std::is_same_v<T, Tensor>;
  template <typename Tree, typename Fn>
  static void ForEach(Tree& tree, Fn&& fn) {
    if (tree.has_value()) ForEachTensor(*tree, fn);
  }
};
template <typename... Ts>
struct TreeTraits<std::tuple<Ts...>> {
  static constexpr bool kIsTree = true;
  template <typename Tree, typename Fn>
  static void ForEach(Tree& tree, Fn&& fn) {
    std::apply([&](auto&... fields) { (ForEachTensor(fields, fn), ...); }, tree);
  }
};
template <typename A, typename B>
struct TreeTraits<std::pair<A, B>> {
  static constexpr bool kIsTree = true;
  template <typename Tree, typename Fn>
  static void ForEach(Tree& tree, Fn&& fn) {
    ForEachTensor(tree.first, fn);
    ForEachTensor(tree.second, fn);
  }
};
template <>
struct TreeTraits<Tensor> {
  static constexpr bool kIsTree = true;
};

// How many bytes decide the value: x87's long double has six more that may hold anything.
template <typename T>
inline constexpr size_t kValueBytes = sizeof(T);
template <>
inline constexpr size_t kValueBytes<long double> = std::numeric_limits<long double>::digits == 64
                                                       ? 10
                                                       : sizeof(long double);

// Flattens a part of an argument into the sink.
template <bool kMovable, typename T>
void Pack(ArgumentSink& sink, const T& value) {
  if constexpr (std::is_same_v<T, Tensor>) {
    sink.AddTensor(value, kMovable);
  } else if constexpr (IsScalarArgument<T>::value) {
    sink.AddTensor(value.tensor(), kMovable);
  } else if constexpr (std::is_arithmetic_v<T>) {
    sink.AddStatic(typeid(T), &value, kValueBytes<T>, true);
  } else if constexpr (std::is_enum_v<T>) {
    sink.AddStatic(typeid(T), &value, sizeof(T), false);
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    const std::string_view text = value;
    sink.AddStatic(typeid(std::string), text.data(), text.size(), false);
  } else if constexpr (kIsTree<T>) {
    PackTree<kMovable>(sink, value);
  } else {
    static_assert(
        std::equality_comparable<T> && std::is_copy_constructible_v<T> &&
            requires { std::hash<T>{}(value); },
        "a jit argument must be a Tensor, a tree of them (SWAGE_TREE), or a static value "
        "with std::hash and ==");
    sink.AddStaticObject(
        std::hash<T>{}(value), [&value] { return std::any(value); },
        [&value](const std::any& other) {
          const T* same = std::any_cast<T>(&other);
          return same != nullptr && *same == value;
        });
  }
}

template <bool kMovable, typename T>
struct TreePacker {
  static void Run(ArgumentSink& sink, const T& tree) {
    std::apply([&](const auto&... fields) { (Pack<kMovable>(sink, fields), ...); },
               swage_tree_fields(tree));
  }
};
template <bool kMovable, typename T>
struct TreePacker<kMovable, std::vector<T>> {
  static void Run(ArgumentSink& sink, const std::vector<T>& tree) {
    sink.AddStructure(ArgumentSink::Structure::kList, static_cast<int64_t>(tree.size()));
    for (const T& element : tree) Pack<kMovable>(sink, element);
  }
};
template <bool kMovable, typename T, size_t N>
struct TreePacker<kMovable, std::array<T, N>> {
  static void Run(ArgumentSink& sink, const std::array<T, N>& tree) {
    for (const T& element : tree) Pack<kMovable>(sink, element);
  }
};
template <bool kMovable, typename T>
struct TreePacker<kMovable, std::optional<T>> {
  static void Run(ArgumentSink& sink, const std::optional<T>& tree) {
    sink.AddStructure(ArgumentSink::Structure::kOptional, tree.has_value() ? 1 : 0);
    if (tree.has_value()) Pack<kMovable>(sink, *tree);
  }
};
template <bool kMovable, typename... Ts>
struct TreePacker<kMovable, std::tuple<Ts...>> {
  static void Run(ArgumentSink& sink, const std::tuple<Ts...>& tree) {
    std::apply([&](const auto&... fields) { (Pack<kMovable>(sink, fields), ...); }, tree);
  }
};
template <bool kMovable, typename A, typename B>
struct TreePacker<kMovable, std::pair<A, B>> {
  static void Run(ArgumentSink& sink, const std::pair<A, B>& tree) {
    Pack<kMovable>(sink, tree.first);
    Pack<kMovable>(sink, tree.second);
  }
};

template <bool kMovable, typename T>
void PackTree(ArgumentSink& sink, const T& tree) {
  TreePacker<kMovable, T>::Run(sink, tree);
}

// Flattens one argument into the sink.
template <bool kMovable, typename T>
void PackArgument(ArgumentSink& sink, const T& value) {
  if constexpr (!std::is_same_v<T, Tensor> && (kIsTree<T> || IsScalarArgument<T>::value)) {
    sink.AddStructure(ArgumentSink::Structure::kType, reinterpret_cast<intptr_t>(&typeid(T)));
  }
  Pack<kMovable>(sink, value);
}

}  // namespace internal
}  // namespace swage

// Makes a struct a tree of the listed fields, which may be Tensors, trees or static values.
#define SWAGE_TREE(Type, ...)                                             \
  [[maybe_unused]] inline auto swage_tree_fields(Type& tree) {            \
    return [](auto& t) { return SWAGE_TREE_TIE_(t, __VA_ARGS__); }(tree); \
  }                                                                       \
  [[maybe_unused]] inline auto swage_tree_fields(const Type& tree) {      \
    return [](auto& t) { return SWAGE_TREE_TIE_(t, __VA_ARGS__); }(tree); \
  }

#define SWAGE_TREE_TIE_(t, ...) std::tie(SWAGE_TREE_EACH_(t, __VA_ARGS__))
#define SWAGE_TREE_EACH_(t, ...) __VA_OPT__(SWAGE_TREE_EXPAND_(SWAGE_TREE_STEP_(t, __VA_ARGS__)))
#define SWAGE_TREE_STEP_(t, field, ...) \
  t.field __VA_OPT__(, SWAGE_TREE_AGAIN_ SWAGE_TREE_PARENS_(t, __VA_ARGS__))
#define SWAGE_TREE_AGAIN_() SWAGE_TREE_STEP_
#define SWAGE_TREE_PARENS_ ()
#define SWAGE_TREE_EXPAND_(...) \
  SWAGE_TREE_EXPAND1_(SWAGE_TREE_EXPAND1_(SWAGE_TREE_EXPAND1_(__VA_ARGS__)))
#define SWAGE_TREE_EXPAND1_(...) \
  SWAGE_TREE_EXPAND2_(SWAGE_TREE_EXPAND2_(SWAGE_TREE_EXPAND2_(__VA_ARGS__)))
#define SWAGE_TREE_EXPAND2_(...) \
  SWAGE_TREE_EXPAND3_(SWAGE_TREE_EXPAND3_(SWAGE_TREE_EXPAND3_(__VA_ARGS__)))
#define SWAGE_TREE_EXPAND3_(...) __VA_ARGS__

#endif  // SWAGE_RUNTIME_TREE_H_
