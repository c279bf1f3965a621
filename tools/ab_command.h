// File: tools/ab_command.h
//
//   swage ab --disable-pass priority-fusion module.hlo
//   swage ab --a-env SWAGE_NUM_THREADS=1 --env SWAGE_NUM_THREADS=2 module.hlo
//   swage ab --each 'fusion|simplifier' module.hlo
//
// Whether a set of options (B) makes a module faster or slower than another (A, plain unless the
// --a- flags say otherwise). Both are compiled, the programs compared, then the results; if the
// programs differ, they are timed in alternation, each measurement in a process of its own, until
// there is a verdict (ab_statistics.h) or no more pairs or time. docs/ab.md explains the output.
//
// --each compares A with A without one pass, for every pass whose path the regex matches.
#ifndef SWAGE_TOOLS_AB_COMMAND_H_
#define SWAGE_TOOLS_AB_COMMAND_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/ab_set.h"
#include "tools/command.h"

namespace swage::tools {

struct AbOptions {
  std::string module = {};
  std::vector<std::string> inputs = {};  // .npy files; none: random
  std::string dims = {};                 // sizes of symbols, for random inputs
  uint64_t seed = 0;                     // of the inputs and of the order
  AbSet a = {}, b = {};
  std::string device = "cpu";  // of both
  std::string a_device = {};   // of A alone
  std::string each = {};
  int pairs = 100;  // at most; two make a round
  double max_seconds = 300;
  double min_ms = 50;  // of each measurement
  bool force = false;  // measure equal programs, too
  bool json = false;

  // What is started for each measurement, and the clock; tests give others.
  std::string program = "/proc/self/exe";
  std::function<double()> now = {};
};

StatusOr<ExitCode> RunAb(const AbOptions& options);

void AddAbCommand(CLI::App& app, Action* chosen);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_AB_COMMAND_H_
