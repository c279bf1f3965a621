// File: tools/isolated_case.h
//
// A case of a corpus in a process of its own, which may die of what it runs: a kernel that leaves
// its buffers under SWAGE_CHECK=memory ends its own process and no other.
#ifndef SWAGE_TOOLS_ISOLATED_CASE_H_
#define SWAGE_TOOLS_ISOLATED_CASE_H_

#include <string>
#include <vector>

#include "tools/corpus_command.h"

namespace swage::tools {

// The failures of the case, as they follow its name, run by `program`, a `swage` command, under the
// options. What else it says goes to stdout and stderr as it was.
std::vector<std::string> RunIsolated(const CorpusOptions& options, const std::string& name,
                                     const std::string& program = "/proc/self/exe");

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_ISOLATED_CASE_H_
