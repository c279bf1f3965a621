#include "compiler/passes/padding/rule_table.h"

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "compiler/ir/opcode.h"

namespace swage::passes::padding {
namespace {

using ir::PaddingRule;

struct RuleText {
  PaddingRule rule;
  const char* name;
  const char* text;
};

constexpr RuleText kRules[] = {
    {PaddingRule::kThrough, "through", "The same at the bounds; padding holds whatever comes out."},
    {PaddingRule::kIdentity, "identity",
     "Padding that is reduced is masked with the combiner's identity (a float sum: -0); with any "
     "other combiner, or several operands, padded elements are marked and passed over."},
    {PaddingRule::kContracted, "contracted",
     "Padding that is contracted is masked with 0 on both sides."},
    {PaddingRule::kPositions, "positions", "Counts on into the padding."},
    {PaddingRule::kSize, "size", "The size of the call, not the bound."},
    {PaddingRule::kRepack, "repack",
     "Runs on dense arrays of the size of the call; at the bounds where no padded element moves "
     "(a whole dimension, another dimension, the major one of a reshape)."},
    {PaddingRule::kBorder, "border", "Padded behind its valid elements, if an op needs that."},
    {PaddingRule::kExactOnly, "exact only",
     "None: a program that uses it on a padded dimension is compiled for exact sizes."},
};

}  // namespace

std::string RuleTable() {
  std::string table = "| rule | what happens | ops |\n| --- | --- | --- |\n";
  for (const RuleText& rule : kRules) {
    std::string ops;
    for (int i = 0; i < ir::kNumOpcodes; ++i) {
      const ir::OpInfo& info = ir::InfoOf(static_cast<ir::Opcode>(i));
      if (info.padding != rule.rule) continue;
      absl::StrAppend(&ops, ops.empty() ? "" : ", ", ToAbsl(info.text));
    }
    absl::StrAppend(&table, "| ", rule.name, " | ", rule.text, " | ", ops, " |\n");
  }
  return table;
}

}  // namespace swage::passes::padding
