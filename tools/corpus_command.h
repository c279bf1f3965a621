// File: tools/corpus_command.h
//
//   swage corpus DIR [CASE...] [--device cpu|cuda|evaluator] [--mode module|eager] [--threads N]
//                    [--filter RE] [--list FILE] [--repeat N] [--baked-dims] [--isolate]
//   swage corpus DIR --sizes [--mode symbolic|bucket|pad] ...
//
// Runs the cases of a corpus folder (tools/corpus_case.h) and compares. Prints a line per failure,
//
//   FAIL group/name out_0[i,j]: got G, want W, tol T
//   FAIL group/name [evaluate] sort (sort.3) is not implemented yet
//   FAIL group/name [isolate] ended by signal 11 (Segmentation fault)
//
// and last `N passed, N failed, N skipped`. An op that is not implemented is a failure; a case that
// the names, --list or --filter leave out is not counted. With --isolate each case runs in a
// process of its own, which may die: the others go on. Exit code 1 when a case failed; 2 for an
// unknown case, an empty selection, a device that is not there, or flags that make no sense. With
// --sizes see tools/sizes_corpus.h.
#ifndef SWAGE_TOOLS_CORPUS_COMMAND_H_
#define SWAGE_TOOLS_CORPUS_COMMAND_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tools/command.h"

namespace swage::tools {

struct CorpusOptions {
  std::string dir;
  std::string device = "cpu";
  bool cache = false;  // compiled code of other processes may be used
  std::string mode;    // empty: module, or symbolic with sizes
  bool sizes = false;  // tools/sizes_corpus.h
  int threads = 0;     // 0: as many as SWAGE_NUM_THREADS or the machine says
  std::string filter;
  std::string list;                // a path, or one relative to dir
  std::vector<std::string> cases;  // empty: all, or those of the list
  int repeat = 1;
  bool baked_dims = false;  // kernels have every size compiled in
  bool isolate = false;     // each case in a process of its own (tools/isolated_case.h)
};

StatusOr<ExitCode> RunCorpus(const CorpusOptions& options);

void AddCorpusCommand(CLI::App& app, Action* chosen);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_CORPUS_COMMAND_H_
