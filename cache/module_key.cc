#include "cache/module_key.h"

#include "absl/container/flat_hash_map.h"
#include "compiler/ir/attribute_text.h"

namespace swage::cache {
namespace {

// Every variable part is written after its length, so that no two modules share their bytes.
class Writer {
 public:
  explicit Writer(const ir::Module& module) : module_(module) {}

  std::string Write() {
    const std::vector<ir::Computation*> computations = module_.ComputationPostOrder();
    for (const ir::Computation* computation : computations) {
      const int64_t number = static_cast<int64_t>(computations_.size());
      computations_[computation] = number;
    }
    Number(static_cast<int64_t>(computations.size()));
    Number(module_.entry() == nullptr ? -1 : computations_.at(module_.entry()));
    Flag(module_.is_scheduled());
    Flag(module_.has_layouts());
    Flag(module_.entry_layout().has_value());
    if (module_.entry_layout().has_value()) {
      Number(static_cast<int64_t>(module_.entry_layout()->parameters.size()));
      for (const ir::Shape& shape : module_.entry_layout()->parameters) AddShape(shape);
      AddShape(module_.entry_layout()->result);
    }
    AddRaw(module_.raw_attributes());
    for (const ir::Computation* computation : computations) AddComputation(*computation);
    return std::move(out_);
  }

 private:
  void Number(int64_t value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void Flag(bool value) { out_.push_back(value ? 1 : 0); }
  void Text(std::string_view text) {
    Number(static_cast<int64_t>(text.size()));
    out_.append(text);
  }

  void AddDim(ir::Dim dim) {
    Flag(dim.is_static());
    if (const std::optional<int64_t> value = dim.static_value(); value.has_value()) {
      Number(*value);
    } else {
      Text(dim.ToString(symbols_));
    }
  }

  void AddShape(const ir::Shape& shape) {
    if (shape.is_tuple()) {
      out_.push_back('(');
      Number(shape.tuple_size());
      for (const ir::Shape& element : shape.tuple_shapes()) AddShape(element);
      return;
    }
    out_.push_back(shape.is_token() ? 't' : 'a');
    if (shape.is_token()) return;
    out_.push_back(static_cast<char>(shape.dtype()));
    Number(shape.rank());
    for (ir::Dim dim : shape.dims()) AddDim(dim);
    Flag(shape.has_layout());
    if (shape.has_layout()) Text(shape.layout().ToString());
  }

  void AddRaw(const ir::RawAttributes& attributes) {
    Number(static_cast<int64_t>(attributes.size()));
    for (const auto& [name, value] : attributes) {
      Text(name);
      Text(value);
    }
  }

  void AddLiteral(const ir::Literal& literal) {
    AddShape(literal.shape());
    if (literal.is_tuple()) {
      for (const ir::Literal& element : literal.elements()) AddLiteral(element);
      return;
    }
    out_.append(reinterpret_cast<const char*>(literal.bytes().data()), literal.bytes().size());
  }

  void AddAttributes(const ir::Attributes& attributes) {
    if (std::holds_alternative<ir::NoneAttrs>(attributes)) return;
    if (const auto* constant = std::get_if<ir::ConstantAttrs>(&attributes)) {
      AddLiteral(constant->literal);
      return;
    }
    if (const auto* parameter = std::get_if<ir::ParameterAttrs>(&attributes)) {
      Number(parameter->number);
      return;
    }
    if (const auto* element = std::get_if<ir::TupleIndexAttrs>(&attributes)) {
      Number(element->index);
      return;
    }
    ir::AttributeWriter writer{text_, symbols_};
    for (const ir::AttributeRow& row : ir::AttributeRows()) {
      if (!row.applies(attributes)) continue;
      text_.clear();
      row.print(attributes, writer);
      Text(row.name);
      Text(text_);
    }
  }

  void AddComputation(const ir::Computation& computation) {
    absl::flat_hash_map<const ir::Instruction*, int64_t> numbers;
    const std::vector<ir::Instruction*> order = computation.PostOrder();
    numbers.reserve(order.size());
    Number(static_cast<int64_t>(order.size()));
    for (const ir::Instruction* instruction : order) {
      const int64_t number = static_cast<int64_t>(numbers.size());
      numbers[instruction] = number;
      out_.push_back(static_cast<char>(instruction->opcode()));
      AddShape(instruction->shape());
      Number(instruction->operand_count());
      for (const ir::Instruction* operand : instruction->operands()) Number(numbers.at(operand));
      Number(static_cast<int64_t>(instruction->called().size()));
      for (const ir::Computation* called : instruction->called()) Number(computations_.at(called));
      AddAttributes(instruction->attributes());
      AddRaw(instruction->raw_attributes());
      Number(static_cast<int64_t>(instruction->control_predecessors().size()));
      for (const ir::Instruction* before : instruction->control_predecessors()) {
        Number(numbers.at(before));
      }
    }
    Number(computation.root() == nullptr ? -1 : numbers.at(computation.root()));
    Flag(computation.IsFusion());
    Number(static_cast<int64_t>(computation.schedule().size()));
    for (const ir::Instruction* step : computation.schedule()) Number(numbers.at(step));
  }

  const ir::Module& module_;
  ir::SymbolScope symbols_;
  absl::flat_hash_map<const ir::Computation*, int64_t> computations_;
  std::string out_;
  std::string text_;
};

}  // namespace

std::string CanonicalBytes(const ir::Module& module) { return Writer(module).Write(); }

}  // namespace swage::cache
