#include "tests/emulated_cuda/faults.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <sstream>

namespace swage::emulated_cuda {
namespace {

// Of the driver (faults.h) and of cublaslt/ (README.md).
constexpr const char* kNames[] = {
    "no_device", "driver_too_old",   "no_pools",    "symbol_missing",
    "oom",       "kernel_error",     "device_lost", "module_rejected",
    "no_handle", "no_algorithm",     "no_results",  "first_result_invalid",
    "tf32",      "execution_failed", "blocked"};

// A fault that is never met would make its test pass.
void CheckName(const char* variable, const std::string& name) {
  const auto is_name = [&](const char* known) { return name == known; };
  if (name.empty() || std::any_of(std::begin(kNames), std::end(kNames), is_name)) return;
  std::fprintf(stderr, "emulated CUDA: %s: '%s' is no fault, expected one of", variable,
               name.c_str());
  for (const char* known : kNames) std::fprintf(stderr, " %s", known);
  std::fprintf(stderr, "\n");
  std::_Exit(3);
}

}  // namespace

void Faults::Refresh() {
  const char* const variable = std::getenv(variable_);
  const std::string text = variable == nullptr ? "" : variable;
  if (text == text_) return;
  text_ = text;
  values_.clear();
  counts_.clear();
  std::istringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');) {
    const size_t equals = item.find('=');
    CheckName(variable_, item.substr(0, equals));
    values_[item.substr(0, equals)] = equals == std::string::npos ? "" : item.substr(equals + 1);
  }
}

bool Faults::Has(const std::string& name) {
  Refresh();
  return values_.count(name) > 0;
}

std::string Faults::Value(const std::string& name) {
  Refresh();
  const auto found = values_.find(name);
  return found == values_.end() ? "" : found->second;
}

bool Faults::Hit(const std::string& name) {
  const std::string value = Value(name);
  if (value.empty()) return false;
  const long number = std::atol(value.c_str());
  const long count = ++counts_[name];
  return value.back() == '+' ? count >= number : count == number;
}

bool Faults::HitFrom(const std::string& name) {
  const std::string value = Value(name);
  return !value.empty() && ++counts_[name] >= std::atol(value.c_str());
}

}  // namespace swage::emulated_cuda
