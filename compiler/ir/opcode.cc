#include "compiler/ir/opcode.h"

#include <array>

#include "absl/container/flat_hash_map.h"

namespace swage::ir {
namespace {

constexpr bool Same(std::string_view a, std::string_view b) { return a == b; }

constexpr std::array<OpInfo, kNumOpcodes> kInfos = {{
#define SWAGE_OP(name, text, arity, attrs, traits, shape, eval, padding, cost, emit, max_ulp, doc)   \
  {text,                            arity,                          OpTraits::k##traits,             \
   CostClass::k##cost,              PaddingRule::k##padding,        Same(#eval, "Elementwise"),      \
   !Same(#eval, "Unimplemented"),   !Same(#emit, "Unimplemented"),  max_ulp,                         \
   doc},
#include "compiler/ir/opcodes.def"
#undef SWAGE_OP
}};

}  // namespace

const OpInfo& InfoOf(Opcode opcode) { return kInfos[static_cast<int>(opcode)]; }

std::optional<Opcode> ParseOpcode(std::string_view text) {
  static const auto* const by_text = [] {
    auto* map = new absl::flat_hash_map<std::string_view, Opcode>();
    for (int i = 0; i < kNumOpcodes; ++i) map->emplace(kInfos[i].text, static_cast<Opcode>(i));
    return map;
  }();
  auto it = by_text->find(text);
  if (it == by_text->end()) return std::nullopt;
  return it->second;
}

}  // namespace swage::ir
