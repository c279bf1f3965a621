#include "codegen/cpu/kernel_loader.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include "codegen/cpu/host_target.h"
#include "codegen/cpu/llvm_errors.h"
#include "codegen/cpu/object_file.h"
#include "codegen/cpu/symbol_check.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ExecutorProcessControl.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/Support/MemoryBuffer.h"

namespace swage::cpu {
namespace {

constexpr std::string_view kPhase = "kernel loader";

using llvm::jitlink::LinkGraph;
using llvm::jitlink::Scope;
using llvm::jitlink::Symbol;

// JITLink gives every protection its own pages.
int64_t PageBytesOf(LinkGraph& graph, int64_t page) {
  int64_t total = 0;
  for (const llvm::jitlink::Section& section : graph.sections()) {
    int64_t bytes = 0;
    for (const llvm::jitlink::Block* block : section.blocks()) {
      bytes += static_cast<int64_t>(block->getSize());
    }
    total += (bytes + page - 1) / page * page;
  }
  return total;
}

}  // namespace

class KernelLoader::Impl {
 public:
  static StatusOr<std::unique_ptr<Impl>> Create();
  ~Impl();

  StatusOr<std::vector<std::shared_ptr<LoadedKernel>>> Load(std::string_view object,
                                                            std::span<const std::string> entries);
  void Remove(llvm::orc::ResourceTrackerSP tracker);
  int64_t live_objects() const { return live_objects_.load(std::memory_order_relaxed); }

 private:
  explicit Impl(std::unique_ptr<llvm::orc::ExecutionSession> session)
      : session_(std::move(session)),
        linker_(*session_),
        library_(session_->createBareJITDylib("kernels")) {}

  // The first of the errors that the session reported since the last call, else `status`.
  Status WithReported(Status status);

  // One link or removal at a time: each takes about 0.1 ms.
  std::mutex mutex_;
  std::unique_ptr<llvm::orc::ExecutionSession> session_;
  llvm::orc::ObjectLinkingLayer linker_;
  llvm::orc::JITDylib& library_;
  int64_t next_id_ = 0;                  // guarded by mutex_
  int64_t removals_ = 0;                 // guarded by mutex_
  std::optional<std::string> reported_;  // guarded by mutex_
  std::atomic<int64_t> live_objects_{0};
};

// The code of one object in memory.
class LinkedObject {
 public:
  LinkedObject(KernelLoader::Impl* loader, llvm::orc::ResourceTrackerSP tracker, int64_t bytes)
      : loader_(loader), tracker_(std::move(tracker)), memory_bytes_(bytes) {}
  ~LinkedObject() { loader_->Remove(std::move(tracker_)); }
  LinkedObject(const LinkedObject&) = delete;
  LinkedObject& operator=(const LinkedObject&) = delete;

  int64_t memory_bytes() const { return memory_bytes_; }

 private:
  KernelLoader::Impl* loader_;
  llvm::orc::ResourceTrackerSP tracker_;
  int64_t memory_bytes_;
};

namespace {

// Gives each entry a name of its own in the process, "entry#id", and hides every other symbol.
// Returns the new names in the order of `entries`.
StatusOr<std::vector<std::string>> RenameEntries(LinkGraph& graph,
                                                 std::span<const std::string> entries, int64_t id) {
  std::vector<std::string> names(entries.size());
  for (Symbol* symbol : graph.defined_symbols()) {
    if (!symbol->hasName()) continue;
    size_t index = 0;
    while (index < entries.size() && symbol->getName() != llvm::StringRef(entries[index])) ++index;
    if (index == entries.size()) {
      if (symbol->getScope() != Scope::Local) symbol->setScope(Scope::Local);
      continue;
    }
    if (!symbol->isCallable()) {
      return Internal("[kernel loader] entry '", entries[index], "' is not a function");
    }
    names[index] = absl::StrCat(entries[index], "#", id);
    const auto bytes =
        graph.allocateContent(llvm::ArrayRef<char>(names[index].data(), names[index].size()));
    symbol->setName(llvm::StringRef(bytes.data(), bytes.size()));
    symbol->setLinkage(llvm::jitlink::Linkage::Strong);
    symbol->setScope(Scope::Default);
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    if (names[i].empty()) {
      return Internal("[kernel loader] the object has no entry '", entries[i], "'");
    }
  }
  return names;
}

}  // namespace

StatusOr<std::unique_ptr<KernelLoader::Impl>> KernelLoader::Impl::Create() {
  InitializeLlvm();
  // Work runs on the thread that asks for it; the default would start threads of its own.
  llvm::Expected<std::unique_ptr<llvm::orc::SelfExecutorProcessControl>> control =
      llvm::orc::SelfExecutorProcessControl::Create(
          nullptr, std::make_unique<llvm::orc::InPlaceTaskDispatcher>());
  if (!control) return FromLlvm(control.takeError(), kPhase);
  std::unique_ptr<Impl> impl(
      new Impl(std::make_unique<llvm::orc::ExecutionSession>(std::move(*control))));
  impl->session_->setErrorReporter([raw = impl.get()](llvm::Error error) {
    const std::string text = llvm::toString(std::move(error));
    if (!raw->reported_.has_value()) raw->reported_ = text;
  });
  return impl;
}

KernelLoader::Impl::~Impl() { llvm::consumeError(session_->endSession()); }

Status KernelLoader::Impl::WithReported(Status status) {
  const std::optional<std::string> reported = std::exchange(reported_, std::nullopt);
  return reported.has_value() ? Internal("[kernel loader] ", *reported) : status;
}

StatusOr<std::vector<std::shared_ptr<LoadedKernel>>> KernelLoader::Impl::Load(
    std::string_view object, std::span<const std::string> entries) {
  SWAGE_ASSIGN_OR_RETURN(const std::string_view elf, UnsealObject(object));
  SWAGE_RETURN_IF_ERROR(CheckObjectSymbols(elf));
  const llvm::MemoryBufferRef buffer(llvm::StringRef(elf.data(), elf.size()), "kernel");
  llvm::Expected<std::unique_ptr<LinkGraph>> graph =
      llvm::jitlink::createLinkGraphFromObject(buffer);
  if (!graph) return FromLlvm(graph.takeError(), kPhase);

  std::lock_guard<std::mutex> lock(mutex_);
  SWAGE_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                         RenameEntries(**graph, entries, next_id_++));
  const int64_t bytes = PageBytesOf(**graph, session_->getExecutorProcessControl().getPageSize());
  llvm::orc::ResourceTrackerSP tracker = library_.createResourceTracker();
  Status status = FromLlvm(linker_.add(tracker, std::move(*graph)), kPhase);
  std::vector<KernelFn> functions;
  // The graph points into `object`, so it is linked here and now.
  for (size_t i = 0; status.ok() && i < names.size(); ++i) {
    llvm::Expected<llvm::orc::ExecutorSymbolDef> found = session_->lookup({&library_}, names[i]);
    if (found) {
      functions.push_back(found->getAddress().toPtr<KernelFn>());
    } else {
      status = FromLlvm(found.takeError(), kPhase);
    }
  }
  status = WithReported(std::move(status));
  if (!status.ok()) {
    llvm::consumeError(tracker->remove());
    return status;
  }
  live_objects_.fetch_add(1, std::memory_order_relaxed);
  auto linked = std::make_shared<LinkedObject>(this, std::move(tracker), bytes);
  std::vector<std::shared_ptr<LoadedKernel>> kernels;
  for (KernelFn function : functions) {
    kernels.push_back(std::make_shared<LoadedKernel>(linked, function));
  }
  return kernels;
}

void KernelLoader::Impl::Remove(llvm::orc::ResourceTrackerSP tracker) {
  std::lock_guard<std::mutex> lock(mutex_);
  llvm::consumeError(tracker->remove());
  // The tracker takes the session's lock when it dies, and its names are no longer needed.
  tracker.reset();
  // Walks all names, so not each time.
  if (++removals_ % 64 == 0) session_->getSymbolStringPool()->clearDeadEntries();
  live_objects_.fetch_sub(1, std::memory_order_relaxed);
}

int64_t LoadedKernel::memory_bytes() const { return object_->memory_bytes(); }

KernelLoader::KernelLoader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
KernelLoader::~KernelLoader() = default;

StatusOr<KernelLoader*> KernelLoader::Get() {
  // The error is kept as text: a Status would be shared by all threads.
  struct Made {
    KernelLoader* loader = nullptr;
    std::string error;
  };
  static const Made* const made = [] {
    auto* result = new Made;
    StatusOr<std::unique_ptr<Impl>> impl = Impl::Create();
    if (impl.ok()) {
      result->loader = new KernelLoader(*std::move(impl));
    } else {
      result->error = std::string(ToStd(impl.status().message()));
    }
    return result;
  }();
  if (made->loader == nullptr) return Internal(made->error);
  return made->loader;
}

StatusOr<std::shared_ptr<LoadedKernel>> KernelLoader::Load(std::string_view object,
                                                           const std::string& entry) {
  SWAGE_ASSIGN_OR_RETURN(std::vector<std::shared_ptr<LoadedKernel>> kernels,
                         impl_->Load(object, {&entry, 1}));
  return std::move(kernels[0]);
}

StatusOr<std::vector<std::shared_ptr<LoadedKernel>>> KernelLoader::LoadAll(
    std::string_view object, std::span<const std::string> entries) {
  return impl_->Load(object, entries);
}

int64_t KernelLoader::live_objects() const { return impl_->live_objects(); }

}  // namespace swage::cpu
