#include "runtime/shared_states.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "runtime/jit_state.h"

namespace swage::runtime {

using internal::FunctionIdentity;
using internal::JitState;

namespace {

// How many libraries the process has unloaded.
uint64_t UnloadsSoFar() {
  uint64_t unloads = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        *static_cast<uint64_t*>(out) = info->dlpi_subs;
        return 1;
      },
      &unloads);
  return unloads;
}

// A pointer into another library than the caller's may, after that one was unloaded, be the address
// of another function; so a key does not outlive the next unload. Pointers into the caller's own
// library go with its identity.
uint64_t AgeOf(const FunctionKey& key) {
  dl_find_object function, caller;
  if (key.pointer == nullptr) return 0;
  if (_dl_find_object(const_cast<void*>(key.pointer), &function) == 0 &&
      _dl_find_object(const_cast<FunctionIdentity*>(key.identity), &caller) == 0 &&
      function.dlfo_map_start == caller.dlfo_map_start) {
    return 0;
  }
  return UnloadsSoFar();
}

struct Registry {
  using Key = std::tuple<const FunctionIdentity*, const void*, uint64_t, std::string>;
  std::mutex mutex;
  std::map<Key, std::shared_ptr<JitState>> states;

  static Registry& Get() {
    static auto* const registry = new Registry;
    return *registry;
  }
  // Those of one identity follow each other.
  auto First(const FunctionIdentity* identity) {
    return states.lower_bound({identity, nullptr, 0, ""});
  }
  bool Knows(const FunctionIdentity* identity) {
    const auto first = First(identity);
    return first != states.end() && std::get<0>(first->first) == identity;
  }
};

// Whether the process ends: then all identities go, while other threads may still call.
std::atomic<bool> exiting{false};

// Exit handlers run last in, first out: one that is added after the identity was made runs before
// the identity goes.
void WatchForExit() {
  std::atexit([] { exiting.store(true); });
}

}  // namespace

std::shared_ptr<JitState> SharedState(const FunctionKey& key,
                                      const std::function<std::shared_ptr<JitState>()>& make) {
  Registry& all = Registry::Get();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const bool known = all.Knows(key.identity);
  std::shared_ptr<JitState>& state =
      all.states[{key.identity, key.pointer, AgeOf(key), key.options}];
  if (state == nullptr) state = make();
  if (!known) WatchForExit();
  return state;
}

}  // namespace swage::runtime

namespace swage::internal {

FunctionIdentity::~FunctionIdentity() {
  using runtime::Registry;
  if (runtime::exiting.load()) return;
  std::vector<std::shared_ptr<JitState>> gone;  // which die without the lock: they hold user types
  Registry& all = Registry::Get();
  const std::lock_guard<std::mutex> lock(all.mutex);
  while (all.Knows(this)) {
    gone.push_back(std::move(all.First(this)->second));
    all.states.erase(all.First(this));
  }
}

}  // namespace swage::internal
