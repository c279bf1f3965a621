// File: runtime/npz.h
//
// numpy's .npz files: several named arrays in one file, as np.savez and np.savez_compressed write
// them.
//
//   std::map<std::string, sw::Tensor> w = sw::load_npz("weights.npz", {.dtypes = {{"head",
//   sw::bf16}}}); sw::save_npz("results.npz", {{"logits", f(w.at("embed"), w.at("head"))}});
//
// A file is safe to read whoever made it; what is damaged, encrypted, or claims to unpack to more
// than its size warrants, is an error that names the member. Errors of files are those of load_npy.
// Any thread may call.
#ifndef SWAGE_RUNTIME_NPZ_H_
#define SWAGE_RUNTIME_NPZ_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/dtype.h"
#include "runtime/export.h"
#include "runtime/tensor.h"

namespace swage {

struct LoadNpzOptions {
  // Only these; a name that is not there is an error with the nearest. Empty: all, and a member
  // that is no array (its name does not end with .npy) is an error.
  std::vector<std::string> names = {};
  // Of members whose elements numpy has no type for: bf16 and f8 are stored as their bits. A name
  // that is not read is an error.
  std::map<std::string, DType> dtypes = {};
  // All that is read may unpack to as many bytes; more is an error.
  int64_t max_bytes = int64_t{16} << 30;
};

// The arrays of the file by name, on the CPU. A name that is there twice is an error.
SWAGE_API std::map<std::string, Tensor> load_npz(const std::string& path,
                                                 const LoadNpzOptions& options = {});

struct SaveNpzOptions {
  bool compress = false;  // deflate, as np.savez_compressed
};

// Concrete tensors of any device and dtype; bf16 and f8 as their bits. Names are UTF-8 and may have
// slashes; empty names, control characters, a leading slash and `..` are errors. The file is made
// in memory, and appears whole or not at all; the same tensors give the same bytes.
SWAGE_API void save_npz(const std::string& path, const std::map<std::string, Tensor>& tensors,
                        const SaveNpzOptions& options = {});

}  // namespace swage

#endif  // SWAGE_RUNTIME_NPZ_H_
