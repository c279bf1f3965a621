#include "compiler/passes/kernel_figures.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "compiler/ir/computation.h"
#include "compiler/ir/reshape_groups.h"
#include "compiler/passes/fusion_group.h"

namespace swage::passes {
namespace {

using ir::Dim;
using ir::DimList;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

// How a value of the body is used. Ops that are indexed as it is share its computation; others
// compute it again.
struct Use {
  double shared = 0, apart = 0;
  bool is_placed = false;
  Place place;
  double times() const { return shared + apart; }
};

// An axis is one byte.
constexpr int kMaxRank = 100;

Place Anywhere(const Shape& shape) { return Place(shape.rank(), kAnywhere); }

// The place of an operand that has the same elements in the same order.
Place ThroughView(const Place& place, const Shape& from, const Shape& to) {
  const ir::NonUnitDims out = ir::NonUnitDimsOf(from.dims());
  const ir::NonUnitDims in = ir::NonUnitDimsOf(to.dims());
  Place result = Anywhere(to);
  if (!std::equal(out.dims.begin(), out.dims.end(), in.dims.begin(), in.dims.end())) return result;
  for (size_t i = 0; i < in.numbers.size(); ++i) result[in.numbers[i]] = place[out.numbers[i]];
  return result;
}

bool Reduces(const Instruction& reduce, int64_t d) {
  const DimList& dims = reduce.dimensions();
  return std::find(dims.begin(), dims.end(), d) != dims.end();
}

// Where `user`, computed at `place`, reads its operand `index`.
Place OperandPlace(const Instruction& user, int index, const Place& place) {
  const Shape& operand = user.operand(index)->shape();
  if (!operand.is_array()) return place;
  if (operand.rank() == 0) return {};
  switch (user.opcode()) {
    case Opcode::kBitcast:
    case Opcode::kReshape:
      return ThroughView(place, user.shape(), operand);
    case Opcode::kBroadcast: {
      Place result;
      for (int64_t d : user.dimensions()) result.push_back(place[d]);
      return result;
    }
    case Opcode::kTranspose: {
      Place result = Anywhere(operand);
      for (size_t i = 0; i < place.size(); ++i) result[user.dimensions()[i]] = place[i];
      return result;
    }
    case Opcode::kReduce: {
      Place result;
      size_t kept = 0;
      for (int d = 0; d < operand.rank(); ++d) {
        result.push_back(Reduces(user, d) ? kAnywhere : place[kept++]);
      }
      return result;
    }
    case Opcode::kSlice: {
      const auto& window = user.attrs<ir::SliceAttrs>();
      Place result = place;
      for (int d = 0; d < operand.rank(); ++d) {
        const bool keeps_position = window.starts[d] == Dim(0) && window.strides[d] == 1;
        if (!keeps_position) result[d] = kAnywhere;
      }
      return result;
    }
    default:
      break;
  }
  const bool in_step = ir::IsElementwise(user.opcode()) || user.opcode() == Opcode::kCopy ||
                       user.opcode() == Opcode::kGetTupleElement;
  return in_step && operand.rank() == static_cast<int>(place.size()) ? place : Anywhere(operand);
}

void Meet(const Shape& shape, const Place& place, Use* use) {
  if (!use->is_placed) {
    use->place = place;
    use->is_placed = true;
    return;
  }
  for (size_t i = 0; i < place.size() && i < use->place.size(); ++i) {
    if (use->place[i] != place[i] && shape.dim(static_cast<int>(i)) != Dim(1)) {
      use->place[i] = kAnywhere;
    }
  }
}

// The arrays that the kernel stores, as values of its body.
std::vector<std::pair<const Instruction*, Shape>> OutputsOf(const ir::Computation& body) {
  std::vector<std::pair<const Instruction*, Shape>> outputs;
  const Instruction* root = body.root();
  if (root->opcode() == Opcode::kTuple) {
    for (const Instruction* output : root->operands()) outputs.push_back({output, output->shape()});
  } else if (root->shape().is_array()) {
    outputs.push_back({root, root->shape()});
  } else {
    for (const Shape& shape : root->shape().tuple_shapes()) outputs.push_back({root, shape});
  }
  return outputs;
}

Hero KindOf(const Instruction& reduce) {
  const int64_t minor = reduce.operand(0)->shape().rank() - 1;
  if (!Reduces(reduce, minor)) return Hero::kColumns;
  return reduce.dimensions().size() == 1 ? Hero::kRows : Hero::kBlocks;
}

// Whether a kernel keeps what it computes per row while it goes over the row. The threads of a GPU
// do so where they share rows; else each computes for itself.
bool GoesByRows(absl::Span<Instruction* const> body,
                absl::Span<const std::pair<const Instruction*, Shape>> outputs,
                absl::Span<const Dim> space, const cost::DeviceDescription& device) {
  if (!device.is_gpu()) return true;
  const auto reduces_rows = [](const Instruction* op) {
    return op->opcode() == Opcode::kReduce && KindOf(*op) != Hero::kColumns;
  };
  const auto is_per_row = [&](const auto& output) {
    return AreRowsOf(output.second.dims(), space);
  };
  return std::any_of(body.begin(), body.end(), reduces_rows) ||
         std::any_of(outputs.begin(), outputs.end(), is_per_row);
}

// Whether an operand, spread over rows and read at this place, is one value for each element of the
// space or for each of its rows.
bool IsOncePerRow(const Place& place, size_t rank) {
  if (place.empty() || place.size() > rank || place.size() + 1 < rank) return false;
  for (size_t i = 0; i < place.size(); ++i) {
    if (place[i] != static_cast<int8_t>(i)) return false;
  }
  return true;
}

// What the op means for the kernel it is in.
void Consider(const Instruction& op, KernelFigures* figures) {
  switch (op.opcode()) {
    case Opcode::kReduce: {
      if (figures->reduce != nullptr && !ReduceAlike(*figures->reduce, op)) {
        figures->apart = "its reduces are not alike";
      }
      figures->hero = KindOf(op);
      figures->reduce = &op;
      break;
    }
    case Opcode::kDot:
      figures->apart = "a dot has a schedule of its own";
      break;
    case Opcode::kDynamicUpdateSlice:
      figures->apart = "an update in place writes one array";
      break;
    case Opcode::kCall:
    case Opcode::kMap:
      figures->apart = "it calls a computation";
      break;
    default:
      break;
  }
  const ir::CostClass cost = ir::InfoOf(op.opcode()).cost;
  figures->is_expensive |= cost == ir::CostClass::kTranscendental;
}

}  // namespace

bool ReduceAlike(const Instruction& a, const Instruction& b) {
  return a.dimensions() == b.dimensions() &&
         ir::SameDims(a.operand(0)->shape(), b.operand(0)->shape());
}

int LeadingAxes(const Place& place, const Shape& shape) {
  int axes = 0;
  while (axes < static_cast<int>(place.size()) &&
         (place[axes] == axes || shape.dim(axes) == Dim(1))) {
    ++axes;
  }
  return axes;
}

bool SameSpace(absl::Span<const Dim> a, absl::Span<const Dim> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

bool AreRowsOf(absl::Span<const Dim> other, absl::Span<const Dim> space) {
  return other.size() + 1 == space.size() && std::equal(other.begin(), other.end(), space.begin());
}

KernelFigures FiguresOf(const Instruction& fusion, const cost::DeviceDescription& device) {
  KernelFigures figures;
  const ir::Computation& body = *fusion.fused_computation();
  const auto outputs = OutputsOf(body);
  for (const auto& [value, shape] : outputs) {
    if (!shape.is_array() || shape.rank() > kMaxRank) {
      figures.apart = "its outputs are no plain arrays";
      return figures;
    }
    const auto dims = shape.dims();
    if (dims.size() >= figures.space.size()) figures.space.assign(dims.begin(), dims.end());
  }
  absl::flat_hash_map<const Instruction*, Use> uses;
  for (const auto& [value, shape] : outputs) {
    if (!SameSpace(shape.dims(), figures.space) && !AreRowsOf(shape.dims(), figures.space)) {
      figures.apart = "its outputs have several shapes";
    }
    Use& use = uses[value];
    use.shared = 1;
    Place place;
    for (int i = 0; i < shape.rank(); ++i) place.push_back(static_cast<int8_t>(i));
    Meet(shape, place, &use);
  }
  std::vector<Instruction*> order = body.PostOrder();
  const bool by_rows = GoesByRows(order, outputs, figures.space, device);
  figures.reads.resize(fusion.operand_count());
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const Instruction& op = **it;
    const Use use = uses[&op];
    if (op.opcode() == Opcode::kParameter) {
      const int64_t number = op.parameter_number();
      figures.reads[number] = {fusion.operand(static_cast<int>(number)), use.times(), use.place};
      continue;
    }
    if (&op == body.root() && op.opcode() == Opcode::kTuple) continue;
    if (!use.is_placed) continue;  // nothing reads it
    ++figures.instructions;
    figures.ir_ops += IrOpsOf(op);
    figures.cycles += use.times() * cost::WorkOf(op, device).cycles;
    Consider(op, &figures);
    const bool alike = ir::IsElementwise(op.opcode()) || op.opcode() == Opcode::kGetTupleElement;
    for (int i = 0; i < op.operand_count(); ++i) {
      Use& of = uses[op.operand(i)];
      const Place place = OperandPlace(op, i, use.place);
      if (op.opcode() == Opcode::kBroadcast && by_rows &&
          IsOncePerRow(place, figures.space.size())) {
        of.shared = std::max(of.shared, std::min(1.0, use.times()));
      } else if (alike) {
        of.shared = std::max(of.shared, use.times());
      } else {
        of.apart += use.times() * cost::Utilisation(op, i, device);
      }
      Meet(op.operand(i)->shape(), place, &of);
    }
  }
  return figures;
}

}  // namespace swage::passes
