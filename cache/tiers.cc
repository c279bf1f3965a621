#include "cache/tiers.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "base/key_material.h"
#include "base/log.h"
#include "base/memory_bound.h"

namespace swage::cache {
namespace {

using std::chrono::milliseconds;

// At the end of a process: the disk is usually done by then, and a server is not worth more.
constexpr milliseconds kLastMoment{2'000};
constexpr milliseconds kLastRemoteMoment{500};

std::string_view ProblemName(EntryProblem problem) { return DiskCauseName(CauseOf(problem)); }

// The first part of the key in which an entry differs from what was asked for.
std::string FirstDifference(std::string_view stored, std::string_view wanted) {
  const StatusOr<KeyMaterial> a = KeyMaterial::Parse(stored);
  const StatusOr<KeyMaterial> b = KeyMaterial::Parse(wanted);
  if (!a.ok() || !b.ok()) return "material";
  const std::vector<KeyDifference> differences = DiffKeys(*a, *b);
  return differences.empty() ? "order" : differences.front().name;
}

// The lock, unless its holder does not let go: a thread that a fork left behind.
std::unique_lock<std::mutex> TryHard(std::mutex& mutex) {
  std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
  for (int i = 0; i < 10'000 && !lock.try_lock(); ++i) std::this_thread::yield();
  return lock;
}

void WarnOfRefusal(std::string_view what) {
  static std::atomic<bool> told{false};
  if (told.exchange(true)) return;
  LogWarning(absl::StrCat("[cache] an entry of the remote cache was refused: ", ToAbsl(what),
                          "; further cases are only counted"));
}

struct GlobalTiers {
  std::atomic<Tiers*> current{nullptr};
  Tiers* made = nullptr;  // never destroyed: other threads may compile while the process ends
  Status status;

  GlobalTiers() {
    const StatusOr<Config>& config = GlobalConfig();
    if (!config.ok()) {
      status = config.status();
    } else {
      if (config->cache.memory_bytes.has_value()) {
        MemoryBound::Get().set_default_limit(*config->cache.memory_bytes);
      }
      Tiers::Options options = TierOptionsFrom(config->cache, &status);
      if (!options.disk.dir.empty() || options.remote.has_value()) {
        current = made = new Tiers(std::move(options));
      }
    }
  }

  // Once, for those who go on without; others ask for the status.
  void LogError() {
    if (status.ok() || logged.exchange(true)) return;
    Log(LogLevel::kError,
        absl::StrCat("[cache] ", made == nullptr ? "compiled code is kept in memory only: " : "",
                     status.message()));
  }
  std::atomic<bool> logged{false};
};

void EndGlobal();

GlobalTiers& State() {
  static GlobalTiers* const state = [] {
    auto* const made = new GlobalTiers;
    if (made->made != nullptr) std::atexit(EndGlobal);
    return made;
  }();
  return *state;
}

void EndGlobal() {
  Tiers* const tiers = State().made;
  tiers->FlushDisk(kLastMoment);
  if (tiers->remote() != nullptr) tiers->remote()->Flush(kLastRemoteMoment);
  tiers->Stop();
}

}  // namespace

Tiers::Options TierOptionsFrom(const CacheConfig& config, Status* key_status) {
  Tiers::Options options;
  options.disk = DiskOptionsFrom(config);
  if (!config.remote.has_value()) return options;
  StatusOr<MacKey> key = LoadKeyFile(config.remote_key_file.value_or(""));
  if (key.ok()) {
    options.remote = RemoteTier::Options{.address = *config.remote, .key = *key};
  } else {
    *key_status = key.status();
  }
  return options;
}

Tiers* Tiers::Global() {
  GlobalTiers& state = State();
  state.LogError();
  return state.current.load(std::memory_order_acquire);
}

Status Tiers::GlobalStatus() { return State().status; }

Tiers* Tiers::ReplaceGlobal(Tiers* tiers) { return State().current.exchange(tiers); }

Tiers::Tiers(Options options)
    : options_(std::move(options)), disk_(options_.disk), queue_(options_.queue) {
  if (options_.remote.has_value()) remote_.emplace(*options_.remote);
}

Tiers::~Tiers() { Stop(); }

bool Tiers::HasDisk() const { return !options_.disk.dir.empty() && options_.disk.disk_bytes > 0; }

StatusOr<std::string> Tiers::Get(EntryKind kind, std::string_view material) {
  StatusOr<std::string> payload = disk_.Get(kind, material);
  if (payload.ok() || !remote_.has_value()) return payload;
  std::optional<std::string> entry = remote_->Get(kind, HashKeyBytes(material));
  if (!entry.has_value()) return payload;
  std::string unpacked;
  const EntryFault fault = DecodeEntry(*entry, kind, material, &unpacked);
  if (!fault.ok()) {
    Refuse(fault, *entry, material);
    return payload;
  }
  if (HasDisk()) {
    const auto size = static_cast<int64_t>(entry->size());
    Enqueue(size, [this, kept = *std::move(entry)](const std::atomic<bool>&) {
      // The disk tier counts why it could not.
      disk_.PutEntry(kept).IgnoreError();
    });
  }
  return unpacked;
}

void Tiers::Put(EntryKind kind, std::string_view material, std::string_view payload) {
  if (!HasDisk() && !remote_.has_value()) return;
  const auto size = static_cast<int64_t>(material.size() + payload.size());
  Enqueue(size, [this, kind, key = std::string(material),
                 kept = std::string(payload)](const std::atomic<bool>&) {
    if (!remote_.has_value()) {
      disk_.Put(kind, key, kept);
      return;
    }
    const StatusOr<std::string> entry = EncodeEntry(kind, key, kept);
    if (!entry.ok()) return;  // larger than any entry
    remote_->Put(kind, HashKeyBytes(key), *entry);
    if (HasDisk()) disk_.PutEntry(*entry).IgnoreError();
  });
}

namespace {

// The lock, until whoever has it last lets go.
struct HeldLock {
  ~HeldLock() {
    lock.Release();
    *held = false;
  }
  FileLock lock;
  std::atomic<bool>* held;
};

// Hands the lock to the thread that writes, behind what is to be written.
class TierReservation : public codegen::EntryStore::Reservation {
 public:
  TierReservation(KeyLock lock, std::atomic<bool>* held, BackgroundQueue* queue)
      : lock_(std::move(lock)), held_(held), queue_(queue) {}
  ~TierReservation() override {
    const std::shared_ptr<HeldLock> lock(new HeldLock{lock_.Detach(), held_});
    queue_->Add(0, [lock](const std::atomic<bool>&) {});
  }

 private:
  KeyLock lock_;
  std::atomic<bool>* const held_;
  BackgroundQueue* const queue_;
};

}  // namespace

std::unique_ptr<codegen::EntryStore::Reservation> Tiers::Reserve(EntryKind kind,
                                                                 std::string_view material) {
  if (!HasDisk()) return nullptr;
  // In this process somebody else excludes the second of a key, and what is left to write here must
  // not hold up another key that shares the lock.
  std::atomic<bool>& held = reserved_[DiskTier::LockOf(material)];
  if (held.exchange(true)) return nullptr;
  KeyLock lock = disk_.LockFor(material, options_.reserve_timeout);
  if (!lock.held()) {
    held = false;
    return nullptr;
  }
  return std::make_unique<TierReservation>(std::move(lock), &held, &queue_);
}

namespace {

// Whether both keys are a GPU's (codegen/gpu/gpu_target.h), or none.
bool SameKindOfDevice(const KeyMaterial& a, const KeyMaterial& b) {
  return a.Find("sm").has_value() == b.Find("sm").has_value();
}

}  // namespace

std::vector<std::string> Tiers::NearestModule(const KeyMaterial& missed) {
  std::vector<std::string> nearest;
  const StatusOr<std::vector<DiskEntry>> entries = disk_.List();
  if (!entries.ok()) return nearest;
  for (const DiskEntry& entry : *entries) {
    if (entry.kind != EntryKind::kModule || !entry.problem.empty()) continue;
    const StatusOr<KeyMaterial> key = KeyMaterial::Parse(entry.material);
    if (!key.ok() || !SameKindOfDevice(missed, *key)) continue;
    std::vector<std::string> names;
    for (const KeyDifference& difference : DiffKeys(missed, key->Shortened())) {
      names.push_back(difference.name);
    }
    const bool other = names.empty() || std::count(names.begin(), names.end(), "program") > 0;
    if (!other && (nearest.empty() || names.size() < nearest.size())) nearest = std::move(names);
  }
  return nearest;
}

void Tiers::Enqueue(int64_t bytes, BackgroundQueue::Work work) {
  if (queue_.Add(bytes, std::move(work)) != BackgroundQueue::Added::kYes) ++dropped_;
}

void Tiers::Refuse(const EntryFault& fault, std::string_view entry, std::string_view material) {
  EntryView view;
  std::string component;
  if (fault.problem == EntryProblem::kMaterial && ParseEntry(entry, &view).ok()) {
    component = FirstDifference(view.material, material);
  }
  ++refused_[static_cast<int>(fault.problem)];
  if (!component.empty()) {
    const std::unique_lock<std::mutex> lock = TryHard(components_mutex_);
    if (lock.owns_lock()) ++refused_by_component_[component];
  }
  WarnOfRefusal(component.empty() ? fault.text : absl::StrCat("its ", component, " differs"));
}

bool Tiers::Flush(milliseconds timeout) {
  return queue_.Flush(timeout) && (!remote_.has_value() || remote_->Flush(timeout));
}

void Tiers::Stop() {
  queue_.Stop();
  if (remote_.has_value()) remote_->Stop();
}

TierStats Tiers::stats() const {
  TierStats stats;
  stats.dropped = dropped_;
  for (int i = 0; i < kNumEntryProblems; ++i) stats.refused[i] = refused_[i];
  if (const auto lock = TryHard(components_mutex_); lock.owns_lock()) {
    stats.refused_by_component = refused_by_component_;
  }
  stats.disk = disk_.stats();
  if (remote_.has_value()) stats.remote = remote_->stats();
  return stats;
}

namespace {

// Causes for which an entry was there.
constexpr RemoteFault kEntryFaults[] = {RemoteFault::kWrongType, RemoteFault::kTooLarge,
                                        RemoteFault::kUnsigned, RemoteFault::kWrongMac};

int64_t EntryFaults(const RemoteStats& stats) {
  int64_t count = 0;
  for (const RemoteFault fault : kEntryFaults) count += stats.fault(fault);
  return count;
}

}  // namespace

int64_t TierStats::RemoteRejects() const {
  const int64_t of_strangers = remote.has_value() ? EntryFaults(*remote) : 0;
  return std::accumulate(refused.begin(), refused.end(), of_strangers);
}

int64_t TierStats::RemoteHits() const {
  // The remote tier hands over whatever is rightly signed.
  return remote.has_value()
             ? remote->hits - std::accumulate(refused.begin(), refused.end(), int64_t{0})
             : 0;
}

int64_t TierStats::RemoteMisses() const {
  return remote.has_value() ? remote->misses + RemoteRejects() : 0;
}

int64_t TierStats::RemoteFaults() const {
  if (!remote.has_value()) return 0;
  return std::accumulate(remote->faults.begin(), remote->faults.end(), -EntryFaults(*remote));
}

std::string TierStats::ToString() const {
  std::string text = absl::StrCat("disk: hits=", disk.hits, " misses=", disk.misses,
                                  " writes=", disk.writes, " bytes=", disk.bytes);
  const auto add = [&](std::string_view name, int64_t value) {
    if (value != 0) absl::StrAppend(&text, " ", ToAbsl(name), "=", value);
  };
  add("evictions", disk.evictions);
  add("dropped", dropped);
  for (int i = 0; i < kDiskCauses; ++i) {
    const std::string name(DiskCauseName(static_cast<DiskCause>(i)));
    add("rejects." + name, disk.rejects_by_cause[i]);
    add("write_errors." + name, disk.write_errors_by_cause[i]);
  }
  text.push_back('\n');
  if (!remote.has_value()) return text;
  absl::StrAppend(&text, "remote: ", remote->ToString());
  for (int i = 0; i < kNumEntryProblems; ++i) {
    add(absl::StrCat("refused.", ToAbsl(ProblemName(static_cast<EntryProblem>(i)))), refused[i]);
  }
  for (const auto& [component, count] : refused_by_component) {
    add("refused.material." + component, count);
  }
  text.push_back('\n');
  return text;
}

}  // namespace swage::cache
