#include "tests/emulated_cuda/shared_memory.h"

#include <cstring>

#include "tests/emulated_cuda/kernel.h"

namespace swage::emulated_cuda {

SharedMemory::SharedMemory(uint64_t bytes) : bytes_(bytes), states_(bytes) {}

void SharedMemory::StartBlock(int warps) {
  warp_epochs_.resize(static_cast<size_t>(warps));
  block_epoch_ = ++epoch_;
  if (!bytes_.empty()) std::memset(bytes_.data(), 0xCD, bytes_.size());
}

bool SharedMemory::Before(uint32_t epoch, uint32_t warp_epoch, int then, int now) const {
  if (epoch < epoch_ || then == now) return true;
  const int warp = now / kWarpSize;
  return then / kWarpSize == warp && warp_epoch < warp_epochs_[static_cast<size_t>(warp)];
}

bool SharedMemory::ReadsBefore(const State& state, int thread) const {
  if (state.read_epoch < epoch_) return true;
  if (state.many_read) return false;
  const int warp = thread / kWarpSize;
  if (state.warp_read) {
    return state.reader / kWarpSize == warp &&
           state.read_warp_epoch < warp_epochs_[static_cast<size_t>(warp)];
  }
  return Before(state.read_epoch, state.read_warp_epoch, state.reader, thread);
}

void SharedMemory::NoteRead(State* state, int thread) {
  if (ReadsBefore(*state, thread)) {
    state->reader = static_cast<uint16_t>(thread);
    state->warp_read = state->many_read = false;
  } else if (state->reader / kWarpSize == thread / kWarpSize) {
    state->warp_read = true;
  } else {
    state->many_read = true;
  }
  state->read_epoch = epoch_;
  state->read_warp_epoch = warp_epochs_[static_cast<size_t>(thread / kWarpSize)];
}

uint8_t* SharedMemory::Check(uint64_t offset, int bytes, Access access, int thread,
                             std::string* fault) {
  const uint64_t size = static_cast<uint64_t>(bytes);
  if (!Contains(offset, size)) {
    *fault = "out-of-bounds access to shared memory: bytes " +
             std::to_string(static_cast<int64_t>(offset)) + " to " +
             std::to_string(static_cast<int64_t>(offset + size)) + " of " +
             std::to_string(bytes_.size());
    return nullptr;
  }
  const uint32_t warp_epoch = warp_epochs_[static_cast<size_t>(thread / kWarpSize)];
  for (uint64_t i = offset; i < offset + size; ++i) {
    State& state = states_[i];
    const bool written = state.write_epoch >= block_epoch_;
    const auto where = [&] { return "byte " + std::to_string(i); };
    if (access != kWrite && !written) {
      *fault = "read of uninitialised shared memory: nobody wrote " + where();
      return nullptr;
    }
    const bool both_atomic = access == kAtomic && state.atomic;
    if (written && !both_atomic &&
        !Before(state.write_epoch, state.write_warp_epoch, state.writer, thread)) {
      *fault = "data race on shared memory: thread " + std::to_string(state.writer) + " wrote " +
               where() + " with no barrier before thread " + std::to_string(thread) +
               (access == kRead ? " reads it" : " writes it");
      return nullptr;
    }
    if (access != kRead && !ReadsBefore(state, thread)) {
      *fault = "data race on shared memory: thread " + std::to_string(state.reader) + " read " +
               where() + " with no barrier before thread " + std::to_string(thread) + " writes it";
      return nullptr;
    }
    if (access == kRead) {
      NoteRead(&state, thread);
      continue;
    }
    state.write_epoch = epoch_;
    state.write_warp_epoch = warp_epoch;
    state.writer = static_cast<uint16_t>(thread);
    state.atomic = access == kAtomic;
  }
  return bytes_.data() + offset;
}

}  // namespace swage::emulated_cuda
