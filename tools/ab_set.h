// File: tools/ab_set.h
//
// One side of `swage ab`: what a module is compiled with and how it runs.
//
//   AbSet b;
//   AddSetOptions(command, "", &b);         // --disable-pass, --only-pass, ..., --env
//   AddSetOptions(command, "a-", &a);       // --a-disable-pass, ...
#ifndef SWAGE_TOOLS_AB_SET_H_
#define SWAGE_TOOLS_AB_SET_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/status.h"

namespace swage::tools {

struct AbSet {
  std::vector<std::string> disable_passes = {};
  std::vector<std::string> only_passes = {};
  std::vector<std::string> environment = {};  // NAME=VALUE; an empty value: not set
  std::string device = "cpu";
  std::string mode = "symbolic";  // of open sizes: exact, or a mode of size_ranges.h
  bool fast_math = false;
  bool baked_dims = false;  // kernels have every extent compiled in
};

// All but the device; `prefix` stands before each name.
void AddSetOptions(CLI::App* command, const std::string& prefix, AbSet* set);

// The arguments that give this set, for AddSetOptions without a prefix and --device; without the
// environment.
std::vector<std::string> ArgumentsOf(const AbSet& set);

// What differs from a set without options, as it would be typed; "plain" where nothing does.
std::string Describe(const AbSet& set);

// InvalidArgument for an entry that is not NAME=VALUE, for a variable of Swage that does not exist,
// and for one that cannot change what is measured; for a device or mode that there is not.
Status CheckSet(const AbSet& set);

// Whether two sets may differ in speed although they run the same code: by a variable (threads, a
// library) that is not about compiling.
bool MayRunDifferently(const AbSet& a, const AbSet& b);

// The environment of a process that compiles or runs the set: this one's, with the set's variables,
// and without what would keep programs from being stored or change what is timed.
std::vector<std::string> EnvironmentOf(const AbSet& set);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_AB_SET_H_
