// File: cache/remote_tier.h
//
// The remote tier: entries of a compile cache in a Redis server that many machines share, as opaque
// bytes under kind and hash. Every entry carries a keyed MAC (cache/mac.h) over its Redis key and
// its bytes, which is checked before anything looks at them.
//
//   RemoteTier::Options options{.address = *RedisAddress::Parse("redis://cache:6379"),
//                               .key = *LoadKeyFile("/etc/swage/cache.key")};
//   RemoteTier remote(options);
//   if (std::optional<std::string> bytes = remote.Get(EntryKind::kKernel, hash)) ...
//   remote.Put(EntryKind::kKernel, hash, bytes);  // returns at once
//
// - No call fails, and none takes longer than connect_timeout + command_timeout, whatever the
//   server does: down, slow, garbage, no end, an entry of another key, unsigned or wrongly signed.
//   Each cause has a counter, and one warning per process.
// - The first Get or Put connects. After three failures in a row the server is left alone for a
//   second, doubling to a minute; meanwhile Get is a miss at once.
// - Put hands over to a thread that the first Put starts. Its queue is bounded by entries and
//   bytes; what does not fit is dropped and counted.
// - Any thread may call. After fork a child makes connections and a thread of its own.
// - The destructor drops what is still queued; Flush before it to keep that.
#ifndef SWAGE_CACHE_REMOTE_TIER_H_
#define SWAGE_CACHE_REMOTE_TIER_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/background_queue.h"
#include "cache/circuit_breaker.h"
#include "cache/mac.h"
#include "cache/redis_address.h"
#include "cache/remote_fault.h"
#include "codegen/entry_store.h"

namespace swage::cache {

struct RemoteStats {
  int64_t hits = 0;
  int64_t misses = 0;         // the server has no such entry
  int64_t skipped = 0;        // Gets and Puts while the server was left alone
  int64_t stored = 0;         // Puts that the server confirmed
  int64_t dropped_full = 0;   // Puts that found the queue full
  int64_t dropped_large = 0;  // Puts beyond max_value_bytes
  int64_t pauses = 0;         // how often the server began to be left alone
  int64_t connections = 0;    // how often one was made
  // Gets and Puts that failed, by cause.
  std::array<int64_t, kNumRemoteFaults> faults{};

  int64_t fault(RemoteFault cause) const { return faults[static_cast<int>(cause)]; }
  // "hits=1 misses=2 ...": what is not zero, beside hits, misses and stored.
  std::string ToString() const;
  friend std::ostream& operator<<(std::ostream& out, const RemoteStats& stats) {
    return out << stats.ToString();
  }
};

class RemoteTier {
 public:
  using Milliseconds = std::chrono::milliseconds;

  struct Options {
    RedisAddress address;
    MacKey key;
    Milliseconds connect_timeout{50};  // with name, password and database
    Milliseconds command_timeout{100};
    Milliseconds store_timeout{1'000};  // of a Put, in the background
    int64_t max_value_bytes = int64_t{64} << 20;
    BackgroundQueue::Limits queue = {};
    int64_t ttl_seconds = 0;  // 0: entries stay until the server evicts them
    CircuitBreaker::Options breaker = {};
  };

  explicit RemoteTier(Options options);
  ~RemoteTier();
  RemoteTier(const RemoteTier&) = delete;
  RemoteTier& operator=(const RemoteTier&) = delete;

  // The bytes that a holder of the key put there, or nullopt.
  std::optional<std::string> Get(codegen::EntryKind kind, const Hash128& hash);
  void Put(codegen::EntryKind kind, const Hash128& hash, std::string_view bytes);

  // Whether all Puts so far were stored or given up within the time.
  bool Flush(Milliseconds timeout);
  // Drops the Puts that wait; later ones do nothing. Get goes on.
  void Stop() { queue_.Stop(); }

  RemoteStats stats() const;
  const RedisAddress& address() const { return options_.address; }

  // "swage:v1:kernel:<32 hex digits>": the Redis key of an entry.
  static std::string KeyName(codegen::EntryKind kind, const Hash128& hash);

 private:
  struct State;

  State& state() const;
  void Store(codegen::EntryKind kind, const Hash128& hash, std::string_view bytes,
             const std::atomic<bool>& stop);

  const Options options_;
  // Of this process: a forked child leaves its parent's alone and makes its own.
  mutable std::atomic<State*> state_;
  BackgroundQueue queue_;  // last, so that its thread ends before the rest goes
};

}  // namespace swage::cache

#endif  // SWAGE_CACHE_REMOTE_TIER_H_
