// File: codegen/cpu/machine_pool.h
//
// LLVM code generators, kept for the next kernel: making one and its subtarget takes a quarter of a
// millisecond; setting up its passes too is 4 % of the first call of attention.
//
//   SWAGE_ASSIGN_OR_RETURN(PooledMachine machine, PooledMachine::Take(target, level));
//   machine.objects().Run(module);  // by this thread alone; back to the pool at the scope's end
#ifndef SWAGE_CODEGEN_CPU_MACHINE_POOL_H_
#define SWAGE_CODEGEN_CPU_MACHINE_POOL_H_

#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "codegen/cpu/host_target.h"
#include "codegen/emit/backend.h"
#include "llvm/Target/TargetMachine.h"

namespace swage::cpu {

class PooledMachine {
 public:
  static StatusOr<PooledMachine> Take(const HostTarget& target, CodegenLevel level);

  PooledMachine(PooledMachine&&) = default;
  ~PooledMachine();

  llvm::TargetMachine& operator*() const { return *state_->machine; }
  llvm::TargetMachine* operator->() const { return state_->machine.get(); }
  // What makes object files.
  emit::CodeGenerator& objects() { return state_->objects; }

 private:
  struct State {
    explicit State(std::unique_ptr<llvm::TargetMachine> made)
        : machine(std::move(made)), objects(*machine, llvm::CodeGenFileType::ObjectFile) {}
    std::unique_ptr<llvm::TargetMachine> machine;
    emit::CodeGenerator objects;
  };
  struct Pool;
  static Pool& GetPool();

  PooledMachine(std::string key, std::unique_ptr<State> state)
      : key_(std::move(key)), state_(std::move(state)) {}

  std::string key_;
  std::unique_ptr<State> state_;
};

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_MACHINE_POOL_H_
