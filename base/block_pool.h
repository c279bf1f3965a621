// File: base/block_pool.h
//
// Memory for results and intermediate values: blocks that are freed are kept for the next of about
// the same size, so that a warm call neither asks the system for memory nor has fresh pages zeroed
// for it.
//
//   void* block = TakeBlock(bytes);      // 64-byte aligned, not zeroed; null: out of memory
//   GiveBlock(block, bytes);             // the same size; from any thread
//
// - Sizes are rounded up to classes, at most a quarter more.
// - Up to kSmallBlock each thread keeps free blocks of its own, kThreadFreeBytes in all. Larger
//   ones are shared by all threads: in all kSharedFreeBytes, or a quarter of the most that was ever
//   in use where that is more, or the bound of the memory where that is less (memory_bound.h).
//   Those that were freed first go first. What nobody has wanted for kKept goes the
//   next time that a shared block is taken or given, or by TrimBlocks.
// - From kMappedBlock a block has pages of its own, and what is not kept goes back to the system.
//   From 2 MiB they are huge pages where the system has them: less time for faults and lookups.
// - Builds with the address sanitizer keep nothing, so that it sees every use after free.
#ifndef SWAGE_BASE_BLOCK_POOL_H_
#define SWAGE_BASE_BLOCK_POOL_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>

namespace swage {

inline constexpr size_t kBlockAlignment = 64;
inline constexpr size_t kSmallBlock = 32 << 10;
inline constexpr size_t kMappedBlock = 256 << 10;
inline constexpr size_t kThreadFreeBytes = 512 << 10;
inline constexpr size_t kSharedFreeBytes = 256 << 20;
inline constexpr std::chrono::nanoseconds kKept = std::chrono::seconds(10);
inline constexpr size_t kLargestKept = size_t{1} << 40;

void* TakeBlock(size_t bytes);
void GiveBlock(void* block, size_t bytes);

// Gives the shared blocks that have been free for so long, and this thread's, back to the system.
void TrimBlocks(std::chrono::nanoseconds unused_for = {});

struct BlockStats {
  int64_t from_system = 0;  // blocks that the system gave, of this process
  int64_t shared_free_bytes = 0;
  int64_t thread_free_bytes = 0;  // of this thread
};
BlockStats block_stats();

// For std::allocate_shared: the object, with `extra` bytes behind it.
template <typename T>
class BlockAllocator {
 public:
  using value_type = T;
  explicit BlockAllocator(size_t extra = 0) : extra_(extra) {}
  template <typename U>
  BlockAllocator(const BlockAllocator<U>& other) : extra_(other.extra()) {}

  T* allocate(size_t n) {
    void* block = TakeBlock(n * sizeof(T) + extra_);
    if (block == nullptr) throw std::bad_alloc();
    return static_cast<T*>(block);
  }
  void deallocate(T* block, size_t n) { GiveBlock(block, n * sizeof(T) + extra_); }

  size_t extra() const { return extra_; }
  template <typename U>
  bool operator==(const BlockAllocator<U>& other) const {
    return extra_ == other.extra();
  }

 private:
  size_t extra_;
};

}  // namespace swage

#endif  // SWAGE_BASE_BLOCK_POOL_H_
