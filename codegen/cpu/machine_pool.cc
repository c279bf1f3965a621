#include "codegen/cpu/machine_pool.h"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace swage::cpu {
namespace {

// The idle machines of one CPU and level; more than this many threads rarely compile at once.
constexpr size_t kMaxIdle = 16;

struct Pool {
  std::mutex mutex;
  std::map<std::string, std::vector<std::unique_ptr<llvm::TargetMachine>>>
      idle;  // guarded by mutex
};

// Never destroyed: threads may still compile while static objects are torn down.
Pool& GetPool() {
  static Pool* const pool = new Pool;
  return *pool;
}

}  // namespace

StatusOr<PooledMachine> PooledMachine::Take(const HostTarget& target, CodegenLevel level) {
  std::string key =
      absl::StrCat(target.cpu(), " ", target.feature_string(), " ", static_cast<int>(level));
  {
    Pool& pool = GetPool();
    std::lock_guard<std::mutex> lock(pool.mutex);
    auto& idle = pool.idle[key];
    if (!idle.empty()) {
      std::unique_ptr<llvm::TargetMachine> machine = std::move(idle.back());
      idle.pop_back();
      return PooledMachine(std::move(key), std::move(machine));
    }
  }
  SWAGE_ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine,
                         target.CreateTargetMachine(level));
  return PooledMachine(std::move(key), std::move(machine));
}

PooledMachine::~PooledMachine() {
  if (machine_ == nullptr) return;
  Pool& pool = GetPool();
  std::lock_guard<std::mutex> lock(pool.mutex);
  auto& idle = pool.idle[key_];
  if (idle.size() < kMaxIdle) idle.push_back(std::move(machine_));
}

}  // namespace swage::cpu
