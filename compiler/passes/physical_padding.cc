#include "compiler/passes/physical_padding.h"

#include "compiler/passes/padding/padder.h"

namespace swage::passes {

StatusOr<bool> PhysicalPadding::Run(ir::Module& module, PassContext& context) {
  const CompilerOptions& options = context.options();
  if (options.padding == Padding::kNone) return false;
  padding::Padder padder(module, {.fill = options.padding_fill,
                                  .masks = options.padding_masks,
                                  .values = options.pad_values});
  return padder.Run();
}

}  // namespace swage::passes
