// File: cache/tiers.h
//
// All tiers below memory as one store: the disk of this machine, then a Redis server that machines
// share.
//
//   Tiers* tiers = Tiers::Global();   // null when both are off
//   StatusOr<std::string> code = tiers->Get(EntryKind::kKernel, material);
//   if (!code.ok()) tiers->Put(EntryKind::kKernel, material, Compile());
//   LogInfo(tiers->stats().ToString());
//
// - Get asks the disk, then the server; what the server has is kept on the disk as well. An entry
//   of the server is looked at only after its MAC was found right (cache/remote_tier.h), and used
//   only if it holds exactly the key that was asked for, so one of another build or another CPU is
//   a miss with a counter by the part of the key that differs.
// - Put returns at once: compressing, the disk's fsync and the network are the business of threads
//   that nobody waits for. Memory is bounded: what the disk cannot take in time is dropped. At the
//   end of the process what waits is given a moment.
// - No call fails, and none waits for the server longer than its time-outs.
// - Any thread may call; a forked child has threads and connections of its own.
#ifndef SWAGE_CACHE_TIERS_H_
#define SWAGE_CACHE_TIERS_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/background_queue.h"
#include "base/key_material.h"
#include "base/status.h"
#include "cache/config.h"
#include "cache/disk_tier.h"
#include "cache/entry_format.h"
#include "cache/remote_tier.h"
#include "codegen/entry_store.h"

namespace swage::cache {

inline constexpr int kNumEntryProblems = static_cast<int>(EntryProblem::kCompression) + 1;

struct TierStats {
  DiskStats disk;
  std::optional<RemoteStats> remote;  // nullopt without a server
  int64_t dropped = 0;                // Puts that found too much waiting for the disk
  // Rightly signed entries of the server that were refused, by EntryProblem. Those of another key
  // are also counted by the name of the first part that differs: build_id, cpu_features, ...
  std::array<int64_t, kNumEntryProblems> refused{};
  std::map<std::string, int64_t> refused_by_component;

  // Of the server, as users count: entries that were there and are of no use (strangers', damaged,
  // of another key) are rejects, and each of them is a miss.
  int64_t RemoteHits() const;
  int64_t RemoteMisses() const;
  int64_t RemoteRejects() const;
  int64_t RemoteFaults() const;  // the server did not answer well

  // A line per tier; counters that are zero are mostly left out.
  std::string ToString() const;
  friend std::ostream& operator<<(std::ostream& out, const TierStats& stats) {
    return out << stats.ToString();
  }
};

class Tiers : public codegen::EntryStore {
 public:
  struct Options {
    DiskOptions disk;
    std::optional<RemoteTier::Options> remote;
    // Of what waits for the disk.
    BackgroundQueue::Limits queue = {.bytes = int64_t{256} << 20, .entries = 4096};
    // For another process that compiles the same program.
    std::chrono::milliseconds reserve_timeout{10'000};
  };

  explicit Tiers(Options options);
  ~Tiers() override;

  // From the configuration file and the environment, made on the first call; null when both tiers
  // are off, or when the configuration has an error, which is logged.
  static Tiers* Global();
  // Ok, or what is wrong with the configuration. A key file that cannot be used turns only the
  // remote tier off.
  static Status GlobalStatus();
  // What Global returns from now on, and the caller keeps; returns what it was. For tests.
  static Tiers* ReplaceGlobal(Tiers* tiers);

  StatusOr<std::string> Get(EntryKind kind, std::string_view material) override;
  void Put(EntryKind kind, std::string_view material, std::string_view payload) override;
  // Waits at most `reserve_timeout`. Others go on when what was Put until its end is on the disk.
  std::unique_ptr<Reservation> Reserve(EntryKind kind, std::string_view material) override;

  // Why a program was not found: the parts of the key in which the kept entry of the same program
  // and kind of device that is nearest differs, such as build_id. Empty: none is kept. `missed` is
  // the key in short (KeyMaterial::Shortened). Reads entries, so it is for explanations, not for
  // calls.
  std::vector<std::string> NearestModule(const KeyMaterial& missed);

  // Whether all Puts so far are on the disk, within the time. Before a KeyLock of the disk tier is
  // let go, so that whoever waits for it finds the entry.
  bool FlushDisk(std::chrono::milliseconds timeout) { return queue_.Flush(timeout); }
  // The same for the disk, then for the server; each has the time.
  bool Flush(std::chrono::milliseconds timeout);
  // Drops what waits; Get goes on, Put does nothing any more.
  void Stop();

  TierStats stats() const;
  DiskTier& disk() { return disk_; }
  RemoteTier* remote() { return remote_.has_value() ? &*remote_ : nullptr; }

 private:
  bool HasDisk() const;
  void Refuse(const EntryFault& fault, std::string_view entry, std::string_view material);
  void Enqueue(int64_t bytes, BackgroundQueue::Work work);

  const Options options_;
  DiskTier disk_;
  std::optional<RemoteTier> remote_;
  std::atomic<int64_t> dropped_{0};
  std::array<std::atomic<int64_t>, kNumEntryProblems> refused_{};
  std::array<std::atomic<bool>, DiskTier::kLocks> reserved_{};  // locks that this process has
  // Only ever tried: in a forked child a thread may hold it that does not exist there.
  mutable std::mutex components_mutex_;
  std::map<std::string, int64_t> refused_by_component_;
  BackgroundQueue queue_;  // last, so that its thread ends before the rest goes
};

// The options that a configuration and the environment ask for. `*key_status` becomes an error, and
// there is no remote tier, when the key file cannot be used.
Tiers::Options TierOptionsFrom(const CacheConfig& config, Status* key_status);

}  // namespace swage::cache

#endif  // SWAGE_CACHE_TIERS_H_
