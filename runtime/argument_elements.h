// File: runtime/argument_elements.h
//
// How many elements the arguments of a call have, and how many physical padding adds to them.
#ifndef SWAGE_RUNTIME_ARGUMENT_ELEMENTS_H_
#define SWAGE_RUNTIME_ARGUMENT_ELEMENTS_H_

#include <atomic>
#include <cstdint>

#include "absl/types/span.h"
#include "compiler/ir/shape.h"
#include "runtime/tensor.h"

namespace swage::runtime {

struct ArgumentElements {
  int64_t valid = 0;
  int64_t padded = 0;
};

// Without padding.
ArgumentElements ElementsOf(absl::Span<const Tensor* const> arguments);
// Padded to the upper bounds of these shapes.
ArgumentElements PaddedElementsOf(absl::Span<const Tensor* const> arguments,
                                  absl::Span<const ir::Shape> open);

// Of many calls, from any thread.
struct ElementCounters {
  std::atomic<int64_t> valid{0}, padded{0};

  void Add(const ArgumentElements& elements, int64_t calls = 1) {
    valid.fetch_add(elements.valid * calls, std::memory_order_relaxed);
    padded.fetch_add(elements.padded * calls, std::memory_order_relaxed);
  }
};

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_ARGUMENT_ELEMENTS_H_
