// File: cache/redis_connection.h
//
// One connection to a Redis server, on which every step ends by a given time whatever the server
// does: no byte, one byte at a time, no end. hiredis writes commands and reads replies; the socket
// is ours, since hiredis bounds single reads only and raises SIGPIPE.
//
//   std::unique_ptr<RedisConnection> connection;
//   if (auto error = RedisConnection::Connect(address, limits, &connection)) return error;
//   const std::string_view words[] = {"GET", key};
//   RedisReply reply;
//   if (auto error = connection->Call(words, limits, &reply)) return error;
//
// A connection on which Call had an error is out of step: drop it.
#ifndef SWAGE_CACHE_REDIS_CONNECTION_H_
#define SWAGE_CACHE_REDIS_CONNECTION_H_

#include <hiredis/read.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cache/redis_address.h"
#include "cache/remote_fault.h"

namespace swage::cache {

struct RedisReply {
  enum class Type { kNone, kString, kStatus, kInteger, kNil, kError };
  Type type = Type::kNone;
  std::string text;  // of strings, statuses and errors
};

// What went wrong, and the words for it (never with anything secret in them).
struct RedisError {
  RemoteFault fault;
  std::string text;
};

class RedisConnection {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Limits {
    TimePoint deadline;
    // Ends the wait early when it becomes true; may be null.
    const std::atomic<bool>* stop = nullptr;
    size_t max_reply_bytes = size_t{1} << 20;
  };

  ~RedisConnection();
  RedisConnection(const RedisConnection&) = delete;
  RedisConnection& operator=(const RedisConnection&) = delete;

  // Connects, signs in and chooses the database. On success `*connection` is set.
  static std::optional<RedisError> Connect(const RedisAddress& address, const Limits& limits,
                                           std::unique_ptr<RedisConnection>* connection);

  // Sends one command and reads its reply, which may be an error reply of any kind.
  std::optional<RedisError> Call(std::span<const std::string_view> words, const Limits& limits,
                                 RedisReply* reply);

  // Whether the connection can be used again after a rest: still open, and nothing has come.
  bool IsQuiet() const;

 private:
  explicit RedisConnection(int fd);
  std::optional<RedisError> SignIn(const RedisAddress& address, const Limits& limits);
  std::optional<RedisError> Send(std::string_view bytes, const Limits& limits);
  std::optional<RedisError> Receive(const Limits& limits);

  const int fd_;
  redisReplyObjectFunctions functions_ = {};
  struct FreeReader {
    void operator()(redisReader* reader) const { redisReaderFree(reader); }
  };
  std::unique_ptr<redisReader, FreeReader> reader_;
  RedisReply reply_;  // filled by the reader
};

// The fault of an error reply: its first word says which kind it is.
RemoteFault FaultOfErrorReply(std::string_view text);

}  // namespace swage::cache

#endif  // SWAGE_CACHE_REDIS_CONNECTION_H_
