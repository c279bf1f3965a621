// File: tests/emulated_cuda/faults.h
//
// Faults on demand, a comma list in a variable. That of the driver is EMULATED_CUDA_FAULT:
//
//   no_device               cuInit finds no device
//   driver_too_old          cuDriverGetVersion says 11.2, newer functions are not found
//   no_pools                the device has no memory pools
//   symbol_missing=NAME     cuGetProcAddress does not find NAME
//   oom=N                   the N-th allocation fails; N+ also those after it
//   kernel_error=N          the N-th launch that runs ends with error 700
//   module_rejected=N       the N-th module or link is rejected
//   blocked=NAME            calls of NAME do not return; the log says "NAME is blocked"
//   device_lost=N           from the N-th call that needs a context on, the device is gone
//
// cublaslt/ has faults of its own (README.md). A variable is read at every call; when its text
// changes, counting starts again.
#ifndef SWAGE_TESTS_EMULATED_CUDA_FAULTS_H_
#define SWAGE_TESTS_EMULATED_CUDA_FAULTS_H_

#include <map>
#include <string>

namespace swage::emulated_cuda {

class Faults {
 public:
  explicit Faults(const char* variable = "EMULATED_CUDA_FAULT") : variable_(variable) {}

  // Whether `name` is in the list.
  bool Has(const std::string& name);
  // The text behind `name=`, or "".
  std::string Value(const std::string& name);
  // Counts one more event of `name`; true if it is the N-th (or a later one, for N+).
  bool Hit(const std::string& name);
  // Counts it, and stays true from the N-th on.
  bool HitFrom(const std::string& name);

 private:
  void Refresh();

  const char* variable_;
  std::string text_;
  std::map<std::string, std::string> values_;
  std::map<std::string, long> counts_;
};

}  // namespace swage::emulated_cuda

#endif  // SWAGE_TESTS_EMULATED_CUDA_FAULTS_H_
