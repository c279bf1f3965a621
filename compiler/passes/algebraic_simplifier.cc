#include "compiler/passes/algebraic_simplifier.h"

#include <array>

#include "compiler/passes/rewrite_each.h"

namespace swage::passes {
namespace {

using ir::Instruction;

using Table = std::array<std::vector<const Rewrite*>, ir::kNumOpcodes>;

Table TableFor(std::string_view only, bool fast_math) {
  Table table;
  for (const Rewrite* rewrite : AllRewrites()) {
    if (!only.empty() && rewrite->name != only) continue;
    if (rewrite->rewrite_class == RewriteClass::kValueChanging && !fast_math) continue;
    table[static_cast<size_t>(rewrite->opcode)].push_back(rewrite);
  }
  return table;
}

}  // namespace

const std::vector<const Rewrite*>& AllRewrites() {
  static const auto* all = [] {
    auto* rewrites = new std::vector<const Rewrite*>;
    for (std::span<const Rewrite> family :
         {ArithmeticRewrites(), BitsRewrites(), BroadcastRewrites(), CompareRewrites(),
          ConcatenateRewrites(), ConvertRewrites(), DotRewrites(), DynamicSliceRewrites(),
          FastMathRewrites(), MinMaxRewrites(), PadRewrites(), ReduceRewrites(), ReshapeRewrites(),
          SelectRewrites(), SliceRewrites(), TransposeRewrites(), UnaryRewrites()}) {
      for (const Rewrite& rewrite : family) rewrites->push_back(&rewrite);
    }
    return rewrites;
  }();
  return *all;
}

StatusOr<bool> AlgebraicSimplifier::Run(ir::Module& module, PassContext& context) {
  const Table table = TableFor(only_, context.options().fast_math);
  return RewriteEach(module, [&](Instruction& instruction, Editor& editor) -> Instruction* {
    for (const Rewrite* rewrite : table[static_cast<size_t>(instruction.opcode())]) {
      Instruction* value = rewrite->apply(instruction, editor);
      // Symbolic dims may be equal without being known to be.
      if (value != nullptr && ir::Compatible(instruction.shape(), value->shape())) return value;
    }
    return nullptr;
  });
}

}  // namespace swage::passes
