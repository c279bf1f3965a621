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
  std::vector<bool> seen(computation.slot_count());
  struct Frame {
    const Instruction* instruction;
    size_t next = 0;
  };
  std::vector<Frame> stack;
  auto visit = [&](const Instruction* start) {
    if (start == nullptr || start->parent() != &computation || seen[start->slot()]) return;
    seen[start->slot()] = true;
    stack.push_back({start});
    while (!stack.empty()) {
      const Instruction* instruction = stack.back().instruction;
      const size_t operands = instruction->operands().size();
      const size_t i = stack.back().next++;
      if (i == operands + instruction->control_predecessors().size()) {
        order.push_back(instruction);
        stack.pop_back();
        continue;
      }
      const Instruction* before = i < operands ? instruction->operands()[i]
                                               : instruction->control_predecessors()[i - operands];
      // Also of a module that a bad pass left behind there is a text: before it is verified.
      if (before->parent() != &computation || seen[before->slot()]) continue;
      seen[before->slot()] = true;
      stack.push_back({before});
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
    Numbers values{&computation, std::vector<int64_t>(computation.slot_count(), -1)};
    const std::vector<const Instruction*> order = CanonicalOrder(computation);
    for (size_t i = 0; i < order.size(); ++i) {
      const Instruction* instruction = order[i];
      const int64_t number = static_cast<int64_t>(i);
      values.by_slot[instruction->slot()] = number;
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
      // It may hold what was removed, so its pointers are not followed.
      absl::flat_hash_map<const Instruction*, int64_t> numbers;
      for (size_t i = 0; i < order.size(); ++i) numbers[order[i]] = static_cast<int64_t>(i);
      out += "schedule ";
      for (const Instruction* step : computation.schedule()) {
        const auto found = numbers.find(step);
        out.append(found == numbers.end() ? "?" : std::to_string(found->second)).append(",");
      }
      out += '\n';
    }
    out += "}\n";
    return out;
  }

  // The numbers of the values of one computation.
  struct Numbers {
    const Computation* computation;
    std::vector<int64_t> by_slot;

    // -1: in a cycle or of another computation, which the verifier reports.
    int64_t Of(const Instruction* value) const {
      return value->parent() == computation ? by_slot[value->slot()] : -1;
    }
  };

  template <typename List>
  static void AppendValues(const List& list, const Numbers& values, std::string* out) {
    const char* comma = "";
    for (const Instruction* value : list) {
      const int64_t number = values.Of(value);
      out->append(comma).append(number < 0 ? "?" : std::to_string(number));
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

  void AppendAttributes(const Instruction& instruction, const Numbers& values,
                        AttributeWriter& writer) {
    std::string& out = writer.out;
    for (const AttributeRow* row : AttributeRowsOf(instruction.attributes())) {
      if (row->presence == Presence::kIfSet && row->is_default(instruction.attributes())) continue;
      out.append(" ").append(row->name).append("=");
      row->print(instruction.attributes(), writer);
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
