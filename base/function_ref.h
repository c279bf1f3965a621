// File: base/function_ref.h
//
// FunctionRef<R(Args...)>: a non-owning reference to anything callable, two words wide.
//
//   void ForEach(int n, FunctionRef<void(int)> fn);
//   ForEach(3, [&](int i) { sum += i; });
//
// It is meant for parameters: the callable must outlive every call. Unlike std::function it never
// allocates and a call is one indirect jump.
#ifndef SWAGE_BASE_FUNCTION_REF_H_
#define SWAGE_BASE_FUNCTION_REF_H_

#include <memory>
#include <type_traits>
#include <utility>

namespace swage {

template <typename Signature>
class FunctionRef;

template <typename R, typename... Args>
class FunctionRef<R(Args...)> {
 public:
  template <typename F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> &&
           !std::is_function_v<std::remove_reference_t<F>> && std::is_invocable_r_v<R, F&, Args...>)
      FunctionRef(F&& callable)  // NOLINT: conversion is the purpose
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
        }) {}

  FunctionRef(R (*function)(Args...))  // NOLINT: conversion is the purpose
      : object_(reinterpret_cast<void*>(function)), call_([](void* object, Args... args) -> R {
          return reinterpret_cast<R (*)(Args...)>(object)(std::forward<Args>(args)...);
        }) {}

  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

}  // namespace swage

#endif  // SWAGE_BASE_FUNCTION_REF_H_
