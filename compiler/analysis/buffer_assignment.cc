#include "compiler/analysis/buffer_assignment.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "compiler/analysis/arena_packer.h"
#include "compiler/analysis/in_place.h"

namespace swage::analysis {

using ir::Instruction;
using ir::Opcode;
using ir::Shape;
using ir::ShapeIndex;

class BufferAssigner {
 public:
  BufferAssigner(const ir::Computation& computation, absl::Span<Instruction* const> order,
                 const BufferOptions& options)
      : computation_(computation),
        order_(order),
        sizes_(options.sizes),
        can_write_over_(options.can_write_over) {
    if (!can_write_over_) can_write_over_ = CanWriteOver;
  }

  StatusOr<BufferAssignment> Assign() {
    result_.name_ = computation_.name();
    SWAGE_ASSIGN_OR_RETURN(result_.ranges_, LiveRanges::Compute(computation_, order_, sizes_));
    result_.slices_.resize(values().size());
    for (size_t i = 0; i < values().size(); ++i) result_.slices_[i].size = values()[i].bytes;
    SWAGE_RETURN_IF_ERROR(AddParameters());
    SWAGE_RETURN_IF_ERROR(AddConstants());
    SWAGE_RETURN_IF_ERROR(AddOutputs());
    MergeInPlace();
    SWAGE_RETURN_IF_ERROR(PackGroups());
    MatchDonations();
    return std::move(result_);
  }

 private:
  // Values that follow one another in the same memory.
  struct Group {
    int64_t begin = 0, end = 0;
    int64_t output = -1;  // row of outputs_
    ValueId first = -1, last = -1;
  };

  const std::vector<Value>& values() const { return result_.ranges_.values(); }

  static Status Count(int64_t bytes, int64_t* total) {
    if (!__builtin_add_overflow(bytes, *total, total)) return OkStatus();
    return ResourceExhausted("[buffer-assignment] parameters or outputs of more than 2^63 bytes");
  }

  Status AddParameters() {
    for (const Instruction* parameter : computation_.parameters()) {
      for (ValueId id : result_.ranges_.ValuesOf(parameter)) {
        Slice& slice = result_.slices_[id];
        slice.kind = Slice::Kind::kParameter;
        slice.index = static_cast<int64_t>(result_.parameters_.size());
        result_.parameters_.push_back({parameter, values()[id].index, slice.size});
        parameter_values_.push_back(id);
        SWAGE_RETURN_IF_ERROR(Count(slice.size, &result_.parameter_bytes_));
      }
    }
    return OkStatus();
  }

  Status AddConstants() {
    for (size_t id = 0; id < values().size(); ++id) {
      const Instruction* constant = values()[id].instruction;
      if (constant->opcode() != Opcode::kConstant) continue;
      if (!constant->shape().is_array()) {
        return Unimplemented("[buffer-assignment] the tuple constant ", constant->name());
      }
      Slice& slice = result_.slices_[id];
      slice.kind = Slice::Kind::kConstant;
      slice.index = static_cast<int64_t>(result_.constants_.size());
      result_.constants_.push_back(constant);
    }
    return OkStatus();
  }

  Status AddOutputs() {
    const Instruction* root = computation_.root();
    const absl::Span<const ValueId> ids = result_.ranges_.ValuesOf(root);
    Status status;
    int64_t row = 0;
    ir::ForEachLeaf(root->shape(), [&](const ShapeIndex& index, const Shape&) {
      const ValueId id = ids[row];
      Slice& slice = result_.slices_[id];
      if (slice.kind != Slice::Kind::kArena && status.ok()) {
        status = Internal("[buffer-assignment] output ", row, " of ", computation_.name(), " is ",
                          slice.ToString(), " (", values()[id].instruction->name(),
                          "); run copy-insertion first");
      }
      slice.kind = Slice::Kind::kOutput;
      slice.index = row++;
      result_.outputs_.push_back({root, index, slice.size});
      if (status.ok()) status = Count(slice.size, &result_.output_bytes_);
    });
    return status;
  }

  // Puts each value into a group of its own or, where its kernel may write over an operand that
  // dies there, into that operand's.
  void MergeInPlace() {
    group_of_.assign(values().size(), -1);
    for (size_t i = 0; i < values().size(); ++i) {
      const ValueId id = static_cast<ValueId>(i);
      const Slice& slice = result_.slices_[id];
      if (slice.kind != Slice::Kind::kArena && slice.kind != Slice::Kind::kOutput) continue;
      const Value& value = values()[id];
      int32_t group = FindGroupToContinue(id);
      if (group < 0) {
        group = static_cast<int32_t>(groups_.size());
        groups_.push_back({.begin = value.begin, .first = id});
      }
      groups_[group].end = value.end;
      groups_[group].last = id;
      if (slice.kind == Slice::Kind::kOutput) groups_[group].output = slice.index;
      group_of_[id] = group;
    }
  }

  int32_t FindGroupToContinue(ValueId id) {
    const Value& value = values()[id];
    if (value.bytes == 0) return -1;
    for (const auto& [old, operand] : ReadsOf(value.instruction)) {
      const int32_t group = group_of_[old];
      if (group < 0 || groups_[group].last != old) continue;
      if (values()[old].bytes == value.bytes && values()[old].end == value.begin &&
          MayWriteOver(id, old)) {
        return group;
      }
    }
    return -1;
  }

  // What an instruction reads, sorted: a value and the operand that holds it.
  const std::vector<std::pair<ValueId, int>>& ReadsOf(const Instruction* instruction) {
    if (reader_ == instruction) return reads_;
    reader_ = instruction;
    reads_.clear();
    for (int i = 0; i < instruction->operand_count(); ++i) {
      for (ValueId id : result_.ranges_.ValuesOf(instruction->operand(i)))
        reads_.push_back({id, i});
    }
    std::sort(reads_.begin(), reads_.end());
    return reads_;
  }

  // Every operand of the kernel of `id` through which it reads `old` agrees.
  bool MayWriteOver(ValueId id, ValueId old) {
    const Instruction& user = *values()[id].instruction;
    const int64_t leaf = id - result_.ranges_.ValuesOf(&user)[0];
    const auto& reads = ReadsOf(&user);
    auto read = std::lower_bound(reads.begin(), reads.end(), std::make_pair(old, 0));
    for (; read != reads.end() && read->first == old; ++read) {
      const bool is_array = user.operand(read->second)->shape().is_array();
      if (!is_array || !can_write_over_(user, read->second, leaf)) return false;
    }
    return true;
  }

  Status PackGroups() {
    std::vector<Lifetime> lifetimes;
    std::vector<int32_t> packed(groups_.size(), -1);
    for (size_t i = 0; i < groups_.size(); ++i) {
      if (groups_[i].output >= 0) continue;
      packed[i] = static_cast<int32_t>(lifetimes.size());
      lifetimes.push_back({values()[groups_[i].first].bytes, groups_[i].begin, groups_[i].end});
    }
    SWAGE_ASSIGN_OR_RETURN(const Packing packing, PackArena(lifetimes, kBufferAlignment));
    SWAGE_ASSIGN_OR_RETURN(result_.peak_bytes_,
                           PeakBytes(lifetimes, kBufferAlignment, &result_.peak_time_));
    result_.arena_bytes_ = packing.bytes;
    for (size_t i = 0; i < values().size(); ++i) {
      const int32_t group = group_of_[i];
      if (group < 0) continue;
      Slice& slice = result_.slices_[i];
      if (groups_[group].output >= 0) {
        slice.kind = Slice::Kind::kOutput;
        slice.index = groups_[group].output;
      } else {
        slice.offset = packing.offsets[packed[group]];
      }
    }
    return OkStatus();
  }

  // A parameter fits an output of the same size that is first written when the parameter is dead,
  // or by the kernel that reads it last and may write over it. Those that die last choose first,
  // and take the earliest that fits.
  void MatchDonations() {
    std::map<int64_t, std::set<std::pair<int64_t, int32_t>>> free;  // bytes -> {begin, group}
    for (size_t i = 0; i < groups_.size(); ++i) {
      if (groups_[i].output < 0) continue;
      free[values()[groups_[i].first].bytes].insert({groups_[i].begin, static_cast<int32_t>(i)});
    }
    result_.donations_.resize(parameter_values_.size());
    std::vector<size_t> rows(parameter_values_.size());
    std::iota(rows.begin(), rows.end(), size_t{0});
    std::stable_sort(rows.begin(), rows.end(), [&](size_t a, size_t b) {
      return values()[parameter_values_[a]].end > values()[parameter_values_[b]].end;
    });
    for (size_t row : rows) {
      const ValueId id = parameter_values_[row];
      const Value& value = values()[id];
      Donation& donation = result_.donations_[row];
      const auto same_size = free.find(value.bytes);
      if (value.bytes == 0 || same_size == free.end() || same_size->second.empty()) {
        donation.reason = "no output of its " + std::to_string(value.bytes) + " bytes is left";
        continue;
      }
      auto it = same_size->second.lower_bound({value.end, -1});
      for (; it != same_size->second.end(); ++it) {
        if (it->first > value.end || MayTakeOver(groups_[it->second].first, id)) break;
      }
      if (it == same_size->second.end()) {
        donation.reason = "it is still read, last by " + order_[value.end]->name() +
                          ", when the outputs of its size are written";
        continue;
      }
      donation.output = groups_[it->second].output;
      same_size->second.erase(it);
    }
  }

  bool MayTakeOver(ValueId id, ValueId parameter) {
    if (values()[id].instruction->opcode() == Opcode::kCopy) return true;  // the copy is skipped
    return MayWriteOver(id, parameter);
  }

  const ir::Computation& computation_;
  const absl::Span<Instruction* const> order_;
  const ir::SymbolBinding* const sizes_;
  std::function<bool(const Instruction&, int, int64_t)> can_write_over_;
  BufferAssignment result_;
  std::vector<ValueId> parameter_values_;
  const Instruction* reader_ = nullptr;  // whose reads these are
  std::vector<std::pair<ValueId, int>> reads_;
  std::vector<Group> groups_;
  std::vector<int32_t> group_of_;  // by value; -1: parameter, constant, or not yet
};

StatusOr<BufferAssignment> AssignBuffers(const ir::Computation& computation,
                                         absl::Span<Instruction* const> order,
                                         const BufferOptions& options) {
  return BufferAssigner(computation, order, options).Assign();
}

StatusOr<BufferAssignment> AssignBuffers(const ir::Computation& computation,
                                         const BufferOptions& options) {
  if (!computation.schedule().empty()) {
    return AssignBuffers(computation, computation.schedule(), options);
  }
  return AssignBuffers(computation, computation.PostOrder(), options);
}

std::string Slice::ToString() const {
  switch (kind) {
    case Kind::kParameter:
      return "parameter " + std::to_string(index);
    case Kind::kOutput:
      return "output " + std::to_string(index);
    case Kind::kConstant:
      return "constant " + std::to_string(index);
    case Kind::kArena:
      break;
  }
  return "arena+" + std::to_string(offset);
}

namespace {

std::string Padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size() + 1), ' ');
  return text;
}

std::string NameOf(const Value& value) {
  std::string name = value.instruction->name();
  if (value.index.empty()) return name;
  name += "{";
  for (size_t i = 0; i < value.index.size(); ++i) {
    name += (i > 0 ? "," : "") + std::to_string(value.index[i]);
  }
  return name + "}";
}

std::string LifeOf(const Value& value, int64_t length) {
  return (value.begin < 0 ? "start" : std::to_string(value.begin)) + ".." +
         (value.end >= length ? "end"
          : value.end < 0     ? "start"
                              : std::to_string(value.end));
}

}  // namespace

std::string BufferAssignment::ToString() const {
  std::string text = "buffer assignment of " + name_ + "\narena " + std::to_string(arena_bytes_) +
                     " bytes, parameters " + std::to_string(parameter_bytes_) + ", outputs " +
                     std::to_string(output_bytes_) + "\n\n";
  text += Padded("value", 40) + Padded("slice", 20) + Padded("bytes", 16) + "life\n";
  const int64_t length = ranges_.length();
  std::vector<ValueId> at_peak;
  for (size_t i = 0; i < slices_.size(); ++i) {
    const Value& value = ranges_.value(static_cast<ValueId>(i));
    text += Padded(NameOf(value), 40) + Padded(slices_[i].ToString(), 20) +
            Padded(std::to_string(value.bytes), 16) + LifeOf(value, length) + "\n";
    if (slices_[i].kind == Slice::Kind::kArena && value.begin <= peak_time_ &&
        peak_time_ <= value.end && value.bytes > 0) {
      at_peak.push_back(static_cast<ValueId>(i));
    }
  }
  text += "\npeak " + std::to_string(peak_bytes_) + " bytes of the arena in use";
  if (peak_time_ >= 0) text += " at position " + std::to_string(peak_time_);
  text += "; alive then:\n";
  std::stable_sort(at_peak.begin(), at_peak.end(), [&](ValueId a, ValueId b) {
    return ranges_.value(a).bytes > ranges_.value(b).bytes;
  });
  for (ValueId id : at_peak) {
    text += "  " + Padded(NameOf(ranges_.value(id)), 38) + Padded(slices_[id].ToString(), 20) +
            std::to_string(ranges_.value(id).bytes) + "\n";
  }
  text += "\ndonations:\n";
  for (size_t i = 0; i < donations_.size(); ++i) {
    text += "  parameter " + std::to_string(i) + ": " +
            (donations_[i].output >= 0 ? "output " + std::to_string(donations_[i].output)
                                       : donations_[i].reason) +
            "\n";
  }
  return text;
}

}  // namespace swage::analysis
