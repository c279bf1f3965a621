// File: runtime/tensor_read.h
//
// The elements of a concrete tensor, for what reads them; throws swage::Error in the reader's name.
#ifndef SWAGE_RUNTIME_TENSOR_READ_H_
#define SWAGE_RUNTIME_TENSOR_READ_H_

#include <cstdint>
#include <string_view>

#include "runtime/tensor_impl.h"

namespace swage::runtime {

inline constexpr std::string_view kReadFix = "use ops on the value instead of reading it";

// A traced tensor has no elements: the error says where it was made and what to write instead,
// `fix`.
const internal::TensorImpl& RequireConcrete(const Tensor& tensor, std::string_view reader,
                                            std::string_view fix = kReadFix);

// Of a concrete tensor on the host; on a device it is an error.
const uint8_t* HostBytes(const Tensor& tensor, std::string_view reader,
                         std::string_view fix = kReadFix);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_TENSOR_READ_H_
