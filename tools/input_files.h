// File: tools/input_files.h
//
// The arrays of files that a command was given, in order. An .npy file is one array, an .npz file
// all of its arrays in the order of the file (np.savez keeps the order of its arguments).
//
//   SWAGE_ASSIGN_OR_RETURN(InputFiles inputs, InputFiles::Open({"x.npy", "weights.npz"}));
//   SWAGE_ASSIGN_OR_RETURN(ir::Literal x, inputs.Read(0, {.dtype = ir::DType::kBF16}));
#ifndef SWAGE_TOOLS_INPUT_FILES_H_
#define SWAGE_TOOLS_INPUT_FILES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/ir/literal.h"
#include "compiler/ir/module.h"
#include "compiler/ir/npz.h"

namespace swage::tools {

// By its ending.
bool IsNpz(std::string_view path);

class InputFiles {
 public:
  // .npy files are not opened before they are read.
  static StatusOr<InputFiles> Open(const std::vector<std::string>& paths);

  size_t size() const { return arrays_.size(); }
  // "2 input files", "5 arrays in 2 input files"; for errors.
  std::string Count() const;
  StatusOr<ir::Literal> Read(size_t i, const ir::NpyOptions& options);

 private:
  struct Array {
    std::string path;  // of an .npy file
    size_t file = 0;   // or which of npz_, and
    size_t member = 0;
  };

  size_t files_ = 0;
  std::vector<ir::NpzReader> npz_;
  std::vector<Array> arrays_;
};

// One literal per parameter of the entry, from an array for each of its leaves. Errors name the
// file, what it has and what was expected.
StatusOr<std::vector<ir::Literal>> ReadInputFiles(const std::vector<std::string>& paths,
                                                  const ir::Module& module);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_INPUT_FILES_H_
