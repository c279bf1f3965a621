#include "tests/emulated_cuda/module_loader.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <set>
#include <utility>

#include "codegen/cpu/host_target.h"
#include "codegen/emit/light_passes.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "tests/emulated_cuda/ptx_parser.h"
#include "tests/emulated_cuda/runtime_calls.h"
#include "tests/emulated_cuda/translator.h"

namespace swage::emulated_cuda {
namespace {

std::string Text(llvm::Error error) { return llvm::toString(std::move(error)); }

// The message of an error of our own side: not the module's fault.
[[noreturn]] void Broken(const std::string& text) {
  throw PtxError(0, "the emulator itself failed: " + text);
}

std::unique_ptr<llvm::orc::LLJIT> MakeJit() {
  using namespace llvm::orc;
  const StatusOr<const cpu::HostTarget*> host = cpu::HostTarget::Get();
  if (!host.ok()) Broken(std::string(host.status().message()));
  JITTargetMachineBuilder machine{llvm::Triple("x86_64-unknown-linux-gnu")};
  machine.setCPU((*host)->cpu());
  llvm::SmallVector<llvm::StringRef, 64> features;
  llvm::StringRef((*host)->feature_string()).split(features, ',', -1, false);
  std::vector<std::string> names;
  for (llvm::StringRef feature : features) names.push_back(feature.str());
  machine.addFeatures(names);
  machine.setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
  auto jit = LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(machine))
                 .setPlatformSetUp(setUpInactivePlatform)
                 .setLinkProcessSymbolsByDefault(false)
                 .create();
  if (!jit) Broken(Text(jit.takeError()));
  SymbolMap symbols;
  for (const RuntimeCall& call : RuntimeCalls()) {
    symbols[(*jit)->mangleAndIntern(call.name)] = {ExecutorAddr::fromPtr(call.address),
                                                   llvm::JITSymbolFlags::Exported};
  }
  if (llvm::Error error = (*jit)->getMainJITDylib().define(absoluteSymbols(std::move(symbols))))
    Broken(Text(std::move(error)));
  return std::move(*jit);
}

// One for all modules, each a library in it: a JIT takes half a megabyte. Never
// destroyed.
llvm::orc::LLJIT& SharedJit() {
  static auto* const jit = MakeJit().release();
  return *jit;
}

class Module final : public LoadedModule {
 public:
  explicit Module(DeviceMemory& memory) : memory_(memory) {}
  ~Module() override {
    for (uint64_t address : globals) memory_.Free(address);
    if (library_ == nullptr) return;
    llvm::orc::ExecutionSession& session = SharedJit().getExecutionSession();
    llvm::consumeError(session.removeJITDylib(*library_));
    session.getSymbolStringPool()->clearDeadEntries();
  }

  void Load(PtxModule ptx, int capability);

 private:
  void PlaceVariables(const PtxModule& ptx);
  void PlaceFunctionVariables(Function* function);
  void Compile(const PtxModule& ptx);

  DeviceMemory& memory_;
  llvm::orc::JITDylib* library_ = nullptr;  // of SharedJit
  SymbolTable symbols_;
  int64_t shared_bytes_ = 0;       // of the module's own shared variables
  std::set<std::string> dynamic_;  // extern shared ones, which begin behind the static ones
};

void Module::Load(PtxModule ptx, int capability) {
  if (ptx.target > capability) {
    throw TargetError(0, "the module is for sm_" + std::to_string(ptx.target) +
                             ", the device is sm_" + std::to_string(capability));
  }
  PlaceVariables(ptx);
  std::set<std::string> names;
  for (Function& function : ptx.functions) {
    if (!names.insert(function.name).second)
      throw PtxError(function.line, "`" + function.name + "` is defined twice");
    PlaceFunctionVariables(&function);
  }
  Compile(ptx);
}

void Module::PlaceVariables(const PtxModule& ptx) {
  for (const Variable& variable : ptx.variables) {
    if (variable.space == Space::kShared) {
      if (variable.bytes == 0) {
        dynamic_.insert(variable.name);
        continue;
      }
      shared_bytes_ = RoundUp(shared_bytes_, variable.align);
      symbols_[variable.name] = kSharedBase + static_cast<uint64_t>(shared_bytes_);
      shared_bytes_ += variable.bytes;
      continue;
    }
    if (variable.space != Space::kGlobal && variable.space != Space::kConst) {
      throw PtxError(variable.line,
                     "`" + variable.name + "` is in a space that a module does not have");
    }
    const uint64_t bytes = static_cast<uint64_t>(variable.bytes);
    const uint64_t address = memory_.Allocate(bytes, variable.space == Space::kConst);
    if (address == 0) throw PtxError(variable.line, "no memory for `" + variable.name + "`");
    uint8_t* const host = memory_.Host(address, bytes);
    std::memset(host, 0, bytes);
    std::copy(variable.initial.begin(), variable.initial.end(), host);
    symbols_[variable.name] = address;
    globals.push_back(address);
  }
}

void Module::PlaceFunctionVariables(Function* function) {
  Kernel& kernel = kernels[function->name];
  kernel.name = function->name;
  kernel.params = function->params;
  kernel.param_bytes = function->param_bytes;
  kernel.max_threads = function->max_threads;
  kernel.required_threads = function->required_threads;
  kernel.registers = static_cast<int>(std::clamp<size_t>(function->registers.size(), 16, 255));
  kernel.static_shared_bytes = shared_bytes_;
  for (Variable& variable : function->variables) {
    int64_t& bytes =
        variable.space == Space::kShared ? kernel.static_shared_bytes : kernel.local_bytes;
    const uint64_t base = variable.space == Space::kShared ? kSharedBase : kLocalBase;
    bytes = RoundUp(bytes, variable.align);
    variable.offset = static_cast<int64_t>(base) + bytes;
    bytes += variable.bytes;
  }
  // Dynamic shared memory of any alignment begins behind the static variables.
  if (!dynamic_.empty()) kernel.static_shared_bytes = RoundUp(kernel.static_shared_bytes, 16);
}

void Module::Compile(const PtxModule& ptx) {
  auto context = std::make_unique<llvm::LLVMContext>();
  auto code = std::make_unique<llvm::Module>("ptx", *context);
  const StatusOr<const cpu::HostTarget*> host = cpu::HostTarget::Get();
  if (!host.ok()) Broken(std::string(host.status().message()));
  auto machine = (*host)->CreateTargetMachine(cpu::CodegenLevel::kDefault);
  if (!machine.ok()) Broken(std::string(machine.status().message()));
  llvm::orc::LLJIT& jit = SharedJit();
  code->setDataLayout(jit.getDataLayout());
  code->setTargetTriple((*machine)->getTargetTriple().str());
  for (const Function& function : ptx.functions) {
    Kernel& kernel = kernels.at(function.name);
    SymbolTable symbols = symbols_;
    for (const std::string& name : dynamic_)
      symbols[name] = kSharedBase + static_cast<uint64_t>(kernel.static_shared_bytes);
    Translator(function, symbols, code.get(), &kernel).Run();
  }
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*code, &stream)) Broken("invalid code: " + problem);
  emit::RunLightPasses(*code, **machine);
  llvm::orc::ThreadSafeModule shared(std::move(code), std::move(context));
  static std::atomic<int64_t> number{0};
  auto library = jit.createJITDylib("module " + std::to_string(number++));
  if (!library) Broken(Text(library.takeError()));
  library_ = &*library;
  library_->addToLinkOrder(jit.getMainJITDylib());
  if (llvm::Error error = jit.addIRModule(*library_, std::move(shared))) {
    Broken(Text(std::move(error)));
  }
  for (auto& [name, kernel] : kernels) {
    auto address = jit.lookup(*library_, name);
    if (!address) Broken(Text(address.takeError()));
    kernel.entry = address->toPtr<int32_t (*)(ThreadState*)>();
  }
}

}  // namespace

std::unique_ptr<LoadedModule> LoadModule(std::string_view ptx, int capability,
                                         DeviceMemory& memory) {
  auto module = std::make_unique<Module>(memory);
  module->Load(ParsePtx(ptx), capability);
  return module;
}

}  // namespace swage::emulated_cuda
