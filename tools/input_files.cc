#include "tools/input_files.h"

#include <utility>

namespace swage::tools {

bool IsNpz(std::string_view path) { return path.ends_with(".npz"); }

StatusOr<InputFiles> InputFiles::Open(const std::vector<std::string>& paths) {
  InputFiles inputs;
  inputs.files_ = paths.size();
  for (const std::string& path : paths) {
    if (!IsNpz(path)) {
      inputs.arrays_.push_back({.path = path});
      continue;
    }
    SWAGE_ASSIGN_OR_RETURN(ir::NpzReader file, ir::NpzReader::Open(path));
    for (size_t i = 0; i < file.members().size(); ++i) {
      inputs.arrays_.push_back({.path = "", .file = inputs.npz_.size(), .member = i});
    }
    inputs.npz_.push_back(std::move(file));
  }
  return inputs;
}

std::string InputFiles::Count() const {
  const std::string files = absl::StrCat(files_, " input files");
  return npz_.empty() ? files : absl::StrCat(arrays_.size(), " arrays in ", files);
}

StatusOr<ir::Literal> InputFiles::Read(size_t i, const ir::NpyOptions& options) {
  const Array& array = arrays_[i];
  return array.path.empty() ? npz_[array.file].Read(array.member, options)
                            : ir::ReadNpy(array.path, options);
}

StatusOr<std::vector<ir::Literal>> ReadInputFiles(const std::vector<std::string>& paths,
                                                  const ir::Module& module) {
  int64_t wanted = 0;
  for (const ir::Instruction* parameter : module.entry()->parameters()) {
    wanted += ir::LeafCount(parameter->shape());
  }
  SWAGE_ASSIGN_OR_RETURN(InputFiles files, InputFiles::Open(paths));
  if (static_cast<int64_t>(files.size()) != wanted) {
    return InvalidArgument("[inputs] got ", files.Count(), ", module ", module.name(), " takes ",
                           wanted);
  }
  size_t next = 0;
  std::vector<ir::Literal> inputs;
  for (const ir::Instruction* parameter : module.entry()->parameters()) {
    std::vector<ir::Literal> leaves;
    Status status;
    ir::ForEachLeaf(parameter->shape(), [&](const ir::ShapeIndex&, const ir::Shape& leaf) {
      if (!status.ok()) return;
      ir::NpyOptions npy;
      npy.dtype = leaf.dtype();  // a file does not say bf16 or f8
      if (leaf.is_static()) npy.shape = leaf;
      StatusOr<ir::Literal> literal = files.Read(next++, npy);
      status = literal.status();
      if (literal.ok()) leaves.push_back(*std::move(literal));
    });
    SWAGE_RETURN_IF_ERROR(status);
    SWAGE_ASSIGN_OR_RETURN(inputs.emplace_back(), ir::FromLeaves(parameter->shape(), leaves));
  }
  return inputs;
}

}  // namespace swage::tools
