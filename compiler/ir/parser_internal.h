// File: compiler/ir/parser_internal.h
//
// The state of one run of the HLO parser; for parser*.cc only.
#ifndef SWAGE_COMPILER_IR_PARSER_INTERNAL_H_
#define SWAGE_COMPILER_IR_PARSER_INTERNAL_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "compiler/ir/attribute_text.h"
#include "compiler/ir/lexer.h"
#include "compiler/ir/module.h"
#include "compiler/ir/parser.h"

namespace swage::ir {

class HloParser {
 public:
  HloParser(std::string_view text, const ParseOptions& options)
      : lexer_(text, options.filename), options_(options) {}

  StatusOr<std::unique_ptr<Module>> Run();

 private:
  // An instruction as it is read, before it is added.
  struct Line {
    size_t start = 0;  // of its name
    std::string_view name;
    size_t opcode_start = 0;
    Opcode opcode = Opcode::kTuple;
    Shape shape;
    std::vector<Instruction*> operands;
    Attributes attributes;
    std::vector<std::string_view> seen;  // names of the attributes read so far
    std::vector<std::pair<std::string_view, Computation*>> called;
    RawAttributes raw;
    std::shared_ptr<const Metadata> metadata;
    std::vector<std::pair<size_t, std::string_view>> control_predecessors;  // place, name
  };
  // `(p: f32[2]) -> f32[2]` in front of a computation.
  struct Signature {
    size_t start = 0;
    std::vector<std::pair<std::string_view, Shape>> parameters;
    Shape result;
  };

  // parser.cc: the module.
  Status Header();
  Status HeaderAttribute();
  Status ReadEntryLayout();
  Status StackFrames();
  Status ReadComputation();
  Status FinishComputation(const std::optional<Signature>& signature);
  Status CheckSignature(const Signature& signature);
  Status FinishModule();
  Status VerifyModule();
  StatusOr<Signature> ReadSignature();
  StatusOr<Shape> ReadShape();
  // The computation of a name, declared when it was not seen before.
  StatusOr<Computation*> ComputationNamed(size_t start, std::string_view name);

  // parser_instruction.cc: one instruction.
  Status ReadInstruction();
  Status ReadOperands(Line* line);
  Status ReadParameter(Line* line);
  Status ReadConstant(Line* line);
  Status ReadAttribute(Line* line);
  Status ReadCalled(std::string_view name, Line* line);
  Status ReadControlPredecessors(Line* line);
  StatusOr<std::shared_ptr<const Metadata>> ReadMetadata();
  Status CheckComplete(const Line& line);
  StatusOr<std::vector<Computation*>> OrderCalled(const Line& line);
  Status AddInstruction(Line* line, bool is_root);
  bool AtShape();
  std::string NearestValues(std::string_view name) const;

  Lexer lexer_;
  const ParseOptions& options_;
  std::unique_ptr<Module> module_;
  SymbolScope symbols_;

  // Computations by name; `defined` is set once its body was read.
  struct Declared {
    Computation* computation;
    size_t first_use;
    bool defined = false;
  };
  absl::flat_hash_map<std::string_view, Declared> computations_;

  // Of the computation that is being read.
  Computation* current_ = nullptr;
  absl::flat_hash_map<std::string_view, Instruction*> names_;
  // Resolved when the computation is complete.
  std::vector<std::pair<Instruction*, std::pair<size_t, std::string_view>>> control_edges_;
  Instruction* last_ = nullptr;
  Instruction* root_ = nullptr;

  // Where each instruction stands, for the errors of the verifier.
  std::vector<std::pair<const Instruction*, size_t>> places_;

  // Equal metadata is shared; by its text.
  absl::flat_hash_map<std::string_view, std::shared_ptr<const Metadata>> metadata_;
};

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_PARSER_INTERNAL_H_
