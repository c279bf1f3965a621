#include "tests/emulated_cuda/block_runner.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "tests/emulated_cuda/cuda_types.h"
#include "tests/emulated_cuda/runtime_calls.h"

namespace swage::emulated_cuda {
namespace {

constexpr int64_t kBudget = 1 << 20;
// Threads that wait for each other by memory alone get a turn this often.
constexpr int64_t kFiberBudget = 1 << 10;

std::string Triple(const uint32_t* values) {
  return "(" + std::to_string(values[0]) + "," + std::to_string(values[1]) + "," +
         std::to_string(values[2]) + ")";
}

// "0-3,7"
std::string Lanes(uint32_t mask) {
  std::string text;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    int end = lane;
    while (end + 1 < kWarpSize && (mask >> (end + 1) & 1) != 0) ++end;
    text += (text.empty() ? "" : ",") + std::to_string(lane) +
            (end > lane ? "-" + std::to_string(end) : "");
    lane = end;
  }
  return text;
}

bool SameCollective(const WarpLane& a, const WarpLane& b) {
  return a.mask == b.mask && a.site->op == b.site->op && a.site->mode == b.site->mode &&
         a.site->count == b.site->count;
}

}  // namespace

BlockRunner::BlockRunner(const Kernel& kernel, const LaunchConfig& config, DeviceMemory& memory,
                         FiberPool& fibers)
    : kernel_(kernel),
      config_(config),
      memory_(memory),
      fibers_(fibers),
      shared_(static_cast<uint64_t>(kernel.static_shared_bytes) + config.dynamic_shared_bytes),
      threads_(size_t{config.block[0]} * config.block[1] * config.block[2]),
      warps_((threads_.size() + kWarpSize - 1) / kWarpSize),
      sites_(kernel.sites.size()),
      random_(config.seed),
      deadline_(std::chrono::steady_clock::now() +
                std::chrono::milliseconds(static_cast<int64_t>(config.seconds * 1000))) {
  const size_t local = (static_cast<size_t>(kernel.local_bytes) + 15) / 16 * 16;
  local_.resize(local * (kernel.needs_fibers ? threads_.size() : 1));
  if (kernel.needs_fibers) fibers_.Reserve(static_cast<int>(threads_.size()));
}

void BlockRunner::InitThreads(uint32_t x, uint32_t y, uint32_t z) {
  std::fill(local_.begin(), local_.end(), 0xCD);
  std::fill(warps_.begin(), warps_.end(), WarpState());
  const auto& [nx, ny, nz] = config_.block;
  for (size_t i = 0; i < threads_.size(); ++i) {
    Thread& thread = threads_[i];
    const uint32_t index = static_cast<uint32_t>(i);
    const uint32_t lane = index % kWarpSize;
    thread.begun = thread.done = false;
    thread.waiting = kNot;
    thread.copy_group = 0;
    thread.copies.clear();
    ThreadState& state = thread.state;
    const uint32_t values[kNumSpecials] = {index % nx,
                                           index / nx % ny,
                                           index / nx / ny,
                                           nx,
                                           ny,
                                           nz,
                                           x,
                                           y,
                                           z,
                                           config_.grid[0],
                                           config_.grid[1],
                                           config_.grid[2],
                                           lane,
                                           index / kWarpSize,
                                           static_cast<uint32_t>(warps_.size()),
                                           1u << lane,
                                           (2u << lane) - 1,
                                           (1u << lane) - 1,
                                           ~((1u << lane) - 1),
                                           ~((2u << lane) - 1),
                                           0,
                                           1,
                                           config_.dynamic_shared_bytes,
                                           static_cast<uint32_t>(shared_.size())};
    std::copy(std::begin(values), std::end(values), state.special);
    state.params = config_.params.data();
    state.local =
        local_.data() + (kernel_.needs_fibers ? i * (local_.size() / threads_.size()) : 0);
    state.sites = sites_.data();
    state.budget = kernel_.needs_fibers ? kFiberBudget : kBudget;
    state.block = this;
    state.index = static_cast<int>(i);
    warps_[i / kWarpSize].present |= 1u << lane;
  }
  shared_.StartBlock(static_cast<int>(warps_.size()));
  arrived_.fill(0);
}

bool BlockRunner::RunBlock(uint32_t x, uint32_t y, uint32_t z) {
  InitThreads(x, y, z);
  ready_.resize(threads_.size());
  for (size_t i = 0; i < ready_.size(); ++i) ready_[i] = static_cast<int>(i);
  if (kernel_.needs_fibers) {
    RunFibers();
  } else {
    RunInOrder();
  }
  return !error_;
}

void BlockRunner::RunInOrder() {
  if (config_.seed != 0) std::shuffle(ready_.begin(), ready_.end(), random_);
  for (int index : ready_) {
    if (kernel_.entry(&threads_[static_cast<size_t>(index)].state) != 0) return;
  }
}

void BlockRunner::FiberBody(void* context, int index) {
  auto* const runner = static_cast<BlockRunner*>(context);
  Thread& thread = runner->threads_[static_cast<size_t>(index)];
  thread.begun = true;
  runner->kernel_.entry(&thread.state);
  thread.done = true;
  runner->warps_[static_cast<size_t>(index / kWarpSize)].exited |= 1u << index % kWarpSize;
  runner->fibers_.Suspend(index);
}

void BlockRunner::RunFibers() {
  for (int index : ready_) fibers_.Start(index, &FiberBody, this);
  std::vector<int> batch;
  while (!ready_.empty() && !error_) {
    batch.clear();
    batch.swap(ready_);
    if (config_.seed != 0) std::shuffle(batch.begin(), batch.end(), random_);
    for (size_t i = 0; i < batch.size() && !error_; ++i) fibers_.Resume(batch[i]);
  }
  const bool done = std::all_of(threads_.begin(), threads_.end(),
                                [](const Thread& thread) { return thread.done; });
  if (!done && !error_) Deadlock();
  // After an error every call of the runtime fails, so what was begun comes to its end.
  for (Thread& thread : threads_) {
    if (thread.begun && !thread.done) fibers_.Resume(thread.state.index);
  }
}

void BlockRunner::Suspend(Thread& thread) { fibers_.Suspend(thread.state.index); }

void BlockRunner::Wake(Thread& thread) {
  thread.waiting = kNot;
  ready_.push_back(thread.state.index);
}

std::string BlockRunner::Name(const ThreadState* thread) const {
  return "kernel " + kernel_.name + ", block " + Triple(thread->special + kCtaidX) + ", thread " +
         Triple(thread->special + kTidX);
}

void BlockRunner::Fault(const ThreadState* thread, int site, int code, const std::string& text) {
  if (error_) return;
  const Site& place = kernel_.sites[static_cast<size_t>(site)];
  error_ = LaunchError{code, Name(thread) + ", ptx line " + std::to_string(place.line) + " `" +
                                 place.text + "`: " + text};
}

void BlockRunner::Misplaced(const ThreadState* thread, int site, uint64_t address) {
  Fault(thread, site, CUDA_ERROR_MISALIGNED_ADDRESS,
        "the address " + std::to_string(address & 0xffff) +
            " (its low 16 bits) is no multiple of " +
            std::to_string(kernel_.sites[static_cast<size_t>(site)].bytes));
}

uint8_t* BlockRunner::Resolve(ThreadState* thread, int site, uint64_t address) {
  const Site& place = kernel_.sites[static_cast<size_t>(site)];
  const uint64_t bytes = static_cast<uint64_t>(place.bytes);
  const uint64_t window = address & kWindowMask;
  const uint64_t offset = address & ~kWindowMask;
  if (place.space == Space::kGeneric && window == kSharedWindow)
    return Shared(thread, site, offset);
  if ((address & (bytes - 1)) != 0) return Misplaced(thread, site, address), nullptr;
  if (place.space == Space::kGeneric && (window == kLocalWindow || window == kParamWindow)) {
    const bool local = window == kLocalWindow;
    const uint64_t first = local ? kLocalBase : 0;
    const uint64_t size = static_cast<uint64_t>(local ? kernel_.local_bytes : kernel_.param_bytes);
    if (offset - first <= size && bytes <= size - (offset - first) && (local || !place.store)) {
      return (local ? thread->local : const_cast<uint8_t*>(thread->params)) + (offset - first);
    }
    Fault(thread, site, CUDA_ERROR_ILLEGAL_ADDRESS,
          "out-of-bounds access to local memory or parameters");
    return nullptr;
  }
  const DeviceMemory::Range* const range = memory_.Find(address);
  if (range == nullptr || bytes > range->size - (address - range->first)) {
    Fault(thread, site, CUDA_ERROR_ILLEGAL_ADDRESS,
          "out-of-bounds access of " + std::to_string(bytes) +
              " bytes: " + memory_.Describe(address));
    return nullptr;
  }
  if (place.store && range->read_only) {
    Fault(thread, site, CUDA_ERROR_ILLEGAL_ADDRESS, "a store to constant memory");
    return nullptr;
  }
  thread->sites[site] = SiteCache{range->first, range->size - bytes, range->host};
  return range->host + (address - range->first);
}

uint8_t* BlockRunner::Shared(ThreadState* thread, int site, uint64_t address) {
  const Site& place = kernel_.sites[static_cast<size_t>(site)];
  // Generic and shared addresses may both come here.
  const uint64_t offset = (address & ~kWindowMask) - kSharedBase;
  if ((offset & static_cast<uint64_t>(place.bytes - 1)) != 0)
    return Misplaced(thread, site, address), nullptr;
  std::string fault;
  const SharedMemory::Access access = place.atomic  ? SharedMemory::kAtomic
                                      : place.store ? SharedMemory::kWrite
                                                    : SharedMemory::kRead;
  uint8_t* const host = shared_.Check(offset, place.bytes, access, thread->index, &fault);
  if (host == nullptr) {
    const bool inside = shared_.Contains(offset, static_cast<uint64_t>(place.bytes));
    Fault(thread, site, inside ? CUDA_ERROR_LAUNCH_FAILED : CUDA_ERROR_ILLEGAL_ADDRESS, fault);
  }
  return host;
}

bool BlockRunner::Budget(ThreadState* thread) {
  thread->budget = kernel_.needs_fibers ? kFiberBudget : kBudget;
  if (std::chrono::steady_clock::now() > deadline_) {
    if (!error_) {
      error_ = LaunchError{CUDA_ERROR_LAUNCH_TIMEOUT,
                           Name(thread) + ": a loop still runs after the time limit"};
    }
    return false;
  }
  if (kernel_.needs_fibers) {
    ready_.push_back(thread->index);
    Suspend(Of(thread));
  }
  return !error_;
}

bool BlockRunner::Barrier(ThreadState* thread, int site, uint32_t id, uint32_t count) {
  const uint32_t all = static_cast<uint32_t>(threads_.size());
  if (id >= arrived_.size() || (count != 0 && (count % kWarpSize != 0 || count > all))) {
    Fault(thread, site, CUDA_ERROR_LAUNCH_FAILED,
          "a barrier that does not exist: number " + std::to_string(id) + " for " +
              std::to_string(count) + " threads");
    return false;
  }
  const uint32_t expected = count == 0 ? all : count;
  if (arrived_[id] > 0 && expected_[id] != expected) {
    Fault(thread, site, CUDA_ERROR_LAUNCH_FAILED,
          "divergent barrier: threads wait at it with another count");
    return false;
  }
  Thread& own = Of(thread);
  own.waiting = kBarrier;
  own.site = site;
  own.barrier = id;
  expected_[id] = expected;
  if (++arrived_[id] == expected) return CompleteBarrier(own);
  Suspend(own);
  return !error_;
}

// The threads of a warp must have come to the same instruction.
bool BlockRunner::CompleteBarrier(Thread& own) {
  const uint32_t id = own.barrier;
  arrived_[id] = 0;
  const Thread* last = nullptr;
  for (Thread& thread : threads_) {
    if (thread.waiting != kBarrier || thread.barrier != id) continue;
    if (last != nullptr && last->state.index / kWarpSize == thread.state.index / kWarpSize &&
        last->site != thread.site) {
      Fault(&thread.state, thread.site, CUDA_ERROR_LAUNCH_FAILED,
            "divergent barrier: thread " + std::to_string(last->state.index) +
                " of the same warp waits at ptx line " +
                std::to_string(kernel_.sites[static_cast<size_t>(last->site)].line));
      return false;
    }
    last = &thread;
    if (&thread != &own) Wake(thread);
  }
  own.waiting = kNot;
  shared_.BlockSync();
  return true;
}

bool BlockRunner::Warp(ThreadState* thread, int site, uint32_t mask, const uint32_t* in,
                       uint32_t* out) {
  Thread& own = Of(thread);
  WarpState& warp = warps_[static_cast<size_t>(thread->index / kWarpSize)];
  const uint32_t lane = static_cast<uint32_t>(thread->index % kWarpSize);
  const auto divergent = [&](const std::string& text) {
    Fault(thread, site, CUDA_ERROR_LAUNCH_FAILED, "divergent warp operation: " + text);
    return false;
  };
  if ((mask >> lane & 1) == 0)
    return divergent("lane " + std::to_string(lane) + " is not in its mask");
  if ((mask & ~warp.present) != 0)
    return divergent("the mask names lanes " + Lanes(mask & ~warp.present) +
                     ", which the block does not have");
  if ((mask & warp.exited) != 0)
    return divergent("the mask names lanes " + Lanes(mask & warp.exited) + ", which have exited");
  warp.lanes[lane] = WarpLane{&kernel_.sites[static_cast<size_t>(site)], mask, in, out};
  warp.arrived[lane] = true;
  own.waiting = kWarp;
  own.site = site;
  uint32_t missing = mask;
  for (uint32_t other = 0; other < kWarpSize; ++other) {
    if ((mask >> other & 1) == 0 || !warp.arrived[other]) continue;
    if (!SameCollective(warp.lanes[other], warp.lanes[lane])) {
      return divergent("lane " + std::to_string(other) + " waits at another one, ptx line " +
                       std::to_string(warp.lanes[other].site->line));
    }
    missing &= ~(1u << other);
  }
  if (missing == 0) return CompleteWarp(own, mask);
  Suspend(own);
  return !error_;
}

bool BlockRunner::CompleteWarp(Thread& own, uint32_t mask) {
  const int first = own.state.index / kWarpSize * kWarpSize;
  WarpState& warp = warps_[static_cast<size_t>(first / kWarpSize)];
  const auto row = [&](int lane, uint32_t address) -> const uint8_t* {
    return Shared(&threads_[static_cast<size_t>(first + lane)].state, own.site, address);
  };
  const std::string fault = ComputeWarpOp(warp.lanes, mask, row);
  if (!fault.empty()) {
    Fault(&own.state, own.site, CUDA_ERROR_LAUNCH_FAILED, fault);
    return false;
  }
  if (kernel_.sites[static_cast<size_t>(own.site)].op == WarpOp::kSyncWarp)
    shared_.WarpSync(first / kWarpSize);
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    warp.arrived[static_cast<size_t>(lane)] = false;
    Thread& thread = threads_[static_cast<size_t>(first + lane)];
    if (&thread != &own) Wake(thread);
  }
  own.waiting = kNot;
  return true;
}

// Nobody can go on: says what some thread waits for and who is missing.
void BlockRunner::Deadlock() {
  size_t exited = 0, at_barrier = 0;
  const Thread* barrier = nullptr;
  const Thread* warp = nullptr;
  for (const Thread& thread : threads_) {
    exited += thread.done;
    at_barrier += thread.waiting == kBarrier;
    if (thread.waiting == kBarrier && barrier == nullptr) barrier = &thread;
    if (thread.waiting == kWarp && warp == nullptr) warp = &thread;
  }
  if (warp != nullptr) {
    const WarpState& state = warps_[static_cast<size_t>(warp->state.index / kWarpSize)];
    const uint32_t mask = state.lanes[static_cast<size_t>(warp->state.index % kWarpSize)].mask;
    uint32_t missing = mask;
    for (uint32_t lane = 0; lane < kWarpSize; ++lane)
      missing &= ~(static_cast<uint32_t>(state.arrived[lane]) << lane);
    Fault(&warp->state, warp->site, CUDA_ERROR_LAUNCH_FAILED,
          "divergent warp operation: lanes " + Lanes(missing) + " of the mask never come" +
              ((missing & state.exited) != 0 ? "; some have exited" : ""));
    return;
  }
  Fault(&barrier->state, barrier->site, CUDA_ERROR_LAUNCH_FAILED,
        "divergent barrier: " + std::to_string(at_barrier) + " of " +
            std::to_string(threads_.size()) + " threads wait at a barrier, " +
            std::to_string(exited) + " have exited");
}

bool BlockRunner::CopyAsync(ThreadState* thread, int site, uint64_t shared, uint64_t global,
                            uint32_t bytes) {
  const Site& place = kernel_.sites[static_cast<size_t>(site)];
  const uint32_t size = static_cast<uint32_t>(place.bytes);
  if (bytes > size) {
    Fault(thread, site, CUDA_ERROR_LAUNCH_FAILED, "more source bytes than bytes");
    return false;
  }
  if (global % size != 0) return Misplaced(thread, site, global), false;
  const uint8_t* const from = bytes == 0 ? nullptr : memory_.Host(global, bytes);
  if (from == nullptr && bytes != 0) {
    Fault(
        thread, site, CUDA_ERROR_ILLEGAL_ADDRESS,
        "out-of-bounds access of " + std::to_string(bytes) + " bytes: " + memory_.Describe(global));
    return false;
  }
  Of(thread).copies.push_back({site, shared, from, bytes, Of(thread).copy_group});
  return true;
}

// Copies happen as late as they may, so that a wait that is missing shows.
bool BlockRunner::CopyWait(ThreadState* thread, uint32_t pending_groups) {
  Thread& own = Of(thread);
  std::vector<AsyncCopy> later;
  for (const AsyncCopy& copy : own.copies) {
    if (copy.group + pending_groups >= own.copy_group) {
      later.push_back(copy);
      continue;
    }
    uint8_t* const to = Shared(thread, copy.site, copy.shared);
    if (to == nullptr) return false;
    const int size = kernel_.sites[static_cast<size_t>(copy.site)].bytes;
    std::memset(to, 0, static_cast<size_t>(size));
    if (copy.bytes > 0) std::memcpy(to, copy.from, copy.bytes);
  }
  own.copies = std::move(later);
  return true;
}

}  // namespace swage::emulated_cuda
