// ModulesEqual (printer.h).
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "compiler/ir/printer.h"

namespace swage::ir {
namespace {

class Comparison {
 public:
  bool Modules(const Module& a, const Module& b) {
    if (a.name() != b.name()) return Differ("module names");
    if (a.is_scheduled() != b.is_scheduled()) return Differ("is_scheduled");
    if (a.has_layouts() != b.has_layouts()) return Differ("has_layouts");
    if (a.entry_layout() != b.entry_layout()) return Differ("entry layouts");
    if (a.raw_attributes() != b.raw_attributes()) return Differ("module attributes");
    if (a.stack_frames() != b.stack_frames()) return Differ("stack-frame tables");
    const std::vector<Computation*> as = a.ComputationPostOrder();
    const std::vector<Computation*> bs = b.ComputationPostOrder();
    if (as.size() != bs.size()) return Differ("numbers of computations");
    for (size_t i = 0; i < as.size(); ++i) {
      if (as[i]->name() != bs[i]->name()) {
        return Differ(absl::StrCat("names of computation ", as[i]->name(), " / ", bs[i]->name()));
      }
      computations_[as[i]] = bs[i];
    }
    for (Computation* computation : as) {
      if (!Computations(*computation, *computations_[computation])) return false;
    }
    return (a.entry() == nullptr) == (b.entry() == nullptr) &&
                   (a.entry() == nullptr || computations_[a.entry()] == b.entry())
               ? true
               : Differ("entry computations");
  }

  const std::string& why() const { return why_; }

 private:
  bool Differ(std::string_view what) {
    why_ = absl::StrCat(ToAbsl(what), " differ");
    return false;
  }

  static std::vector<Instruction*> Order(const Computation& computation) {
    return computation.schedule().empty() ? computation.PostOrder() : computation.schedule();
  }

  bool Computations(const Computation& a, const Computation& b) {
    if (a.schedule().empty() != b.schedule().empty()) return Differ("schedules of " + a.name());
    const std::vector<Instruction*> as = Order(a);
    const std::vector<Instruction*> bs = Order(b);
    if (as.size() != bs.size()) return Differ("instruction counts of " + a.name());
    for (size_t i = 0; i < as.size(); ++i) instructions_[as[i]] = bs[i];
    for (size_t i = 0; i < as.size(); ++i) {
      if (!Instructions(*as[i], *bs[i])) return false;
    }
    if (a.IsFusion() != b.IsFusion()) return Differ("fusions of " + a.name());
    return true;
  }

  bool Instructions(const Instruction& a, const Instruction& b) {
    if (a.name() != b.name()) return Differ("names " + a.name() + " / " + b.name());
    auto differ = [&](std::string_view what) {
      return Differ(absl::StrCat(ToAbsl(what), " of ", a.name()));
    };
    if (a.opcode() != b.opcode()) return differ("opcodes");
    if (!(a.shape() == b.shape())) return differ("shapes");
    if (a.IsRoot() != b.IsRoot()) return differ("root marks");
    if (a.attributes() != b.attributes()) return differ("attributes");
    if (a.raw_attributes() != b.raw_attributes()) return differ("raw attributes");
    if ((a.metadata() == nullptr) != (b.metadata() == nullptr) ||
        (a.metadata() != nullptr && !(*a.metadata() == *b.metadata()))) {
      return differ("metadata");
    }
    if (!Mapped(a.operands(), b.operands(), instructions_)) return differ("operands");
    if (!Mapped(a.control_predecessors(), b.control_predecessors(), instructions_)) {
      return differ("control predecessors");
    }
    if (!Mapped(a.called(), b.called(), computations_)) return differ("called computations");
    return true;
  }

  template <typename List, typename Map>
  static bool Mapped(const List& as, const List& bs, const Map& map) {
    return std::equal(as.begin(), as.end(), bs.begin(), bs.end(), [&](auto* x, auto* y) {
      auto found = map.find(x);
      return found != map.end() && found->second == y;
    });
  }

  std::string why_;
  absl::flat_hash_map<const Computation*, Computation*> computations_;
  absl::flat_hash_map<const Instruction*, Instruction*> instructions_;
};

}  // namespace

bool ModulesEqual(const Module& a, const Module& b, std::string* why) {
  Comparison comparison;
  const bool equal = comparison.Modules(a, b);
  if (why != nullptr) *why = comparison.why();
  return equal;
}

}  // namespace swage::ir
