// Modules, the linker, functions, launches, occupancy.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "tests/emulated_cuda/driver.h"
#include "tests/emulated_cuda/launch.h"

using namespace swage::emulated_cuda;

namespace swage::emulated_cuda {

// What a caller asked of the JIT: where logs go.
struct JitLog {
  char* error = nullptr;
  char* info = nullptr;
  size_t error_size = 0, info_size = 0;
  void** error_used = nullptr;
  void** info_used = nullptr;

  CUresult Read(unsigned count, const CUjit_option* options, void** values) {
    for (unsigned i = 0; i < count; ++i) {
      const size_t number = reinterpret_cast<size_t>(values[i]);
      switch (options[i]) {
        case CU_JIT_ERROR_LOG_BUFFER:
          error = static_cast<char*>(values[i]);
          break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
          error_size = number & 0xffffffff, error_used = &values[i];
          break;
        case CU_JIT_INFO_LOG_BUFFER:
          info = static_cast<char*>(values[i]);
          break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
          info_size = number & 0xffffffff, info_used = &values[i];
          break;
        default:
          if (options[i] < 0 || options[i] > CU_JIT_CACHE_MODE) return CUDA_ERROR_INVALID_VALUE;
      }
    }
    return CUDA_SUCCESS;
  }

  static void Write(char* buffer, size_t size, void** used, const std::string& text) {
    if (buffer == nullptr || size == 0) return;
    const size_t count = std::min(size - 1, text.size());
    std::memcpy(buffer, text.data(), count);
    buffer[count] = '\0';
    if (used != nullptr) *used = reinterpret_cast<void*>(count);
  }
  void Error(const std::string& text) const { Write(error, error_size, error_used, text); }
  void Info(const std::string& text) const { Write(info, info_size, info_used, text); }
};

}  // namespace swage::emulated_cuda

struct EmulatedLink {
  std::string ptx, cubin;
  JitLog log;
};

namespace {

// What the linker gives is the PTX behind this line.
constexpr char kWrapped[] = "emulated cubin\n";

std::string Describe(const LoadedModule& module) {
  std::string text;
  for (const auto& [name, kernel] : module.kernels) {
    text += "emulator: " + name + ": " + std::to_string(kernel.registers) + " registers, " +
            std::to_string(kernel.static_shared_bytes) + " bytes shared, " +
            std::to_string(kernel.local_bytes) + " bytes local\n";
  }
  return text;
}

// The error `code`, with `text` in the log of the caller too.
CUresult Reject(Driver& driver, const JitLog& log, CUresult code, const std::string& text) {
  log.Error("emulator: " + text);
  return driver.Report(code, text);
}

// Compiles, with errors in the log and the right code.
CUresult Compile(Driver& driver, const std::string& ptx, const JitLog& log,
                 std::shared_ptr<LoadedModule>* loaded) {
  if (driver.faults.Hit("module_rejected"))
    return Reject(driver, log, CUDA_ERROR_INVALID_PTX, "the module is rejected (injected)");
  try {
    *loaded = driver.Load(ptx);
  } catch (const TargetError& error) {
    return Reject(driver, log, CUDA_ERROR_NO_BINARY_FOR_GPU, error.what());
  } catch (const PtxError& error) {
    return Reject(driver, log, CUDA_ERROR_INVALID_PTX, error.what());
  }
  log.Info(Describe(**loaded));
  return CUDA_SUCCESS;
}

// The PTX of an image: text, or what the linker made of text.
CUresult PtxOf(Driver& driver, const void* image, const JitLog& log, std::string* ptx) {
  const char* text = static_cast<const char*>(image);
  if (std::strncmp(text, "\177ELF", 4) == 0)
    return Reject(driver, log, CUDA_ERROR_NO_BINARY_FOR_GPU, "real cubins cannot run here");
  if (std::strncmp(text, kWrapped, sizeof(kWrapped) - 1) == 0) text += sizeof(kWrapped) - 1;
  *ptx = text;
  return CUDA_SUCCESS;
}

int MaxThreads(const Kernel& kernel) {
  const auto& size = kernel.required_threads[0] > 0 ? kernel.required_threads : kernel.max_threads;
  return size[0] > 0 ? size[0] * size[1] * size[2] : kMaxThreads;
}

// Nothing, or why the launch cannot be.
CUresult CheckLaunch(Driver& driver, const EmulatedFunction& function, const LaunchConfig& config) {
  const Kernel& kernel = *function.kernel;
  const auto refuse = [&](CUresult code, const std::string& text) {
    return driver.Report(code, "launch of " + kernel.name + ": " + text);
  };
  const auto& [bx, by, bz] = config.block;
  const auto& [gx, gy, gz] = config.grid;
  if (bx == 0 || by == 0 || bz == 0 || gx == 0 || gy == 0 || gz == 0)
    return refuse(CUDA_ERROR_INVALID_VALUE, "a size is 0");
  if (gx > 0x7fffffff || gy > 65535 || gz > 65535 || bx > 1024 || by > 1024 || bz > 64 ||
      uint64_t{bx} * by * bz > kMaxThreads) {
    return refuse(CUDA_ERROR_INVALID_VALUE, "the grid or block is too large");
  }
  const int threads = static_cast<int>(bx * by * bz);
  if (threads > MaxThreads(kernel)) {
    return refuse(CUDA_ERROR_INVALID_VALUE, std::to_string(threads) +
                                                " threads, but the kernel says at most " +
                                                std::to_string(MaxThreads(kernel)));
  }
  if (kernel.required_threads[0] > 0 && threads != MaxThreads(kernel)) {
    return refuse(CUDA_ERROR_INVALID_VALUE,
                  "the kernel requires " + std::to_string(MaxThreads(kernel)) + " threads");
  }
  if (static_cast<int64_t>(config.dynamic_shared_bytes) > function.max_dynamic_shared ||
      kernel.static_shared_bytes + config.dynamic_shared_bytes > driver.SharedPerBlockOptin()) {
    return refuse(CUDA_ERROR_INVALID_VALUE,
                  std::to_string(config.dynamic_shared_bytes) +
                      " bytes of dynamic shared memory are more than allowed");
  }
  return CUDA_SUCCESS;
}

// Copies the arguments out of kernelParams or extra.
CUresult ReadParams(const Kernel& kernel, void** params, void** extra,
                    std::vector<uint8_t>* bytes) {
  bytes->assign(static_cast<size_t>(kernel.param_bytes), 0);
  if (extra != nullptr) {
    const void* buffer = nullptr;
    size_t size = 0;
    for (; *extra != nullptr; extra += 2) {
      const uintptr_t key = reinterpret_cast<uintptr_t>(*extra);
      if (key == 1) buffer = extra[1];
      if (key == 2) size = *static_cast<size_t*>(extra[1]);
      if (key > 2) return CUDA_ERROR_INVALID_VALUE;
    }
    if (buffer == nullptr || size < bytes->size()) return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(bytes->data(), buffer, bytes->size());
    return CUDA_SUCCESS;
  }
  if (params == nullptr && !kernel.params.empty()) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    const Variable& param = kernel.params[i];
    if (params[i] == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(bytes->data() + param.offset, params[i], static_cast<size_t>(param.bytes));
  }
  return CUDA_SUCCESS;
}

CUresult Run(const Kernel& kernel, LaunchConfig config) {
  Driver& driver = Driver::Get();
  if (const char* seed = std::getenv("EMULATED_CUDA_SEED"))
    config.seed = std::strtoull(seed, nullptr, 10);
  if (const char* seconds = std::getenv("EMULATED_CUDA_TIMEOUT"))
    config.seconds = std::atof(seconds);
  if (driver.faults.Hit("kernel_error")) {
    return driver.Break(CUDA_ERROR_ILLEGAL_ADDRESS,
                        "kernel " + kernel.name + ": an illegal access (injected)");
  }
  const std::optional<LaunchError> error = RunLaunch(kernel, config, *driver.memory);
  return error ? driver.Break(static_cast<CUresult>(error->code), error->text) : CUDA_SUCCESS;
}

}  // namespace

EMULATED_CUDA_API cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count,
                                     CUjit_option* options, void** values) {
  EMULATED_CUDA_ENTER(kContext);
  if (module == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  JitLog log;
  std::string ptx;
  if (const CUresult result = log.Read(count, options, values); result != CUDA_SUCCESS)
    return result;
  if (const CUresult result = PtxOf(driver, image, log, &ptx); result != CUDA_SUCCESS)
    return result;
  auto made = std::make_unique<EmulatedModule>();
  if (const CUresult result = Compile(driver, ptx, log, &made->loaded); result != CUDA_SUCCESS)
    return result;
  *module = made.release();
  driver.modules.insert(*module);
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuModuleLoadData(CUmodule* module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

EMULATED_CUDA_API cuModuleUnload(CUmodule module) {
  EMULATED_CUDA_ENTER(kContext);
  if (driver.modules.erase(module) == 0) return CUDA_ERROR_INVALID_HANDLE;
  driver.DrainAll();
  for (const auto& [name, function] : module->functions) driver.functions.erase(function.get());
  delete module;
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  EMULATED_CUDA_ENTER(kContext);
  if (function == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (driver.modules.count(module) == 0) return CUDA_ERROR_INVALID_HANDLE;
  const Kernel* const kernel = module->loaded->Find(name);
  if (kernel == nullptr)
    return driver.Report(CUDA_ERROR_NOT_FOUND,
                         "the module has no kernel `" + std::string(name) + "`");
  std::unique_ptr<EmulatedFunction>& slot = module->functions[name];
  if (slot == nullptr) {
    slot = std::make_unique<EmulatedFunction>();
    slot->loaded = module->loaded;
    slot->kernel = kernel;
    slot->max_dynamic_shared =
        static_cast<int>(std::max<int64_t>(0, kSharedPerBlock - kernel->static_shared_bytes));
    driver.functions.insert(slot.get());
  }
  *function = slot.get();
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuLinkCreate_v2(unsigned count, CUjit_option* options, void** values,
                                  CUlinkState* state) {
  EMULATED_CUDA_ENTER(kContext);
  if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
  auto link = std::make_unique<EmulatedLink>();
  if (const CUresult result = link->log.Read(count, options, values); result != CUDA_SUCCESS)
    return result;
  *state = link.release();
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, size_t size,
                                   const char*, unsigned, CUjit_option*, void**) {
  EMULATED_CUDA_ENTER(kContext);
  if (state == nullptr || data == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const JitLog& log = state->log;
  if (type != CU_JIT_INPUT_PTX)
    return Reject(driver, log, CUDA_ERROR_NO_BINARY_FOR_GPU, "only PTX can be linked here");
  if (!state->ptx.empty())
    return driver.Report(CUDA_ERROR_NOT_SUPPORTED, "emulator: several inputs cannot be linked");
  state->ptx.assign(static_cast<const char*>(data), size);
  state->ptx.resize(std::strlen(state->ptx.c_str()));
  std::shared_ptr<LoadedModule> loaded;
  return Compile(driver, state->ptx, log, &loaded);
}

EMULATED_CUDA_API cuLinkComplete(CUlinkState state, void** cubin, size_t* size) {
  EMULATED_CUDA_ENTER(kContext);
  if (state == nullptr || cubin == nullptr || size == nullptr || state->ptx.empty())
    return CUDA_ERROR_INVALID_VALUE;
  state->cubin = kWrapped + state->ptx;
  *cubin = state->cubin.data();
  *size = state->cubin.size() + 1;
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuLinkDestroy(CUlinkState state) {
  if (state == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  delete state;
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuFuncGetAttribute(int* value, CUfunction_attribute attribute,
                                     CUfunction function) {
  EMULATED_CUDA_ENTER(kContext);
  if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (driver.functions.count(function) == 0) return CUDA_ERROR_INVALID_HANDLE;
  const Kernel& kernel = *function->kernel;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = MaxThreads(kernel);
      break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = static_cast<int>(kernel.static_shared_bytes);
      break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = static_cast<int>(kernel.local_bytes);
      break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = kernel.registers;
      break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = driver.Capability();
      break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = function->max_dynamic_shared;
      break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
      *value = 0;
      break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *value = -1;
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                                     int value) {
  EMULATED_CUDA_ENTER(kContext);
  if (driver.functions.count(function) == 0) return CUDA_ERROR_INVALID_HANDLE;
  if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) return CUDA_SUCCESS;
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_ERROR_INVALID_VALUE;
  if (value < 0 || value + function->kernel->static_shared_bytes > driver.SharedPerBlockOptin())
    return CUDA_ERROR_INVALID_VALUE;
  function->max_dynamic_shared = value;
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz,
                                 unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                 CUstream handle, void** params, void** extra) {
  EMULATED_CUDA_ENTER(kContext);
  if (driver.functions.count(function) == 0) return CUDA_ERROR_INVALID_HANDLE;
  EmulatedStream* const stream = driver.Find(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  LaunchConfig config;
  config.grid = {gx, gy, gz};
  config.block = {bx, by, bz};
  config.dynamic_shared_bytes = shared;
  if (const CUresult result = CheckLaunch(driver, *function, config); result != CUDA_SUCCESS)
    return result;
  if (const CUresult result = ReadParams(*function->kernel, params, extra, &config.params);
      result != CUDA_SUCCESS)
    return result;
  return driver.Enqueue(stream, [loaded = function->loaded, kernel = function->kernel,
                                 config = std::move(config)] { return Run(*kernel, config); });
}

EMULATED_CUDA_API cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function,
                                                              int threads, size_t shared) {
  EMULATED_CUDA_ENTER(kContext);
  if (blocks == nullptr || threads <= 0) return CUDA_ERROR_INVALID_VALUE;
  if (driver.functions.count(function) == 0) return CUDA_ERROR_INVALID_HANDLE;
  const Kernel& kernel = *function->kernel;
  const int rounded = (threads + kWarpSize - 1) / kWarpSize * kWarpSize;
  const int64_t by_shared =
      (164 << 10) / (kernel.static_shared_bytes + static_cast<int64_t>(shared) + 1024);
  const int by_threads = threads > MaxThreads(kernel) ? 0 : 2048 / rounded;
  const int by_registers = 65536 / (kernel.registers * rounded);
  *blocks = static_cast<int>(std::min<int64_t>({32, by_shared, by_threads, by_registers}));
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction function,
                                                   size_t (*shared_of)(int), size_t shared,
                                                   int limit) {
  EMULATED_CUDA_ENTER(kContext);
  if (grid == nullptr || block == nullptr) return CUDA_ERROR_INVALID_VALUE;
  int best = 0;
  for (int threads = kMaxThreads; threads >= kWarpSize; threads -= kWarpSize) {
    if (limit > 0 && threads > limit) continue;
    int blocks = 0;
    const CUresult result = cuOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, function, threads, shared_of != nullptr ? shared_of(threads) : shared);
    if (result != CUDA_SUCCESS) return result;
    if (blocks * threads <= best) continue;
    best = blocks * threads;
    *block = threads;
    *grid = blocks * kNumMultiprocessors;
  }
  return best > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
