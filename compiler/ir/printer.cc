#include "compiler/ir/printer.h"

#include "absl/strings/escaping.h"
#include "compiler/ir/attribute_text.h"

namespace swage::ir {
namespace {

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options), writer_{out_, symbols_} {}

  std::string Take() { return std::move(out_); }

  void Print(const Module& module) {
    PrintHeader(module);
    if (options_.metadata) PrintTables(module);
    for (const Computation* computation : module.ComputationPostOrder()) {
      out_ += '\n';
      Print(*computation);
    }
  }

  void Print(const Computation& computation) {
    if (computation.IsEntry()) out_ += "ENTRY ";
    Name(computation.name());
    if (options_.signatures) PrintSignature(computation);
    out_ += " {\n";
    const auto& schedule = computation.schedule();
    for (const Instruction* instruction : schedule.empty() ? computation.PostOrder() : schedule) {
      out_ += "  ";
      Print(*instruction);
      out_ += '\n';
    }
    out_ += "}\n";
  }

  void Print(const Instruction& instruction) {
    if (instruction.IsRoot()) out_ += "ROOT ";
    Name(instruction.name());
    out_ += " = ";
    PrintShape(instruction.shape(), true);
    out_ += ' ';
    out_ += OpcodeName(instruction.opcode());
    PrintOperands(instruction);
    PrintAttributes(instruction);
  }

 private:
  // A name that could be read as something else always gets its '%'.
  void Name(std::string_view name) {
    if (options_.percent || !IsPlainName(name) || name == "ROOT" || name == "ENTRY") out_ += '%';
    out_ += name;
  }

  // Between the items of a list; every fifth is numbered for the reader, as XLA does.
  void Comma(size_t i) {
    if (i == 0) return;
    out_ += ", ";
    if (i % 5 == 0) out_.append("/*index=").append(std::to_string(i)).append("*/");
  }

  void PrintShape(const Shape& shape, bool with_layout) {
    if (shape.is_tuple()) {
      out_ += '(';
      for (int i = 0; i < shape.tuple_size(); ++i) {
        Comma(i);
        PrintShape(shape.tuple_shape(i), with_layout);
      }
      out_ += ')';
    } else if (shape.is_static()) {
      out_ += shape.ToString(with_layout);
    } else {
      out_ += shape.ToString(with_layout, symbols_);
    }
  }

  void PrintHeader(const Module& module) {
    out_.append(IsPlainName(module.name()) ? "HloModule " : "HloModule %").append(module.name());
    if (module.is_scheduled()) out_ += ", is_scheduled=true";
    if (module.entry_layout()) {
      out_ += ", entry_computation_layout={(";
      const std::vector<Shape>& parameters = module.entry_layout()->parameters;
      for (size_t i = 0; i < parameters.size(); ++i) {
        Comma(i);
        PrintShape(parameters[i], true);
      }
      out_ += ")->";
      PrintShape(module.entry_layout()->result, true);
      out_ += '}';
    }
    PrintRaw(module.raw_attributes(), [](std::string_view) { return true; });
    out_ += '\n';
  }

  void PrintTables(const Module& module) {
    for (const StackFrameTable& table : module.stack_frames()) {
      out_.append("\n").append(table.section).append("\n");
      for (const std::string& row : table.rows) out_.append(row).append("\n");
    }
    if (!module.stack_frames().empty()) out_ += '\n';
  }

  void PrintSignature(const Computation& computation) {
    out_ += " (";
    for (int i = 0; i < computation.parameter_count(); ++i) {
      if (i > 0) out_ += ", ";
      const std::string& name = computation.parameter(i)->name();
      out_.append(IsPlainName(name) ? "" : "%").append(name).append(": ");
      PrintShape(computation.parameter(i)->shape(), false);
    }
    out_ += ") -> ";
    PrintShape(computation.root()->shape(), false);
  }

  void PrintOperands(const Instruction& instruction) {
    out_ += '(';
    if (instruction.opcode() == Opcode::kParameter) {
      out_ += std::to_string(instruction.parameter_number());
    } else if (instruction.opcode() == Opcode::kConstant) {
      PrintConstant(instruction);
    }
    for (int i = 0; i < instruction.operand_count(); ++i) {
      if (options_.percent) {
        Comma(i);
      } else if (i > 0) {
        out_ += ", ";
      }
      if (options_.operand_shapes) {
        PrintShape(instruction.operand(i)->shape(), true);
        out_ += ' ';
      }
      Name(instruction.operand(i)->name());
    }
    out_ += ')';
  }

  void PrintConstant(const Instruction& constant) {
    const Shape& shape = constant.literal().shape();
    if (options_.elide && shape.is_array()) {
      const StatusOr<int64_t> elements = shape.NumElements();
      if (elements.ok() && *elements > options_.inline_elements) {
        out_.append("@").append(options_.elide(constant));
        return;
      }
    }
    out_ += constant.literal().ToString();
  }

  void PrintAttributes(const Instruction& instruction) {
    for (const AttributeRow* row : AttributeRowsOf(instruction.attributes())) {
      if (row->presence == Presence::kIfSet && row->is_default(instruction.attributes())) continue;
      out_.append(", ").append(row->name).append("=");
      row->print(instruction.attributes(), writer_);
    }
    PrintCalled(instruction);
    // XLA's order: backend_config is the last one, behind the metadata.
    PrintRaw(instruction.raw_attributes(),
             [](std::string_view name) { return name != "backend_config"; });
    PrintControlPredecessors(instruction);
    if (options_.metadata && instruction.metadata() != nullptr) {
      PrintMetadata(*instruction.metadata());
    }
    PrintRaw(instruction.raw_attributes(),
             [](std::string_view name) { return name == "backend_config"; });
  }

  template <typename Filter>
  void PrintRaw(const RawAttributes& raw, Filter filter) {
    for (const auto& [name, value] : raw) {
      if (filter(name)) out_.append(", ").append(name).append("=").append(value);
    }
  }

  void PrintCalled(const Instruction& instruction) {
    const auto& called = instruction.called();
    if (called.empty()) return;
    const bool on_pred = instruction.opcode() == Opcode::kConditional && called.size() == 2 &&
                         instruction.operand_count() > 0 &&
                         instruction.operand(0)->shape().is_array() &&
                         instruction.operand(0)->shape().dtype() == DType::kPred;
    if (on_pred) {
      out_ += ", true_computation=";
      Name(called[0]->name());
      out_ += ", false_computation=";
      Name(called[1]->name());
      return;
    }
    const CalledNames names = CalledNamesOf(instruction.opcode());
    for (size_t i = 0; i < names.names.size(); ++i) {
      out_.append(", ").append(names.names[i]).append(names.list ? "={" : "=");
      const size_t end = names.list ? called.size() : i + 1;
      for (size_t k = i; k < end; ++k) {
        if (k > i) out_ += ", ";
        Name(called[k]->name());
      }
      if (names.list) out_ += '}';
    }
  }

  void PrintControlPredecessors(const Instruction& instruction) {
    if (instruction.control_predecessors().empty()) return;
    out_ += ", control-predecessors={";
    const char* comma = "";
    for (const Instruction* before : instruction.control_predecessors()) {
      out_ += comma;
      Name(before->name());
      comma = ", ";
    }
    out_ += '}';
  }

  void PrintMetadata(const Metadata& metadata) {
    out_ += ", metadata={";
    const char* space = "";
    auto text = [&](std::string_view name, const std::string& value) {
      if (value.empty()) return;
      out_.append(space).append(name).append("=\"").append(absl::CEscape(value)).append("\"");
      space = " ";
    };
    auto number = [&](std::string_view name, int value) {
      if (value == 0) return;
      out_.append(space).append(name).append("=").append(std::to_string(value));
      space = " ";
    };
    text("op_type", metadata.op_type);
    text("op_name", metadata.op_name);
    text("source_file", metadata.source_file);
    number("source_line", metadata.source_line);
    number("stack_frame_id", metadata.stack_frame_id);
    for (const auto& [name, value] : metadata.rest) {
      out_.append(space).append(name).append("=").append(value);
      space = " ";
    }
    out_ += '}';
  }

  const PrintOptions& options_;
  std::string out_;
  SymbolScope symbols_;
  AttributeWriter writer_;
};

}  // namespace

std::string ToText(const Module& module, const PrintOptions& options) {
  Printer printer(options);
  printer.Print(module);
  return printer.Take();
}

std::string ToText(const Computation& computation, const PrintOptions& options) {
  Printer printer(options);
  printer.Print(computation);
  return printer.Take();
}

std::string ToText(const Instruction& instruction, const PrintOptions& options) {
  Printer printer(options);
  printer.Print(instruction);
  return printer.Take();
}

std::string Module::ToString() const { return ToText(*this); }
std::string Computation::ToString() const { return ToText(*this); }
std::string Instruction::ToString() const { return ToText(*this); }

}  // namespace swage::ir
