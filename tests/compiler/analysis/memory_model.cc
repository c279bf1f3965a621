#include "tests/compiler/analysis/memory_model.h"

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <utility>

#include "compiler/analysis/live_ranges.h"

namespace swage::analysis {
namespace {

class Memory {
 public:
  Memory(const BufferAssignment& buffers, bool donate) : buffers_(buffers) {
    for (size_t i = 0; donate && i < buffers.donations().size(); ++i) {
      const int64_t output = buffers.donations()[i].output;
      if (output < 0) continue;
      EXPECT_EQ(buffers.outputs()[output].bytes, buffers.parameters()[i].bytes);
      const bool is_first = parameter_of_.emplace(output, static_cast<int64_t>(i)).second;
      EXPECT_TRUE(is_first) << "output " << output << " is donated to twice";
    }
  }

  void ExpectHolds(const Value& value, ValueId id, const ir::Instruction* reader) {
    const Slice& slice = SliceOf(value);
    if (slice.size == 0) return;
    const auto& held = At(slice);
    const auto it = held.find(slice.offset);
    ASSERT_TRUE(it != held.end()) << value.instruction->name() << " for " << reader->name();
    EXPECT_EQ(it->second.value, id) << value.instruction->name() << " for " << reader->name();
  }

  void Write(const Value& value, ValueId id) {
    const Slice& slice = SliceOf(value);
    if (slice.size == 0) return;
    if (slice.kind == Slice::Kind::kArena) {
      EXPECT_LE(slice.offset + slice.size, buffers_.arena_bytes());
      EXPECT_EQ(slice.offset % kBufferAlignment, 0);
    }
    auto& held = At(slice);
    for (auto it = held.begin(); it != held.end();) {
      const bool overlaps = it->first < slice.offset + slice.size && slice.offset < it->second.end;
      it = overlaps ? held.erase(it) : std::next(it);
    }
    held[slice.offset] = {slice.offset + slice.size, id};
  }

 private:
  struct Held {
    int64_t end;
    ValueId value;
  };

  const Slice& SliceOf(const Value& value) const {
    return buffers_.SliceOf(value.instruction, value.index);
  }
  std::map<int64_t, Held>& At(const Slice& slice) {
    const auto given = parameter_of_.find(slice.index);
    if (slice.kind == Slice::Kind::kOutput && given != parameter_of_.end()) {
      return memory_[{Slice::Kind::kParameter, given->second}];
    }
    return memory_[{slice.kind, slice.index}];
  }

  const BufferAssignment& buffers_;
  std::map<int64_t, int64_t> parameter_of_;  // outputs that are written over a parameter
  std::map<std::pair<Slice::Kind, int64_t>, std::map<int64_t, Held>> memory_;
};

}  // namespace

void ExpectValuesInPlace(const ir::Computation& computation,
                         absl::Span<ir::Instruction* const> order, const BufferAssignment& buffers,
                         bool donate) {
  const LiveRanges ranges = LiveRanges::Compute(computation, order).value();
  Memory memory(buffers, donate);
  for (size_t i = 0; i < ranges.values().size(); ++i) {
    const Value& value = ranges.values()[i];
    if (value.begin < 0) memory.Write(value, static_cast<ValueId>(i));
  }
  for (const ir::Instruction* step : order) {
    if (IsAlias(*step)) continue;
    for (const ir::Instruction* operand : step->operands()) {
      for (ValueId id : ranges.ValuesOf(operand)) memory.ExpectHolds(ranges.value(id), id, step);
    }
    for (ValueId id : ranges.ValuesOf(step)) {
      if (ranges.value(id).begin >= 0) memory.Write(ranges.value(id), id);
    }
  }
  for (ValueId id : ranges.ValuesOf(computation.root())) {
    memory.ExpectHolds(ranges.value(id), id, computation.root());
  }
}

}  // namespace swage::analysis
