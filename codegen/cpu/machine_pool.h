// File: codegen/cpu/machine_pool.h
//
// LLVM code generators, kept for the next kernel: making one and its subtarget takes a quarter of a
// millisecond, several times what a small kernel takes.
//
//   SWAGE_ASSIGN_OR_RETURN(const PooledMachine machine, PooledMachine::Take(target, level));
//   Use(*machine);    // by this thread alone; goes back to the pool at the end of the scope
#ifndef SWAGE_CODEGEN_CPU_MACHINE_POOL_H_
#define SWAGE_CODEGEN_CPU_MACHINE_POOL_H_

#include <memory>
#include <string>

#include "base/status.h"
#include "codegen/cpu/host_target.h"
#include "llvm/Target/TargetMachine.h"

namespace swage::cpu {

class PooledMachine {
 public:
  static StatusOr<PooledMachine> Take(const HostTarget& target, CodegenLevel level);

  PooledMachine(PooledMachine&&) = default;
  ~PooledMachine();

  llvm::TargetMachine& operator*() const { return *machine_; }
  llvm::TargetMachine* operator->() const { return machine_.get(); }

 private:
  PooledMachine(std::string key, std::unique_ptr<llvm::TargetMachine> machine)
      : key_(std::move(key)), machine_(std::move(machine)) {}

  std::string key_;
  std::unique_ptr<llvm::TargetMachine> machine_;
};

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_MACHINE_POOL_H_
