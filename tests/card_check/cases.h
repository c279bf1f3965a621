// File: tests/card_check/cases.h
//
// The cases of the card check, in the order in which they run, and what they share.
#ifndef SWAGE_TESTS_CARD_CHECK_CASES_H_
#define SWAGE_TESTS_CARD_CHECK_CASES_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "codegen/cuda/device.h"
#include "codegen/cuda/stream.h"
#include "tests/card_check/bundle.h"
#include "tests/card_check/json_line.h"

namespace swage::card {

struct CheckOptions {
  std::string bundle;
  std::string only;        // cases whose name begins with it
  bool small = false;      // sizes for the emulator
  bool older_ptx = false;  // that for sm_80, whatever the card
  bool timings = true;
  double kernel_seconds = 130;  // after so long no further kernel is begun
  double case_seconds = 60;     // a case that takes longer has failed
};

// The card, once it is needed. Cases run one after another, in one thread.
class Context {
 public:
  Context(const Bundle& bundle, const CheckOptions& options) : bundle_(bundle), options_(options) {}

  // Once per process; Unavailable without a driver or card.
  Status Open();
  bool is_open() const { return stream_ != nullptr; }
  const Bundle& bundle() const { return bundle_; }
  const CheckOptions& options() const { return options_; }
  cuda::Device& device() const { return *device_; }
  const cuda::Stream& stream() const { return *stream_; }
  bool is_emulator() const;
  // The PTX for this card.
  const std::string& PtxOf(const CardModule& module) const;
  double SecondsSinceStart() const;

  // What the copies of this card reach; 0: not measured.
  double copy_gb_per_s = 0;

 private:
  const Bundle& bundle_;
  const CheckOptions& options_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  cuda::Device* device_ = nullptr;
  std::unique_ptr<cuda::ContextScope> scope_;
  std::unique_ptr<cuda::Stream> stream_;
};

enum class Verdict : char {
  kOk = 'o',
  kFailed = 'f',
  kSkipped = 's',
  kRecorded = 'r',
  kNoDriver = 'n'
};
const char* VerdictName(Verdict verdict);

// Of one case: the fields behind "case" and "result".
struct Outcome {
  Verdict verdict = Verdict::kOk;
  JsonLine fields;

  static Outcome Failed(const Status& status);
  static Outcome Skipped(std::string_view why);
};

struct Case {
  std::string name;
  std::function<Outcome(Context&)> run;
};

// Driver and card; matrix instructions; the error of approximate ones.
std::vector<Case> HardwareCases();
// Every kernel of the bundle, from PTX and from a cubin.
std::vector<Case> KernelCases(const Bundle& bundle);
// Bandwidth, programs, launches. Nothing else may run on the card.
std::vector<Case> TimingCases(const Bundle& bundle, const CheckOptions& options);

std::vector<Case> AllCases(const Bundle& bundle, const CheckOptions& options);

}  // namespace swage::card

#endif  // SWAGE_TESTS_CARD_CHECK_CASES_H_
