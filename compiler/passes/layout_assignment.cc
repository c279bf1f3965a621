#include "compiler/passes/layout_assignment.h"

#include <utility>
#include <vector>

namespace swage::passes {
namespace {

using ir::Computation;
using ir::Instruction;
using ir::Layout;
using ir::Opcode;
using ir::Shape;

void SetRowMajor(Shape* shape) {
  if (shape->is_tuple()) {
    for (int i = 0; i < shape->tuple_size(); ++i) SetRowMajor(shape->mutable_tuple_shape(i));
  } else if (shape->is_array() && shape->rank() > 0) {
    shape->set_layout(Layout::RowMajor(shape->rank()));
  }
}

// `wanted`, row-major where it does not say.
Status Complete(const Shape& wanted, std::string_view what, Shape* shape) {
  if (shape->is_tuple()) {
    for (int i = 0; i < shape->tuple_size(); ++i) {
      SWAGE_RETURN_IF_ERROR(Complete(wanted.tuple_shape(i), what, shape->mutable_tuple_shape(i)));
    }
    return OkStatus();
  }
  if (!shape->is_array() || !wanted.has_layout()) return OkStatus();
  if (!wanted.layout().suffix.empty()) {
    return Unimplemented("[layout-assignment] ", ToAbsl(what), " is wanted as ", wanted.ToString(),
                         "; tiled layouts are not supported");
  }
  if (shape->rank() > 0) shape->set_layout(wanted.layout());
  return OkStatus();
}

// `value` with the layouts of `shape`, by a copy of each array whose layout is another. Returns
// `value` itself when there is none.
Instruction* Converted(Instruction* value, const Shape& shape) {
  if (value->shape() == shape) return value;
  Computation* computation = value->parent();
  if (!shape.is_tuple()) return computation->Add(Opcode::kCopy, shape, {value});
  std::vector<Instruction*> elements;
  for (int i = 0; i < shape.tuple_size(); ++i) {
    // An element that a tuple shows needs no get-tuple-element.
    Instruction* element =
        value->opcode() == Opcode::kTuple
            ? value->operand(i)
            : computation->Add(Opcode::kGetTupleElement, value->shape().tuple_shape(i), {value},
                               ir::TupleIndexAttrs{i});
    elements.push_back(Converted(element, shape.tuple_shape(i)));
  }
  return computation->Add(Opcode::kTuple, shape, elements);
}

Status CheckNoLayouts(const ir::Module& module) {
  for (const Computation* computation : module.Computations()) {
    for (const Instruction* instruction : computation->Instructions()) {
      if (!instruction->shape().HasAnyLayout()) continue;
      return Internal("[layout-assignment] ", instruction->name(),
                      " has a layout already: ", instruction->shape().ToString(),
                      "; a front end must drop them");
    }
  }
  return OkStatus();
}

// The parameter gets the layout in which it arrives; its users get what they had.
Status ConvertParameter(Instruction* parameter, const Shape& wanted) {
  Shape shape = parameter->shape();
  SWAGE_RETURN_IF_ERROR(Complete(wanted, parameter->name(), &shape));
  if (shape == parameter->shape()) return OkStatus();
  const ir::InstructionList users = parameter->users();
  const bool is_root = parameter->IsRoot();
  const Shape row_major = std::exchange(*parameter->mutable_shape(), shape);
  Instruction* converted = Converted(parameter, row_major);
  for (Instruction* user : users) {
    for (int i : parameter->OperandIndices(user)) user->SetOperand(i, converted);
  }
  if (is_root) parameter->parent()->set_root(converted);
  return OkStatus();
}

}  // namespace

StatusOr<bool> LayoutAssignment::Run(ir::Module& module, PassContext& context) {
  if (module.has_layouts()) return false;
  SWAGE_RETURN_IF_ERROR(CheckNoLayouts(module));
  for (Computation* computation : module.Computations()) {
    for (Instruction* instruction : computation->Instructions()) {
      SetRowMajor(instruction->mutable_shape());
    }
  }
  if (module.entry_layout().has_value()) {
    ir::EntryLayout layout = *module.entry_layout();
    Computation* entry = module.entry();
    for (Instruction* parameter : entry->parameters()) {
      SWAGE_RETURN_IF_ERROR(
          ConvertParameter(parameter, layout.parameters[parameter->parameter_number()]));
      layout.parameters[parameter->parameter_number()] = parameter->shape();
    }
    Shape result = entry->root()->shape();
    SWAGE_RETURN_IF_ERROR(Complete(layout.result, "the result", &result));
    entry->set_root(Converted(entry->root(), result));
    layout.result = std::move(result);
    module.set_entry_layout(std::move(layout));
  }
  module.set_has_layouts(true);
  return true;
}

}  // namespace swage::passes
