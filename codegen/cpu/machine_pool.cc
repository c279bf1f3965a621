#include "codegen/cpu/machine_pool.h"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace swage::cpu {
namespace {

// The idle machines of one CPU and level; more than this many threads rarely compile at once.
constexpr size_t kMaxIdle = 16;

}  // namespace

struct PooledMachine::Pool {
  std::mutex mutex;
  std::map<std::string, std::vector<std::unique_ptr<State>>> idle;  // guarded by mutex
};

// Never destroyed: threads may still compile while static objects are torn down.
PooledMachine::Pool& PooledMachine::GetPool() {
  static Pool* const pool = new Pool;
  return *pool;
}

StatusOr<PooledMachine> PooledMachine::Take(const HostTarget& target, CodegenLevel level) {
  std::string key =
      absl::StrCat(target.cpu(), " ", target.feature_string(), " ", static_cast<int>(level));
  {
    Pool& pool = GetPool();
    std::lock_guard<std::mutex> lock(pool.mutex);
    auto& idle = pool.idle[key];
    if (!idle.empty()) {
      std::unique_ptr<State> state = std::move(idle.back());
      idle.pop_back();
      return PooledMachine(std::move(key), std::move(state));
    }
  }
  SWAGE_ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine,
                         target.CreateTargetMachine(level));
  return PooledMachine(std::move(key), std::make_unique<State>(std::move(machine)));
}

PooledMachine::~PooledMachine() {
  if (state_ == nullptr) return;
  Pool& pool = GetPool();
  std::lock_guard<std::mutex> lock(pool.mutex);
  auto& idle = pool.idle[key_];
  if (idle.size() < kMaxIdle) idle.push_back(std::move(state_));
}

}  // namespace swage::cpu
