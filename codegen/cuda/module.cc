#include "codegen/cuda/module.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace swage::cuda {
namespace {

// Where the driver writes what it has to say.
class Logs {
 public:
  unsigned count() const { return static_cast<unsigned>(names_.size()); }
  JitOption* names() { return names_.data(); }
  void** values() { return values_.data(); }
  std::string info() const { return Text(info_); }

  // The error of a call that wrote here.
  Status Explain(const Status& status) const {
    const std::string text = Text(error_);
    return text.empty() ? status : Annotate(status, absl::StrCat("\n", text));
  }

 private:
  using Buffer = std::array<char, 8192>;

  static std::string Text(const Buffer& buffer) {
    const std::string_view all(buffer.data(), buffer.size());
    return std::string(all.substr(0, all.find('\0')));
  }
  // Numbers are passed in the place of pointers.
  static void* Bytes(const Buffer& buffer) { return reinterpret_cast<void*>(buffer.size() - 1); }

  Buffer info_ = {}, error_ = {};
  std::array<JitOption, 4> names_ = {JitOption::kInfoLog, JitOption::kInfoLogBytes,
                                     JitOption::kErrorLog, JitOption::kErrorLogBytes};
  std::array<void*, 4> values_ = {info_.data(), Bytes(info_), error_.data(), Bytes(error_)};
};

// The driver reads text up to a zero byte.
Status CheckText(std::string_view ptx) {
  if (ptx.find('\0') == std::string_view::npos) return OkStatus();
  return InvalidArgument("[cuda] got PTX with a zero byte, expected text");
}

}  // namespace

StatusOr<Cubin> LinkPtx(Device& device, std::string_view ptx) {
  SWAGE_RETURN_IF_ERROR(CheckText(ptx));
  const Driver& driver = device.driver();
  Logs logs;
  CUlinkState state = nullptr;
  SWAGE_RETURN_IF_ERROR(device.Check(
      driver.cuLinkCreate(logs.count(), logs.names(), logs.values(), &state), "cuLinkCreate"));
  const auto link = [&]() -> StatusOr<std::string> {
    std::string text(ptx);  // with a zero byte behind it, which counts
    SWAGE_RETURN_IF_ERROR(
        device.Check(driver.cuLinkAddData(state, LinkInput::kPtx, text.data(), text.size() + 1,
                                          "swage.ptx", 0, nullptr, nullptr),
                     "cuLinkAddData"));
    void* code = nullptr;
    size_t bytes = 0;
    SWAGE_RETURN_IF_ERROR(
        device.Check(driver.cuLinkComplete(state, &code, &bytes), "cuLinkComplete"));
    return std::string(static_cast<const char*>(code), bytes);  // it belongs to the state
  };
  StatusOr<std::string> code = link();
  const Status destroyed = device.Check(driver.cuLinkDestroy(state), "cuLinkDestroy");
  if (!code.ok()) return logs.Explain(code.status());
  SWAGE_RETURN_IF_ERROR(destroyed);
  return Cubin{*std::move(code), logs.info()};
}

StatusOr<Function::Resources> Function::ReadResources() const {
  Status status;
  const auto read = [&](FunctionAttribute attribute) {
    int value = 0;
    status.Update(device_->Check(device_->driver().cuFuncGetAttribute(&value, attribute, function_),
                                 "cuFuncGetAttribute"));
    return value;
  };
  const Resources resources = {.registers = read(FunctionAttribute::kRegisters),
                               .local_bytes = read(FunctionAttribute::kLocalBytes),
                               .shared_bytes = read(FunctionAttribute::kSharedBytes),
                               .max_threads = read(FunctionAttribute::kMaxThreadsPerBlock)};
  if (!status.ok()) return status;
  return resources;
}

Status Function::AllowSharedBytes(int bytes) const {
  return device_->Check(device_->driver().cuFuncSetAttribute(
                            function_, FunctionAttribute::kMaxDynamicSharedBytes, bytes),
                        "cuFuncSetAttribute");
}

Status Function::Launch(const Stream& stream, const LaunchShape& shape,
                        absl::Span<void* const> parameters) const {
  const auto& [grid, block, shared] = shape;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return OkStatus();
  return device_->Check(device_->driver().cuLaunchKernel(
                            function_, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared,
                            stream.get(), const_cast<void**>(parameters.data()), nullptr),
                        "cuLaunchKernel");
}

StatusOr<Module> Module::LoadPtx(Device& device, std::string_view ptx) {
  SWAGE_RETURN_IF_ERROR(CheckText(ptx));
  return Load(device, std::string(ptx).c_str());
}

StatusOr<Module> Module::LoadCubin(Device& device, const Cubin& cubin) {
  return Load(device, cubin.code.data());
}

StatusOr<Module> Module::Load(Device& device, const char* image) {
  Logs logs;
  CUmodule module = nullptr;
  const Status loaded = device.Check(
      device.driver().cuModuleLoadDataEx(&module, image, logs.count(), logs.names(), logs.values()),
      "cuModuleLoadDataEx");
  if (!loaded.ok()) return logs.Explain(loaded);
  return Module(device, module);
}

Module::Module(Module&& other) noexcept
    : device_(other.device_), module_(std::exchange(other.module_, nullptr)) {}

Module::~Module() {
  if (module_ != nullptr && !InForkedChild()) device_->driver().cuModuleUnload(module_);
}

StatusOr<Function> Module::Find(const std::string& name) const {
  CUfunction function = nullptr;
  SWAGE_RETURN_IF_ERROR(Annotate(
      device_->Check(device_->driver().cuModuleGetFunction(&function, module_, name.c_str()),
                     "cuModuleGetFunction"),
      absl::StrCat("; asked for '", name, "'")));
  return Function(*device_, function);
}

}  // namespace swage::cuda
