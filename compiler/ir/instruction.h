// File: compiler/ir/instruction.h
//
// One operation of the graph: opcode, shape, operands, attributes, called computations. A computation
// owns its instructions; operands and users are kept in both directions by the mutators below.
// Not thread-safe: one thread at a time works on a module.
#ifndef SWAGE_COMPILER_IR_INSTRUCTION_H_
#define SWAGE_COMPILER_IR_INSTRUCTION_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "base/status.h"
#include "compiler/ir/attributes.h"
#include "compiler/ir/opcode.h"
#include "compiler/ir/shape.h"

namespace swage::ir {

class Computation;
class Module;

// Where an instruction came from. It never influences code and is in no key.
struct Metadata {
  std::string op_type;
  std::string op_name;      // "jit(attend)/softmax/div"
  std::string source_file;
  int source_line = 0;
  int stack_frame_id = 0;   // row of the module's stack-frame table, 0: none
  // Further fields in their text form, in the order read: {"source_end_line", "7"}.
  std::vector<std::pair<std::string, std::string>> rest;
  bool operator==(const Metadata&) const = default;
};

// Attributes that Swage carries through but does not interpret (sharding, backend_config,
// frontend_attributes, ...): name and raw text, in the order read.
using RawAttributes = std::vector<std::pair<std::string, std::string>>;

using InstructionList = absl::InlinedVector<class Instruction*, 2>;

class Instruction {
 public:
  Instruction(const Instruction&) = delete;
  Instruction& operator=(const Instruction&) = delete;

  // Unique in the module, never reused. Creation order.
  int64_t id() const { return id_; }
  // Unique in the module; without '%'.
  const std::string& name() const { return name_; }
  Opcode opcode() const { return opcode_; }
  const Shape& shape() const { return shape_; }
  // For layout assignment: dims and dtype must stay.
  Shape* mutable_shape() { return &shape_; }
  Computation* parent() const { return parent_; }
  // Its place in the computation's list, below Computation::slot_count(): what tables by
  // instruction are indexed with. It stays until an instruction of the computation is removed or
  // moved.
  size_t slot() const { return slot_; }
  Module* module() const;

  const InstructionList& operands() const { return operands_; }
  Instruction* operand(int i) const { return operands_[i]; }
  int operand_count() const { return static_cast<int>(operands_.size()); }
  // Each user once, in a deterministic order, even when it uses this value several times.
  const InstructionList& users() const { return users_; }
  // Positions at which `user` reads this value.
  std::vector<int> OperandIndices(const Instruction* user) const;
  bool IsRoot() const;

  // Called computations: call, fusion: {callee}; map, reduce, sort, scatter, reduce-window: {to_apply};
  // while: {condition, body}; conditional: the branches; select-and-scatter: {select, scatter}.
  const std::vector<Computation*>& called() const { return called_; }
  Computation* called(int i) const { return called_[i]; }
  void set_called(int i, Computation* computation) { called_[i] = computation; }

  // The attribute struct of this opcode (op table); a wrong T is a fatal internal error.
  template <typename T>
  const T& attrs() const {
    const T* found = AttrsIf<T>(attributes_);
    SWAGE_CHECK(found != nullptr);
    return *found;
  }
  const Attributes& attributes() const { return attributes_; }
  void set_attributes(Attributes attributes) { attributes_ = std::move(attributes); }

  // Short forms.
  const DimList& dimensions() const { return attrs<DimensionsAttrs>().dimensions; }
  int64_t parameter_number() const { return attrs<ParameterAttrs>().number; }
  const Literal& literal() const { return attrs<ConstantAttrs>().literal; }
  int64_t tuple_index() const { return attrs<TupleIndexAttrs>().index; }
  Computation* to_apply() const { return called_[0]; }
  Computation* fused_computation() const { return called_[0]; }

  const Metadata* metadata() const { return metadata_.get(); }  // null: none
  void set_metadata(std::shared_ptr<const Metadata> metadata) { metadata_ = std::move(metadata); }
  std::shared_ptr<const Metadata> shared_metadata() const { return metadata_; }
  const RawAttributes& raw_attributes() const { return rare().raw; }
  RawAttributes* mutable_raw_attributes() { return &mutable_rare()->raw; }

  // Instructions that must run before this one although it reads nothing of theirs.
  const std::vector<Instruction*>& control_predecessors() const {
    return rare().control_predecessors;
  }
  const std::vector<Instruction*>& control_successors() const { return rare().control_successors; }
  void AddControlPredecessor(Instruction* before);
  void DropControlEdges();

  // Replaces operand i; the user lists of both values follow.
  void SetOperand(int i, Instruction* value);
  // Adds an operand at the end (fusion, tuple, call).
  void AppendOperand(Instruction* value);
  // Takes operand i away; the later ones move down (fusion, tuple, call).
  void RemoveOperand(int i);
  // Lets every user (and the root, and control edges) of this value use `value` instead, which must
  // have a compatible shape. `value` itself keeps its use of this.
  Status ReplaceAllUsesWith(Instruction* value);

  // Same opcode, attributes, called computations and operands; names, metadata and ids do not count.
  bool SameOperation(const Instruction& other) const;

  std::string ToString() const;  // one line of HLO text

 private:
  friend class Computation;
  Instruction(Computation* parent, int64_t id, std::string name, Opcode opcode, Shape shape,
              Attributes attributes)
      : parent_(parent),
        id_(id),
        name_(std::move(name)),
        opcode_(opcode),
        shape_(std::move(shape)),
        attributes_(std::move(attributes)) {}

  // What few instructions have; modules may have very many instructions.
  struct Rare {
    RawAttributes raw;
    std::vector<Instruction*> control_predecessors;
    std::vector<Instruction*> control_successors;
    absl::flat_hash_map<Instruction*, size_t> user_slots;  // filled only when there are many users
  };
  const Rare& rare() const { return rare_ == nullptr ? NoRare() : *rare_; }
  Rare* mutable_rare() {
    if (rare_ == nullptr) rare_ = std::make_unique<Rare>();
    return rare_.get();
  }
  static const Rare& NoRare();

  void AddUser(Instruction* user);
  void RemoveUser(Instruction* user);

  Computation* parent_;
  int64_t id_;
  std::string name_;
  Opcode opcode_;
  Shape shape_;
  InstructionList operands_;
  InstructionList users_;
  std::vector<Computation*> called_;
  Attributes attributes_;
  std::shared_ptr<const Metadata> metadata_;
  std::unique_ptr<Rare> rare_;  // null: nothing of it
  size_t slot_ = 0;
};

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_INSTRUCTION_H_
