#include "compiler/passes/concatenate_splitter.h"

#include "compiler/passes/fusion_rules.h"
#include "compiler/passes/match.h"
#include "compiler/passes/rewrite_each.h"

namespace swage::passes {
namespace {

using ir::Instruction;
using ir::InstructionList;
using ir::Opcode;

// One buffer is the result.
constexpr size_t kMaxParts = kMaxOperandsAndOutputs - 1;

Instruction* Split(Instruction& concatenate, Editor& editor) {
  if (!IsOp(&concatenate, Opcode::kConcatenate)) return nullptr;
  const InstructionList& parts = concatenate.operands();
  if (parts.size() <= kMaxParts) return nullptr;
  // Groups of about equal size, as few as it takes; more than a kernel may have are split again.
  const size_t groups = (parts.size() + kMaxParts - 1) / kMaxParts;
  InstructionList joined;
  for (size_t g = 0; g < groups; ++g) {
    const size_t begin = g * parts.size() / groups, end = (g + 1) * parts.size() / groups;
    joined.push_back(editor.Concatenate(absl::MakeSpan(parts).subspan(begin, end - begin),
                                        concatenate.dimensions()[0]));
  }
  return editor.Concatenate(joined, concatenate.dimensions()[0]);
}

}  // namespace

StatusOr<bool> ConcatenateSplitter::Run(ir::Module& module, PassContext& context) {
  return RewriteEach(module, Split, {Opcode::kConcatenate});
}

}  // namespace swage::passes
