#include "tests/codegen/emit/emulated_run.h"

#include <algorithm>

#include "tests/emulated_cuda/test_driver.h"

namespace swage::emit {
namespace {

using emulated_cuda::TestDriver;

// Ok, or what the driver says; `what` was being done.
Status Check(CUresult result, const TestDriver& driver, const char* what) {
  if (result == CUDA_SUCCESS) return OkStatus();
  return Internal("[emulator] ", what, ": error ", static_cast<int>(result), " ", driver.Detail());
}

// A context for the whole process. After an error it stays broken, and so do all later runs.
TestDriver& Driver() {
  static TestDriver* const driver = new TestDriver;
  return *driver;
}

// Device memory; of an array without elements, a byte.
class DeviceBytes {
 public:
  explicit DeviceBytes(size_t size) {
    TestDriver::Call<CUdeviceptr*, size_t>("cuMemAlloc_v2", &address_, std::max<size_t>(size, 1));
  }
  ~DeviceBytes() { TestDriver::Call<CUdeviceptr>("cuMemFree_v2", address_); }
  DeviceBytes(DeviceBytes&& other) noexcept : address_(std::exchange(other.address_, 0)) {}

  CUdeviceptr address_ = 0;
};

}  // namespace

StatusOr<std::shared_ptr<EmulatedKernel>> EmulatedKernel::Load(const std::string& ptx,
                                                               const char* name) {
  std::shared_ptr<EmulatedKernel> kernel(new EmulatedKernel);
  CUmodule module = nullptr;
  SWAGE_RETURN_IF_ERROR(
      Check(TestDriver::Call<CUmodule*, const void*, unsigned, CUjit_option*, void**>(
                "cuModuleLoadDataEx", &module, ptx.c_str(), 0, nullptr, nullptr),
            Driver(), "load"));
  kernel->module_ = module;
  CUfunction function = nullptr;
  SWAGE_RETURN_IF_ERROR(Check(TestDriver::Call<CUfunction*, CUmodule, const char*>(
                                  "cuModuleGetFunction", &function, module, name),
                              Driver(), "find the kernel"));
  kernel->function_ = function;
  return kernel;
}

EmulatedKernel::~EmulatedKernel() {
  if (module_ != nullptr) {
    TestDriver::Call<CUmodule>("cuModuleUnload", static_cast<CUmodule>(module_));
  }
}

StatusOr<std::vector<ir::Literal>> EmulatedKernel::Run(const gpu::Launch& launch,
                                                       absl::Span<const ir::Literal> args,
                                                       const std::vector<ir::Shape>& results,
                                                       const std::vector<int64_t>& extents,
                                                       int seed, int updated) const {
  TestDriver& driver = Driver();
  ::setenv("EMULATED_CUDA_SEED", std::to_string(seed).c_str(), 1);
  std::vector<DeviceBytes> arrays;
  const auto fill = [&](absl::Span<const uint8_t> bytes) {
    return Check(TestDriver::Call<CUdeviceptr, const void*, size_t>(
                     "cuMemcpyHtoD_v2", arrays.back().address_, bytes.data(), bytes.size()),
                 driver, "copy an argument");
  };
  for (const ir::Literal& arg : args) {
    arrays.emplace_back(arg.bytes().size());
    SWAGE_RETURN_IF_ERROR(fill(arg.bytes()));
  }
  for (const ir::Shape& shape : results) {
    SWAGE_ASSIGN_OR_RETURN(const int64_t bytes, shape.ByteSize());
    arrays.emplace_back(static_cast<size_t>(bytes));
    if (updated >= 0) SWAGE_RETURN_IF_ERROR(fill(args[static_cast<size_t>(updated)].bytes()));
  }
  std::vector<uint64_t> values;
  for (const DeviceBytes& array : arrays) values.push_back(array.address_);
  values.insert(values.end(), extents.begin(), extents.end());
  std::vector<void*> pointers;
  for (uint64_t& value : values) pointers.push_back(&value);
  if (launch.blocks > 0) {
    SWAGE_RETURN_IF_ERROR(
        Check(TestDriver::Call<CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                               unsigned, unsigned, CUstream, void**, void**>(
                  "cuLaunchKernel", static_cast<CUfunction>(function_),
                  static_cast<unsigned>(launch.blocks), 1u, 1u, launch.threads_x, launch.threads_y,
                  1u, 0u, nullptr, pointers.data(), nullptr),
              driver, "launch"));
    SWAGE_RETURN_IF_ERROR(Check(TestDriver::Call<>("cuCtxSynchronize"), driver, "run"));
  }
  std::vector<ir::Literal> outputs;
  for (size_t i = 0; i < results.size(); ++i) {
    SWAGE_ASSIGN_OR_RETURN(const int64_t size, results[i].ByteSize());
    std::vector<uint8_t> bytes(static_cast<size_t>(size));
    SWAGE_RETURN_IF_ERROR(
        Check(TestDriver::Call<void*, CUdeviceptr, size_t>(
                  "cuMemcpyDtoH_v2", bytes.data(), arrays[args.size() + i].address_, bytes.size()),
              driver, "copy a result"));
    SWAGE_ASSIGN_OR_RETURN(ir::Literal output, ir::Literal::FromBytes(results[i], bytes));
    outputs.push_back(std::move(output));
  }
  return outputs;
}

}  // namespace swage::emit
