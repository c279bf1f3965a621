// File: runtime/device_name.h
//
// The names of devices: "cpu", "evaluator", and GPUs by number: "cuda:0", for which "cuda" will do.
#ifndef SWAGE_RUNTIME_DEVICE_NAME_H_
#define SWAGE_RUNTIME_DEVICE_NAME_H_

#include <string>
#include <string_view>

namespace swage::runtime {

inline constexpr int kMaxCudaDevices = 16;
// As errors and helps list them.
inline constexpr std::string_view kDeviceNames =
    "cpu, cuda (the first GPU, cuda:0), cuda:1 ... or evaluator";

struct DeviceName {
  std::string_view kind;  // "cuda"; a name that is no GPU's is its own kind
  int ordinal = 0;
};

// Of "cuda:N" with a plain number below kMaxCudaDevices the parts; other names as they are.
inline DeviceName SplitDevice(std::string_view name) {
  constexpr std::string_view kPrefix = "cuda:";
  if (!name.starts_with(kPrefix)) return {name, 0};
  const std::string_view digits = name.substr(kPrefix.size());
  if (digits.empty() || digits.size() > 2 || (digits.size() == 2 && digits[0] == '0')) {
    return {name, 0};
  }
  int ordinal = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return {name, 0};
    ordinal = ordinal * 10 + (digit - '0');
  }
  if (ordinal >= kMaxCudaDevices) return {name, 0};
  return {kPrefix.substr(0, 4), ordinal};
}

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_DEVICE_NAME_H_
