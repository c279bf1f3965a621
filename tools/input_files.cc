#include "tools/input_files.h"

#include <utility>

#include "compiler/ir/npy.h"

namespace swage::tools {

StatusOr<std::vector<ir::Literal>> ReadInputFiles(const std::vector<std::string>& files,
                                                  const ir::Module& module) {
  int64_t wanted = 0;
  for (const ir::Instruction* parameter : module.entry()->parameters()) {
    wanted += ir::LeafCount(parameter->shape());
  }
  if (static_cast<int64_t>(files.size()) != wanted) {
    return InvalidArgument("[inputs] got ", files.size(), " input files, module ", module.name(),
                           " takes ", wanted);
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
      StatusOr<ir::Literal> literal = ir::ReadNpy(files[next++], npy);
      status = literal.status();
      if (literal.ok()) leaves.push_back(*std::move(literal));
    });
    SWAGE_RETURN_IF_ERROR(status);
    SWAGE_ASSIGN_OR_RETURN(inputs.emplace_back(), ir::FromLeaves(parameter->shape(), leaves));
  }
  return inputs;
}

}  // namespace swage::tools
