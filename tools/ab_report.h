// File: tools/ab_report.h
//
// What `swage ab` prints: for people, or as JSON.
#ifndef SWAGE_TOOLS_AB_REPORT_H_
#define SWAGE_TOOLS_AB_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/ab_child.h"
#include "tools/ab_rounds.h"

namespace swage::tools {

// One set beside A, and what became of it.
struct AbCandidate {
  std::string name = {};     // as options; of --each: the pass
  AbAnswer answer = {};      // of its compilation
  std::string failure = {};  // it does not compile or run, or its results differ; empty: neither
  bool identical = false;    // the same program, and nothing else that could differ
  std::optional<Comparison> comparison = {};
};

struct AbReport {
  std::string module = {}, plain = {};  // the file; A's options
  bool closely = false;                 // results were compared within a tolerance
  bool each = false;
  AbAnswer answer = {};  // of A
  std::vector<AbCandidate> candidates = {};
  int rounds = 0, most_rounds = 0;
  bool out_of_time = false;
  double max_seconds = 0;
  double error = kAbError;
};

std::string ToText(const AbReport& report);
std::string ToJson(const AbReport& report);

// kCheckFailed when a candidate failed, else kNotResolved when one was measured without a verdict,
// else kFine when one was measured, else kNothingToMeasure.
ExitCode ExitCodeOf(const AbReport& report);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_AB_REPORT_H_
