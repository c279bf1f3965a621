#include "compiler/learn/merge.h"

#include <algorithm>

#include "compiler/ir/extent_walk.h"
#include "compiler/learn/array_patterns.h"
#include "compiler/learn/lowered_shapes.h"

namespace swage::learn {
namespace {

using ir::Dim;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

constexpr int kMaxCallDepth = 256;

// Alike but for extents (and layouts inside).
bool AlikeButForExtents(const Shape& a, const Shape& b) {
  if (a.is_tuple() != b.is_tuple() || a.is_token() != b.is_token()) return false;
  if (a.is_tuple()) {
    if (a.tuple_size() != b.tuple_size()) return false;
    for (int i = 0; i < a.tuple_size(); ++i) {
      if (!AlikeButForExtents(a.tuple_shape(i), b.tuple_shape(i))) return false;
    }
    return true;
  }
  return a.is_token() || (a.dtype() == b.dtype() && a.rank() == b.rank());
}

// The attributes with 0 for every extent.
ir::Attributes WithoutExtents(ir::Attributes attributes) {
  if (ir::HasExtents(attributes)) {
    ir::VisitExtents(&attributes, [](Dim& dim, std::string_view, size_t) { dim = 0; });
  }
  return attributes;
}

std::vector<Dim> ExtentsOf(ir::Attributes attributes) {
  std::vector<Dim> extents;
  ir::VisitExtents(&attributes,
                   [&](Dim& dim, std::string_view, size_t) { extents.push_back(dim); });
  return extents;
}

bool EqualLiterals(const Instructions& all) {
  return std::all_of(all.begin(), all.end(), [&](const Instruction* constant) {
    return constant->literal() == all[0]->literal();
  });
}

}  // namespace

Merger::Merger(absl::Span<const ir::Module* const> lowerings, const LearnOptions& options,
               Extents* extents)
    : lowerings_(lowerings), options_(options), extents_(extents) {}

std::string Merger::NameOf(size_t lowering) const {
  return lowering < options_.names.size() ? options_.names[lowering]
                                          : absl::StrCat("lowering ", lowering + 1);
}

Place Merger::PlaceOf(const Instructions& all) const {
  const auto same = [&](const Instruction* other) {
    return other->name() == all[0]->name() && other->parent()->name() == all[0]->parent()->name();
  };
  if (std::all_of(all.begin(), all.end(), same)) {
    return absl::StrCat(all[0]->name(), " (", all[0]->parent()->name(), ")");
  }
  Place place;
  for (size_t i = 0; i < all.size(); ++i) {
    absl::StrAppend(&place, i == 0 ? "" : ", ", all[i]->name(), " (", all[i]->parent()->name(),
                    " of ", NameOf(i), ")");
  }
  return place;
}

template <typename... Args>
Status Merger::Differ(const Instructions& all, const Args&... args) const {
  return InvalidArgument("[learn] the lowerings are not one program: ", PlaceOf(all), ": ",
                         args...);
}

Status Merger::CheckModules() const {
  if (lowerings_.size() < 2 || lowerings_.size() > kMaxLowerings) {
    return InvalidArgument("[learn] got ", lowerings_.size(), " lowerings, expected 2 to ",
                           kMaxLowerings);
  }
  for (size_t i = 0; i < lowerings_.size(); ++i) {
    const ir::Module& module = *lowerings_[i];
    if (module.raw_attributes() != lowerings_[0]->raw_attributes()) {
      return InvalidArgument("[learn] the header of ", NameOf(i), " has other attributes than that",
                             " of ", NameOf(0));
    }
    for (const ir::Computation* computation : module.Computations()) {
      for (const Instruction* instruction : computation->Instructions()) {
        const std::vector<Dim> extents = ExtentsOf(instruction->attributes());
        const bool is_static =
            instruction->shape().is_static() &&
            std::all_of(extents.begin(), extents.end(), [](Dim dim) { return dim.is_static(); });
        if (is_static) continue;
        return InvalidArgument("[learn] ", instruction->name(), " of ", NameOf(i),
                               " has symbols, expected a lowering at one size");
      }
    }
  }
  return OkStatus();
}

StatusOr<std::unique_ptr<ir::Module>> Merger::Merge() {
  SWAGE_RETURN_IF_ERROR(CheckModules());
  const ir::Module& first = *lowerings_[0];
  module_ = std::make_unique<ir::Module>(first.name());
  *module_->mutable_raw_attributes() = first.raw_attributes();
  *module_->mutable_stack_frames() = first.stack_frames();
  Computations entries;
  for (const ir::Module* module : lowerings_) {
    entries.push_back(module->entry());
    budget_ += 4 * module->instruction_count() + 64;
  }
  std::vector<Shape> arguments;
  for (size_t p = 0; p < first.entry()->parameters().size(); ++p) {
    Instructions all;
    for (const ir::Computation* entry : entries) {
      if (entry->parameters().size() != first.entry()->parameters().size()) {
        return InvalidArgument("[learn] the lowerings are not one program: ", NameOf(0), " has ",
                               first.entry()->parameters().size(), " parameters, another ",
                               entry->parameters().size());
      }
      all.push_back(entry->parameter(static_cast<int>(p)));
    }
    SWAGE_RETURN_IF_ERROR(CheckAlike(all));
    Shape shape = all[0]->shape();
    ForEachArray(&shape, ShapesOf(all), [&](Shape* leaf, const LoweredShapes& leaves) {
      for (int d = 0; d < leaf->rank(); ++d) {
        leaf->set_dim(d, extents_->OfParameter(ExtentsAt(leaves, d)));
      }
    });
    arguments.push_back(std::move(shape));
  }
  SWAGE_ASSIGN_OR_RETURN(ir::Computation * entry, MergeComputation(entries, arguments, false));
  module_->set_entry(entry);
  SWAGE_RETURN_IF_ERROR(MergeEntryLayout(module_.get()));
  return std::move(module_);
}

// The merged computation for these arguments, made now or before. A fusion's body is its own.
StatusOr<ir::Computation*> Merger::CallComputation(const Computations& all,
                                                   absl::Span<const Shape> arguments, bool scalar,
                                                   bool shared) {
  if (!shared) return MergeComputation(all, arguments, scalar);
  for (const Merged& merged : merged_[all]) {
    bool same = true;
    for (size_t i = 0; i < arguments.size() && same; ++i) {
      same = ir::Compatible(extents_->Now(merged.arguments[i]), arguments[i]);
    }
    if (same) return merged.computation;
  }
  SWAGE_ASSIGN_OR_RETURN(ir::Computation * made, MergeComputation(all, arguments, scalar));
  merged_[all].push_back({{arguments.begin(), arguments.end()}, made});
  return made;
}

StatusOr<ir::Computation*> Merger::MergeComputation(const Computations& all,
                                                    absl::Span<const Shape> arguments,
                                                    bool scalar) {
  if (++depth_ > kMaxCallDepth) {
    return ResourceExhausted("[learn] calls nest deeper than ", kMaxCallDepth, " at ",
                             all[0]->name());
  }
  Frame frame{.into = module_->AddComputation(all[0]->name()), .scalar = scalar, .made = {}};
  SWAGE_RETURN_IF_ERROR(MergeParameters(all, arguments, &frame));
  Instructions root;
  for (const ir::Computation* computation : all) root.push_back(computation->root());
  struct Visit {
    Instructions all;
    int next = 0;
  };
  std::vector<Visit> stack;
  if (!frame.made.contains(root)) stack.push_back({root});
  while (!stack.empty()) {
    Visit& top = stack.back();
    if (top.next == 0) SWAGE_RETURN_IF_ERROR(CheckAlike(top.all));
    if (top.next < top.all[0]->operand_count()) {
      Instructions operand;
      for (const Instruction* instruction : top.all) {
        operand.push_back(instruction->operand(top.next));
      }
      ++top.next;
      if (!frame.made.contains(operand)) stack.push_back({std::move(operand)});
      continue;
    }
    if (!frame.made.contains(top.all)) SWAGE_RETURN_IF_ERROR(MergeInstruction(top.all, &frame));
    stack.pop_back();
  }
  frame.into->set_root(frame.made.at(root));
  --depth_;
  return frame.into;
}

Status Merger::MergeParameters(const Computations& all, absl::Span<const Shape> arguments,
                               Frame* frame) {
  for (size_t p = 0; p < arguments.size(); ++p) {
    Instructions parameters;
    for (const ir::Computation* computation : all) {
      if (computation->parameters().size() != arguments.size()) {
        return InvalidArgument("[learn] the lowerings are not one program: ", all[0]->name(),
                               " has ", all[0]->parameters().size(), " parameters in ", NameOf(0),
                               ", ", computation->parameters().size(), " in another");
      }
      parameters.push_back(computation->parameter(static_cast<int>(p)));
    }
    SWAGE_RETURN_IF_ERROR(CheckAlike(parameters));
    Shape shape = arguments[p];
    shape.clear_layout();
    Instruction* made =
        frame->into->AddParameter(static_cast<int64_t>(p), std::move(shape), parameters[0]->name());
    made->set_metadata(parameters[0]->shared_metadata());
    frame->made[parameters] = made;
  }
  return OkStatus();
}

// All but extents and literals must be the same.
Status Merger::CheckAlike(const Instructions& all) const {
  const Instruction& first = *all[0];
  for (const Instruction* other : all) {
    if (other->opcode() != first.opcode()) {
      return Differ(all, ToAbsl(ir::OpcodeName(first.opcode())), " and ",
                    ToAbsl(ir::OpcodeName(other->opcode())));
    }
    if (other->operand_count() != first.operand_count() ||
        other->called().size() != first.called().size()) {
      return Differ(all, "other numbers of operands");
    }
    if (!AlikeButForExtents(other->shape(), first.shape())) {
      return Differ(all, first.shape().ToString(false), " and ", other->shape().ToString(false));
    }
    if (!other->control_predecessors().empty()) {
      return Unimplemented("[learn] ", PlaceOf(all), ": control dependencies");
    }
    if (other->raw_attributes() != first.raw_attributes()) {
      return Differ(all, "attributes that Swage does not interpret differ");
    }
    if (first.opcode() != Opcode::kConstant &&
        WithoutExtents(other->attributes()) != WithoutExtents(first.attributes())) {
      return Differ(all, "attributes differ: ", first.ToString(), " and ", other->ToString());
    }
  }
  return OkStatus();
}

StatusOr<ir::Attributes> Merger::MergeAttributes(const Instructions& all) {
  ir::Attributes merged = all[0]->attributes();
  if (!ir::HasExtents(merged)) return merged;
  std::vector<std::vector<Dim>> extents;
  for (const Instruction* instruction : all)
    extents.push_back(ExtentsOf(instruction->attributes()));
  for (const std::vector<Dim>& list : extents) {
    if (list.size() != extents[0].size()) return Differ(all, "other numbers of extents");
  }
  size_t next = 0;
  ir::VisitExtents(&merged, [&](Dim& dim, std::string_view what, size_t dimension) {
    Values values;
    for (const std::vector<Dim>& list : extents) values.push_back(*list[next].static_value());
    ++next;
    dim = extents_->Of(values, [&] {
      return absl::StrCat(PlaceOf(all), ", ", ToAbsl(what), " of dimension ", dimension);
    });
  });
  return merged;
}

StatusOr<std::vector<ir::Computation*>> Merger::MergeCalled(
    const Instructions& all, absl::Span<const Shape* const> operands) {
  const Opcode opcode = all[0]->opcode();
  std::vector<ir::Computation*> called;
  for (size_t c = 0; c < all[0]->called().size(); ++c) {
    Computations callees;
    for (const Instruction* instruction : all) {
      callees.push_back(instruction->called(static_cast<int>(c)));
    }
    std::vector<Shape> arguments;
    if (opcode == Opcode::kConditional) {
      if (operands.size() > c + 1) arguments.push_back(*operands[c + 1]);
    } else if (IsCall(opcode)) {
      for (const Shape* operand : operands) arguments.push_back(*operand);
    } else {  // scalars
      for (const Instruction* parameter : callees[0]->parameters()) {
        arguments.push_back(parameter->shape());
      }
    }
    for (Shape& argument : arguments) argument.clear_layout();
    SWAGE_ASSIGN_OR_RETURN(
        called.emplace_back(),
        CallComputation(callees, arguments, !IsCall(opcode), opcode != Opcode::kFusion));
  }
  return called;
}

Status Merger::MergeConstant(const Instructions& all, Frame* frame) {
  if (EqualLiterals(all)) {
    Instruction* made = frame->into->AddConstant(all[0]->literal(), all[0]->name());
    made->set_metadata(all[0]->shared_metadata());
    frame->made[all] = made;
    return OkStatus();
  }
  const Shape shape = Declared(all);
  if (frame->scalar || !shape.is_array()) {
    return InvalidArgument("[learn] ", PlaceOf(all), ": got ", all[0]->literal().ToString(),
                           " and another value, which is not supported ",
                           frame->scalar ? "in the computation of a reduction" : "in a tuple");
  }
  if (!shape.is_static()) {
    std::vector<ir::Literal> literals;
    for (const Instruction* constant : all) literals.push_back(constant->literal());
    if (const std::optional<Shape> bound = BoundOfBeginning(literals)) {
      for (int d = 0; d < shape.rank(); ++d) {
        if (!shape.dim(d).is_static()) extents_->RequireAtMost(shape.dim(d), bound->dim(d));
      }
    }
  }
  Instruction* made = frame->into->AddConstant(ir::Literal::Scalar(shape.dtype(), 0));
  if (shape.rank() > 0) {
    made = frame->into->Add(Opcode::kBroadcast, shape, {made}, ir::DimensionsAttrs{});
  }
  made->set_metadata(all[0]->shared_metadata());
  frame->made[all] = made;
  literals_.push_back({all, made});
  return OkStatus();
}

Status Merger::MergeInstruction(const Instructions& all, Frame* frame) {
  if (--budget_ < 0) {
    return InvalidArgument("[learn] the lowerings are not one program: they share values in ways ",
                           "that have nothing to do with one another, at ", PlaceOf(all));
  }
  extents_->set_place([this, all] { return PlaceOf(all); });
  const Instruction& first = *all[0];
  if (first.opcode() == Opcode::kConstant) return MergeConstant(all, frame);
  if (first.opcode() == Opcode::kParameter) return Differ(all, "parameters of different numbers");
  absl::InlinedVector<Instruction*, 4> operands;
  std::vector<Shape> shapes;
  for (int i = 0; i < first.operand_count(); ++i) {
    Instructions operand;
    for (const Instruction* instruction : all) operand.push_back(instruction->operand(i));
    operands.push_back(frame->made.at(operand));
    shapes.push_back(extents_->Now(operands.back()->shape()));
  }
  std::vector<const Shape*> pointers;
  for (const Shape& shape : shapes) pointers.push_back(&shape);
  SWAGE_ASSIGN_OR_RETURN(ir::Attributes attributes, MergeAttributes(all));
  SWAGE_ASSIGN_OR_RETURN(std::vector<ir::Computation*> called, MergeCalled(all, pointers));
  extents_->set_place([this, all] { return PlaceOf(all); });
  StatusOr<Shape> shape = ShapeOf(all, pointers, attributes, called);
  if (!shape.ok()) {
    return InvalidArgument("[learn] ", PlaceOf(all), ": with ", extents_->RootsText(), ": ",
                           shape.status().message());
  }
  SWAGE_RETURN_IF_ERROR(RequireShape(all, *shape));
  Instruction* made = frame->into->Add(first.opcode(), *std::move(shape), operands,
                                       std::move(attributes), std::move(called), first.name());
  made->set_metadata(first.shared_metadata());
  if (!first.raw_attributes().empty()) *made->mutable_raw_attributes() = first.raw_attributes();
  frame->made[all] = made;
  return OkStatus();
}

}  // namespace swage::learn
