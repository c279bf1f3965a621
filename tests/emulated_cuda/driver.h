// File: tests/emulated_cuda/driver.h
//
// The state behind the functions of the emulated libcuda.so.1. One device, one (primary) context.
//
// Streams are queues that run as late as they may: when somebody waits for them (or after 512
// entries), on the thread that waits. A host that reads a result without waiting therefore never
// finds it. Work that fails leaves a sticky error: every later call that needs the context gives it
// until the context is reset. The variables EMULATED_CUDA_* are in README.md.
#ifndef SWAGE_TESTS_EMULATED_CUDA_DRIVER_H_
#define SWAGE_TESTS_EMULATED_CUDA_DRIVER_H_

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "tests/emulated_cuda/cuda_types.h"
#include "tests/emulated_cuda/device_memory.h"
#include "tests/emulated_cuda/faults.h"
#include "tests/emulated_cuda/module_loader.h"

// One piece of work of a stream or graph.
using EmulatedWork = std::function<CUresult()>;

struct EmulatedGraph {
  std::vector<EmulatedWork> work;
};

struct EmulatedGraphExec {
  std::vector<EmulatedWork> work;
};

struct EmulatedStream {
  bool blocking = true;  // waits for the default stream, and it for this one
  std::deque<EmulatedWork> queue;
  uint64_t enqueued = 0, finished = 0;
  EmulatedGraph* capture = nullptr;
  bool capture_origin = false;
};

struct EmulatedEvent {
  bool timing = true;
  EmulatedStream* stream = nullptr;  // where it was last recorded
  uint64_t position = 0;             // in that stream
  EmulatedGraph* captured = nullptr;
  std::chrono::steady_clock::time_point time;
};

struct EmulatedModule {
  std::shared_ptr<swage::emulated_cuda::LoadedModule> loaded;
  std::map<std::string, std::unique_ptr<EmulatedFunction>> functions;
};

struct EmulatedFunction {
  std::shared_ptr<swage::emulated_cuda::LoadedModule> loaded;
  const swage::emulated_cuda::Kernel* kernel = nullptr;
  int max_dynamic_shared = 48 << 10;
};

struct EmulatedContext {
  int retained = 0;
};

namespace swage::emulated_cuda {

inline constexpr int kMaxThreads = 1024;
inline constexpr int kSharedPerBlock = 48 << 10;
inline constexpr int kNumMultiprocessors = 4;
inline constexpr int kOldDriverVersion = 11020;  // of the fault driver_too_old

class Driver {
 public:
  static Driver& Get();

  std::recursive_mutex mutex;
  bool initialised = false;
  EmulatedContext context;
  std::unique_ptr<DeviceMemory> memory;
  EmulatedStream default_stream;
  Faults faults;
  CUresult sticky = CUDA_SUCCESS;
  std::string detail;  // of the last error

  int Capability() const;
  int SharedPerBlockOptin() const { return Capability() >= 90 ? 227 << 10 : 163 << 10; }

  // Live handles: what is not among them is invalid.
  std::unordered_set<EmulatedStream*> streams;
  std::unordered_set<EmulatedEvent*> events;
  std::unordered_set<EmulatedModule*> modules;
  std::unordered_set<EmulatedFunction*> functions;
  std::unordered_set<EmulatedGraph*> graphs;
  std::unordered_set<EmulatedGraphExec*> graph_execs;
  std::set<uint64_t> freeing;  // freed by work that has not run

  // The stream of a handle (null, 1 and 2 are the default stream), or null.
  EmulatedStream* Find(CUstream handle);
  // Adds work, to the graph if the stream is being captured.
  CUresult Enqueue(EmulatedStream* stream, EmulatedWork work);
  // Runs the stream's work up to `position`.
  CUresult Drain(EmulatedStream* stream, uint64_t position);
  CUresult Drain(EmulatedStream* stream) { return Drain(stream, stream->enqueued); }
  CUresult DrainAll();
  // The default stream and those that it waits for.
  CUresult DrainDefault();
  // Forgets the capture that began in this stream.
  void AbandonCapture(EmulatedStream* stream);
  bool AnyCapture() const;
  // Writes `text` to the log, keeps it as the detail, returns `code`.
  CUresult Report(CUresult code, const std::string& text);
  // As Report, and the context is unusable from now on.
  CUresult Break(CUresult code, const std::string& text);
  // Everything of the context is gone.
  void Reset();

  // A module that may be shared: texts without variables of their own are kept, newest 256.
  std::shared_ptr<LoadedModule> Load(const std::string& ptx);

 private:
  std::map<std::string, std::shared_ptr<LoadedModule>> loaded_;
  std::deque<std::string> load_order_;
};

// One call of the API: takes the lock and looks whether the call may go on. In a process that was
// forked since cuInit none may: NVIDIA's driver may wait for ever there, this one aborts.
class ApiCall {
 public:
  enum Need { kNothing, kInitialised, kContext };
  ApiCall(const char* name, Need need);
  CUresult status() const { return status_; }

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  CUresult status_ = CUDA_SUCCESS;
};

// The current context of this thread.
CUcontext& CurrentContext();

}  // namespace swage::emulated_cuda

#define EMULATED_CUDA_API extern "C" __attribute__((visibility("default"))) CUresult

#define EMULATED_CUDA_ENTER(need)                                                                  \
  const ::swage::emulated_cuda::ApiCall api_call(__func__, ::swage::emulated_cuda::ApiCall::need); \
  if (api_call.status() != CUDA_SUCCESS) return api_call.status();                                 \
  [[maybe_unused]] ::swage::emulated_cuda::Driver& driver = ::swage::emulated_cuda::Driver::Get()

#endif  // SWAGE_TESTS_EMULATED_CUDA_DRIVER_H_
