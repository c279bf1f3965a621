// File: cache/policy/policy_text.h
//
// Pieces of a configuration file as text, for those who write one: `swage buckets learn`, and the
// advice after compiles that differ in one size only.
//
//   SuggestPolicy("encode", {{.index = 0, .rank = 2, .dims = {1}}}, {3, 17, 40}) ->
//
//   [symbols.encode_n0]
//   max = 64
//
//   [functions."encode"]
//   mode = "bucket"
//   [[functions."encode".args]]
//   index = 0
//   dims = ["*", "encode_n0"]
#ifndef SWAGE_CACHE_POLICY_POLICY_TEXT_H_
#define SWAGE_CACHE_POLICY_POLICY_TEXT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace swage::policy {

// A longer name of a function is an error of the file.
inline constexpr size_t kMaxFunctionName = 128;

// `functions."encode"`, or nullopt for a name that cannot stand in a file for itself alone: one
// with '*' or '?', with other than plain characters, empty or too long.
std::optional<std::string> FunctionKey(std::string_view function);

// A name for a symbol of the function: its letters and digits, and "_n0".
std::string SymbolNameFor(std::string_view function, int number);

// The table of an argument: `key` is a FunctionKey, a dimension is a symbol or empty for "*".
std::string ArgText(std::string_view key, int index, std::span<const std::string> dims);

// An argument some of whose dimensions vary, all of them alike.
struct VaryingArg {
  int index = 0;  // among the flattened tensor arguments
  int rank = 0;
  std::vector<int> dims = {};  // which of them
};

// The lines that would have put calls with these sizes into buckets; "" for a function whose name
// cannot stand in a file.
std::string SuggestPolicy(std::string_view function, std::span<const VaryingArg> args,
                          std::span<const int64_t> sizes);

}  // namespace swage::policy

#endif  // SWAGE_CACHE_POLICY_POLICY_TEXT_H_
