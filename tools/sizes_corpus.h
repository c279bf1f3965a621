// File: tools/sizes_corpus.h
//
//   swage corpus DIR --sizes [--mode symbolic|bucket|pad] ...
//
// A corpus of one program at several sizes: DIR/PROGRAM/SIZES/{module.hlo, case.json, ...}, where
// SIZES is `n7` or `n7_m5`. Each program is learned (compiler/learn) from its two smallest
// lowerings without a size below 3, since lowerings at size 1 drop what only other sizes need; then
// what was learned runs at every size. Where two lowerings leave something open a third is added,
// which is said; where that does not help either, each size of the program counts as failed:
//
//   NOTE half learned from n7, n12 and n13: [learn] ...
//   FAIL half/n33 out_0[0]: got G, want W, tol T
//   FAIL topk [learn] reduce-window.3 ...
//
// symbolic leaves all sizes open, bucket those in a bucket of the default policy. pad leaves those
// up to a power of two above the size open and pads to it, with NaN; a program that cannot be
// padded runs as it is, which is said:
//
//   NOTE sort is not padded: [padding] sort (sort.3) has no padding rule ...
#ifndef SWAGE_TOOLS_SIZES_CORPUS_H_
#define SWAGE_TOOLS_SIZES_CORPUS_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/corpus_case.h"
#include "tools/device.h"

namespace swage::tools {

// The programs of a corpus of sizes, one at a time.
class SizesCorpus {
 public:
  // `all` are the names of all cases. The mode is checked.
  static StatusOr<SizesCorpus> Open(const std::string& dir, const std::vector<std::string>& all,
                                    const std::string& mode);

  // What the mode compiles with; and for programs that this does not take.
  struct Compilers {
    CompileModule first;
    CompileModule plain;
  };

  // The failures of a case, as they follow its name; learns its program first.
  std::vector<std::string> RunCase(const Compilers& compilers, const std::string& name, int repeat);

 private:
  SizesCorpus(std::string dir, std::vector<std::string> all, std::string mode)
      : dir_(std::move(dir)), all_(std::move(all)), mode_(std::move(mode)) {}

  Status Learn(const std::string& program);
  Status LearnFrom(const std::vector<std::string>& sizes);
  StatusOr<RunCompiled> Compile(const Compilers& compilers, const ir::Module& module);
  StatusOr<std::vector<ir::Literal>> Run(const Compilers& compilers,
                                         const std::vector<ir::Literal>& inputs);

  std::string dir_;
  std::vector<std::string> all_;
  std::string mode_;
  std::string program_;  // that was learned last, and what came of it
  std::unique_ptr<ir::Module> module_;
  struct Compiled {
    std::unique_ptr<ir::Module> module;  // with its symbols in the ranges; `run` needs it
    RunCompiled run;
  };
  std::map<std::string, Compiled> compiled_;  // by the ranges of its symbols
  Status learned_;
  bool said_why_ = false;  // it is not padded
};

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_SIZES_CORPUS_H_
