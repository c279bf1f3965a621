#include "compiler/passes/row_tiles.h"

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "compiler/cost/cost_model.h"
#include "compiler/passes/fusion_group.h"

namespace swage::passes {
namespace {

using ir::Instruction;
using ir::Opcode;

// Kernels with more values, or more code, than that are not worth what they take to compile.
constexpr size_t kMaxValues = 128;
constexpr int64_t kMaxIrOps = 1000;
// So few elements are computed by one thread of a CPU anyway.
constexpr int64_t kFewElements = 16384;

// A space of rows: dims of a whole array, and without the last one those of a value per row.
struct Rows {
  const ir::Shape* shape;

  bool IsFull(const ir::Shape& other) const {
    return other.is_array() && ir::SameDims(other, *shape);
  }
  bool IsPerRow(const ir::Shape& other) const {
    if (!other.is_array() || other.rank() + 1 != shape->rank()) return false;
    return std::equal(other.dims().begin(), other.dims().end(), shape->dims().begin());
  }
};

bool Reduces(const Instruction& value, const Rows& rows) {
  return value.opcode() == Opcode::kReduce && value.shape().is_array() &&
         rows.IsFull(value.operand(0)->shape()) &&
         value.dimensions() == ir::DimList{rows.shape->rank() - 1};
}

// A value per row, spread over its row.
bool SpreadsRows(const Instruction& value, const Rows& rows) {
  if (value.opcode() != Opcode::kBroadcast || !rows.IsFull(value.shape()) ||
      !rows.IsPerRow(value.operand(0)->shape())) {
    return false;
  }
  const ir::DimList& dims = value.dimensions();
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] != static_cast<int64_t>(d)) return false;
  }
  return true;
}

// Whether the value can be computed row by row, from rows and values per row.
bool BelongsTo(const Instruction& value, const Rows& rows) {
  if (!value.shape().is_array() || !IsFusible(value) || !value.control_successors().empty()) {
    return false;
  }
  if (value.opcode() == Opcode::kReduce) return Reduces(value, rows);
  if (!rows.IsFull(value.shape()) && !rows.IsPerRow(value.shape())) return false;
  return ir::IsElementwise(value.opcode()) || value.opcode() == Opcode::kCopy ||
         value.opcode() == Opcode::kBroadcast;
}

// Whether a row is read again after it was reduced: what a reduction gives is spread over the row.
bool ReadsRowsAgain(const std::vector<Instruction*>& tile, const Rows& rows) {
  absl::flat_hash_set<const Instruction*> reduced;  // values per row that follow from a reduction
  for (const Instruction* value : tile) {
    const auto is_reduced = [&](const Instruction* operand) { return reduced.contains(operand); };
    const auto& operands = value->operands();
    const bool follows = std::any_of(operands.begin(), operands.end(), is_reduced);
    if (follows && SpreadsRows(*value, rows)) return true;
    if (Reduces(*value, rows) || (follows && rows.IsPerRow(value->shape()))) reduced.insert(value);
  }
  return false;
}

// For which passes over a row the elements of a value are computed: those of reductions, and the
// one for the output.
using PassSet = absl::InlinedVector<const Instruction*, 4>;

class TileFinder {
 public:
  TileFinder(const ir::Computation& computation, const cost::DeviceDescription& device)
      : device_(device), order_(computation.PostOrder()) {
    for (size_t i = 0; i < order_.size(); ++i) position_[order_[i]] = i;
  }

  std::vector<std::vector<Instruction*>> Run();

 private:
  // The values behind `root` that only they and the root read; users before operands, from the
  // root.
  std::vector<Instruction*> Grow(Instruction* root, const Rows& rows) const;
  // Whether the tile, whose passes are these so far, should compute the value.
  bool IsWorth(const Instruction& value, const PassSet& passes) const;
  bool SuitsDevice(const ir::Shape& shape) const;
  // The space of which `root` is a value per row.
  std::optional<Rows> RowsReducedTo(const Instruction& root) const;
  void Try(Instruction* root, const Rows& rows);

  const cost::DeviceDescription& device_;
  const std::vector<Instruction*> order_;
  absl::flat_hash_map<const Instruction*, size_t> position_;
  absl::flat_hash_set<const Instruction*> seen_;  // tried as part of some tile
  std::vector<std::vector<Instruction*>> found_;
};

bool TileFinder::SuitsDevice(const ir::Shape& shape) const {
  const int64_t elements = cost::ElementsClass(shape);
  const int64_t length = cost::ExtentClass(shape.dim(shape.rank() - 1));
  if (length < 1) return false;
  if (elements > kFewElements && elements / length < 4 * int64_t{device_.cores}) return false;
  if (device_.is_gpu()) return length >= 32;
  // The passes over a short row wait for each other, which kernels of one pass do not; they pay
  // with traffic, which is cheap in the nearer caches.
  const int64_t lanes = device_.vector_bytes / 4;
  const bool is_near = cost::BytesClass(shape) <= device_.l2.bytes * device_.cores;
  return length >= (is_near ? 4 * lanes : lanes);
}

bool TileFinder::IsWorth(const Instruction& value, const PassSet& passes) const {
  if (ir::InfoOf(value.opcode()).cost != ir::CostClass::kTranscendental) return true;
  // One reduction and the output share what they compute; more would compute it again.
  if (passes.size() <= 1) return true;
  return passes.size() == 2 &&
         std::any_of(passes.begin(), passes.end(),
                     [](const Instruction* pass) { return pass->opcode() != Opcode::kReduce; });
}

std::vector<Instruction*> TileFinder::Grow(Instruction* root, const Rows& rows) const {
  std::vector<Instruction*> tile;
  absl::flat_hash_map<const Instruction*, PassSet> passes;
  // What is next to be decided: the latest in order first, when all its users have been.
  std::vector<std::pair<size_t, Instruction*>> heap{{position_.at(root), root}};
  absl::flat_hash_set<const Instruction*> queued{root};
  int64_t ir_ops = 0;
  while (!heap.empty() && tile.size() < kMaxValues && ir_ops < kMaxIrOps) {
    std::pop_heap(heap.begin(), heap.end());
    Instruction* value = heap.back().second;
    heap.pop_back();
    PassSet of_value;
    bool only_ours = BelongsTo(*value, rows) && (value == root || !value->IsRoot());
    for (const Instruction* user : value->users()) {
      if (value == root || !only_ours) break;
      const auto at = passes.find(user);
      only_ours = at != passes.end();
      if (!only_ours) break;
      const PassSet own{user};
      for (const Instruction* pass : user->opcode() == Opcode::kReduce ? own : at->second) {
        if (std::find(of_value.begin(), of_value.end(), pass) == of_value.end()) {
          of_value.push_back(pass);
        }
      }
    }
    if (value == root) of_value.push_back(root);
    if (!only_ours || (rows.IsFull(value->shape()) && !IsWorth(*value, of_value))) continue;
    passes[value] = std::move(of_value);
    tile.push_back(value);
    ir_ops += IrOpsOf(*value);
    for (Instruction* operand : value->operands()) {
      if (IsInlineConstant(*operand) || !queued.insert(operand).second) continue;
      heap.emplace_back(position_.at(operand), operand);
      std::push_heap(heap.begin(), heap.end());
    }
  }
  return tile;
}

void TileFinder::Try(Instruction* root, const Rows& rows) {
  if (rows.shape->rank() == 0 || !SuitsDevice(*rows.shape) || !BelongsTo(*root, rows)) return;
  std::vector<Instruction*> tile = Grow(root, rows);
  // Tiles that end inside this one are parts of it.
  seen_.insert(tile.begin(), tile.end());
  std::reverse(tile.begin(), tile.end());
  if (ReadsRowsAgain(tile, rows)) found_.push_back(std::move(tile));
}

std::optional<Rows> TileFinder::RowsReducedTo(const Instruction& root) const {
  constexpr int kSteps = 16;
  const Instruction* value = &root;
  for (int step = 0; step < kSteps; ++step) {
    if (value->opcode() == Opcode::kReduce && value->shape().is_array()) {
      const Rows rows{&value->operand(0)->shape()};
      if (Reduces(*value, rows) && rows.IsPerRow(root.shape())) return rows;
      return std::nullopt;
    }
    if (!ir::IsElementwise(value->opcode())) return std::nullopt;
    const Instruction* next = nullptr;
    for (const Instruction* operand : value->operands()) {
      const bool computed = operand->opcode() == Opcode::kReduce ||
                            (ir::IsElementwise(operand->opcode()) && operand->operand_count() > 0);
      if (computed) next = operand;
    }
    if (next == nullptr) return std::nullopt;
    value = next;
  }
  return std::nullopt;
}

std::vector<std::vector<Instruction*>> TileFinder::Run() {
  for (size_t i = order_.size(); i-- > 0;) {
    Instruction* root = order_[i];
    if (seen_.contains(root) || !root->shape().is_array()) continue;
    const size_t before = found_.size();
    if (root->opcode() != Opcode::kReduce && root->opcode() != Opcode::kBroadcast) {
      Try(root, {&root->shape()});
    }
    if (found_.size() > before) continue;
    if (const std::optional<Rows> rows = RowsReducedTo(*root)) Try(root, *rows);
  }
  return std::move(found_);
}

}  // namespace

std::vector<std::vector<Instruction*>> FindRowTiles(const ir::Computation& computation,
                                                    const cost::DeviceDescription& device) {
  // Most computations reduce nothing.
  const auto instructions = computation.Instructions();
  const bool reduces =
      std::any_of(instructions.begin(), instructions.end(),
                  [](const Instruction* value) { return value->opcode() == Opcode::kReduce; });
  if (!reduces) return {};
  return TileFinder(computation, device).Run();
}

}  // namespace swage::passes
