#include "tests/codegen/emit/host_grid.h"

#include <ucontext.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "codegen/cpu/host_target.h"
#include "codegen/emit/backend.h"
#include "codegen/emit/thread_grid.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"

namespace swage::emit {
namespace {

constexpr size_t kStackBytes = 128 << 10;

// Threads that wait for one another.
struct Group {
  int size = 0, arrived = 0;
  int64_t epoch = 0;
};

struct Warp {
  Group group;
  uint32_t values[2][kWarp] = {};  // by parity of the epoch
};

struct Fiber {
  ucontext_t context;
  std::vector<char> stack;
  bool done = false;
};

// The block that runs on this (host) thread.
struct Block {
  GridShape shape;
  int64_t block = 0;
  int thread = 0;  // the one that runs: x + y * threads_x
  Group group;
  std::vector<Warp> warps;
  std::vector<Fiber> fibers;
  ucontext_t scheduler;
  int64_t progress = 0;
  void (*entry)(void* const*, const int64_t*) = nullptr;
  void* const* pointers = nullptr;
  const int64_t* extents = nullptr;

  int size() const { return shape.threads_x * shape.threads_y; }
};

thread_local Block* block = nullptr;

void Yield() { swapcontext(&block->fibers[block->thread].context, &block->scheduler); }

void Wait(Group& group) {
  const int64_t epoch = group.epoch;
  ++block->progress;
  if (++group.arrived == group.size) {
    group.arrived = 0;
    ++group.epoch;
    return;
  }
  while (group.epoch == epoch) Yield();
}

uint32_t Exchange(uint32_t value, int distance, bool from_first) {
  Warp& warp = block->warps[block->thread / kWarp];
  const int lane = block->thread % kWarp;
  uint32_t* const values = warp.values[warp.group.epoch % 2];
  values[lane] = value;
  Wait(warp.group);
  const int source = from_first ? distance : lane + distance;
  return values[source < kWarp ? source : lane];
}

void RunFiber() {
  block->entry(block->pointers, block->extents);
  ++block->progress;
  block->fibers[block->thread].done = true;
  Yield();
}

// Until all are done; false when none gets on.
bool RunFibers() {
  block->fibers.resize(block->size());
  for (Fiber& fiber : block->fibers) {
    fiber.done = false;
    fiber.stack.resize(kStackBytes);
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = kStackBytes;
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, RunFiber, 0);
  }
  for (bool live = true; live;) {
    live = false;
    const int64_t before = block->progress;
    for (int t = 0; t < block->size(); ++t) {
      if (block->fibers[t].done) continue;
      live = true;
      block->thread = t;
      swapcontext(&block->scheduler, &block->fibers[t].context);
    }
    if (live && block->progress == before) return false;
  }
  return true;
}

extern "C" {
uint32_t HostBlock() { return static_cast<uint32_t>(block->block); }
uint32_t HostThreadsX() { return block->shape.threads_x; }
uint32_t HostThreadsY() { return block->shape.threads_y; }
uint32_t HostThreadX() { return block->thread % block->shape.threads_x; }
uint32_t HostThreadY() { return block->thread / block->shape.threads_x; }
void HostBarrier() { Wait(block->group); }
void HostWarpSync(uint32_t) { Wait(block->warps[block->thread / kWarp].group); }
uint32_t HostShuffleDown(uint32_t, uint32_t value, uint32_t distance, uint32_t) {
  return Exchange(value, static_cast<int>(distance), false);
}
uint32_t HostShuffleIndex(uint32_t, uint32_t value, uint32_t lane, uint32_t) {
  return Exchange(value, static_cast<int>(lane), true);
}
}

const std::map<std::string, std::pair<const char*, void*>>& Replacements() {
  static const auto* const all = new std::map<std::string, std::pair<const char*, void*>>{
      {"llvm.nvvm.bar.warp.sync", {"warp_sync", reinterpret_cast<void*>(&HostWarpSync)}},
      {"llvm.nvvm.barrier0", {"barrier", reinterpret_cast<void*>(&HostBarrier)}},
      {"llvm.nvvm.read.ptx.sreg.ctaid.x", {"block", reinterpret_cast<void*>(&HostBlock)}},
      {"llvm.nvvm.read.ptx.sreg.ntid.x", {"threads_x", reinterpret_cast<void*>(&HostThreadsX)}},
      {"llvm.nvvm.read.ptx.sreg.ntid.y", {"threads_y", reinterpret_cast<void*>(&HostThreadsY)}},
      {"llvm.nvvm.read.ptx.sreg.tid.x", {"thread_x", reinterpret_cast<void*>(&HostThreadX)}},
      {"llvm.nvvm.read.ptx.sreg.tid.y", {"thread_y", reinterpret_cast<void*>(&HostThreadY)}},
      {"llvm.nvvm.shfl.sync.down.i32", {"down", reinterpret_cast<void*>(&HostShuffleDown)}},
      {"llvm.nvvm.shfl.sync.idx.i32", {"index", reinterpret_cast<void*>(&HostShuffleIndex)}},
  };
  return *all;
}

Status ReplaceIntrinsics(llvm::Module& module) {
  std::vector<llvm::Function*> functions;
  for (llvm::Function& function : module) functions.push_back(&function);
  for (llvm::Function* function : functions) {
    const std::string name = function->getName().str();
    if (!name.starts_with("llvm.nvvm.")) continue;
    const auto found = Replacements().find(name);
    SWAGE_RET_CHECK(found != Replacements().end(), name);
    llvm::FunctionCallee host =
        module.getOrInsertFunction(found->second.first, function->getFunctionType());
    function->replaceAllUsesWith(host.getCallee());
    function->eraseFromParent();
  }
  return OkStatus();
}

// void run(void* const* pointers, const int64_t* extents)
void AddEntry(llvm::Module& module, const char* name, size_t pointers, size_t extents) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, pointer}, false);
  auto* run = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "run", module);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", run));
  llvm::Function* kernel = module.getFunction(name);
  std::vector<llvm::Value*> args;
  for (size_t i = 0; i < pointers + extents; ++i) {
    llvm::Type* of = kernel->getArg(i)->getType();
    llvm::Value* list = run->getArg(i < pointers ? 0 : 1);
    args.push_back(
        b.CreateLoad(of, b.CreateConstGEP1_64(of, list, i < pointers ? i : i - pointers)));
  }
  b.CreateCall(kernel, args);
  b.CreateRetVoid();
}

Status FromLlvm(llvm::Error error) {
  return error ? Internal(llvm::toString(std::move(error))) : OkStatus();
}

}  // namespace

StatusOr<HostGrid> HostGrid::Compile(llvm::Module& module, const char* name, size_t pointers,
                                     size_t extents) {
  SWAGE_RETURN_IF_ERROR(ReplaceIntrinsics(module));
  AddEntry(module, name, pointers, extents);
  SWAGE_ASSIGN_OR_RETURN(const cpu::HostTarget* host, cpu::HostTarget::Get());
  SWAGE_ASSIGN_OR_RETURN(const auto machine, host->CreateTargetMachine(cpu::CodegenLevel::kNone));
  module.setTargetTriple(machine->getTargetTriple().str());
  module.setDataLayout(machine->createDataLayout());
  SWAGE_ASSIGN_OR_RETURN(const std::string object,
                         GenerateCode(module, *machine, llvm::CodeGenFileType::ObjectFile));
  HostGrid grid;
  auto jit = llvm::orc::LLJITBuilder().create();
  SWAGE_RETURN_IF_ERROR(FromLlvm(jit.takeError()));
  grid.jit_ = std::move(*jit);
  llvm::orc::SymbolMap symbols;
  for (const auto& [intrinsic, with] : Replacements()) {
    symbols[grid.jit_->mangleAndIntern(with.first)] = {
        llvm::orc::ExecutorAddr::fromPtr(with.second), llvm::JITSymbolFlags::Exported};
  }
  SWAGE_RETURN_IF_ERROR(FromLlvm(
      grid.jit_->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols)))));
  SWAGE_RETURN_IF_ERROR(
      FromLlvm(grid.jit_->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(object, "kernel"))));
  auto entry = grid.jit_->lookup("run");
  SWAGE_RETURN_IF_ERROR(FromLlvm(entry.takeError()));
  grid.entry_ = entry->toPtr<Entry>();
  return grid;
}

Status HostGrid::Run(const GridShape& shape, bool together, const std::vector<void*>& pointers,
                     const std::vector<int64_t>& extents) const {
  static thread_local Block here;
  block = &here;
  here.shape = shape;
  here.entry = entry_;
  here.pointers = pointers.data();
  here.extents = extents.data();
  for (here.block = 0; here.block < shape.blocks; ++here.block) {
    here.group = {here.size(), 0, 0};
    here.warps.assign(here.size() / kWarp, {});
    for (Warp& warp : here.warps) warp.group.size = kWarp;
    if (!together) {
      for (here.thread = 0; here.thread < here.size(); ++here.thread) {
        entry_(here.pointers, here.extents);
      }
    } else if (!RunFibers()) {
      return Internal("threads wait for one another");
    }
  }
  return OkStatus();
}

}  // namespace swage::emit
