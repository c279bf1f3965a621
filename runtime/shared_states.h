// File: runtime/shared_states.h
//
// The states of functions that jit knows without an object of their own (function_identity.h), from
// the first jit() of a function until the program or library that it is in is unloaded.
#ifndef SWAGE_RUNTIME_SHARED_STATES_H_
#define SWAGE_RUNTIME_SHARED_STATES_H_

#include <functional>
#include <memory>
#include <string>

#include "runtime/function_identity.h"

namespace swage::internal {
class JitState;
}

namespace swage::runtime {

struct FunctionKey {
  const internal::FunctionIdentity* identity;
  const void* pointer;  // of a function pointer; null for a class
  std::string options;
};

// The state of this function; the first time what `make` gives, which may throw.
std::shared_ptr<internal::JitState> SharedState(
    const FunctionKey& key, const std::function<std::shared_ptr<internal::JitState>()>& make);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_SHARED_STATES_H_
