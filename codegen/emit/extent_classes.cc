#include "codegen/emit/extent_classes.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "compiler/ir/dim_expr.h"

namespace swage::emit {

using ir::Dim;
using ir::Instruction;
using ir::Opcode;

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

namespace {

int64_t FirstCoefficient(Dim dim) {
  if (dim.is_static()) return *dim.static_value();
  return dim.node()->kind == ir::DimKind::kPoly ? dim.node()->terms[0].coefficient : 1;
}

// How many times `size` makes `start`; 0 when it does not, or that cannot be known.
int64_t PieceOf(Dim start, Dim size) {
  const int64_t at = FirstCoefficient(start), step = FirstCoefficient(size);
  if (step == 0 || at % step != 0 || (size.is_static() && step <= 1)) return 0;
  return start == Dim(at / step) * size ? at / step : 0;
}

}  // namespace

// `place` as a run-time number. Of the windows of one array along one dimension the first has a
// symbol, and the others lie at a distance from it; `size` is the extent that makes equal pieces.
Dim ExtentClasses::PlaceOf(const Instruction* array, int dim, Dim place, Node size) {
  const auto [base, is_first] = bases_.try_emplace({array, dim});
  if (is_first) {
    // One range for all places, so that all of them give one kernel.
    base->second = {Dim::Symbol("d" + std::to_string(made_.size())), place};
    made_.push_back({base->second.symbol, place});
    return base->second.symbol;
  }
  const Dim symbol = base->second.symbol, distance = place - base->second.value;
  if (distance == Dim(0)) return symbol;
  if (const int64_t pieces = PieceOf(distance, original_[size])) {
    return symbol + ExtentOf(size) * Dim(pieces);
  }
  if (const int64_t pieces = PieceOf(place, original_[size])) return ExtentOf(size) * Dim(pieces);
  return distance.is_static() ? symbol + distance : Renamed(place);
}

// A slice of a parameter may begin anywhere: nothing but an address depends on it. Behind a reshape
// a known start may be what makes elements neighbours.
Dim ExtentClasses::StartOf(const Instruction* slice, int i) {
  const auto& attrs = slice->attrs<ir::SliceAttrs>();
  const Instruction* array = slice->operand(0);
  const Dim start = attrs.starts[i];
  const Node in = At(array, i), out = At(slice, i);
  if (start == Dim(0)) return start;
  const bool is_open = array->opcode() == Opcode::kParameter;
  if (is_open && !bases_.contains({array, i})) return PlaceOf(array, i, start, out);
  if (attrs.strides[i] == 1) {
    if (attrs.limits[i] == original_[in]) return ExtentOf(in) - ExtentOf(out);  // a tail
    // One of equal pieces.
    const int64_t piece = is_open ? 0 : PieceOf(start, original_[out]);
    if (piece != 0) return ExtentOf(out) * Dim(piece);
  }
  return is_open ? PlaceOf(array, i, start, out) : Renamed(start);
}

void ExtentClasses::RewriteSlice(Instruction* op) {
  ir::SliceAttrs slice = op->attrs<ir::SliceAttrs>();
  for (int i = 0; i < op->shape().rank(); ++i) {
    const Node out = At(op, i);
    const Dim first = StartOf(op, i), out_extent = ExtentOf(out);
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
    const Dim grown = ExtentOf(At(op, i)) - ExtentOf(At(op->operand(0), i));
    if (entry.interior > 0) {
      entry.high = Renamed(entry.high);
      entry.low = Renamed(entry.low);
    } else if (entry.high != Dim(0)) {
      const bool is_open = entry.low != Dim(0) && entry.low.lower_bound() >= 0;
      entry.low =
          is_open ? PlaceOf(nullptr, i, entry.low, At(op->operand(0), i)) : Renamed(entry.low);
      entry.high = grown - entry.low;
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

}  // namespace swage::emit
