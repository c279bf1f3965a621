// File: compiler/ir/npz.h
//
// numpy's .npz files: zip archives of .npy files, stored or deflated.
//
//   SWAGE_ASSIGN_OR_RETURN(NpzReader file, NpzReader::Open("weights.npz"));
//   for (size_t i = 0; i < file.members().size(); ++i) {
//     SWAGE_ASSIGN_OR_RETURN(Literal literal, file.Read(i));  // of file.members()[i].name
//   }
//
//   NpzWriter out({.compress = true});
//   SWAGE_RETURN_IF_ERROR(out.Add("w", literal.shape(), literal.bytes()));
//   SWAGE_ASSIGN_OR_RETURN(std::string bytes, std::move(out).Finish());
//
// Files of any kind are safe to read. Nothing is made that the file's size does not warrant: what
// members say of their sizes is held against what deflate can do and against one another before
// memory is taken. Names are keys and never paths. Errors name the file and the member.
#ifndef SWAGE_COMPILER_IR_NPZ_H_
#define SWAGE_COMPILER_IR_NPZ_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "base/function_ref.h"
#include "base/status.h"
#include "compiler/ir/literal.h"
#include "compiler/ir/npy.h"

namespace swage::ir {

// Of all that is read from one file.
inline constexpr int64_t kMaxNpzBytes = kMaxLiteralBytes;

struct NpzMember {
  std::string name;     // without .npy
  bool is_npy = false;  // whether the file has that ending; else `name` is all of it
};

class NpzReader {
 public:
  // `path`: a regular file. `max_bytes` bounds what all reads together may unpack.
  static StatusOr<NpzReader> Open(const std::string& path, int64_t max_bytes = kMaxNpzBytes);
  // Of an archive in memory; `name` stands for it in errors.
  static StatusOr<NpzReader> Over(std::string bytes, std::string_view name,
                                  int64_t max_bytes = kMaxNpzBytes);
  ~NpzReader();
  NpzReader(NpzReader&& other) noexcept;
  NpzReader& operator=(NpzReader&&) = delete;

  // In the order of the file; no name is there twice.
  const std::vector<NpzMember>& members() const;

  // The array of a member. One that is no .npy file, is encrypted or packed by another method than
  // deflate is an error, as is what does not match its checksum.
  StatusOr<Literal> Read(size_t member, const NpyOptions& options = {});
  // The same into memory that `allocate` makes, once, as large as its shape.
  using Allocate = FunctionRef<StatusOr<void*>(const Shape& shape)>;
  Status ReadInto(size_t member, const NpyOptions& options, Allocate allocate);

 private:
  class Archive;
  explicit NpzReader(std::unique_ptr<Archive> archive);
  std::unique_ptr<Archive> archive_;
};

struct NpzWriterOptions {
  bool compress = false;  // deflate
};

// An archive in memory. The same arrays give the same bytes.
class NpzWriter {
 public:
  explicit NpzWriter(const NpzWriterOptions& options = {});
  ~NpzWriter();
  NpzWriter(const NpzWriter&) = delete;
  NpzWriter& operator=(const NpzWriter&) = delete;

  // `name` gets .npy as its ending; a file has 65534 arrays at most. Empty names, control
  // characters, names that would leave the folder that somebody unpacks the file into, and a name
  // that is there already are errors.
  Status Add(std::string_view name, const Shape& shape, absl::Span<const uint8_t> elements);
  StatusOr<std::string> Finish() &&;

 private:
  struct Archive;
  std::unique_ptr<Archive> archive_;
};

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_NPZ_H_
