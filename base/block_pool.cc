#include "base/block_pool.h"

#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

#include "base/memory_bound.h"

namespace swage {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr bool kKeep = false;
#else
constexpr bool kKeep = true;
#endif

// Class c holds blocks of ClassBytes(c): multiples of 64 up to 256, then four sizes per doubling.
constexpr size_t kClasses = 4 * 40;
constexpr size_t kUnit = kBlockAlignment;

constexpr size_t ClassOf(size_t bytes) {
  const size_t units = std::max<size_t>((bytes + kUnit - 1) / kUnit, 1);
  if (units <= 4) return units - 1;
  // units is in (2^k, 2^(k+1)], in quarters of 2^k above 2^k.
  const int k = std::bit_width(units - 1) - 1;
  const size_t quarter = (units - 1 - (size_t{1} << k)) >> (k - 2);
  return 4 * static_cast<size_t>(k - 1) + quarter;
}

constexpr size_t ClassBytes(size_t c) {
  if (c < 4) return (c + 1) * kUnit;
  const size_t k = c / 4 + 1;
  return ((size_t{1} << k) + ((c % 4 + 1) << (k - 2))) * kUnit;
}

static_assert(ClassOf(kLargestKept) < kClasses &&
              ClassBytes(ClassOf(kLargestKept)) == kLargestKept);

constexpr size_t kPage = 4096;
constexpr size_t kHugePage = 2 << 20;

std::atomic<int64_t> from_system{0};

// To some milliseconds.
int64_t CoarseNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Large blocks leave no holes in the heap when they go.
bool IsMapped(size_t bytes) { return kKeep && bytes >= kMappedBlock; }

void* MapPages(size_t bytes) {
  void* const pages =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? nullptr : pages;
}

// From an address that is a multiple of a huge page. A system without them gives ordinary ones.
void* MapHugePages(size_t bytes) {
  auto* const pages = static_cast<char*>(MapPages(bytes + kHugePage));
  if (pages == nullptr) return nullptr;
  const size_t before = -reinterpret_cast<uintptr_t>(pages) % kHugePage;
  const size_t whole = (bytes + kPage - 1) / kPage * kPage;
  if (before > 0) munmap(pages, before);
  char* const block = pages + before;
  munmap(block + whole, bytes + kHugePage - before - whole);
  madvise(block, whole, MADV_HUGEPAGE);
  return block;
}

void* FromSystem(size_t bytes) {
  from_system.fetch_add(1, std::memory_order_relaxed);
  if (!IsMapped(bytes)) {
    const size_t rounded = (bytes + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
    return std::aligned_alloc(kBlockAlignment, rounded);
  }
  return bytes < kHugePage ? MapPages(bytes) : MapHugePages(bytes);
}

void ToSystem(void* block, size_t bytes) {
  if (IsMapped(bytes)) {
    munmap(block, bytes);
  } else {
    std::free(block);
  }
}

// Written into a free block.
struct FreeBlock {
  FreeBlock* next = nullptr;  // of the same class, freed earlier
  FreeBlock* previous = nullptr;
  FreeBlock* older = nullptr;  // of any class; shared blocks only
  FreeBlock* newer = nullptr;
  size_t class_index = 0;
  int64_t freed_at = 0;  // CoarseNanoseconds; shared blocks only
};
static_assert(sizeof(FreeBlock) <= kUnit);

class ThreadPool {
 public:
  ~ThreadPool() { Trim(); }

  void* Take(size_t c) {
    FreeBlock* const block = first_[c];
    if (block == nullptr) return nullptr;
    first_[c] = block->next;
    free_bytes_ -= ClassBytes(c);
    return block;
  }
  bool Give(void* memory, size_t c) {
    if (free_bytes_ + ClassBytes(c) > kThreadFreeBytes) return false;
    first_[c] = new (memory) FreeBlock{.next = first_[c]};
    free_bytes_ += ClassBytes(c);
    return true;
  }
  void Trim() {
    for (size_t c = 0; c < kSmallClasses; ++c) {
      while (void* block = Take(c)) std::free(block);
    }
  }
  size_t free_bytes() const { return free_bytes_; }

  static constexpr size_t kSmallClasses = ClassOf(kSmallBlock) + 1;

 private:
  std::array<FreeBlock*, kSmallClasses> first_{};
  size_t free_bytes_ = 0;
};

// Read on every allocation, so without the detour that variables with destructors take.
__attribute__((tls_model("initial-exec"))) thread_local ThreadPool* this_thread_pool = nullptr;
__attribute__((tls_model("initial-exec"))) thread_local bool thread_ends = false;

struct PoolOwner {
  std::unique_ptr<ThreadPool> pool = std::make_unique<ThreadPool>();
  ~PoolOwner() {
    thread_ends = true;
    this_thread_pool = nullptr;
  }
};

ThreadPool* PoolOfThread() {
  if (this_thread_pool != nullptr) return this_thread_pool;
  if (thread_ends) return nullptr;
  thread_local PoolOwner owner;
  return this_thread_pool = owner.pool.get();
}

class SharedPool {
 public:
  // Null: none of the class is free; it counts as taken all the same.
  void* Take(size_t c) {
    FreeBlock* surplus = nullptr;  // freed without the lock
    FreeBlock* block = nullptr;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      block = first_[c];
      if (block != nullptr) Unlink(block);
      taken_bytes_ += ClassBytes(c);
      most_taken_bytes_ = std::max(most_taken_bytes_, taken_bytes_);
      surplus = Shrink(Limit(), CoarseNanoseconds() - kKept.count());
    }
    Free(surplus);
    return block;
  }

  void Give(void* memory, size_t c) {
    FreeBlock* surplus = nullptr;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      taken_bytes_ -= ClassBytes(c);
      // Kept, it would push out all others and then itself.
      if (ClassBytes(c) > Limit()) return ToSystem(memory, ClassBytes(c));
      const int64_t now = CoarseNanoseconds();
      auto* block = new (memory)
          FreeBlock{.next = first_[c], .older = newest_, .class_index = c, .freed_at = now};
      if (block->next != nullptr) block->next->previous = block;
      first_[c] = block;
      (newest_ != nullptr ? newest_->newer : oldest_) = block;
      newest_ = block;
      free_bytes_ += ClassBytes(c);
      surplus = Shrink(Limit(), now - kKept.count());
    }
    Free(surplus);
  }
  // A block that Take counted and nobody got.
  void Untake(size_t c) {
    const std::lock_guard<std::mutex> lock(mutex_);
    taken_bytes_ -= ClassBytes(c);
  }

  // What was freed at least so long ago.
  void Trim(int64_t nanoseconds) {
    FreeBlock* old = nullptr;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      old = Shrink(std::numeric_limits<size_t>::max(), CoarseNanoseconds() - nanoseconds + 1);
    }
    Free(old);
  }

  int64_t free_bytes() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return static_cast<int64_t>(free_bytes_);
  }

 private:
  size_t Limit() const {
    return std::min<size_t>(std::max(kSharedFreeBytes, most_taken_bytes_ / 4),
                            MemoryBound::Get().limit());
  }

  static void Free(FreeBlock* chain) {
    while (chain != nullptr) {
      FreeBlock* const block = std::exchange(chain, chain->next);
      ToSystem(block, ClassBytes(block->class_index));
    }
  }

  void Unlink(FreeBlock* block) {
    if (block->next != nullptr) block->next->previous = block->previous;
    (block->previous != nullptr ? block->previous->next : first_[block->class_index]) = block->next;
    (block->older != nullptr ? block->older->newer : oldest_) = block->newer;
    (block->newer != nullptr ? block->newer->older : newest_) = block->older;
    free_bytes_ -= ClassBytes(block->class_index);
  }

  // Takes the oldest out until `limit` is met and none was freed before `since`; returns them
  // chained by `next`.
  FreeBlock* Shrink(size_t limit, int64_t since) {
    FreeBlock* chain = nullptr;
    while (oldest_ != nullptr && (free_bytes_ > limit || oldest_->freed_at < since)) {
      FreeBlock* const block = oldest_;
      Unlink(block);
      block->next = chain;
      chain = block;
    }
    return chain;
  }

  std::mutex mutex_;
  std::array<FreeBlock*, kClasses> first_{};
  FreeBlock* oldest_ = nullptr;
  FreeBlock* newest_ = nullptr;
  size_t free_bytes_ = 0;
  size_t taken_bytes_ = 0, most_taken_bytes_ = 0;
};

SharedPool& Shared() {
  static auto* const pool = new SharedPool;
  return *pool;
}

bool IsSmall(size_t c) { return c < ThreadPool::kSmallClasses; }

}  // namespace

void* TakeBlock(size_t bytes) {
  if (bytes > kLargestKept) return FromSystem(bytes);
  const size_t c = ClassOf(bytes);
  if (!kKeep) return FromSystem(ClassBytes(c));
  if (IsSmall(c)) {
    ThreadPool* const pool = PoolOfThread();
    void* const kept = pool != nullptr ? pool->Take(c) : nullptr;
    return kept != nullptr ? kept : FromSystem(ClassBytes(c));
  }
  if (void* kept = Shared().Take(c)) return kept;
  void* const fresh = FromSystem(ClassBytes(c));
  if (fresh == nullptr) Shared().Untake(c);
  return fresh;
}

void GiveBlock(void* block, size_t bytes) {
  if (bytes > kLargestKept) return ToSystem(block, bytes);
  const size_t c = ClassOf(bytes);
  if (!kKeep) return std::free(block);
  if (!IsSmall(c)) return Shared().Give(block, c);
  ThreadPool* const pool = PoolOfThread();
  if (pool == nullptr || !pool->Give(block, c)) std::free(block);
}

void TrimBlocks(std::chrono::nanoseconds unused_for) {
  Shared().Trim(unused_for.count());
  if (this_thread_pool != nullptr) this_thread_pool->Trim();
}

BlockStats block_stats() {
  return {.from_system = from_system.load(std::memory_order_relaxed),
          .shared_free_bytes = Shared().free_bytes(),
          .thread_free_bytes = this_thread_pool != nullptr
                                   ? static_cast<int64_t>(this_thread_pool->free_bytes())
                                   : 0};
}

}  // namespace swage
