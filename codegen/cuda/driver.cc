#include "codegen/cuda/driver.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/env.h"
#include "codegen/cuda/library.h"

namespace swage::cuda {
namespace {

using GetProcAddress = CUresult (*)(const char* symbol, void** function, int version,
                                    uint64_t flags, ProcAddressResult* result);

std::string VersionText(int version) {
  return absl::StrCat(version / 1000, ".", version % 1000 / 10);
}

std::atomic<bool> is_child{false};

// What was opened before a fork is of no use in the child. Without a lock, which a child might find
// held; watched twice is watched.
void WatchForks() {
  static std::atomic<bool> watched{false};
  if (watched.load()) return;
  pthread_atfork(nullptr, nullptr, [] { is_child.store(true); });
  watched.store(true);
}

}  // namespace

bool InForkedChild() { return is_child.load(std::memory_order_relaxed); }

bool IsSticky(CUresult result) {
  switch (result) {
    case kDeviceUnavailable:
    case kEccUncorrectable:
    case kIllegalAddress:
    case kLaunchTimeout:
    case kContextIsDestroyed:
    case kAssert:
    case kHardwareStackError:
    case kIllegalInstruction:
    case kMisalignedAddress:
    case kInvalidAddressSpace:
    case kInvalidPc:
    case kLaunchFailed:
    case kUnknown:
      return true;
    default:
      return false;
  }
}

Status Driver::Load(void* library) {
  const auto get = reinterpret_cast<GetProcAddress>(dlsym(library, "cuGetProcAddress_v2"));
  if (get == nullptr && dlsym(library, "cuInit") == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("[cuda] '", path_, "' is no CUDA driver: it has no cuInit"));
  }
  if (get == nullptr) {
    return absl::UnavailableError(absl::StrCat(
        "[cuda] the driver '", path_, "' has no cuGetProcAddress_v2, expected one of CUDA ",
        VersionText(kApiVersion), " or later; update the driver"));
  }
  std::vector<std::string> missing;
  const auto find = [&](const char* name, bool required) {
    void* function = nullptr;
    ProcAddressResult found = ProcAddressResult::kSymbolNotFound;
    const CUresult result = get(name, &function, kApiVersion, 0, &found);
    if (result == kSuccess && found == ProcAddressResult::kFound && function != nullptr) {
      return function;
    }
    if (required) missing.emplace_back(name);
    return static_cast<void*>(nullptr);
  };
#define SWAGE_CUDA_REQUIRED(name, parameters) \
  name = reinterpret_cast<decltype(name)>(find(#name, true));
#define SWAGE_CUDA_OPTIONAL(name, parameters) \
  name = reinterpret_cast<decltype(name)>(find(#name, false));
#include "codegen/cuda/driver_functions.def"
#undef SWAGE_CUDA_REQUIRED
#undef SWAGE_CUDA_OPTIONAL
  if (!missing.empty()) {
    return absl::UnavailableError(absl::StrCat(
        "[cuda] the driver '", path_, "' has no ", missing[0],
        missing.size() > 1 ? absl::StrCat(" (nor ", missing.size() - 1, " others)") : "",
        ", expected all functions of CUDA ", VersionText(kApiVersion), "; update the driver"));
  }
  SWAGE_RETURN_IF_ERROR(Check(cuDriverGetVersion(&version_), "cuDriverGetVersion"));
  if (version_ < kApiVersion) {
    return absl::UnavailableError(absl::StrCat("[cuda] the driver '", path_, "' is of CUDA ",
                                               version(), ", expected ", VersionText(kApiVersion),
                                               " or later; update the driver"));
  }
  return Check(cuInit(0), "cuInit");
}

StatusOr<std::unique_ptr<Driver>> Driver::Open(absl::Span<const std::string> paths) {
  WatchForks();
  std::string why;
  for (const std::string& path : paths) {
    const StatusOr<void*> library = OpenLibrary(path);
    if (!library.ok()) {
      if (why.empty()) why = std::string(library.status().message());
      continue;
    }
    auto driver = std::unique_ptr<Driver>(new Driver());
    driver->path_ = path;
    SWAGE_RETURN_IF_ERROR(driver->Load(*library));
    return driver;
  }
  return absl::UnavailableError(absl::StrCat("[cuda] no driver: ", why));
}

StatusOr<const Driver*> Driver::Get() {
  using Opened = StatusOr<std::unique_ptr<Driver>>;
  static std::atomic<const Opened*> known{nullptr};
  WatchForks();
  const Opened* opened = known.load(std::memory_order_acquire);
  // In a child the parent may have been about to open it, for good.
  if (opened == nullptr && !InForkedChild()) {
    static const auto* const made = [] {
      const std::optional<std::string> given = GetEnv("SWAGE_LIBCUDA");
      // Machines that only run programs have no libcuda.so.
      std::vector<std::string> paths = {"libcuda.so.1", "libcuda.so"};
      if (given.has_value()) paths = {*given};
      return new Opened(Open(paths));
    }();
    opened = made;
    known.store(made, std::memory_order_release);
  }
  if (InForkedChild() && (opened == nullptr || opened->ok())) {
    return absl::UnavailableError(
        "[cuda] the driver was opened before fork(), expected a process that opens it itself; "
        "fork before the first use of a GPU");
  }
  if (!opened->ok()) {
    return Annotate(opened->status(),
                    "; a GPU needs NVIDIA's driver, SWAGE_LIBCUDA may name its libcuda.so.1");
  }
  return (*opened)->get();
}

Status Driver::Check(CUresult result, std::string_view what) const {
  if (result == kSuccess) return OkStatus();
  const char* name = nullptr;
  const char* text = nullptr;
  if (cuGetErrorName(result, &name) != kSuccess || name == nullptr) name = "an unknown error";
  if (cuGetErrorString(result, &text) != kSuccess || text == nullptr) text = "no description";
  const std::string message =
      absl::StrCat("[cuda] ", ToAbsl(what), ": ", name, " (", result, "): ", text);
  switch (result) {
    case kOutOfMemory:
      return absl::ResourceExhaustedError(message);
    case kNoDevice:
    case kInvalidDevice:
    case kDeviceUnavailable:
    case kSystemDriverMismatch:
      return absl::UnavailableError(message);
    case kInvalidImage:
    case kNoBinaryForGpu:
    case kInvalidPtx:
    case kUnsupportedPtxVersion:
      return absl::InvalidArgumentError(message);
    case kNotFound:
      return absl::NotFoundError(message);
    default:
      return absl::InternalError(message);
  }
}

std::string Driver::version() const { return VersionText(version_); }

bool Driver::has_graphs() const {
  return cuStreamBeginCapture != nullptr && cuStreamEndCapture != nullptr &&
         cuGraphInstantiateWithFlags != nullptr && cuGraphLaunch != nullptr &&
         cuGraphExecDestroy != nullptr && cuGraphDestroy != nullptr;
}

}  // namespace swage::cuda
