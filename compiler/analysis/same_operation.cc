#include "compiler/analysis/same_operation.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/hash/hash.h"
#include "base/hash.h"

namespace swage::analysis {
namespace {

using ir::Computation;
using ir::Instruction;

// Cheaper than absl::Hash, and as good for what is hashed here: numbers, and short lists of them.
size_t Mix(size_t hash, size_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 32);
}

size_t Part(int64_t number) { return static_cast<size_t>(number); }
size_t Part(const ir::Dim& dim) {
  return dim.is_static() ? Part(*dim.static_value()) : reinterpret_cast<size_t>(dim.node());
}
size_t Part(const std::string& text) { return absl::HashOf(text); }
template <typename List>
size_t PartOfList(const List& list) {
  size_t hash = list.size();
  for (const auto& part : list) hash = Mix(hash, Part(part));
  return hash;
}
template <typename T>
size_t Part(const std::vector<T>& list) {
  return PartOfList(list);
}

// What tells the instances of one op in one module apart; fields that hardly ever do are left to
// the comparison.
struct AttributeHash {
  template <typename... T>
  static size_t Of(const T&... parts) {
    size_t hash = 0;
    ((hash = Mix(hash, Part(parts))), ...);
    return hash;
  }

  template <typename T>
  size_t operator()(const ir::Boxed<T>& boxed) const {
    return (*this)(boxed.value());
  }
  size_t operator()(const ir::NoneAttrs&) const { return 0; }
  size_t operator()(const ir::ParameterAttrs& a) const { return Of(a.number); }
  size_t operator()(const ir::ConstantAttrs& a) const {
    // Scalars, of which a module may have very many, are their bits.
    if (a.literal.is_tuple() || a.literal.element_count() != 1) return absl::HashOf(a.literal);
    const absl::Span<const uint8_t> bytes = a.literal.bytes();
    return bytes.size() > sizeof(uint64_t) ? absl::HashOf(bytes) : a.literal.GetBits(0);
  }
  size_t operator()(const ir::DimensionsAttrs& a) const { return Of(a.dimensions); }
  size_t operator()(const ir::IotaAttrs& a) const { return Of(a.dimension); }
  size_t operator()(const ir::TupleIndexAttrs& a) const { return Of(a.index); }
  size_t operator()(const ir::SliceAttrs& a) const { return Of(a.starts, a.limits, a.strides); }
  size_t operator()(const ir::DynamicSliceAttrs& a) const { return Of(a.sizes); }
  size_t operator()(const ir::PadAttrs& a) const {
    size_t hash = a.dims.size();
    for (const ir::PadAttrs::Entry& dim : a.dims) hash = Of(hash, dim.low, dim.high, dim.interior);
    return hash;
  }
  size_t operator()(const ir::DotAttrs& a) const {
    return Of(a.lhs_batch, a.rhs_batch, a.lhs_contracting, a.rhs_contracting);
  }
  size_t operator()(const ir::GatherAttrs& a) const {
    return Of(a.offset_dims, a.collapsed_slice_dims, a.start_index_map, a.slice_sizes);
  }
  size_t operator()(const ir::ScatterAttrs& a) const {
    return Of(a.update_window_dims, a.inserted_window_dims, a.scatter_dims_to_operand_dims);
  }
  size_t operator()(const ir::CompareAttrs& a) const {
    return Of(static_cast<int>(a.direction), static_cast<int>(a.type));
  }
  size_t operator()(const ir::ReducePrecisionAttrs& a) const {
    return Of(a.exponent_bits, a.mantissa_bits);
  }
  size_t operator()(const ir::WindowAttrs& a) const {
    size_t hash = a.dims.size();
    for (const ir::WindowDim& dim : a.dims) hash = Of(hash, dim.size, dim.stride, dim.pad_low);
    return hash;
  }
  size_t operator()(const ir::ConvolutionAttrs& a) const { return Of(a.dim_labels); }
  size_t operator()(const ir::SortAttrs& a) const { return Of(a.dimension, a.is_stable); }
  size_t operator()(const ir::TopKAttrs& a) const { return Of(a.k, a.largest); }
  size_t operator()(const ir::FusionAttrs& a) const { return Of(static_cast<int>(a.kind)); }
  size_t operator()(const ir::CustomCallAttrs& a) const { return Of(a.target); }
};

bool IsUnordered(const Instruction& instruction) {
  return ir::IsCommutative(instruction.opcode()) && instruction.operand_count() == 2;
}

}  // namespace

size_t HashWithoutOperands(const Instruction& instruction) {
  const ir::Shape& shape = instruction.shape();
  size_t hash = static_cast<size_t>(instruction.opcode());
  if (shape.is_array()) {
    hash = Mix(Mix(hash, static_cast<size_t>(shape.dtype())), PartOfList(shape.dims()));
  } else {
    hash = Mix(hash, shape.tuple_shapes().size());
  }
  for (const Computation* callee : instruction.called()) {
    hash = Mix(hash, static_cast<size_t>(callee->id()));
  }
  return Mix(hash, std::visit(AttributeHash{}, instruction.attributes()));
}

bool SameButForOperands(const Instruction& a, const Instruction& b) {
  return a.opcode() == b.opcode() && a.called() == b.called() && a.shape() == b.shape() &&
         a.attributes() == b.attributes() && a.raw_attributes() == b.raw_attributes();
}

size_t HashOperation(const Instruction& instruction) {
  size_t hash = HashWithoutOperands(instruction);
  if (IsUnordered(instruction)) {
    const auto [low, high] =
        std::minmax({instruction.operand(0)->id(), instruction.operand(1)->id()});
    return Mix(Mix(hash, low), high);
  }
  for (const Instruction* operand : instruction.operands()) {
    hash = Mix(hash, static_cast<size_t>(operand->id()));
  }
  return hash;
}

bool SameOperation(const Instruction& a, const Instruction& b) {
  if (!SameButForOperands(a, b)) return false;
  if (a.operands() == b.operands()) return true;
  return IsUnordered(a) && a.operand(0) == b.operand(1) && a.operand(1) == b.operand(0);
}

size_t HashComputation(const Computation& computation) {
  size_t hash = static_cast<size_t>(computation.instruction_count());
  for (const Instruction* instruction : computation.Instructions()) {
    hash = Mix(Mix(hash, HashWithoutOperands(*instruction)), instruction->operands().size());
  }
  return hash;
}

bool SameComputation(const Computation& a, const Computation& b) {
  if (&a == &b) return true;
  if (a.instruction_count() != b.instruction_count()) return false;
  if (a.parameter_count() != b.parameter_count()) return false;
  const std::vector<Instruction*> of_a = a.Instructions();
  const std::vector<Instruction*> of_b = b.Instructions();
  absl::flat_hash_map<const Instruction*, const Instruction*> twin;
  twin.reserve(of_a.size());
  for (size_t i = 0; i < of_a.size(); ++i) twin[of_a[i]] = of_b[i];
  for (size_t i = 0; i < of_a.size(); ++i) {
    const Instruction& x = *of_a[i];
    const Instruction& y = *of_b[i];
    if (!SameButForOperands(x, y) || x.operand_count() != y.operand_count()) return false;
    for (int o = 0; o < x.operand_count(); ++o) {
      if (twin[x.operand(o)] != y.operand(o)) return false;
    }
    const auto& before_x = x.control_predecessors();
    const auto& before_y = y.control_predecessors();
    if (before_x.size() != before_y.size()) return false;
    for (size_t p = 0; p < before_x.size(); ++p) {
      if (twin[before_x[p]] != before_y[p]) return false;
    }
  }
  return twin[a.root()] == b.root();
}

}  // namespace swage::analysis
