// File: compiler/ir/module.h
//
// A program: computations, one of them the entry, and what HLO's header line says.
#ifndef SWAGE_COMPILER_IR_MODULE_H_
#define SWAGE_COMPILER_IR_MODULE_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "compiler/ir/computation.h"

namespace swage::ir {

// Shapes with layouts at the border of the entry computation.
struct EntryLayout {
  std::vector<Shape> parameters;
  Shape result;
  bool operator==(const EntryLayout&) const = default;
};

// The stack-frame tables that metadata refers to, kept as they were read: section name, then its
// rows.
struct StackFrameTable {
  std::string section;  // FileNames, FunctionNames, FileLocations, StackFrames
  std::vector<std::string> rows;
  bool operator==(const StackFrameTable&) const = default;
};

class Module {
 public:
  // Characters that HLO's names do not have become '_', here and in the names of what it holds.
  explicit Module(std::string_view name);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const std::string& name() const { return name_; }
  void set_name(std::string_view name);

  Computation* AddComputation(std::string_view name);
  // Removes a computation that nothing calls.
  Status RemoveComputation(Computation* computation);
  // Removes many at once, O(all), whatever they call; instructions may have moved out of them.
  Status RemoveComputations(const std::vector<Computation*>& computations);
  Computation* entry() const { return entry_; }
  void set_entry(Computation* entry) { entry_ = entry; }
  // In creation order.
  std::vector<Computation*> Computations() const;
  // Callees before callers; iterative.
  std::vector<Computation*> ComputationPostOrder() const;
  // All but the bodies of fusions, callees first: what most passes work on.
  std::vector<Computation*> NonFusionComputations() const;
  // The entry and what it calls by call, while and conditional, callees first: the computations
  // that run step by step, not the scalar ones of reduce, map, sort or scatter.
  std::vector<Computation*> ExecutedComputations() const;
  int64_t instruction_count() const;

  // A name that no instruction (or computation) of this module has: `base`, or `base.N`.
  std::string UniqueInstructionName(std::string_view base);
  std::string UniqueComputationName(std::string_view base);
  int64_t NextId() { return next_id_++; }

  // A copy of `source` (which may belong to another module) under a new unique name, with the
  // computations that it calls (each once).
  Computation* CloneComputation(const Computation& source, std::string_view name);
  std::unique_ptr<Module> Clone() const;

  // Header line.
  const std::optional<EntryLayout>& entry_layout() const { return entry_layout_; }
  void set_entry_layout(std::optional<EntryLayout> layout) { entry_layout_ = std::move(layout); }
  bool is_scheduled() const { return is_scheduled_; }
  void set_is_scheduled(bool scheduled) { is_scheduled_ = scheduled; }
  // Everything else of the header (input_output_alias, frontend_attributes ...): name and raw text.
  const RawAttributes& raw_attributes() const { return raw_; }
  RawAttributes* mutable_raw_attributes() { return &raw_; }
  const std::vector<StackFrameTable>& stack_frames() const { return stack_frames_; }
  std::vector<StackFrameTable>* mutable_stack_frames() { return &stack_frames_; }

  // True from layout assignment on: every array shape has a layout.
  bool has_layouts() const { return has_layouts_; }
  void set_has_layouts(bool has) { has_layouts_ = has; }

  std::string ToString() const;  // HLO text, compiler/ir/printer.h

 private:
  friend class Computation;
  void ForgetInstructionName(const std::string& name) { instruction_names_.erase(name); }
  std::string UniqueName(absl::flat_hash_map<std::string, int64_t>* used, std::string_view wanted);

  std::string name_;
  std::vector<std::unique_ptr<Computation>> computations_;
  Computation* entry_ = nullptr;
  int64_t next_id_ = 0;
  absl::flat_hash_map<std::string, int64_t> instruction_names_;  // base -> next suffix
  absl::flat_hash_map<std::string, int64_t> computation_names_;
  std::optional<EntryLayout> entry_layout_;
  bool is_scheduled_ = false;
  bool has_layouts_ = false;
  RawAttributes raw_;
  std::vector<StackFrameTable> stack_frames_;
};

// What a module takes in memory, about: for the bounds of caches.
int64_t ApproximateBytes(const Module& module);

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_MODULE_H_
