#include "codegen/emit/bake.h"

#include "compiler/ir/bind_symbols.h"

namespace swage::emit {

Status BakeExtents(absl::Span<const int64_t> values, GeneralisedFusion* fusion) {
  if (values.size() != fusion->symbols.size()) {
    return InvalidArgument("[bake] ", values.size(), " extents, expected ", fusion->symbols.size());
  }
  ir::SymbolBinding binding;
  for (size_t i = 0; i < values.size(); ++i) {
    SWAGE_RETURN_IF_ERROR(binding.Bind(fusion->symbols[i], values[i]));
  }
  SWAGE_RETURN_IF_ERROR(ir::BindSymbols(binding, fusion->module.get()));
  fusion->symbols.clear();
  fusion->values.clear();
  return OkStatus();
}

}  // namespace swage::emit
