#include "cache/remote_tier.h"

#include <unistd.h>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/printable.h"
#include "cache/entry_format.h"
#include "cache/redis_connection.h"

namespace swage::cache {
namespace {

using std::chrono::steady_clock;
using TimePoint = steady_clock::time_point;

constexpr size_t kMaxIdleConnections = 4;
// Firewalls forget connections that rest, and then swallow what is sent on them.
constexpr std::chrono::seconds kMaxIdleTime{60};
// Of a server's words in a warning.
constexpr size_t kMaxQuotedBytes = 200;

void WarnOnce(const RedisAddress& address, const RedisError& error) {
  static std::atomic<uint32_t> warned{0};
  static_assert(kNumRemoteFaults <= 32);
  const uint32_t bit = uint32_t{1} << static_cast<int>(error.fault);
  if ((warned.fetch_or(bit) & bit) != 0) return;
  // A server's words are a stranger's: nothing in them reaches the terminal but plain characters.
  const std::string text = Printable(std::string_view(error.text).substr(0, kMaxQuotedBytes));
  LogWarning(absl::StrCat("[cache] remote cache ", address.ToString(), ": ", text, " (",
                          ToAbsl(RemoteFaultName(error.fault)),
                          "); work goes on without it, and further cases are only counted"));
}

}  // namespace

struct RemoteTier::State {
  struct Idle {
    std::unique_ptr<RedisConnection> connection;
    TimePoint since;
  };

  explicit State(const Options& options) : breaker(options.breaker) {}

  // Whether the server may be asked now; counts it if not.
  bool Allow() {
    const std::lock_guard<std::mutex> lock(mutex);
    if (breaker.Allow(steady_clock::now())) return true;
    ++stats.skipped;
    return false;
  }
  std::unique_ptr<RedisConnection> TakeIdle();
  std::optional<RedisError> Ask(const Options& options, std::span<const std::string_view> words,
                                std::chrono::milliseconds timeout, const std::atomic<bool>* stop,
                                RedisReply* reply);
  void Count(const RedisAddress& address, const RedisError& error) {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      ++stats.faults[static_cast<int>(error.fault)];
    }
    WarnOnce(address, error);
  }

  const pid_t pid = ::getpid();
  // The parent's, in a forked child: never touched, since its lock may be held by a thread that
  // the child does not have.
  State* parent = nullptr;

  std::mutex mutex;  // guards all below
  RemoteStats stats;
  CircuitBreaker breaker;
  std::vector<Idle> idle;  // most recently used last
};

std::unique_ptr<RedisConnection> RemoteTier::State::TakeIdle() {
  while (true) {
    Idle taken;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      if (idle.empty()) return nullptr;
      taken = std::move(idle.back());
      idle.pop_back();
    }
    if (steady_clock::now() - taken.since < kMaxIdleTime && taken.connection->IsQuiet()) {
      return std::move(taken.connection);
    }
  }
}

// One command on a connection of its own. Tells the breaker how it went: an error reply is an
// answer, but a server that does not let us in is as good as none.
std::optional<RedisError> RemoteTier::State::Ask(const Options& options,
                                                 std::span<const std::string_view> words,
                                                 std::chrono::milliseconds timeout,
                                                 const std::atomic<bool>* stop, RedisReply* reply) {
  const size_t max_reply = static_cast<size_t>(options.max_value_bytes) + kSealBytes;
  std::unique_ptr<RedisConnection> connection = TakeIdle();
  std::optional<RedisError> error;
  if (connection == nullptr) {
    error = RedisConnection::Connect(
        options.address, {steady_clock::now() + options.connect_timeout, stop, max_reply},
        &connection);
    const std::lock_guard<std::mutex> lock(mutex);
    if (!error.has_value()) ++stats.connections;
  }
  if (!error.has_value()) {
    error = connection->Call(words, {steady_clock::now() + timeout, stop, max_reply}, reply);
  }
  const bool in_step = !error.has_value();
  if (in_step && reply->type == RedisReply::Type::kError) {
    error = RedisError{FaultOfErrorReply(reply->text), absl::StrCat("it answered ", reply->text)};
  }
  const bool answered = in_step && (!error.has_value() || error->fault != RemoteFault::kAuth);
  const TimePoint now = steady_clock::now();
  std::vector<Idle> closing;  // outside of the lock
  const std::lock_guard<std::mutex> lock(mutex);
  if (answered) {
    breaker.Success();
    if (idle.size() < kMaxIdleConnections) idle.push_back({std::move(connection), now});
  } else {
    if (breaker.Failure(now)) ++stats.pauses;
    closing.swap(idle);
  }
  return error;
}

RemoteTier::RemoteTier(Options options)
    : options_(std::move(options)), state_(new State(options_)), queue_(options_.queue) {}

RemoteTier::~RemoteTier() {
  queue_.Stop();
  // In a forked child the parent's can only be left behind.
  State* const state = state_.load();
  if (state->pid == ::getpid()) delete state;
}

RemoteTier::State& RemoteTier::state() const {
  State* state = state_.load(std::memory_order_acquire);
  if (state->pid == ::getpid()) return *state;
  auto fresh = std::make_unique<State>(options_);
  fresh->parent = state;
  // Another thread of the child may have been faster.
  if (state_.compare_exchange_strong(state, fresh.get())) return *fresh.release();
  return *state;
}

std::string RemoteTier::KeyName(EntryKind kind, const Hash128& hash) {
  return absl::StrCat("swage:v1:", ToAbsl(EntryKindName(kind)), ":", hash.ToHex());
}

std::optional<std::string> RemoteTier::Get(EntryKind kind, const Hash128& hash) {
  State& state = this->state();
  if (!state.Allow()) return std::nullopt;
  const std::string name = KeyName(kind, hash);
  const std::string_view words[] = {"GET", name};
  RedisReply reply;
  std::optional<RedisError> error =
      state.Ask(options_, words, options_.command_timeout, nullptr, &reply);
  std::string_view bytes;
  if (!error.has_value() && reply.type == RedisReply::Type::kString) {
    switch (Open(options_.key, name, reply.text, &bytes)) {
      case SealCheck::kGood:
        break;
      case SealCheck::kUnsigned:
        error = RedisError{RemoteFault::kUnsigned,
                           absl::StrCat("the entry ", name, " is not signed and was refused")};
        break;
      case SealCheck::kWrongMac:
        error = RedisError{RemoteFault::kWrongMac,
                           absl::StrCat("the entry ", name,
                                        " is wrongly signed and was refused; "
                                        "do all machines have the same key file?")};
        break;
    }
  } else if (!error.has_value() && reply.type != RedisReply::Type::kNil) {
    error = RedisError{RemoteFault::kProtocol, "GET: an unexpected reply"};
  }
  if (error.has_value()) {
    state.Count(options_.address, *error);
    return std::nullopt;
  }
  const bool hit = reply.type == RedisReply::Type::kString;
  {
    const std::lock_guard<std::mutex> lock(state.mutex);
    ++(hit ? state.stats.hits : state.stats.misses);
  }
  if (!hit) return std::nullopt;
  reply.text.erase(0, reply.text.size() - bytes.size());
  return std::move(reply.text);
}

void RemoteTier::Put(EntryKind kind, const Hash128& hash, std::string_view bytes) {
  State& state = this->state();
  const auto size = static_cast<int64_t>(bytes.size());
  const bool large = size > options_.max_value_bytes;
  BackgroundQueue::Added added = BackgroundQueue::Added::kFull;
  if (!large) {
    added = queue_.Add(size, [this, kind, hash, kept = std::string(bytes)](
                                 const std::atomic<bool>& stop) { Store(kind, hash, kept, stop); });
  }
  if (added == BackgroundQueue::Added::kYes) return;
  if (added == BackgroundQueue::Added::kNoThread) {
    state.Count(options_.address,
                {RemoteFault::kNoThread, "the system gives no thread to store entries"});
    return;
  }
  const std::lock_guard<std::mutex> lock(state.mutex);
  ++(large ? state.stats.dropped_large : state.stats.dropped_full);
}

void RemoteTier::Store(EntryKind kind, const Hash128& hash, std::string_view bytes,
                       const std::atomic<bool>& stop) {
  State& state = this->state();
  if (!state.Allow()) return;
  const std::string name = KeyName(kind, hash);
  const std::string sealed = Seal(options_.key, name, bytes);
  const std::string seconds = std::to_string(options_.ttl_seconds);
  std::vector<std::string_view> words = {"SET", name, sealed};
  if (options_.ttl_seconds > 0) words.insert(words.end(), {"EX", seconds});
  RedisReply reply;
  std::optional<RedisError> error =
      state.Ask(options_, words, options_.store_timeout, &stop, &reply);
  if (!error.has_value() && reply.type != RedisReply::Type::kStatus) {
    error = RedisError{RemoteFault::kProtocol, "SET: an unexpected reply"};
  }
  if (error.has_value()) {
    if (!stop) state.Count(options_.address, *error);
    return;
  }
  const std::lock_guard<std::mutex> lock(state.mutex);
  ++state.stats.stored;
}

bool RemoteTier::Flush(Milliseconds timeout) { return queue_.Flush(timeout); }

RemoteStats RemoteTier::stats() const {
  State& state = this->state();
  const std::lock_guard<std::mutex> lock(state.mutex);
  return state.stats;
}

std::string RemoteStats::ToString() const {
  std::string text = absl::StrCat("hits=", hits, " misses=", misses, " stored=", stored);
  const std::pair<const char*, int64_t> others[] = {{"skipped", skipped},
                                                    {"dropped_full", dropped_full},
                                                    {"dropped_large", dropped_large},
                                                    {"pauses", pauses},
                                                    {"connections", connections}};
  for (const auto& [name, value] : others) {
    if (value != 0) absl::StrAppend(&text, " ", name, "=", value);
  }
  for (int i = 0; i < kNumRemoteFaults; ++i) {
    if (faults[i] == 0) continue;
    absl::StrAppend(&text, " ", ToAbsl(RemoteFaultName(static_cast<RemoteFault>(i))), "=",
                    faults[i]);
  }
  return text;
}

}  // namespace swage::cache
