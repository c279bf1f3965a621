#include "compiler/passes/dot_decomposer.h"

#include <algorithm>
#include <vector>

#include "compiler/passes/match.h"
#include "compiler/passes/rewrite_each.h"

namespace swage::passes {
namespace {

using ir::Dim;
using ir::DimList;
using ir::DotAttrs;
using ir::Instruction;
using ir::Opcode;

// One index of the contraction: where it is in each array (-1: nowhere) and how far it runs.
struct Label {
  int64_t lhs = -1;
  int64_t rhs = -1;
  Dim extent;
};

struct Roles {
  std::vector<Label> batch, contracting, rows, columns;
};

Roles RolesOf(const Instruction& dot) {
  const DotAttrs& attrs = dot.attrs<DotAttrs>();
  const ir::Shape& lhs = dot.operand(0)->shape();
  const ir::Shape& rhs = dot.operand(1)->shape();
  Roles roles;
  for (size_t i = 0; i < attrs.lhs_batch.size(); ++i) {
    roles.batch.push_back(
        {attrs.lhs_batch[i], attrs.rhs_batch[i], lhs.dim(static_cast<int>(attrs.lhs_batch[i]))});
  }
  for (size_t i = 0; i < attrs.lhs_contracting.size(); ++i) {
    roles.contracting.push_back({attrs.lhs_contracting[i], attrs.rhs_contracting[i],
                                 lhs.dim(static_cast<int>(attrs.lhs_contracting[i]))});
  }
  for (int d = 0; d < lhs.rank(); ++d) {
    if (Has(attrs.lhs_batch, d) || Has(attrs.lhs_contracting, d)) continue;
    roles.rows.push_back({d, -1, lhs.dim(d)});
  }
  for (int d = 0; d < rhs.rank(); ++d) {
    if (Has(attrs.rhs_batch, d) || Has(attrs.rhs_contracting, d)) continue;
    roles.columns.push_back({-1, d, rhs.dim(d)});
  }
  // The order in which products are summed is free, so contracted dimensions may be taken in any.
  std::sort(roles.contracting.begin(), roles.contracting.end(),
            [](const Label& a, const Label& b) { return a.lhs < b.lhs; });
  return roles;
}

// Without labels of extent 1; of contracted ones the last stays.
void DropUnits(std::vector<Label>* labels, bool keep_one) {
  std::vector<Label> kept;
  for (const Label& label : *labels) {
    if (label.extent != Dim(1)) kept.push_back(label);
  }
  if (kept.empty() && keep_one && !labels->empty()) kept.push_back(labels->front());
  *labels = std::move(kept);
}

// Position of each remaining dimension of an operand; -1 for those that were dropped.
std::vector<int64_t> Positions(const Roles& roles, int64_t Label::*side, int rank) {
  std::vector<bool> kept(rank, false);
  for (const auto* role : {&roles.batch, &roles.contracting, &roles.rows, &roles.columns}) {
    for (const Label& label : *role) {
      if (label.*side >= 0) kept[label.*side] = true;
    }
  }
  std::vector<int64_t> positions(rank, -1);
  int64_t next = 0;
  for (int d = 0; d < rank; ++d) {
    if (kept[d]) positions[d] = next++;
  }
  return positions;
}

// Rewrites the places of all labels to what is left of each operand.
void Renumber(Roles* roles, int lhs_rank, int rhs_rank) {
  const std::vector<int64_t> lhs = Positions(*roles, &Label::lhs, lhs_rank);
  const std::vector<int64_t> rhs = Positions(*roles, &Label::rhs, rhs_rank);
  for (auto* role : {&roles->batch, &roles->contracting, &roles->rows, &roles->columns}) {
    for (Label& label : *role) {
      if (label.lhs >= 0) label.lhs = lhs[label.lhs];
      if (label.rhs >= 0) label.rhs = rhs[label.rhs];
    }
  }
}

// Merges neighbours; a merged label stands where its first dimension stood.
void Merge(std::vector<Label>* labels) {
  std::vector<Label> merged;
  int64_t run = 0;  // dimensions in the last merged label
  for (const Label& label : *labels) {
    const bool follows = !merged.empty() &&
                         (label.lhs < 0 || label.lhs == merged.back().lhs + run) &&
                         (label.rhs < 0 || label.rhs == merged.back().rhs + run);
    if (follows) {
      merged.back().extent *= label.extent;
      ++run;
    } else {
      merged.push_back(label);
      run = 1;
    }
  }
  *labels = std::move(merged);
}

ir::Dims DimsOfSide(const Roles& roles, int64_t Label::*side) {
  std::vector<std::pair<int64_t, Dim>> places;
  for (const auto* role : {&roles.batch, &roles.contracting, &roles.rows, &roles.columns}) {
    for (const Label& label : *role) {
      if (label.*side >= 0) places.push_back({label.*side, label.extent});
    }
  }
  std::sort(places.begin(), places.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  ir::Dims dims;
  for (const auto& place : places) dims.push_back(place.second);
  return dims;
}

DimList PlacesOf(const std::vector<Label>& labels, int64_t Label::*side) {
  DimList places;
  for (const Label& label : labels) places.push_back(label.*side);
  return places;
}

Instruction* Canonical(Instruction& dot, Editor& editor) {
  if (!IsOp(&dot, Opcode::kDot)) return nullptr;
  Instruction* lhs = dot.operand(0);
  Instruction* rhs = dot.operand(1);
  Roles roles = RolesOf(dot);
  DropUnits(&roles.batch, false);
  DropUnits(&roles.rows, false);
  DropUnits(&roles.columns, false);
  DropUnits(&roles.contracting, true);
  Renumber(&roles, lhs->shape().rank(), rhs->shape().rank());
  for (auto* role : {&roles.batch, &roles.contracting, &roles.rows, &roles.columns}) Merge(role);
  Renumber(&roles, lhs->shape().rank(), rhs->shape().rank());
  const ir::Dims lhs_dims = DimsOfSide(roles, &Label::lhs);
  const ir::Dims rhs_dims = DimsOfSide(roles, &Label::rhs);
  if (static_cast<int>(lhs_dims.size()) == lhs->shape().rank() &&
      static_cast<int>(rhs_dims.size()) == rhs->shape().rank()) {
    return nullptr;
  }
  ir::Dims dims;
  for (const auto* role : {&roles.batch, &roles.rows, &roles.columns}) {
    for (const Label& label : *role) dims.push_back(label.extent);
  }
  Instruction* plain =
      editor.Add(Opcode::kDot, ir::Shape::Array(dot.shape().dtype(), dims),
                 {editor.Reshape(lhs, lhs_dims), editor.Reshape(rhs, rhs_dims)},
                 DotAttrs{.lhs_batch = PlacesOf(roles.batch, &Label::lhs),
                          .rhs_batch = PlacesOf(roles.batch, &Label::rhs),
                          .lhs_contracting = PlacesOf(roles.contracting, &Label::lhs),
                          .rhs_contracting = PlacesOf(roles.contracting, &Label::rhs)});
  if (!dot.raw_attributes().empty()) *plain->mutable_raw_attributes() = dot.raw_attributes();
  return editor.Reshape(plain, dot.shape().dims());
}

}  // namespace

StatusOr<bool> DotDecomposer::Run(ir::Module& module, PassContext& context) {
  if (module.has_layouts()) return false;
  return RewriteEach(module, Canonical, {Opcode::kDot});
}

}  // namespace swage::passes
