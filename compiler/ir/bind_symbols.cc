#include "compiler/ir/bind_symbols.h"

#include <algorithm>

#include "compiler/ir/verifier.h"

namespace swage::ir {
namespace {

// Calls `visit` with a reference to every extent of a module.
template <typename Visit>
class ExtentWalk {
 public:
  explicit ExtentWalk(Visit visit) : visit_(std::move(visit)) {}

  void Walk(Module* module) {
    for (Computation* computation : module->Computations()) {
      for (Instruction* instruction : computation->Instructions()) {
        Walk(instruction->mutable_shape());
        WalkAttributes(instruction);
      }
    }
    if (!module->entry_layout().has_value()) return;
    EntryLayout border = *module->entry_layout();
    for (Shape& parameter : border.parameters) Walk(&parameter);
    Walk(&border.result);
    module->set_entry_layout(std::move(border));
  }

 private:
  void Walk(Shape* shape) {
    if (shape->is_tuple()) {
      for (int i = 0; i < shape->tuple_size(); ++i) Walk(shape->mutable_tuple_shape(i));
    } else if (shape->is_array()) {
      for (int i = 0; i < shape->rank(); ++i) {
        Dim dim = shape->dim(i);
        visit_(dim);
        shape->set_dim(i, dim);
      }
    }
  }

  void WalkAttributes(Instruction* instruction) {
    const Attributes& attributes = instruction->attributes();
    if (const auto* slice = AttrsIf<SliceAttrs>(attributes)) {
      SliceAttrs changed = *slice;
      for (Dim& dim : changed.starts) visit_(dim);
      for (Dim& dim : changed.limits) visit_(dim);
      instruction->set_attributes(std::move(changed));
    } else if (const auto* window = AttrsIf<DynamicSliceAttrs>(attributes)) {
      DynamicSliceAttrs changed = *window;
      for (Dim& dim : changed.sizes) visit_(dim);
      instruction->set_attributes(std::move(changed));
    } else if (const auto* pad = AttrsIf<PadAttrs>(attributes)) {
      PadAttrs changed = *pad;
      for (PadAttrs::Entry& entry : changed.dims) {
        visit_(entry.low);
        visit_(entry.high);
      }
      instruction->set_attributes(std::move(changed));
    } else if (const auto* gather = AttrsIf<GatherAttrs>(attributes)) {
      GatherAttrs changed = *gather;
      for (Dim& dim : changed.slice_sizes) visit_(dim);
      instruction->set_attributes(std::move(changed));
    }
  }

  Visit visit_;
};

}  // namespace

std::vector<const Symbol*> SymbolsOf(const Module& module) {
  std::vector<const Symbol*> symbols;
  const auto add = [&](const Dim& dim) {
    std::vector<const Symbol*> found;
    dim.CollectSymbols(&found);
    for (const Symbol* symbol : found) {
      if (std::find(symbols.begin(), symbols.end(), symbol) == symbols.end()) {
        symbols.push_back(symbol);
      }
    }
  };
  // A walk that changes nothing needs no right to.
  const std::unique_ptr<Module> copy = module.Clone();
  ExtentWalk(add).Walk(copy.get());
  return symbols;
}

Status BindSymbols(const SymbolBinding& binding, Module* module) {
  Status status;
  const auto bind = [&](Dim& dim) {
    if (dim.is_static() || !status.ok()) return;
    const StatusOr<int64_t> value = dim.Evaluate(binding);
    if (value.ok()) {
      dim = Dim(*value);
    } else {
      status = value.status();
    }
  };
  ExtentWalk(bind).Walk(module);
  SWAGE_RETURN_IF_ERROR(status);
  const Status verified = Verify(*module);
  if (verified.ok()) return verified;
  return InvalidArgument("[shapes] these sizes do not fit the program: ", verified.message());
}

}  // namespace swage::ir
