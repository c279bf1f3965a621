// File: tests/card_check/bundle_maker.h
//
// Programs into bundles: the GPU's pipeline, its kernels for both architectures, what they must
// compute by the evaluator. No card is needed.
//
//   BundleMaker maker;
//   SWAGE_RETURN_IF_ERROR(maker.AddKernelsOf(hlo, "program/softmax_rows"));
//   SWAGE_RETURN_IF_ERROR(maker.AddTimings(/*small=*/true));
//   Bundle bundle = std::move(maker).Take();
#ifndef SWAGE_TESTS_CARD_CHECK_BUNDLE_MAKER_H_
#define SWAGE_TESTS_CARD_CHECK_BUNDLE_MAKER_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/ir/computation.h"
#include "compiler/ir/module.h"
#include "tests/card_check/bundle.h"

namespace swage::card {

struct TimingProgram;  // timing_programs.h

class BundleMaker {
 public:
  // What was left out, and why, a line each.
  const std::vector<std::string>& left_out() const { return left_out_; }

  // The kernels of a module that the bundle does not have yet, each on random inputs.
  Status AddKernelsOf(std::string_view hlo, const std::string& name);
  // Of timing_programs.h; with expected results where `small`.
  Status AddTimings(bool small);

  Bundle Take() && { return std::move(bundle_); }
  const Bundle& bundle() const { return bundle_; }

 private:
  // The PTX of a fusion's kernel, and how it is launched; buffers are the caller's.
  StatusOr<CardLaunch> LaunchOf(const ir::Instruction& fusion, std::string* plan);
  Status AddKernel(const ir::Instruction& fusion, const std::string& name);
  StatusOr<CardProgram> ProgramOf(const TimingProgram& timing, bool fuse, bool small);

  Bundle bundle_;
  std::vector<std::string> left_out_;
  std::set<std::string> kernels_;            // keys
  std::map<std::string, uint32_t> modules_;  // by the PTX of sm_90
};

// Bits of a normal distribution and, with `special`, of the values where rounding and NaNs show;
// integers over all their range, or with `small_integers` near zero. Equal seeds give equal bytes.
StatusOr<std::string> RandomBytes(const ir::Shape& shape, uint64_t seed, bool special,
                                  bool small_integers);

}  // namespace swage::card

#endif  // SWAGE_TESTS_CARD_CHECK_BUNDLE_MAKER_H_
