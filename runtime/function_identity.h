// File: runtime/function_identity.h
//
// How jit knows a function again that has no object of its own: by its address, or, if it is a
// class without members (a lambda without captures), by the address of a variable that the compiler
// makes for each type. Types of one name in two source files or two loaded libraries are two types.
// When a library is unloaded, what jit keeps for its functions is given up. Not for users.
#ifndef SWAGE_RUNTIME_FUNCTION_IDENTITY_H_
#define SWAGE_RUNTIME_FUNCTION_IDENTITY_H_

#include "runtime/export.h"

namespace swage::internal {

class SWAGE_API FunctionIdentity {
 public:
  FunctionIdentity() = default;
  ~FunctionIdentity();  // with the program or library that it is in
  FunctionIdentity(const FunctionIdentity&) = delete;
  FunctionIdentity& operator=(const FunctionIdentity&) = delete;

 private:
  char address_ = 0;
};

// Hidden: each library has its own, even where another one has a type of this name. The linker
// merges those of one library whose type is the same.
template <typename F>
__attribute__((visibility("hidden"))) const FunctionIdentity& IdentityOf() {
  static const FunctionIdentity identity;
  return identity;
}

}  // namespace swage::internal

#endif  // SWAGE_RUNTIME_FUNCTION_IDENTITY_H_
