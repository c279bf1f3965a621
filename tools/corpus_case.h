// File: tools/corpus_case.h
//
// A case of a corpus folder, GROUP/NAME/{module.hlo, case.json, in_K.npy, out_K.npy}, and the
// comparison of what a device computes with what the case expects. Files are untrusted: every field
// is checked, and a broken one is an error that names the file.
//
// case.json lists `inputs` in parameter order and `outputs` leaf by leaf, each with file, dtype and
// shape; outputs carry rtol and atol. A value matches when |got - want| <= atol + rtol * |want|;
// with both zero it must be the same number, the sign of zero included. NaN matches NaN, an
// expected infinity must be that infinity. Complex: each part by the rule.
#ifndef SWAGE_TOOLS_CORPUS_CASE_H_
#define SWAGE_TOOLS_CORPUS_CASE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/ir/literal.h"
#include "compiler/ir/module.h"

namespace swage::tools {

struct Tolerance {
  double rtol = 0;
  double atol = 0;
};

struct CorpusCase {
  std::string name;  // group/name
  std::unique_ptr<ir::Module> module;
  std::vector<ir::Literal> inputs;
  std::vector<ir::Literal> outputs;
  std::vector<Tolerance> tolerances;  // per output
};

// The names of all cases below `dir`, sorted: folders GROUP/NAME that hold a case.json.
StatusOr<std::vector<std::string>> ListCases(const std::string& dir);

StatusOr<CorpusCase> ReadCase(const std::string& dir, const std::string& name);

// The first element that does not match: "[i,j]: got G, want W, tol T", or ": got f32[2], want
// f32[3]" when the shapes differ; nullopt when all match.
std::optional<std::string> FindMismatch(const ir::Literal& got, const ir::Literal& want,
                                        const Tolerance& tolerance);

// One line per output that does not match: "out_0[i,j]: got G, want W, tol T".
std::vector<std::string> CompareOutputs(const std::vector<ir::Literal>& got,
                                        const CorpusCase& expected);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_CORPUS_CASE_H_
