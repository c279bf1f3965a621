#include "tests/emulated_cuda/driver.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace swage::emulated_cuda {
namespace {

constexpr size_t kMaxQueue = 512;
constexpr size_t kKeptModules = 256;

long Number(const char* name, long otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr || *text == '\0' ? otherwise : std::atol(text);
}

bool Eager() {
  const char* const text = std::getenv("EMULATED_CUDA_STREAMS");
  return text != nullptr && std::strcmp(text, "eager") == 0;
}

void Log(const std::string& text) {
  const char* const path = std::getenv("EMULATED_CUDA_LOG");
  if (path == nullptr || *path == '\0') {
    std::fprintf(stderr, "emulated driver: %s\n", text.c_str());
    return;
  }
  if (std::strcmp(path, "off") == 0) return;
  if (std::FILE* const file = std::fopen(path, "a")) {
    std::fprintf(file, "%s\n", text.c_str());
    std::fclose(file);
  }
}

// The process that began to use the driver; 0: none did.
std::atomic<pid_t> owner{0};

// Before any lock, which the child of a process with threads might find held.
Driver& Enter(const char* name) {
  pid_t nobody = 0;
  if (!owner.compare_exchange_strong(nobody, getpid()) && nobody != getpid()) {
    std::fprintf(stderr, "emulated driver: %s is called in a forked child\n", name);
    std::abort();
  }
  return Driver::Get();
}

}  // namespace

Driver& Driver::Get() {
  static auto* const driver = [] {
    auto* made = new Driver();
    made->memory = std::make_unique<DeviceMemory>(
        static_cast<uint64_t>(Number("EMULATED_CUDA_MEMORY_MB", 8192)) << 20);
    return made;
  }();
  return *driver;
}

CUcontext& CurrentContext() {
  thread_local CUcontext current = nullptr;
  return current;
}

int Driver::Capability() const { return static_cast<int>(Number("EMULATED_CUDA_CC", 80)); }

EmulatedStream* Driver::Find(CUstream handle) {
  if (reinterpret_cast<uintptr_t>(handle) <= 2) return &default_stream;
  return streams.count(handle) > 0 ? handle : nullptr;
}

CUresult Driver::Enqueue(EmulatedStream* stream, EmulatedWork work) {
  if (stream->capture != nullptr) {
    stream->capture->work.push_back(std::move(work));
    return CUDA_SUCCESS;
  }
  // The default stream and blocking streams wait for each other.
  if (stream == &default_stream) {
    DrainDefault();
  } else if (stream->blocking) {
    Drain(&default_stream);
  }
  stream->queue.push_back(std::move(work));
  ++stream->enqueued;
  return stream->queue.size() > kMaxQueue || Eager() ? Drain(stream) : sticky;
}

CUresult Driver::Drain(EmulatedStream* stream, uint64_t position) {
  while (stream->finished < position && !stream->queue.empty()) {
    const EmulatedWork work = std::move(stream->queue.front());
    stream->queue.pop_front();
    ++stream->finished;
    if (sticky == CUDA_SUCCESS) work();
  }
  return sticky;
}

CUresult Driver::DrainAll() {
  Drain(&default_stream);
  for (EmulatedStream* stream : streams) Drain(stream);
  return sticky;
}

CUresult Driver::DrainDefault() {
  for (EmulatedStream* stream : streams) {
    if (stream->blocking) Drain(stream);
  }
  return Drain(&default_stream);
}

void Driver::AbandonCapture(EmulatedStream* stream) {
  EmulatedGraph* const graph = stream->capture;
  if (graph == nullptr || !stream->capture_origin) return;
  for (EmulatedStream* other : streams) {
    if (other->capture == graph) other->capture = nullptr;
  }
  for (EmulatedEvent* event : events) {
    if (event->captured == graph) event->captured = nullptr;
  }
  stream->capture_origin = false;
  delete graph;
}

bool Driver::AnyCapture() const {
  for (const EmulatedStream* stream : streams) {
    if (stream->capture != nullptr) return true;
  }
  return false;
}

CUresult Driver::Report(CUresult code, const std::string& text) {
  detail = text;
  Log("error " + std::to_string(code) + ": " + text);
  return code;
}

CUresult Driver::Break(CUresult code, const std::string& text) {
  Report(code, text);
  if (sticky == CUDA_SUCCESS) sticky = code;
  return sticky;
}

void Driver::Reset() {
  for (EmulatedStream* stream : streams) AbandonCapture(stream);
  for (EmulatedStream* stream : streams) delete stream;
  for (EmulatedEvent* event : events) delete event;
  for (EmulatedModule* module : modules) delete module;
  for (EmulatedGraph* graph : graphs) delete graph;
  for (EmulatedGraphExec* exec : graph_execs) delete exec;
  streams.clear();
  events.clear();
  modules.clear();
  functions.clear();
  graphs.clear();
  graph_execs.clear();
  freeing.clear();
  default_stream = EmulatedStream();
  loaded_.clear();
  load_order_.clear();
  memory = std::make_unique<DeviceMemory>(memory->total());
  sticky = CUDA_SUCCESS;
}

std::shared_ptr<LoadedModule> Driver::Load(const std::string& ptx) {
  const std::string key = std::to_string(Capability()) + ptx;
  if (const auto found = loaded_.find(key); found != loaded_.end()) return found->second;
  std::shared_ptr<LoadedModule> module = LoadModule(ptx, Capability(), *memory);
  if (!module->globals.empty()) return module;
  loaded_[key] = module;
  load_order_.push_back(key);
  if (load_order_.size() > kKeptModules) {
    loaded_.erase(load_order_.front());
    load_order_.pop_front();
  }
  return module;
}

ApiCall::ApiCall(const char* name, Need need) : lock_(Enter(name).mutex) {
  Driver& driver = Driver::Get();
  if (driver.faults.Value("blocked") == name) {
    Log(std::string(name) + " is blocked");
    lock_.unlock();
    for (;;) pause();
  }
  if (need == kNothing) return;
  if (!driver.initialised) {
    status_ = CUDA_ERROR_NOT_INITIALIZED;
    return;
  }
  if (need != kContext) return;
  if (CurrentContext() == nullptr || driver.context.retained == 0) {
    status_ = CUDA_ERROR_INVALID_CONTEXT;
    return;
  }
  if (driver.faults.HitFrom("device_lost"))
    driver.Break(CUDA_ERROR_UNKNOWN, std::string(name) + ": the device is lost (injected)");
  status_ = driver.sticky;
}

}  // namespace swage::emulated_cuda
