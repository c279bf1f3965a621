// File: tests/emulated_cuda/shared_memory.h
//
// The shared memory of one block, with what is needed to find three faults: an access outside of
// it, a read of bytes that nobody wrote, and a race. Two accesses of different threads to one byte
// race if one of them writes, not both are atomic, and no barrier of the block (nor, within a warp,
// bar.warp.sync) lies between them. The verdict does not depend on the order in which threads run.
#ifndef SWAGE_TESTS_EMULATED_CUDA_SHARED_MEMORY_H_
#define SWAGE_TESTS_EMULATED_CUDA_SHARED_MEMORY_H_

#include <cstdint>
#include <string>
#include <vector>

namespace swage::emulated_cuda {

class SharedMemory {
 public:
  enum Access { kRead, kWrite, kAtomic };

  explicit SharedMemory(uint64_t bytes);

  // A new block begins: nothing is written yet.
  void StartBlock(int warps);
  // All threads of the block met, or all threads of a warp.
  void BlockSync() { ++epoch_; }
  void WarpSync(int warp) { ++warp_epochs_[static_cast<size_t>(warp)]; }

  // The host address of `bytes` at `offset`, or null with the fault in *fault.
  uint8_t* Check(uint64_t offset, int bytes, Access access, int thread, std::string* fault);

  uint64_t size() const { return bytes_.size(); }
  bool Contains(uint64_t offset, uint64_t bytes) const {
    return offset <= size() && bytes <= size() - offset;
  }

 private:
  struct State {
    uint32_t write_epoch = 0, write_warp_epoch = 0;
    uint32_t read_epoch = 0, read_warp_epoch = 0;
    uint16_t writer = 0, reader = 0;
    bool atomic = false;     // the write was
    bool warp_read = false;  // other threads of the reader's warp read too
    bool many_read = false;  // threads of several warps read
  };

  bool Before(uint32_t epoch, uint32_t warp_epoch, int then, int now) const;
  bool ReadsBefore(const State& state, int thread) const;
  void NoteRead(State* state, int thread);

  std::vector<uint8_t> bytes_;
  std::vector<State> states_;
  std::vector<uint32_t> warp_epochs_;
  uint32_t epoch_ = 0;
  uint32_t block_epoch_ = 0;  // the first of this block
};

}  // namespace swage::emulated_cuda

#endif  // SWAGE_TESTS_EMULATED_CUDA_SHARED_MEMORY_H_
