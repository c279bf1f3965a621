#include "tests/emulated_cuda/faults.h"

#include <cstdlib>
#include <sstream>

namespace swage::emulated_cuda {

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
