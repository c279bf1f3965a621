#include "compiler/passes/rewrite_each.h"

#include <algorithm>

namespace swage::passes {
namespace {

using ir::Instruction;

class Sweep {
 public:
  Sweep(ir::Computation& computation, RewriteFn rewrite, int depth)
      : editor_(computation),
        rewrite_(rewrite),
        depth_(depth),
        has_layouts_(computation.module()->has_layouts()) {}

  StatusOr<bool> Run() {
    for (const Editor::Ref& ref : editor_.PostOrder()) {
      SWAGE_RETURN_IF_ERROR(Visit(ref));
    }
    return changed_;
  }

 private:
  struct Work {
    Editor::Ref ref;
    int depth;
  };

  Status Visit(const Editor::Ref& start) {
    work_.push_back({start, 0});
    while (!work_.empty()) {
      const Work next = work_.back();
      work_.pop_back();
      if (editor_.IsGone(next.ref)) continue;
      SWAGE_ASSIGN_OR_RETURN(const bool rewritten, RewriteOnce(next.ref.instruction));
      if (!rewritten || next.depth == depth_) continue;
      // The first one added is an operand of later ones: it goes on top.
      const std::vector<Instruction*> added = editor_.TakeAdded();
      for (auto it = added.rbegin(); it != added.rend(); ++it) {
        work_.push_back({{*it, (*it)->id()}, next.depth + 1});
      }
    }
    return OkStatus();
  }

  StatusOr<bool> RewriteOnce(Instruction* instruction) {
    if (HasControlEdges(*instruction)) return false;
    if (has_layouts_ && !IsRowMajor(*instruction)) return false;
    editor_.set_origin(instruction);
    editor_.TakeAdded();
    Instruction* value = rewrite_(*instruction, editor_);
    if (value == nullptr || value == instruction) {
      SWAGE_RETURN_IF_ERROR(editor_.DropUnused(nullptr));
      return false;
    }
    SWAGE_RETURN_IF_ERROR(editor_.Replace(instruction, value));
    SWAGE_RETURN_IF_ERROR(editor_.DropUnused(value));
    changed_ = true;
    return true;
  }

  Editor editor_;
  RewriteFn rewrite_;
  const int depth_;
  const bool has_layouts_;
  std::vector<Work> work_;
  bool changed_ = false;
};

bool HasAny(const ir::Computation& computation, std::initializer_list<ir::Opcode> opcodes) {
  bool found = opcodes.size() == 0;
  if (!found) {
    computation.ForEachSince(0, [&](const Instruction* instruction) {
      found |= std::find(opcodes.begin(), opcodes.end(), instruction->opcode()) != opcodes.end();
    });
  }
  return found;
}

}  // namespace

StatusOr<bool> RewriteEach(ir::Module& module, RewriteFn rewrite,
                           std::initializer_list<ir::Opcode> needed, int depth) {
  bool changed = false;
  for (ir::Computation* computation : module.NonFusionComputations()) {
    if (!HasAny(*computation, needed)) continue;
    SWAGE_ASSIGN_OR_RETURN(const bool here, Sweep(*computation, rewrite, depth).Run());
    changed |= here;
  }
  return changed;
}

}  // namespace swage::passes
