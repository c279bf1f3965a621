#include "cache/policy/policy_text.h"

#include <algorithm>
#include <bit>

#include "base/status.h"

namespace swage::policy {

std::optional<std::string> FunctionKey(std::string_view function) {
  if (function.empty() || function.size() > kMaxFunctionName) return std::nullopt;
  std::string key = "functions.\"";
  for (const char c : function) {
    if (c < ' ' || c > '~' || c == '*' || c == '?') return std::nullopt;
    if (c == '"' || c == '\\') key += '\\';
    key += c;
  }
  return key + '"';
}

std::string SymbolNameFor(std::string_view function, int number) {
  std::string name;
  for (const char c : function.substr(0, 60)) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    name += letter || (digit && !name.empty()) ? c : '_';
  }
  return absl::StrCat(name.empty() ? "_" : name, "_n", number);
}

std::string ArgText(std::string_view key, int index, std::span<const std::string> dims) {
  std::string text = absl::StrCat("[[", ToAbsl(key), ".args]]\nindex = ", index, "\ndims = [");
  for (size_t i = 0; i < dims.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "\"" : ", \"", dims[i].empty() ? "*" : dims[i], "\"");
  }
  return text + "]\n";
}

std::string SuggestPolicy(std::string_view function, std::span<const VaryingArg> args,
                          std::span<const int64_t> sizes) {
  const std::optional<std::string> key = FunctionKey(function);
  if (!key.has_value()) return "";
  uint64_t largest = 1;
  for (const int64_t size : sizes) largest = std::max(largest, static_cast<uint64_t>(size));
  const uint64_t max = largest > (uint64_t{1} << 62) ? largest : std::bit_ceil(largest);
  const std::string symbol = SymbolNameFor(function, 0);
  std::string text =
      absl::StrCat("[symbols.", symbol, "]\nmax = ", max, "\n\n[", *key, "]\nmode = \"bucket\"\n");
  for (const VaryingArg& arg : args) {
    std::vector<std::string> dims(arg.rank);
    for (const int dim : arg.dims) dims[dim] = symbol;
    text += ArgText(*key, arg.index, dims);
  }
  return text;
}

}  // namespace swage::policy
