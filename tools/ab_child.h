// File: tools/ab_child.h
//
//   swage ab-child module.hlo [inputs] [flags of one set] --store DIR --write DIR
//   swage ab-child module.hlo [inputs] [flags of one set] --store DIR --expect DIR --time-ms 50
//
// What `swage ab` starts, once to compile a set and then for each measurement: not meant to be
// typed, and not in the help. The first compiles into DIR; the others take the program from there,
// so that what is timed is what was compared. Prints AbAnswer as JSON.
#ifndef SWAGE_TOOLS_AB_CHILD_H_
#define SWAGE_TOOLS_AB_CHILD_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/ab_set.h"
#include "tools/command.h"

namespace swage::tools {

struct AbChildOptions {
  std::string module = {};
  std::vector<std::string> inputs = {};  // .npy files; none: random
  std::string dims = {};                 // "seq=33,batch=2", of symbols, for random inputs
  uint64_t seed = 0;
  AbSet set = {};
  std::string store = {};   // folder of compiled code
  std::string write = {};   // folder for the results; empty: they are not kept
  std::string expect = {};  // folder of results that these must equal; empty: none
  bool closely = false;     // they need not equal bit for bit
  double time_ms = 0;       // measure for so long; 0: only run once
};

// What a set compiles to. Of programs that are equal there is nothing to measure.
struct AbCode {
  std::string program = {};               // a hash of what runs (program_text.h)
  std::vector<std::string> kernels = {};  // of it, sorted
  std::string module = {};                // a hash of the canonical text behind the passes
  int64_t instructions = 0;               // in it
};

struct AbAnswer {
  AbCode code = {};
  std::vector<std::string> messages = {};  // of the passes: filters without effect
  double compile_ms = 0;
  std::string difference = {};  // from the results that were expected; empty: none
  double ms = 0;                // of one run; 0: not measured
  int64_t runs = 0;
};

std::string ToJson(const AbAnswer& answer);
// Internal for text that ToJson did not write.
StatusOr<AbAnswer> AbAnswerFrom(std::string_view json);

StatusOr<AbAnswer> RunAbChild(const AbChildOptions& options);
// The arguments that give these options, program and command first.
std::vector<std::string> ArgumentsOf(const AbChildOptions& options);

void AddAbChildCommand(CLI::App& app, Action* chosen);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_AB_CHILD_H_
