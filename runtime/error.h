// File: runtime/error.h
//
// swage::Error, the one exception that the public API throws. what() reads
// `[op or phase] what, got vs expected, how to fix (file:line)`.
//
//   try { f(x); } catch (const swage::Error& e) { if (e.code() ==
//   swage::ErrorCode::kInvalidArgument) ... }
#ifndef SWAGE_RUNTIME_ERROR_H_
#define SWAGE_RUNTIME_ERROR_H_

#include <source_location>
#include <stdexcept>
#include <string>

#include "runtime/export.h"

namespace swage {

enum class ErrorCode {
  kInvalidArgument,    // the caller's fault: shape, dtype, rank, axis, file, option
  kNotFound,           // a name that does not exist: a file, a pass, a device
  kResourceExhausted,  // memory that cannot be allocated, or a stated limit
  kUnimplemented,      // something that Swage does not have; the message names it
  kInternal,           // a fault of Swage; please report it with the message
};

class SWAGE_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message, std::string op = {},
        std::source_location where = {})
      : std::runtime_error(message), code_(code), op_(std::move(op)), where_(where) {}

  ErrorCode code() const noexcept { return code_; }
  // The op that complained ("matmul"); empty when it was no op.
  const std::string& op() const noexcept { return op_; }
  // The line of the user's program that asked for it; line() is 0 when unknown.
  const std::source_location& where() const noexcept { return where_; }

 private:
  ErrorCode code_;
  std::string op_;
  std::source_location where_;
};

}  // namespace swage

#endif  // SWAGE_RUNTIME_ERROR_H_
