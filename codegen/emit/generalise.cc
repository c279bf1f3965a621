// File: codegen/emit/generalise.cc
#include "codegen/emit/generalise.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "codegen/emit/schedule.h"

namespace swage::emit {

using ir::Dim;
using ir::Instruction;
using ir::Opcode;

namespace {

// A dimension of an array inside the fusion, or of the array's elements in a tuple.
using Node = int;

// The extents of one fusion as classes of equal ones.
class ExtentClasses {
 public:
  explicit ExtentClasses(ir::Computation* fusion) : fusion_(fusion), order_(fusion->PostOrder()) {}

  Status Run();
  // The symbols made, with their values.
  const std::vector<std::pair<Dim, Dim>>& made() const { return made_; }

 private:
  // The class of `target` is sum(factor * product(nodes)) + constant.
  struct Derived {
    Node target;
    std::vector<Node> nodes;
    bool product;  // else the sum
    int64_t scale = 1, constant = 0;
  };

  void AddNodes();
  Node At(const Instruction* op, int dim, int leaf = 0) const {
    return first_node_.at({op, leaf}) + dim;
  }
  Node Find(Node node) const {
    while (parent_[node] != node) node = parent_[node];
    return node;
  }
  void Unite(Node a, Node b);
  void UniteAll(const Instruction* a, const Instruction* b, int leaf_b = 0);
  void Bake(Node node) { baked_[Find(node)] = true; }
  void BakeAll(const Instruction* op);

  void Constrain(const Instruction* op);
  void ConstrainSlice(const Instruction* op);
  void ConstrainPad(const Instruction* op);
  void ConstrainReshape(const Instruction* op);
  void ConstrainGather(const Instruction* op);
  void ConstrainDot(const Instruction* op);
  void ConstrainReduce(const Instruction* op);

  void Settle();
  Dim Make(Dim value);
  Dim Renamed(Dim value);
  Dim ExtentOf(Node node);
  void Rewrite(Instruction* op);
  void RewriteSlice(Instruction* op);
  void RewritePad(Instruction* op);

  ir::Computation* fusion_;
  std::vector<Instruction*> order_;
  absl::flat_hash_map<std::pair<const Instruction*, int>, Node> first_node_;
  std::vector<Dim> original_;
  std::vector<Node> parent_;
  std::vector<bool> baked_;
  std::vector<Derived> derived_;
  absl::flat_hash_map<Node, const Derived*> definition_;  // of a class
  absl::flat_hash_map<Node, Dim> extent_;                 // of a class
  std::vector<std::pair<Dim, Dim>> made_;
  std::vector<std::pair<const ir::Symbol*, Dim>> renamed_;  // symbols that the fusion had
};

void ExtentClasses::AddNodes() {
  for (const Instruction* op : order_) {
    int leaf = 0;
    ir::ForEachLeaf(op->shape(), [&](const ir::ShapeIndex&, const ir::Shape& shape) {
      first_node_[{op, leaf++}] = static_cast<Node>(original_.size());
      if (!shape.is_array()) return;
      for (Dim dim : shape.dims()) original_.push_back(dim);
    });
  }
  parent_.resize(original_.size());
  std::iota(parent_.begin(), parent_.end(), 0);
  baked_.assign(original_.size(), false);
}

void ExtentClasses::Unite(Node a, Node b) {
  a = Find(a);
  b = Find(b);
  if (a == b) return;
  // The larger lower bound says more of the class.
  if (original_[a].lower_bound() < original_[b].lower_bound()) std::swap(a, b);
  parent_[b] = a;
  baked_[a] = baked_[a] || baked_[b];
}

void ExtentClasses::UniteAll(const Instruction* a, const Instruction* b, int leaf_b) {
  for (int i = 0; i < a->shape().rank(); ++i) Unite(At(a, i), At(b, i, leaf_b));
}

void ExtentClasses::BakeAll(const Instruction* op) {
  int leaf = 0;
  ir::ForEachLeaf(op->shape(), [&](const ir::ShapeIndex&, const ir::Shape& shape) {
    for (int i = 0; shape.is_array() && i < shape.rank(); ++i) Bake(At(op, i, leaf));
    ++leaf;
  });
}

void ExtentClasses::Constrain(const Instruction* op) {
  switch (op->opcode()) {
    case Opcode::kParameter:
    case Opcode::kIota:
    case Opcode::kGetDimensionSize:
      return;
    case Opcode::kConstant:
      return BakeAll(op);
    case Opcode::kBroadcast:
      for (size_t i = 0; i < op->dimensions().size(); ++i) {
        const Node from = At(op->operand(0), static_cast<int>(i));
        if (original_[from] == Dim(1)) continue;
        Unite(At(op, static_cast<int>(op->dimensions()[i])), from);
      }
      return;
    case Opcode::kTranspose:
      for (size_t i = 0; i < op->dimensions().size(); ++i) {
        Unite(At(op, static_cast<int>(i)),
              At(op->operand(0), static_cast<int>(op->dimensions()[i])));
      }
      return;
    case Opcode::kReverse:
    case Opcode::kCopy:
    case Opcode::kOptimizationBarrier:
    case Opcode::kDynamicUpdateSlice:
      return UniteAll(op, op->operand(0));
    case Opcode::kDynamicSlice:
      for (int i = 0; i < op->shape().rank(); ++i) {
        const Node whole = At(op->operand(0), i);
        if (original_[whole] == original_[At(op, i)]) Unite(At(op, i), whole);
      }
      return;
    case Opcode::kReshape:
    case Opcode::kBitcast:
      return ConstrainReshape(op);
    case Opcode::kBitcastConvert: {
      const int shared = std::min(op->shape().rank(), op->operand(0)->shape().rank());
      for (int i = 0; i < shared; ++i) Unite(At(op, i), At(op->operand(0), i));
      if (op->shape().rank() > shared) Bake(At(op, shared));
      if (op->operand(0)->shape().rank() > shared) Bake(At(op->operand(0), shared));
      return;
    }
    case Opcode::kSlice:
      return ConstrainSlice(op);
    case Opcode::kPad:
      return ConstrainPad(op);
    case Opcode::kConcatenate: {
      const int d = static_cast<int>(op->dimensions()[0]);
      Derived sum{At(op, d), {}, false};
      for (const Instruction* operand : op->operands()) {
        for (int i = 0; i < op->shape().rank(); ++i) {
          if (i != d) Unite(At(op, i), At(operand, i));
        }
        sum.nodes.push_back(At(operand, d));
      }
      derived_.push_back(std::move(sum));
      return;
    }
    case Opcode::kGather:
      return ConstrainGather(op);
    case Opcode::kDot:
      return ConstrainDot(op);
    case Opcode::kReduce:
      return ConstrainReduce(op);
    case Opcode::kTuple: {
      int leaf = 0;
      for (const Instruction* operand : op->operands()) {
        if (operand->shape().is_array()) UniteAll(operand, op, leaf);
        leaf += static_cast<int>(ir::LeafCount(operand->shape()));
      }
      return;
    }
    case Opcode::kGetTupleElement:
      // Only of values whose elements are arrays.
      return UniteAll(op, op->operand(0), static_cast<int>(op->tuple_index()));
    default:
      break;
  }
  if (ir::IsElementwise(op->opcode()) || op->opcode() == Opcode::kMap) {
    for (const Instruction* operand : op->operands()) {
      if (operand->shape().rank() > 0) UniteAll(op, operand);
    }
    return;
  }
  BakeAll(op);
  for (const Instruction* operand : op->operands()) BakeAll(operand);
}

void ExtentClasses::ConstrainSlice(const Instruction* op) {
  const auto& slice = op->attrs<ir::SliceAttrs>();
  for (int i = 0; i < op->shape().rank(); ++i) {
    const Node whole = At(op->operand(0), i);
    const bool all =
        slice.starts[i] == Dim(0) && slice.strides[i] == 1 && slice.limits[i] == original_[whole];
    if (all) Unite(At(op, i), whole);
  }
}

void ExtentClasses::ConstrainPad(const Instruction* op) {
  const auto& pad = op->attrs<ir::PadAttrs>();
  for (int i = 0; i < op->shape().rank(); ++i) {
    const auto& entry = pad.dims[i];
    const Node in = At(op->operand(0), i);
    if (entry.interior == 0) {
      if (entry.low == Dim(0) && entry.high == Dim(0)) Unite(At(op, i), in);
      continue;
    }
    const Dim border = entry.low + entry.high;
    if (!border.is_static()) continue;
    // Between no elements there are no gaps, so the formula below holds from one element on.
    if (original_[in] == Dim(0)) {
      Bake(in);
      Bake(At(op, i));
    } else if (original_[in].lower_bound() >= 1) {
      // in + (in - 1) * interior + low + high.
      derived_.push_back(
          {At(op, i), {in}, false, entry.interior + 1, *border.static_value() - entry.interior});
    }
  }
}

// Dims i..i_end of one side of a reshape are dims j..j_end of the other.
struct DimRuns {
  int i = 0, j = 0, i_end = 0, j_end = 0;
};

// The shortest runs of dims with equal products; nullopt when there is nothing to be known.
std::optional<std::vector<DimRuns>> EqualRuns(absl::Span<const Dim> to,
                                              absl::Span<const Dim> from) {
  const auto prefixes = [](absl::Span<const Dim> dims) {
    std::vector<Dim> products = {Dim(1)};
    for (Dim dim : dims) products.push_back(products.back() * dim);
    return products;
  };
  const std::vector<Dim> left = prefixes(to), right = prefixes(from);
  const int rows = static_cast<int>(to.size()), columns = static_cast<int>(from.size());
  std::vector<DimRuns> runs;
  int i = 0, j = 0;
  while (i < rows || j < columns) {
    bool found = false;
    for (int taken = 1; taken <= rows - i + columns - j && !found; ++taken) {
      for (int a = std::min(taken, rows - i); a >= 0 && taken - a <= columns - j && !found; --a) {
        if (left[i + a] != right[j + taken - a] || left[i + a].is_poisoned()) continue;
        runs.push_back({i, j, i + a, j + taken - a});
        found = true;
      }
    }
    if (!found) return std::nullopt;
    i = runs.back().i_end;
    j = runs.back().j_end;
  }
  return runs;
}

void ExtentClasses::ConstrainReshape(const Instruction* op) {
  const Instruction* from = op->operand(0);
  const auto has_zero = [](const Instruction* array) {
    const auto dims = array->shape().dims();
    return std::find(dims.begin(), dims.end(), Dim(0)) != dims.end();
  };
  std::optional<std::vector<DimRuns>> runs;
  if (!has_zero(op) && !has_zero(from)) runs = EqualRuns(op->shape().dims(), from->shape().dims());
  if (!runs.has_value()) {
    if (op->shape().dims() == from->shape().dims()) return UniteAll(op, from);
    BakeAll(op);
    return BakeAll(from);
  }
  const auto nodes_of = [&](const Instruction* array, int begin, int end) {
    std::vector<Node> nodes;
    for (int i = begin; i < end; ++i) {
      const Node node = At(array, i);
      if (original_[node] != Dim(1)) nodes.push_back(node);
    }
    return nodes;
  };
  for (const DimRuns& run : *runs) {
    const std::vector<Node> left = nodes_of(op, run.i, run.i_end);
    const std::vector<Node> right = nodes_of(from, run.j, run.j_end);
    if (left.size() == 1 && right.size() == 1) {
      Unite(left[0], right[0]);
    } else if (left.size() == 1) {
      derived_.push_back({left[0], right, true});
    } else if (right.size() == 1) {
      derived_.push_back({right[0], left, true});
    } else {
      for (Node node : left) Bake(node);
      for (Node node : right) Bake(node);
    }
  }
}

void ExtentClasses::ConstrainGather(const Instruction* op) {
  const auto& gather = op->attrs<ir::GatherAttrs>();
  const Instruction* operand = op->operand(0);
  const Instruction* starts = op->operand(1);
  const auto has = [](const ir::DimList& list, int64_t d) {
    return std::find(list.begin(), list.end(), d) != list.end();
  };
  size_t next_offset = 0;
  for (int d = 0; d < operand->shape().rank(); ++d) {
    if (has(gather.collapsed_slice_dims, d) || has(gather.operand_batching_dims, d)) continue;
    const Node out = At(op, static_cast<int>(gather.offset_dims[next_offset++]));
    if (gather.slice_sizes[d] == original_[At(operand, d)]) Unite(out, At(operand, d));
  }
  std::vector<Node> batch;  // dims of the start indices but for the index vector
  for (int d = 0; d < starts->shape().rank(); ++d) {
    if (d == gather.index_vector_dim) {
      Bake(At(starts, d));
    } else {
      batch.push_back(At(starts, d));
    }
  }
  size_t next_batch = 0;
  for (int d = 0; d < op->shape().rank(); ++d) {
    if (!has(gather.offset_dims, d)) Unite(At(op, d), batch[next_batch++]);
  }
  for (size_t k = 0; k < gather.operand_batching_dims.size(); ++k) {
    Unite(At(operand, static_cast<int>(gather.operand_batching_dims[k])),
          At(starts, static_cast<int>(gather.start_indices_batching_dims[k])));
  }
}

void ExtentClasses::ConstrainDot(const Instruction* op) {
  const auto& dot = op->attrs<ir::DotAttrs>();
  int next = 0;
  for (size_t i = 0; i < dot.lhs_batch.size(); ++i, ++next) {
    Unite(At(op, next), At(op->operand(0), static_cast<int>(dot.lhs_batch[i])));
    Unite(At(op, next), At(op->operand(1), static_cast<int>(dot.rhs_batch[i])));
  }
  for (size_t i = 0; i < dot.lhs_contracting.size(); ++i) {
    Unite(At(op->operand(0), static_cast<int>(dot.lhs_contracting[i])),
          At(op->operand(1), static_cast<int>(dot.rhs_contracting[i])));
  }
  const auto free_dims = [&](const Instruction* side, const ir::DimList& batch,
                             const ir::DimList& contracting) {
    for (int d = 0; d < side->shape().rank(); ++d) {
      const bool used = std::find(batch.begin(), batch.end(), d) != batch.end() ||
                        std::find(contracting.begin(), contracting.end(), d) != contracting.end();
      if (!used) Unite(At(op, next++), At(side, d));
    }
  };
  free_dims(op->operand(0), dot.lhs_batch, dot.lhs_contracting);
  free_dims(op->operand(1), dot.rhs_batch, dot.rhs_contracting);
}

void ExtentClasses::ConstrainReduce(const Instruction* op) {
  const int count = op->operand_count() / 2;
  const ir::DimList& reduced = op->dimensions();
  for (int input = 0; input < count; ++input) {
    if (input > 0) UniteAll(op->operand(0), op->operand(input));
    int kept = 0;
    for (int d = 0; d < op->operand(0)->shape().rank(); ++d) {
      if (std::find(reduced.begin(), reduced.end(), d) != reduced.end()) continue;
      Unite(At(op, kept++, input), At(op->operand(0), d));
    }
  }
}

void ExtentClasses::Settle() {
  for (size_t node = 0; node < original_.size(); ++node) {
    const std::optional<int64_t> extent = original_[node].static_value();
    if (extent && *extent <= 1) Bake(static_cast<Node>(node));
  }
  // A class may have one definition, over classes that do not lead back to it; the others are
  // baked.
  for (bool changed = true; changed;) {
    changed = false;
    const auto bake = [&](Node node) {
      if (baked_[Find(node)]) return;
      Bake(node);
      changed = true;
    };
    definition_.clear();
    for (const Derived& d : derived_) {
      const Node target = Find(d.target);
      const bool fixed = baked_[target];
      bool circular = false;
      // Follow the definitions made so far.
      std::vector<Node> pending(d.nodes.begin(), d.nodes.end());
      for (size_t i = 0; i < pending.size() && i < 1000; ++i) {
        const Node node = Find(pending[i]);
        if (node == target) circular = true;
        if (auto it = definition_.find(node); it != definition_.end()) {
          pending.insert(pending.end(), it->second->nodes.begin(), it->second->nodes.end());
        }
      }
      if (fixed || circular || definition_.contains(target)) {
        bake(target);
        for (Node node : d.nodes) bake(node);
      } else {
        definition_[target] = &d;
      }
    }
  }
}

// A new run-time extent. Kernels for extents from 2 on know that they are neither empty nor one.
Dim ExtentClasses::Make(Dim value) {
  const int64_t min = value.lower_bound() >= 2 ? 2 : 0;
  const Dim symbol = Dim::Symbol("d" + std::to_string(made_.size()), min);
  made_.push_back({symbol, value});
  return symbol;
}

// An expression of the fusion's own symbols, in run-time extents.
Dim ExtentClasses::Renamed(Dim value) {
  std::vector<const ir::Symbol*> symbols;
  value.CollectSymbols(&symbols);
  for (const ir::Symbol* symbol : symbols) {
    const bool known = std::any_of(renamed_.begin(), renamed_.end(),
                                   [&](const auto& entry) { return entry.first == symbol; });
    if (!known)
      renamed_.push_back({symbol, Make(Dim::Symbol(symbol->name, symbol->min, symbol->max))});
  }
  return value.Substitute(renamed_);
}

Dim ExtentClasses::ExtentOf(Node node) {
  node = Find(node);
  if (baked_[node]) return Renamed(original_[node]);
  if (auto it = extent_.find(node); it != extent_.end()) return it->second;
  Dim extent;
  if (auto it = definition_.find(node); it != definition_.end()) {
    const Derived& d = *it->second;
    extent = d.product ? Dim(1) : Dim(0);
    for (Node part : d.nodes) {
      if (d.product) {
        extent *= ExtentOf(part);
      } else {
        extent += ExtentOf(part);
      }
    }
    extent = extent * Dim(d.scale) + Dim(d.constant);
  } else {
    extent = Make(original_[node]);
  }
  extent_[node] = extent;
  return extent;
}

// How many times `size` makes `start`; 0 when it does not, or that cannot be known.
int64_t PieceOf(Dim start, Dim size) {
  constexpr int64_t kPieces = 64;  // of symbolic sizes
  if (start.is_static() && size.is_static()) {
    const int64_t at = *start.static_value(), step = *size.static_value();
    return step > 1 && at % step == 0 ? at / step : 0;
  }
  for (int64_t k = 1; k <= kPieces && !size.is_static(); ++k) {
    if (start == Dim(k) * size) return k;
  }
  return 0;
}

void ExtentClasses::RewriteSlice(Instruction* op) {
  ir::SliceAttrs slice = op->attrs<ir::SliceAttrs>();
  for (int i = 0; i < op->shape().rank(); ++i) {
    const Node in = At(op->operand(0), i), out = At(op, i);
    const Dim in_extent = ExtentOf(in), out_extent = ExtentOf(out);
    const Dim start = slice.starts[i];
    Dim first = Renamed(start);
    if (start != Dim(0) && slice.strides[i] == 1) {
      if (slice.limits[i] == original_[in]) {
        first = in_extent - out_extent;  // a tail
      } else if (const int64_t piece = PieceOf(start, original_[out])) {
        first = out_extent * Dim(piece);  // one of equal pieces
      }
    }
    slice.starts[i] = first;
    slice.limits[i] = original_[out] == Dim(0)
                          ? first
                          : first + (out_extent - Dim(1)) * Dim(slice.strides[i]) + Dim(1);
  }
  op->set_attributes(std::move(slice));
}

void ExtentClasses::RewritePad(Instruction* op) {
  ir::PadAttrs pad = op->attrs<ir::PadAttrs>();
  for (int i = 0; i < op->shape().rank(); ++i) {
    auto& entry = pad.dims[i];
    const Dim low = Renamed(entry.low), high = Renamed(entry.high);
    const Dim grown = ExtentOf(At(op, i)) - ExtentOf(At(op->operand(0), i));
    if (entry.interior > 0) {
      entry.high = high;
      entry.low = low;
    } else if (entry.high != Dim(0)) {
      entry.high = grown - low;
      entry.low = low;
    } else if (entry.low != Dim(0)) {
      entry.low = grown;
    }
  }
  op->set_attributes(std::move(pad));
}

void ExtentClasses::Rewrite(Instruction* op) {
  if (op->opcode() == Opcode::kSlice) RewriteSlice(op);
  if (op->opcode() == Opcode::kPad) RewritePad(op);
  if (op->opcode() == Opcode::kDynamicSlice) {
    ir::DynamicSliceAttrs attrs = op->attrs<ir::DynamicSliceAttrs>();
    for (int i = 0; i < op->shape().rank(); ++i) attrs.sizes[i] = ExtentOf(At(op, i));
    op->set_attributes(std::move(attrs));
  }
  if (op->opcode() == Opcode::kGather) {
    ir::GatherAttrs attrs = op->attrs<ir::GatherAttrs>();
    size_t next_offset = 0;
    for (int d = 0; d < op->operand(0)->shape().rank(); ++d) {
      const auto has = [&](const ir::DimList& list) {
        return std::find(list.begin(), list.end(), d) != list.end();
      };
      if (has(attrs.collapsed_slice_dims) || has(attrs.operand_batching_dims)) continue;
      attrs.slice_sizes[d] = ExtentOf(At(op, static_cast<int>(attrs.offset_dims[next_offset++])));
    }
    op->set_attributes(std::move(attrs));
  }
  int leaf = 0;
  ir::ForEachLeaf(ir::Shape(op->shape()), [&](const ir::ShapeIndex& at, const ir::Shape& shape) {
    ir::Shape* mine = ir::MutableSubshape(op->mutable_shape(), at);
    for (int i = 0; shape.is_array() && i < shape.rank(); ++i) {
      mine->set_dim(i, ExtentOf(At(op, i, leaf)));
    }
    ++leaf;
  });
}

Status ExtentClasses::Run() {
  AddNodes();
  for (const Instruction* op : order_) Constrain(op);
  Settle();
  for (Instruction* op : fusion_->parameters()) Rewrite(op);
  for (Instruction* op : order_) {
    if (op->opcode() != Opcode::kParameter) Rewrite(op);
  }
  // Whatever was derived must give back the extents that were there.
  std::vector<std::pair<const ir::Symbol*, Dim>> values;
  for (const auto& [symbol, value] : made_) values.emplace_back(symbol.symbol(), value);
  for (const Instruction* op : order_) {
    int leaf = 0;
    Status wrong;
    ir::ForEachLeaf(op->shape(), [&](const ir::ShapeIndex&, const ir::Shape& shape) {
      for (int i = 0; shape.is_array() && i < shape.rank(); ++i) {
        const Dim want = original_[At(op, i, leaf)];
        if (shape.dim(i).Substitute(values) == want) continue;
        wrong = Internal("[generalise] ", ToAbsl(op->name()), " dimension ", i, ": got ",
                         ToAbsl(shape.dim(i).ToString()), ", want ", ToAbsl(want.ToString()));
      }
      ++leaf;
    });
    SWAGE_RETURN_IF_ERROR(wrong);
  }
  return OkStatus();
}

}  // namespace

StatusOr<GeneralisedFusion> Generalise(const ir::Computation& fusion, bool baked) {
  GeneralisedFusion result;
  result.module = std::make_unique<ir::Module>("kernel");
  result.fusion = result.module->CloneComputation(fusion, "kernel");
  result.module->set_entry(result.fusion);
  for (Instruction* op : result.fusion->Instructions()) op->mutable_shape()->clear_layout();
  // The order in which a combiner was to run is no part of a kernel.
  for (ir::Computation* computation : result.module->Computations()) computation->set_schedule({});
  std::vector<std::pair<Dim, Dim>> made;
  if (!baked) {
    ExtentClasses classes(result.fusion);
    SWAGE_RETURN_IF_ERROR(classes.Run());
    made = classes.made();
  }
  result.symbols = SymbolsOf(*result.fusion);
  for (Dim symbol : result.symbols) {
    auto at = std::find_if(made.begin(), made.end(),
                           [&](const auto& entry) { return entry.first == symbol; });
    result.values.push_back(at == made.end() ? symbol : at->second);
  }
  return result;
}

}  // namespace swage::emit
