// File: compiler/ir/npy.h
//
// numpy's .npy files, versions 1 to 3, in and out of literals.
//
//   SWAGE_ASSIGN_OR_RETURN(Literal in, ReadNpy("in_0.npy"));
//   SWAGE_ASSIGN_OR_RETURN(Literal w, ReadNpy("w.npy", {.dtype = DType::kBF16, .shape = shape}));
//   SWAGE_RETURN_IF_ERROR(WriteNpy("out_0.npy", result));
//
// Dtypes that numpy lacks are stored as their bits: bf16 as u2 (or V2), f8 as u1 (or V1), s4 and u4
// as i1 and u1. A file does not say so: the caller names the dtype. Only little-endian, C-ordered
// arrays of plain dtypes are read; anything else is an error that names the file, what it has and
// what was expected. Bytes of any kind are safe to read.
#ifndef SWAGE_COMPILER_IR_NPY_H_
#define SWAGE_COMPILER_IR_NPY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "compiler/ir/literal.h"

namespace swage::ir {

struct NpyOptions {
  std::optional<DType> dtype = std::nullopt;  // absent: what the file says
  std::optional<Shape> shape =
      std::nullopt;  // present: the file must have these dims and this dtype
};

StatusOr<Literal> ReadNpy(const std::string& path, const NpyOptions& options = {});
// `name` stands for the file in errors.
StatusOr<Literal> ParseNpy(std::string_view bytes, std::string_view name,
                           const NpyOptions& options = {});

// For a file that is read piece by piece: where the data starts, by its first kNpyPrefix bytes (by
// all of a shorter file), and the array, by all that stands before the data.
inline constexpr size_t kNpyPrefix = 12;
StatusOr<size_t> NpyDataOffset(std::string_view prefix, std::string_view name);
StatusOr<Shape> ParseNpyHeader(std::string_view header, uint64_t data_size, std::string_view name,
                               const NpyOptions& options = {});

// What stands before the elements in a version 1 file, as numpy writes it; of an array.
std::string NpyHeader(const Shape& shape);
// All bytes of such a file. A tuple is an error.
StatusOr<std::string> SerializeNpy(const Literal& literal);
Status WriteNpy(const std::string& path, const Literal& literal);

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_NPY_H_
