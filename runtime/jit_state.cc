#include "runtime/jit_state.h"

#include <unistd.h>

#include <algorithm>

#include "base/log.h"
#include "runtime/policies.h"
#include "runtime/shape_record.h"
#include "runtime/size_advice.h"
#include "runtime/warm_table.h"

namespace swage::internal {

using runtime::KeyItem;
using runtime::ThrowStatus;

namespace {

// The newest keys are the likely neighbours; a bound keeps a miss cheap after thousands.
constexpr size_t kLooked = 256;
// Evicted keys that are remembered, for the reason of a miss.
constexpr size_t kRemembered = 4096;
// A trace takes milliseconds; one that takes this long waits for whoever waits for it.
std::atomic<int> trace_timeout_ms{60'000};

std::atomic<uint64_t> next_id{1};

// And not the program of another key, set up for sizes.
bool IsCompiled(const CacheEntry& entry) {
  return entry.status == CacheEntry::Status::kReady && entry.parent == nullptr;
}

std::string TextOf(const CallKey& key) { return runtime::KeyText(runtime::ReadKey(key.words)); }

}  // namespace

CacheEntry::CacheEntry(const CallKey& key) : words_(key.words.begin(), key.words.end()) {
  for (const StaticObject& object : key.objects) objects_.push_back(object.copy());
}

CacheEntry::CacheEntry(const CacheEntry& other, cache::ProgramPtr replacement)
    : status(Status::kReady),
      program(std::move(replacement)),
      captured(other.captured),
      leaves(other.leaves),
      skeleton(other.skeleton),
      assumptions(other.assumptions),
      parent(other.parent),
      sizes(other.sizes),
      elements(other.elements),
      words_(other.words_),
      objects_(other.objects_) {}

bool CacheEntry::Matches(const CallKey& key) const {
  if (key.words != absl::MakeConstSpan(words_)) return false;
  for (size_t i = 0; i < key.objects.size(); ++i) {
    if (!key.objects[i].equals(objects_[i])) return false;
  }
  return true;
}

int64_t CacheEntry::bytes() const {
  constexpr int64_t kOverhead = 256;  // the maps' nodes, the result's structure
  return static_cast<int64_t>(sizeof(*this) + words_.size() * sizeof(uint64_t) +
                              captured.size() * sizeof(Tensor) +
                              leaves.size() * sizeof(LeafSource)) +
         kOverhead;
}

JitState::JitState(std::string name, runtime::ResolvedOptions options)
    : id_(next_id.fetch_add(1, std::memory_order_relaxed)),
      name_(std::move(name)),
      options_(std::move(options)),
      on_miss_(options_.on_miss),
      counters_(std::make_shared<CallCounters>()) {}

Status JitState::SetSizes(MakeRules make) {
  const std::lock_guard<std::mutex> lock(sizes_mutex_);
  sizes_generation_ = runtime::Policies().generation();
  make_sizes_ = std::move(make);
  SWAGE_ASSIGN_OR_RETURN(sizes_, make_sizes_());
  return OkStatus();
}

std::shared_ptr<runtime::SizeRules> JitState::Sizes() {
  const std::lock_guard<std::mutex> lock(sizes_mutex_);
  const uint64_t generation = runtime::Policies().generation();
  if (generation == sizes_generation_ || make_sizes_ == nullptr) return sizes_;
  sizes_generation_ = generation;
  auto made = make_sizes_();
  if (made.ok()) {
    sizes_ = *std::move(made);
  } else {
    LogWarning(absl::StrCat("[policy] ", name_,
                            " keeps the sizes that it had: ", made.status().message()));
  }
  return sizes_;
}

JitState::~JitState() {
  for (const EntryPtr& entry : entries_) {
    entry->Die();
    if (entry->keeper.has_value()) {
      cache::ModuleCache::Global().Forget(entry->program, *entry->keeper);
    }
  }
  WarmTable::DropStateEverywhere(id_);
}

EntryPtr JitState::Lookup(const CallKey& key, uint64_t hash) const {
  const auto it = by_hash_.find(hash);
  if (it == by_hash_.end()) return nullptr;
  for (const auto& place : it->second) {
    if ((*place)->Matches(key)) return *place;
  }
  return nullptr;
}

EntryPtr JitState::Find(const CallKey& key) {
  const uint64_t hash = runtime::HashWords(key.words);
  const std::shared_lock<std::shared_mutex> lock(mutex_);
  EntryPtr found = Lookup(key, hash);
  if (found == nullptr || found->status != CacheEntry::Status::kReady) return nullptr;
  return found;
}

bool JitState::Forget(const EntryPtr& entry, uint64_t hash) {
  const auto it = by_hash_.find(hash);
  if (it == by_hash_.end()) return false;
  auto& same = it->second;
  const auto place =
      std::find_if(same.begin(), same.end(), [&](const auto& one) { return *one == entry; });
  if (place == same.end()) return false;
  entries_.erase(*place);
  same.erase(place);
  if (same.empty()) by_hash_.erase(it);
  return true;
}

void JitState::Await(const EntryPtr& entry, uint64_t hash, Lock& lock) {
  const auto done = [&] { return entry->status != CacheEntry::Status::kPending; };
  if (done()) return;
  if (entry->process != ::getpid()) {  // its thread stayed in the parent of this process
    Forget(entry, hash);
    return;
  }
  const auto fail = [&](std::string_view how) {
    lock.unlock();
    ThrowStatus(
        InvalidArgument("got a call with ", runtime::KeyText(runtime::ReadKey(entry->words())), " ",
                        ToAbsl(how), ": it would wait for itself for ever"),
        name_, {});
  };
  if (entry->maker == std::this_thread::get_id()) {
    fail("while the same thread compiles this very key, expected none");
  }
  const auto timeout = std::chrono::milliseconds(trace_timeout_ms.load());
  const auto start = std::chrono::steady_clock::now();
  while (!finished_.wait_for(lock, timeout / 10, done)) {
    if (!entry->tracing) {
      finished_.wait(lock, done);
      return;
    }
    if (std::chrono::steady_clock::now() - start < timeout) continue;
    fail(
        "while another thread still runs the function for this very key, expected it to return; "
        "a function must not wait for a thread that calls it with the same arguments");
  }
}

void JitState::RefuseMiss(const CallKey& key) const {
  if (report_.first && report_.fallback.empty()) {
    ThrowStatus(InvalidArgument("got a miss, expected none (on_miss is error): no key is compiled "
                                "yet, got ",
                                TextOf(key), "; call warmup() with such arguments first"),
                name_, {});
  }
  ThrowStatus(InvalidArgument("got a miss, expected none (on_miss is error): ", ReasonText(report_),
                              "; got ", TextOf(key), ", nearest key ",
                              report_.first ? "none" : report_.nearest_key,
                              "; call warmup() with such arguments first"),
              name_, {});
}

void JitState::RefuseCompile(const CallKey& key) const {
  ThrowStatus(
      ResourceExhausted("got a miss after ", options_.max_compiles,
                        " compiles, expected no more (max_compiles is ", options_.max_compiles,
                        "): ", report_.first ? "the first key" : ReasonText(report_), "; got ",
                        TextOf(key), ", nearest key ", report_.first ? "none" : report_.nearest_key,
                        "; ", HowToMissLess(report_), ", or raise max_compiles"),
      name_, {});
}

bool JitState::AtLimit() const {
  const std::shared_lock<std::shared_mutex> lock(mutex_);
  return options_.max_compiles > 0 && compiles_made_ >= options_.max_compiles;
}

bool JitState::Admit(const CallKey& key, uint64_t hash, const Request& request) {
  Explain(key, hash, request);
  if (on_miss() == OnMiss::kError && !request.warmup) RefuseMiss(key);
  if (options_.max_compiles <= 0 || compiles_made_ < options_.max_compiles) return true;
  const bool interpret = options_.on_limit == policy::OnLimit::kInterpret;
  if (!interpret && !request.beyond_limit) RefuseCompile(key);
  if (!warned_of_limit_) {
    LogWarning(absl::StrCat(
        "[jit] ", name_, ": ", options_.max_compiles,
        " keys are compiled, as many as max_compiles allows; ",
        interpret ? "others are interpreted, slowly" : "one more program serves the other sizes",
        "; ", HowToMissLess(report_), ", or raise max_compiles"));
    warned_of_limit_ = true;
  }
  return !interpret;
}

EntryPtr JitState::FindOrMake(const CallKey& key, const Request& request,
                              const std::function<void(CacheEntry&)>& fill, bool* made) {
  const uint64_t hash = runtime::HashWords(key.words);
  *made = false;
  EntryPtr entry;
  {
    Lock lock(mutex_);
    while (const EntryPtr found = Lookup(key, hash)) {
      Await(found, hash, lock);
      if (found->status == CacheEntry::Status::kReady) return found;
      // It failed, and is no longer in the map: try ourselves, or wait for whoever was faster.
    }
    *made = true;
    entry = std::make_shared<CacheEntry>(key);
    if (!request.sizing) {
      CountMiss();
      entry->interpreted = !Admit(key, hash, request);
      ++(entry->interpreted ? interpreted_ : compiles_made_);
    }
    entry->maker = std::this_thread::get_id();
    entry->process = ::getpid();
    by_hash_[hash].push_back(entries_.insert(entries_.end(), entry));
  }
  const auto finish = [&](CacheEntry::Status status) {
    const Lock lock(mutex_);
    entry->status = status;
    if (status == CacheEntry::Status::kFailed) {
      if (!request.sizing) --(entry->interpreted ? interpreted_ : compiles_made_);
      Forget(entry, hash);
    } else if (request.sizing) {
      ++sizings_;
    }
    finished_.notify_all();
  };
  try {
    fill(*entry);
    // A program of its own where nothing is computed, so that these entries are bounded too.
    if (entry->program == nullptr) entry->program = cache::ModuleCache::Global().Adopt(nullptr);
  } catch (...) {
    finish(CacheEntry::Status::kFailed);
    throw;
  }
  finish(CacheEntry::Status::kReady);
  Register(entry);
  return entry;
}

void JitState::EndTrace(CacheEntry& entry) {
  const Lock lock(mutex_);
  entry.tracing = false;
}

void JitState::Register(const EntryPtr& entry) {
  cache::KeeperId id;
  cache::Keeper keeper;
  keeper.bytes = entry->bytes();
  keeper.let_go = [state = weak_from_this(), weak = std::weak_ptr<CacheEntry>(entry)] {
    const std::shared_ptr<JitState> alive = state.lock();
    const EntryPtr mine = weak.lock();
    if (mine != nullptr) mine->Die();
    if (alive != nullptr && mine != nullptr) alive->Drop(mine);
  };
  if (!cache::ModuleCache::Global().OnEvict(entry->program, std::move(keeper), &id)) {
    entry->Die();
    Drop(entry);
    return;
  }
  const Lock lock(mutex_);
  entry->keeper = id;
}

void JitState::Drop(const EntryPtr& entry) {
  const uint64_t hash = runtime::HashWords(entry->words());
  {
    const Lock lock(mutex_);
    if (Forget(entry, hash)) {
      if (evicted_.size() >= kRemembered) evicted_.clear();
      evicted_.insert(hash);
      ++evictions_;
    }
  }
  WarmTable::DropEverywhere(entry.get());
}

std::vector<EntryPtr> JitState::SizesOf(const EntryPtr& parent) const {
  const std::shared_lock<std::shared_mutex> lock(mutex_);
  std::vector<EntryPtr> found;
  for (const EntryPtr& entry : entries_) {
    if (entry->status == CacheEntry::Status::kReady && entry->parent == parent) {
      found.push_back(entry);
    }
  }
  return found;
}

void JitState::Replace(const EntryPtr& entry, cache::ProgramPtr program) {
  const uint64_t hash = runtime::HashWords(entry->words());
  const EntryPtr better = std::make_shared<CacheEntry>(*entry, std::move(program));
  {
    const Lock lock(mutex_);
    const auto it = by_hash_.find(hash);
    if (it == by_hash_.end()) return;
    const auto place = std::find_if(it->second.begin(), it->second.end(),
                                    [&](const auto& one) { return *one == entry; });
    if (place == it->second.end()) return;
    **place = better;
    if (entry->parent == nullptr) ++swapped_;  // its sizes are not counted apart
  }
  entry->Die();
  WarmTable::DropEverywhere(entry.get());
  Register(better);
  // Nobody else has the stand-in.
  cache::ModuleCache::Global().Evict(entry->program);
}

void JitState::Explain(const CallKey& key, uint64_t hash, const Request& request) {
  const std::vector<KeyItem> items = runtime::ReadKey(key.words);
  report_ = MissReport{};
  report_.function = name_;
  report_.missed = true;
  report_.fallback = request.fallback;
  report_.evicted = evicted_.erase(hash) != 0;
  if (report_.evicted) report_.components.emplace_back("evicted");
  const CacheEntry* nearest = nullptr;
  int64_t best = 0;
  size_t looked = 0;
  for (auto it = entries_.rbegin(); it != entries_.rend() && looked < kLooked; ++it) {
    if (!IsCompiled(**it)) continue;
    ++looked;
    const int64_t distance = runtime::KeyDistance(items, runtime::ReadKey((*it)->words()));
    if (nearest != nullptr && distance >= best) continue;
    nearest = it->get();
    best = distance;
  }
  report_.first = nearest == nullptr;
  if (nearest == nullptr) return;
  WarnOfStatics(items);
  if (!request.open) WarnOfSizes(items);
  Compare(items, runtime::ReadKey(nearest->words()), request.parameters, &report_);
}

void JitState::WarnOfStatics(const std::vector<KeyItem>& items) {
  if (warned_of_statics_) return;
  absl::flat_hash_map<int, int> alike;  // item -> how many keys differ in it alone
  size_t looked = 0;
  for (auto it = entries_.rbegin(); it != entries_.rend() && looked < kLooked; ++it, ++looked) {
    if (!IsCompiled(**it)) continue;
    const int item = runtime::OnlyArithmeticDifference(items, runtime::ReadKey((*it)->words()));
    if (item < 0 || ++alike[item] < 2) continue;
    warned_of_statics_ = true;
    LogWarning(absl::StrCat(
        "[jit] ", name_, ": compiled for a third value of one static number (now ",
        items[item].ToString(),
        "); make the parameter a swage::Scalar<T>, which is traced and compiled once"));
    return;
  }
}

void JitState::WarnOfSizes(const std::vector<KeyItem>& items) {
  if (warned_of_sizes_ || options_.exact_sizes) return;
  runtime::SizeAdvice advice(items);
  size_t looked = 0;
  for (auto it = entries_.rbegin(); it != entries_.rend() && looked < kLooked; ++it, ++looked) {
    if (!IsCompiled(**it)) continue;
    if (!advice.Add(runtime::ReadKey((*it)->words()))) continue;
    warned_of_sizes_ = true;
    LogWarning(absl::StrCat("[jit] ", name_, ": ", advice.Text(name_)));
    return;
  }
}

void JitState::SetTier(std::string_view tier) {
  const Lock lock(mutex_);
  report_.tier = tier;
}

void JitState::SetTraceTimeoutForTest(int milliseconds) { trace_timeout_ms.store(milliseconds); }

void JitState::CountCompile(const codegen::CompileReport& report, bool stand_in) {
  if (!report.module_load) runtime::RecordCompile(name_, report.total_ms);
  const std::lock_guard<std::mutex> lock(compile_mutex_);
  runtime::AddReport(report, &compiled_);
  if (stand_in) ++compiled_.stand_ins;
  missed_key_ = report.missed_key;
}

JitStats JitState::stats() const {
  JitStats stats;
  {
    const std::lock_guard<std::mutex> lock(compile_mutex_);
    stats = compiled_;
  }
  {
    const std::shared_lock<std::shared_mutex> lock(mutex_);
    stats.evictions = evictions_;
    stats.swapped = swapped_;
    stats.sizings = sizings_;
    stats.interpreted = interpreted_;
  }
  const WarmTable::Pending pending = WarmTable::PendingOf(id_);
  const auto load = [](const std::atomic<int64_t>& counter) {
    return counter.load(std::memory_order_relaxed);
  };
  stats.calls = load(counters_->calls) + pending.hits;
  stats.hits = load(counters_->hits) + pending.hits;
  stats.donations = load(counters_->donations);
  stats.valid_elements = load(counters_->elements.valid) + pending.elements.valid;
  stats.padded_elements = load(counters_->elements.padded) + pending.elements.padded;
  stats.misses = misses_.load(std::memory_order_relaxed);
  stats.traces = traces_.load(std::memory_order_relaxed);
  stats.exact_fallbacks = fallbacks_.load(std::memory_order_relaxed);
  return stats;
}

std::shared_ptr<const KeyMaterial> JitState::MissedKey() const {
  const std::lock_guard<std::mutex> lock(compile_mutex_);
  return missed_key_;
}

MissReport JitState::explain() const {
  const std::shared_lock<std::shared_mutex> lock(mutex_);
  MissReport report = report_;
  report.function = name_;
  return report;
}

std::string JitState::Reason() const {
  const MissReport report = explain();
  if (report.first) {
    return report.evicted || !report.fallback.empty() ? ReasonText(report) : "first key";
  }
  return absl::StrCat(ReasonText(report), "; nearest key ", report.nearest_key);
}

}  // namespace swage::internal
