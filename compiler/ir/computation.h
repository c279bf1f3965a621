// File: compiler/ir/computation.h
//
// A function of the graph: parameters, instructions, one root. It owns its instructions.
#ifndef SWAGE_COMPILER_IR_COMPUTATION_H_
#define SWAGE_COMPILER_IR_COMPUTATION_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "compiler/ir/instruction.h"

namespace swage::ir {

class Computation {
 public:
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  int64_t id() const { return id_; }
  Module* module() const { return module_; }
  bool IsEntry() const;
  // The fusion that calls this computation; null when it is not the body of one.
  Instruction* fusion() const { return fusion_; }
  bool IsFusion() const { return fusion_ != nullptr; }

  Instruction* root() const { return root_; }
  // The new root may have another shape (module-level signature follows).
  void set_root(Instruction* root) { root_ = root; }

  const std::vector<Instruction*>& parameters() const { return parameters_; }
  Instruction* parameter(int i) const { return parameters_[i]; }
  int parameter_count() const { return static_cast<int>(parameters_.size()); }

  int64_t instruction_count() const { return count_; }
  // One more than the largest slot of an instruction; at most about twice the count.
  size_t slot_count() const { return list_.size(); }
  // A snapshot in list order; safe while instructions are added or removed (a removed one must not be
  // touched: check `Contains`).
  std::vector<Instruction*> Instructions() const;
  // Calls fn for each instruction whose id is `first_id` or later (those added since).
  template <typename Fn>
  void ForEachSince(int64_t first_id, Fn&& fn) const {
    for (auto it = list_.rbegin(); it != list_.rend(); ++it) {
      if (*it == nullptr) continue;
      if ((*it)->id() < first_id) return;
      fn(it->get());
    }
  }
  // Operands before users, and list order wherever that already holds. Iterative; O(n).
  std::vector<Instruction*> PostOrder() const;
  // The order of execution when the module is scheduled; empty otherwise.
  const std::vector<Instruction*>& schedule() const { return schedule_; }
  void set_schedule(std::vector<Instruction*> schedule) { schedule_ = std::move(schedule); }

  // Adds an instruction. `name` is made unique; empty takes the opcode's text. No check is made here:
  // the verifier and Builder (builder.h, which infers the shape) do that.
  Instruction* Add(Opcode opcode, Shape shape, absl::Span<Instruction* const> operands,
                   Attributes attributes = NoneAttrs{}, std::vector<Computation*> called = {},
                   std::string_view name = {});
  Instruction* AddParameter(int64_t number, Shape shape, std::string_view name = {});
  Instruction* AddConstant(Literal literal, std::string_view name = {});
  // A copy of `source` (from any computation of this module) over other operands; metadata, raw
  // attributes and called computations (shared, not copied) come along.
  Instruction* AddClone(const Instruction& source, absl::Span<Instruction* const> operands);

  // Moves an instruction of another computation of this module to the end of this one, with its
  // name and id. The caller sees to it that its operands and users come along, and moves no
  // parameter.
  void Take(Instruction* instruction);

  // Removes an instruction without users, not the root; parameters only in fusions, where the later
  // ones are renumbered.
  Status Remove(Instruction* instruction);
  // ReplaceAllUsesWith, then Remove (and of operands that become dead and have no effect).
  Status Replace(Instruction* old, Instruction* value);
  Status RemoveWithDeadOperands(Instruction* instruction);

  std::string ToString() const;

 private:
  friend class Module;
  friend class Instruction;
  Computation(Module* module, int64_t id, std::string name)
      : module_(module), id_(id), name_(std::move(name)) {}

  void CompactIfSparse();

  Module* module_;
  int64_t id_;
  std::string name_;
  std::vector<std::unique_ptr<Instruction>> list_;  // holes are null until Compact
  int64_t count_ = 0;
  std::vector<Instruction*> parameters_;
  Instruction* root_ = nullptr;
  Instruction* fusion_ = nullptr;
  std::vector<Instruction*> schedule_;
};

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_COMPUTATION_H_
