// File: tools/device.h
//
// What the commands run modules on. A device compiles a module once and runs it many times; a new
// device is one more entry in device.cc.
#ifndef SWAGE_TOOLS_DEVICE_H_
#define SWAGE_TOOLS_DEVICE_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "codegen/entry_store.h"
#include "codegen/executable.h"
#include "compiler/ir/literal.h"
#include "compiler/ir/module.h"
#include "compiler/passes/options.h"

namespace CLI {
class App;
}

namespace swage::tools {

// One literal per parameter in, the leaves of the result out, left to right.
using RunCompiled =
    std::function<StatusOr<std::vector<ir::Literal>>(const std::vector<ir::Literal>&)>;
// The module must outlive what is returned.
using CompileModule = std::function<StatusOr<RunCompiled>(const ir::Module&)>;
using RunModule = std::function<StatusOr<std::vector<ir::Literal>>(
    const ir::Module&, const std::vector<ir::Literal>&)>;

struct DeviceOptions {
  // Compiled code is looked for and kept on disk and remotely (cache/tiers.h), as jit does; the
  // evaluator has none, which is an error.
  bool cache = false;
  // Programs of open sizes are padded to their bounds: Unimplemented where that cannot be.
  bool pad = false;
  passes::PaddingFill fill = passes::PaddingFill::kNan;
  passes::PaddingMasks masks = passes::PaddingMasks::kNeeded;
  // Kernels have every size compiled in, as those of hot programs have; the evaluator has none,
  // which is an error.
  bool baked_dims = false;
  // Gets what each compile made; the evaluator compiles nothing.
  std::function<void(const std::shared_ptr<codegen::Executable>&)> on_compiled = {};
};

// The device of that name. NotFound lists those that exist; Unavailable says why a GPU is not
// there.
StatusOr<CompileModule> FindDevice(const std::string& name, const DeviceOptions& options = {});
std::vector<std::string> DeviceNames();
// An option --device of a command, with SWAGE_DEVICE as its default. `doc`: "What runs the module".
void AddDeviceOption(CLI::App* command, const std::string& doc, std::string* device);

// Compiles and runs in one call.
RunModule RunOn(CompileModule compile);

// Compiles into a store, and logs it with what the passes want a person to know.
using CompileInto = std::function<StatusOr<std::shared_ptr<codegen::Executable>>(
    std::unique_ptr<ir::Module> module, codegen::EntryStore* store, std::string_view reason)>;
// Errors as FindDevice; InvalidArgument for a device that compiles nothing.
StatusOr<CompileInto> FindCompiler(const std::string& name);

// Parses a module and checks it, so that a device can trust it. Layouts but the entry's are
// dropped.
StatusOr<std::unique_ptr<ir::Module>> LoadModule(const std::string& path);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_DEVICE_H_
