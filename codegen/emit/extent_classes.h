// File: codegen/emit/extent_classes.h
//
// The extents of one fusion as classes of equal ones, each of which becomes a run-time extent of
// its kernel, a formula of others, or a constant. The insides of generalise.h.
#ifndef SWAGE_CODEGEN_EMIT_EXTENT_CLASSES_H_
#define SWAGE_CODEGEN_EMIT_EXTENT_CLASSES_H_

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "compiler/ir/computation.h"

namespace swage::emit {

// A dimension of an array inside the fusion, or of the array's elements in a tuple.
using Node = int;

// The extents of one fusion as classes of equal ones.
class ExtentClasses {
 public:
  explicit ExtentClasses(ir::Computation* fusion) : fusion_(fusion), order_(fusion->PostOrder()) {}

  Status Run();
  // The symbols made, with their values.
  const std::vector<std::pair<ir::Dim, ir::Dim>>& made() const { return made_; }

 private:
  // The class of `target` is sum(factor * product(nodes)) + constant.
  struct Derived {
    Node target;
    std::vector<Node> nodes;
    bool product;  // else the sum
    int64_t scale = 1, constant = 0;
  };

  void AddNodes();
  Node At(const ir::Instruction* op, int dim, int leaf = 0) const {
    return first_node_.at({op, leaf}) + dim;
  }
  Node Find(Node node) const {
    while (parent_[node] != node) node = parent_[node];
    return node;
  }
  void Unite(Node a, Node b);
  void UniteAll(const ir::Instruction* a, const ir::Instruction* b, int leaf_b = 0);
  void Bake(Node node) { baked_[Find(node)] = true; }
  void BakeAll(const ir::Instruction* op);

  void Constrain(const ir::Instruction* op);
  void UniteOutputs(const ir::Instruction* root);
  void ConstrainSlice(const ir::Instruction* op);
  void ConstrainPad(const ir::Instruction* op);
  void ConstrainReshape(const ir::Instruction* op);
  void ConstrainGather(const ir::Instruction* op);
  void ConstrainDot(const ir::Instruction* op);
  void ConstrainReduce(const ir::Instruction* op);

  void Settle();
  ir::Dim Make(ir::Dim value);
  ir::Dim Renamed(ir::Dim value);
  ir::Dim ExtentOf(Node node);
  void Rewrite(ir::Instruction* op);
  ir::Dim PlaceOf(const ir::Instruction* array, int dim, ir::Dim place, Node size);
  ir::Dim StartOf(const ir::Instruction* slice, int i);
  void RewriteSlice(ir::Instruction* op);
  void RewritePad(ir::Instruction* op);

  ir::Computation* fusion_;
  std::vector<ir::Instruction*> order_;
  absl::flat_hash_map<std::pair<const ir::Instruction*, int>, Node> first_node_;
  std::vector<ir::Dim> original_;
  std::vector<Node> parent_;
  std::vector<bool> baked_;
  std::vector<Derived> derived_;
  absl::flat_hash_map<Node, const Derived*> definition_;  // of a class
  absl::flat_hash_map<Node, ir::Dim> extent_;             // of a class
  std::vector<std::pair<ir::Dim, ir::Dim>> made_;
  // By array (null: the results of pads) and dimension: the first place of a window.
  struct Base {
    ir::Dim symbol, value;
  };
  absl::flat_hash_map<std::pair<const ir::Instruction*, int>, Base> bases_;
  std::vector<std::pair<const ir::Symbol*, ir::Dim>> renamed_;  // symbols that the fusion had
};

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_EXTENT_CLASSES_H_
