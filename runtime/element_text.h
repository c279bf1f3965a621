// File: runtime/element_text.h
//
// Elements of a tensor as numpy writes them: one format for all elements shown together.
#ifndef SWAGE_RUNTIME_ELEMENT_TEXT_H_
#define SWAGE_RUNTIME_ELEMENT_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/dtype.h"

namespace swage::runtime {

// The texts of the elements at `positions` of an array of `dtype` at `data`, equally wide.
std::vector<std::string> ElementTexts(const void* data, ir::DType dtype,
                                      const std::vector<int64_t>& positions);

// A rank-0 value by itself: "1.5", "1e-05", "True".
std::string ScalarText(const void* data, ir::DType dtype);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_ELEMENT_TEXT_H_
