#include "runtime/argument_elements.h"

#include <algorithm>

namespace swage::runtime {

ArgumentElements ElementsOf(absl::Span<const Tensor* const> arguments) {
  ArgumentElements elements;
  for (const Tensor* argument : arguments) elements.valid += argument->size();
  return elements;
}

ArgumentElements PaddedElementsOf(absl::Span<const Tensor* const> arguments,
                                  absl::Span<const ir::Shape> open) {
  ArgumentElements elements = ElementsOf(arguments);
  ir::Dim all = 0;
  for (const ir::Shape& shape : open) {
    ir::Dim product = 1;
    for (const ir::Dim dim : shape.dims()) product *= dim.upper_bound();
    all += product;
  }
  // Poisoned: more than there can be.
  const int64_t at_bounds = all.static_value().value_or(ir::kUnbounded);
  elements.padded = std::max<int64_t>(0, at_bounds - elements.valid);
  return elements;
}

}  // namespace swage::runtime
