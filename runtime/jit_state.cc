#include "runtime/jit_state.h"

#include <algorithm>

#include "base/log.h"

namespace swage::internal {

using runtime::KeyItem;

CacheEntry::CacheEntry(const CallKey& key) : words_(key.words.begin(), key.words.end()) {
  for (const StaticObject& object : key.objects) objects_.push_back(object.copy());
}

bool CacheEntry::Matches(const CallKey& key) const {
  if (key.words != absl::MakeConstSpan(words_)) return false;
  for (size_t i = 0; i < key.objects.size(); ++i) {
    if (!key.objects[i].equals(objects_[i])) return false;
  }
  return true;
}

JitState::EntryPtr JitState::Lookup(const CallKey& key, uint64_t hash) const {
  const auto it = by_hash_.find(hash);
  if (it == by_hash_.end()) return nullptr;
  for (const EntryPtr& entry : it->second) {
    if (entry->Matches(key)) return entry;
  }
  return nullptr;
}

CacheEntry* JitState::Find(const CallKey& key) {
  CacheEntry* last = last_.load(std::memory_order_acquire);
  if (last != nullptr && last->Matches(key)) return last;
  const uint64_t hash = runtime::HashWords(key.words);
  const std::shared_lock<std::shared_mutex> lock(mutex_);
  const EntryPtr found = Lookup(key, hash);
  if (found == nullptr || found->status != CacheEntry::Status::kReady) return nullptr;
  last_.store(found.get(), std::memory_order_release);
  return found.get();
}

void JitState::Forget(const EntryPtr& entry, uint64_t hash) {
  std::vector<EntryPtr>& same = by_hash_[hash];
  same.erase(std::find(same.begin(), same.end(), entry));
  if (same.empty()) by_hash_.erase(hash);
  entries_.erase(std::find(entries_.begin(), entries_.end(), entry));
}

CacheEntry* JitState::FindOrMake(const CallKey& key, const std::function<void(CacheEntry&)>& fill) {
  const uint64_t hash = runtime::HashWords(key.words);
  EntryPtr entry;
  {
    std::unique_lock<std::shared_mutex> lock(mutex_);
    while (const EntryPtr found = Lookup(key, hash)) {
      finished_.wait(lock, [&] { return found->status != CacheEntry::Status::kPending; });
      if (found->status == CacheEntry::Status::kReady) {
        CountHit();
        return found.get();
      }
      // It failed, and is no longer in the map: try ourselves, or wait for whoever was faster.
    }
    Explain(key);
    entry = std::make_shared<CacheEntry>(key);
    entries_.push_back(entry);
    by_hash_[hash].push_back(entry);
  }
  CountMiss();
  const auto finish = [&](CacheEntry::Status status) {
    const std::unique_lock<std::shared_mutex> lock(mutex_);
    entry->status = status;
    if (status == CacheEntry::Status::kFailed) Forget(entry, hash);
    finished_.notify_all();
  };
  try {
    fill(*entry);
  } catch (...) {
    finish(CacheEntry::Status::kFailed);
    throw;
  }
  finish(CacheEntry::Status::kReady);
  return entry.get();
}

namespace {

// The newest keys are the likely neighbours; a bound keeps a miss cheap after thousands.
constexpr size_t kLooked = 256;

}  // namespace

void JitState::Explain(const CallKey& key) {
  const std::vector<KeyItem> items = runtime::ReadKey(key.words);
  report_ = MissReport{};
  report_.function = name_;
  report_.missed = true;
  const CacheEntry* nearest = nullptr;
  int64_t best = 0;
  size_t looked = 0;
  for (auto it = entries_.rbegin(); it != entries_.rend() && looked < kLooked; ++it) {
    if ((*it)->status != CacheEntry::Status::kReady) continue;
    ++looked;
    const int64_t distance = runtime::KeyDistance(items, runtime::ReadKey((*it)->words()));
    if (nearest != nullptr && distance >= best) continue;
    nearest = it->get();
    best = distance;
  }
  report_.first = nearest == nullptr;
  if (nearest == nullptr) return;
  const std::vector<KeyItem> there = runtime::ReadKey(nearest->words());
  report_.nearest_key = runtime::KeyText(there);
  WarnOfStatics(items);
  int argument = 0;
  for (size_t i = 0; i < std::min(items.size(), there.size()); ++i) {
    const bool tensor = items[i].kind == KeyItem::Kind::kTensor;
    if (items[i].words == there[i].words) {
      if (tensor) ++argument;
      continue;
    }
    report_.got = items[i].ToString();
    report_.expected = there[i].ToString();
    if (!tensor) return;
    report_.argument = argument;
    report_.argument_shape = report_.got;
    if (there[i].kind != KeyItem::Kind::kTensor || items[i].dtype() != there[i].dtype() ||
        items[i].rank() != there[i].rank()) {
      return;
    }
    for (int axis = 0; axis < items[i].rank(); ++axis) {
      if (items[i].SameExtent(there[i], axis)) continue;
      report_.axis = axis;
      report_.got = items[i].Extent(axis);
      report_.expected = there[i].Extent(axis);
      return;
    }
  }
  const bool longer = items.size() != there.size();
  report_.got = longer ? absl::StrCat(items.size(), " parts") : "another static value";
  report_.expected = longer ? absl::StrCat(there.size()) : "that of the nearest key";
}

void JitState::WarnOfStatics(const std::vector<KeyItem>& items) {
  if (warned_of_statics_) return;
  absl::flat_hash_map<int, int> alike;  // item -> how many keys differ in it alone
  const size_t first = entries_.size() > kLooked ? entries_.size() - kLooked : 0;
  for (size_t i = first; i < entries_.size(); ++i) {
    const EntryPtr& entry = entries_[i];
    if (entry->status != CacheEntry::Status::kReady) continue;
    const int item = runtime::OnlyArithmeticDifference(items, runtime::ReadKey(entry->words()));
    if (item < 0 || ++alike[item] < 2) continue;
    warned_of_statics_ = true;
    LogWarning(absl::StrCat(
        "[jit] ", name_, ": compiled for a third value of one static number (now ",
        items[item].ToString(),
        "); make the parameter a swage::Scalar<T>, which is traced and compiled once"));
    return;
  }
}

void JitState::CountCompile(const codegen::CompileReport& report) {
  const std::lock_guard<std::mutex> lock(compile_mutex_);
  ++compiled_.compiles;
  compiled_.llvm_runs += report.llvm_runs;
  compiled_.kernel_hits += report.kernel_hits;
  compiled_.compile_ms += report.total_ms;
}

JitStats JitState::stats() const {
  JitStats stats;
  {
    const std::lock_guard<std::mutex> lock(compile_mutex_);
    stats = compiled_;
  }
  stats.calls = calls_.load(std::memory_order_relaxed);
  stats.hits = hits_.load(std::memory_order_relaxed);
  stats.misses = misses_.load(std::memory_order_relaxed);
  stats.traces = traces_.load(std::memory_order_relaxed);
  return stats;
}

MissReport JitState::explain() const {
  const std::shared_lock<std::shared_mutex> lock(mutex_);
  MissReport report = report_;
  report.function = name_;
  return report;
}

std::string JitState::Reason() const {
  const MissReport report = explain();
  if (report.first) return "first key";
  return absl::StrCat(ReasonText(report), "; nearest key ", report.nearest_key);
}

}  // namespace swage::internal
