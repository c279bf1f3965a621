#include "codegen/gpu/cuda_queue.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace swage::gpu {
namespace {

std::mutex& QueuesMutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

// Never destroyed: tensors may outlive everything.
std::map<int, std::unique_ptr<CudaQueue>>& Queues() {
  static auto* const queues = new std::map<int, std::unique_ptr<CudaQueue>>;
  return *queues;
}

cuda::CUdeviceptr Address(const void* memory) {
  return static_cast<cuda::CUdeviceptr>(reinterpret_cast<uintptr_t>(memory));
}

}  // namespace

StatusOr<CudaQueue*> CudaQueue::Get(int ordinal) {
  SWAGE_ASSIGN_OR_RETURN(cuda::Device * device, cuda::Device::Get(ordinal));
  const std::lock_guard<std::mutex> lock(QueuesMutex());
  std::unique_ptr<CudaQueue>& queue = Queues()[ordinal];
  if (queue == nullptr) {
    SWAGE_ASSIGN_OR_RETURN(queue, Create(*device));
  }
  return queue.get();
}

void CudaQueue::TrimAll() {
  if (cuda::InForkedChild()) return;
  const std::lock_guard<std::mutex> lock(QueuesMutex());
  for (const auto& [ordinal, queue] : Queues()) {
    if (queue != nullptr) queue->Trim();
  }
}

StatusOr<std::unique_ptr<CudaQueue>> CudaQueue::Create(cuda::Device& device) {
  const cuda::ContextScope scope(device);
  SWAGE_RETURN_IF_ERROR(scope.status());
  SWAGE_ASSIGN_OR_RETURN(cuda::Stream stream, cuda::Stream::Create(device));
  return std::unique_ptr<CudaQueue>(new CudaQueue(device, std::move(stream)));
}

CudaQueue::CudaQueue(cuda::Device& device, cuda::Stream stream)
    : device_(device),
      name_(device.name()),
      stream_(std::move(stream)),
      blocks_(device.properties().memory_bytes) {}

CudaQueue::~CudaQueue() {
  if (cuda::InForkedChild()) return;
  const cuda::ContextScope scope(device_);
  blocks_.Trim(stream_);
  scratch_.reset();
  in_.Reset();
  out_.Reset();
}

CudaQueue::Turn::Turn(CudaQueue& queue)
    : queue_(queue), status_(queue.device_.Usable()), lock_(queue.turn_, std::defer_lock) {
  // In a child process the lock may be held for good.
  if (!status_.ok()) return;
  lock_.lock();
  context_.emplace(queue.device_);
  status_ = context_->status();
}

StatusOr<cuda::CUdeviceptr> CudaQueue::Turn::Scratch(int64_t bytes) const {
  std::optional<cuda::DeviceMemory>& scratch = queue_.scratch_;
  if (!scratch.has_value() || scratch->bytes() < bytes) {
    // Given back first: both need not fit.
    scratch.reset();
    ++queue_.scratch_generation_;
    SWAGE_ASSIGN_OR_RETURN(const cuda::CUdeviceptr memory, queue_.blocks_.Make(stream(), bytes));
    scratch.emplace(cuda::DeviceMemory::Adopt(stream(), memory, DeviceBlocks::ClassOf(bytes)));
  }
  return scratch->pointer();
}

StatusOr<cuda::Event> CudaQueue::Turn::Mark() const {
  SWAGE_ASSIGN_OR_RETURN(cuda::Event event, cuda::Event::Create(queue_.device_));
  SWAGE_RETURN_IF_ERROR(stream().Record(event));
  return event;
}

StatusOr<void*> CudaQueue::Allocate(int64_t bytes) {
  if (bytes == 0) return static_cast<void*>(nullptr);
  SWAGE_RETURN_IF_ERROR(device_.Usable());
  cuda::CUdeviceptr block = blocks_.Take(bytes);
  if (block == 0) {
    const Turn turn(*this);
    SWAGE_RETURN_IF_ERROR(turn.status());
    StatusOr<cuda::CUdeviceptr> made = blocks_.Make(stream_, bytes);
    if (absl::IsResourceExhausted(made.status()) && scratch_.has_value()) {
      // The largest program's intermediate values, of which nothing may be running now.
      scratch_.reset();
      ++scratch_generation_;
      made = blocks_.Make(stream_, bytes);
    }
    SWAGE_ASSIGN_OR_RETURN(block, std::move(made));
  }
  return reinterpret_cast<void*>(static_cast<uintptr_t>(block));
}

void CudaQueue::Free(void* memory, int64_t bytes) {
  const cuda::CUdeviceptr block = Address(memory);
  if (block == 0 || cuda::InForkedChild() || blocks_.Keep(block, bytes)) return;
  const Turn turn(*this);
  // The memory of a lost device is gone in any case.
  if (turn.status().ok()) DeviceBlocks::Drop(stream_, block, bytes);
}

Status CudaQueue::CopyIn(void* to, const void* host, int64_t bytes) {
  const cuda::ContextScope scope(device_);
  SWAGE_RETURN_IF_ERROR(scope.status());
  const std::lock_guard<std::mutex> lock(in_mutex_);
  for (int64_t at = 0; at < bytes; at += Staging::kBytes) {
    const int64_t part = std::min(Staging::kBytes, bytes - at);
    SWAGE_ASSIGN_OR_RETURN(void* pinned, in_.Take(device_, part));
    std::memcpy(pinned, static_cast<const char*>(host) + at, static_cast<size_t>(part));
    const Turn turn(*this);
    SWAGE_RETURN_IF_ERROR(turn.status());
    SWAGE_RETURN_IF_ERROR(stream_.CopyIn(Address(to) + at, pinned, part));
    SWAGE_RETURN_IF_ERROR(in_.Used(stream_));
  }
  return OkStatus();
}

Status CudaQueue::CopyOut(void* host, const void* from, int64_t bytes) {
  const cuda::ContextScope scope(device_);
  SWAGE_RETURN_IF_ERROR(scope.status());
  if (bytes == 0) return WaitForAll();  // errors of what ran come up here, too
  const std::lock_guard<std::mutex> lock(out_mutex_);
  for (int64_t at = 0; at < bytes; at += Staging::kBytes) {
    const int64_t part = std::min(Staging::kBytes, bytes - at);
    SWAGE_ASSIGN_OR_RETURN(void* pinned, out_.Take(device_, part));
    {
      const Turn turn(*this);
      SWAGE_RETURN_IF_ERROR(turn.status());
      SWAGE_RETURN_IF_ERROR(stream_.CopyOut(pinned, Address(from) + at, part));
      SWAGE_RETURN_IF_ERROR(out_.Used(stream_));
    }
    SWAGE_RETURN_IF_ERROR(out_.Wait());
    std::memcpy(static_cast<char*>(host) + at, pinned, static_cast<size_t>(part));
  }
  return OkStatus();
}

Status CudaQueue::WaitForAll() {
  std::optional<cuda::Event> event;
  {
    const Turn turn(*this);
    SWAGE_RETURN_IF_ERROR(turn.status());
    SWAGE_ASSIGN_OR_RETURN(cuda::Event mark, turn.Mark());
    event.emplace(std::move(mark));
  }
  const cuda::ContextScope scope(device_);
  SWAGE_RETURN_IF_ERROR(scope.status());
  return event->Synchronize();
}

StatusOr<std::shared_ptr<const codegen::SpaceBlock>> CudaQueue::Constant(
    const ir::Literal& literal) {
  SWAGE_RETURN_IF_ERROR(device_.Usable());
  const absl::Span<const uint8_t> bytes = literal.bytes();
  const Hash128 hash = HashBytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const std::lock_guard<std::mutex> lock(constants_mutex_);
  std::weak_ptr<const codegen::SpaceBlock>& known = constants_[hash];
  std::shared_ptr<const codegen::SpaceBlock> block = known.lock();
  const auto size = static_cast<int64_t>(bytes.size());
  if (block != nullptr && block->bytes() == size) return block;
  SWAGE_ASSIGN_OR_RETURN(codegen::SpaceBlock made, codegen::SpaceBlock::Allocate(*this, size));
  SWAGE_RETURN_IF_ERROR(CopyIn(made.data(), bytes.data(), size));
  block = std::make_shared<const codegen::SpaceBlock>(std::move(made));
  known = block;
  absl::erase_if(constants_, [](const auto& entry) { return entry.second.expired(); });
  return block;
}

void CudaQueue::Trim() {
  const Turn turn(*this);
  if (!turn.status().ok()) return;
  blocks_.Trim(stream_);
  scratch_.reset();
  ++scratch_generation_;
}

}  // namespace swage::gpu
