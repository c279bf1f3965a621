#include "compiler/ir/fingerprint.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "compiler/ir/attribute_text.h"

namespace swage::ir {
namespace {

// Larger constants appear by their hash.
constexpr size_t kMaxConstantBytes = 256;

// Parameters, then what the root needs in post-order, then the rest in the computation's order.
std::vector<const Instruction*> CanonicalOrder(const Computation& computation) {
  std::vector<const Instruction*> order;
  order.reserve(computation.instruction_count());
  absl::flat_hash_map<const Instruction*, bool> done;  // false: on the stack
  done.reserve(computation.instruction_count());
  struct Frame {
    const Instruction* instruction;
    size_t next = 0;
  };
  std::vector<Frame> stack;
  auto visit = [&](const Instruction* start) {
    if (start == nullptr || !done.try_emplace(start, false).second) return;
    stack.push_back({start});
    while (!stack.empty()) {
      const Instruction* instruction = stack.back().instruction;
      const size_t operands = instruction->operands().size();
      const size_t i = stack.back().next++;
      if (i == operands + instruction->control_predecessors().size()) {
        done[instruction] = true;
        order.push_back(instruction);
        stack.pop_back();
        continue;
      }
      const Instruction* before = i < operands ? instruction->operands()[i]
                                               : instruction->control_predecessors()[i - operands];
      if (done.try_emplace(before, false).second) stack.push_back({before});
    }
  };
  for (const Instruction* parameter : computation.parameters()) visit(parameter);
  visit(computation.root());
  for (const Instruction* instruction : computation.Instructions()) visit(instruction);
  return order;
}

class Canonicalizer {
 public:
  // The text of all computations that were added, in the order in which they got their numbers.
  std::string Take() { return std::move(out_); }

  // Adds a computation behind everything that it calls; the number of its text.
  int Add(const Computation& root) {
    struct Frame {
      const Computation* computation;
      std::vector<const Computation*> callees;
      size_t next = 0;
    };
    std::vector<Frame> stack;
    auto push = [&](const Computation* computation) {
      // -1 while it is on the stack: a cycle, which the verifier reports, ends here.
      if (!numbers_.try_emplace(computation, -1).second) return;
      Frame frame{computation, {}};
      for (const Instruction* instruction : CanonicalOrder(*computation)) {
        for (const Computation* callee : instruction->called()) frame.callees.push_back(callee);
      }
      stack.push_back(std::move(frame));
    };
    push(&root);
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.next < frame.callees.size()) {
        push(frame.callees[frame.next++]);
        continue;
      }
      std::string text = Text(*frame.computation);
      auto [it, is_new] = by_text_.try_emplace(text, static_cast<int>(by_text_.size()));
      if (is_new) out_.append("@").append(std::to_string(it->second)).append(" ").append(text);
      numbers_[frame.computation] = it->second;
      stack.pop_back();
    }
    return numbers_[&root];
  }

 private:
  std::string Text(const Computation& computation) {
    std::string out = "{\n";
    SymbolScope symbols;
    AttributeWriter writer{out, symbols};
    absl::flat_hash_map<const Instruction*, int64_t> values;
    values.reserve(computation.instruction_count());
    for (const Instruction* instruction : CanonicalOrder(computation)) {
      const int64_t number = static_cast<int64_t>(values.size());
      values.emplace(instruction, number);
      if (instruction->IsRoot()) out += "ROOT ";
      out.append(std::to_string(number)).append("=");
      const Shape& shape = instruction->shape();
      out += shape.is_static() ? shape.ToString() : shape.ToString(true, symbols);
      out.append(" ").append(OpcodeName(instruction->opcode())).append("(");
      AppendValues(instruction->operands(), values, &out);
      if (instruction->opcode() == Opcode::kParameter) {
        out += std::to_string(instruction->parameter_number());
      }
      if (instruction->opcode() == Opcode::kConstant) AppendLiteral(instruction->literal(), &out);
      out += ')';
      AppendAttributes(*instruction, values, writer);
      out += '\n';
    }
    if (!computation.schedule().empty()) {
      out += "schedule ";
      AppendValues(computation.schedule(), values, &out);
      out += '\n';
    }
    out += "}\n";
    return out;
  }

  template <typename List, typename Map>
  static void AppendValues(const List& list, const Map& values, std::string* out) {
    const char* comma = "";
    for (const Instruction* value : list) {
      const auto found = values.find(value);
      out->append(comma).append(found == values.end() ? "?" : std::to_string(found->second));
      comma = ",";
    }
  }

  static void AppendLiteral(const Literal& literal, std::string* out) {
    if (literal.is_tuple()) {
      for (const Literal& element : literal.elements()) {
        out->append("(");
        AppendLiteral(element, out);
        out->append(")");
      }
      return;
    }
    const absl::Span<const uint8_t> bytes = literal.bytes();
    if (bytes.size() > kMaxConstantBytes) {
      out->append("#").append(literal.Hash().ToHex());
      return;
    }
    out->append(absl::BytesToHexString(
        absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())));
  }

  template <typename Map>
  void AppendAttributes(const Instruction& instruction, const Map& values,
                        AttributeWriter& writer) {
    std::string& out = writer.out;
    for (const AttributeRow& row : AttributeRows()) {
      if (!row.applies(instruction.attributes())) continue;
      if (row.presence == Presence::kIfSet && row.is_default(instruction.attributes())) continue;
      out.append(" ").append(row.name).append("=");
      row.print(instruction.attributes(), writer);
    }
    for (const Computation* callee : instruction.called()) {
      out.append(" @").append(std::to_string(numbers_[callee]));
    }
    for (const auto& [name, value] : instruction.raw_attributes()) {
      out.append(" ").append(name).append("=").append(value);
    }
    if (!instruction.control_predecessors().empty()) {
      out += " after=";
      AppendValues(instruction.control_predecessors(), values, &out);
    }
  }

  std::string out_;
  absl::flat_hash_map<const Computation*, int> numbers_;
  absl::flat_hash_map<std::string, int> by_text_;
};

}  // namespace

std::string CanonicalText(const Computation& computation) {
  Canonicalizer canonicalizer;
  canonicalizer.Add(computation);
  return canonicalizer.Take();
}

std::string CanonicalText(const Module& module) {
  Canonicalizer canonicalizer;
  std::string header;
  if (module.entry() != nullptr) {
    header = absl::StrCat("entry @", canonicalizer.Add(*module.entry()), "\n");
  }
  for (const Computation* computation : module.Computations()) canonicalizer.Add(*computation);
  if (const auto& layout = module.entry_layout()) {
    SymbolScope symbols;
    for (const Shape& parameter : layout->parameters) {
      header.append("parameter ").append(parameter.ToString(true, symbols)).append("\n");
    }
    header.append("result ").append(layout->result.ToString(true, symbols)).append("\n");
  }
  if (module.is_scheduled()) header += "scheduled\n";
  if (module.has_layouts()) header += "layouts\n";
  for (const auto& [name, value] : module.raw_attributes()) {
    header.append(name).append("=").append(value).append("\n");
  }
  return canonicalizer.Take() + header;
}

Hash128 Fingerprint(const Computation& computation) {
  return HashBytes(CanonicalText(computation));
}

Hash128 Fingerprint(const Module& module) { return HashBytes(CanonicalText(module)); }

}  // namespace swage::ir
