#include "tests/differential/graph_parts.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"

namespace swage::differential {

using ir::Dim;
using ir::Dims;
using ir::Instruction;

GraphParts::GraphParts(const std::string& name, uint64_t seed, const GraphOptions& options)
    : random_(seed),
      options_(options),
      module_(std::make_unique<ir::Module>(absl::StrCat(name, "_", seed))),
      entry_(module_->AddComputation("main")),
      builder_(entry_) {}

Instruction* GraphParts::AnyOfNewest(int count) {
  return values_[values_.size() - 1 - Below(std::min(count, static_cast<int>(values_.size())))];
}

Instruction* GraphParts::AnotherLike(const Instruction* x) {
  std::vector<Instruction*> same;
  for (Instruction* value : values_) {
    if (value != x && value->shape() == x->shape()) same.push_back(value);
  }
  if (same.empty() || Below(4) == 0) return nullptr;
  return same[Below(static_cast<int>(same.size()))];
}

std::vector<int64_t> GraphParts::SomeDimensions(const Instruction* x) {
  std::vector<int64_t> dimensions;
  for (int i = 0; i < x->shape().rank(); ++i) {
    if (Below(2) == 0) dimensions.push_back(i);
  }
  return dimensions;
}

StatusOr<Instruction*> GraphParts::AnyBroadcast(Instruction* x, absl::FunctionRef<Dim()> before,
                                                absl::FunctionRef<Dim()> after) {
  Dims dims;
  std::vector<int64_t> dimensions;
  if (Below(2) == 0) dims.push_back(before());
  for (const Dim dim : x->shape().dims()) {
    dimensions.push_back(static_cast<int64_t>(dims.size()));
    dims.push_back(dim);
    if (Below(3) == 0) dims.push_back(after());
  }
  return builder_.Broadcast(x, dims, dimensions);
}

StatusOr<Instruction*> GraphParts::AnyTranspose(Instruction* x) {
  std::vector<int64_t> permutation(x->shape().rank());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::shuffle(permutation.begin(), permutation.end(), random_);
  return builder_.Transpose(x, permutation);
}

std::unique_ptr<ir::Module> GraphParts::Finish(int newest, const std::vector<Instruction*>& more) {
  const size_t count = std::min(static_cast<size_t>(newest), values_.size());
  std::vector<Instruction*> results(values_.rbegin(), values_.rbegin() + count);
  results.insert(results.end(), more.begin(), more.end());
  entry_->set_root(*builder_.Tuple(results));
  module_->set_entry(entry_);
  return std::move(module_);
}

}  // namespace swage::differential
