#include "cache/redis_connection.h"

#include <hiredis/hiredis.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file_ops.h"
#include "cache/resolve_host.h"

namespace swage::cache {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

// How soon a wait notices that it shall stop.
constexpr milliseconds kStopInterval{20};
// Replies that are no strings are lines, and Redis has no long ones.
constexpr size_t kMaxLineBytes = 64 << 10;

RedisError SystemError(RemoteFault fault, std::string_view what, int error) {
  return {fault, absl::StrCat(ToAbsl(what), ": ", std::generic_category().message(error))};
}

RedisError Late(std::string_view what) {
  return {RemoteFault::kTimeout, absl::StrCat("no time left to ", ToAbsl(what))};
}

// Whether `events` (or an error, which the next call on the socket reports) came in time.
bool WaitFor(int fd, short events, const RedisConnection::Limits& limits) {
  while (true) {
    nanoseconds left = limits.deadline - steady_clock::now();
    if (limits.stop != nullptr) {
      if (limits.stop->load(std::memory_order_relaxed)) return false;
      left = std::min<nanoseconds>(left, kStopInterval);
    }
    left = std::max(left, nanoseconds(0));
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    const timespec wait = {static_cast<time_t>(seconds.count()),
                           static_cast<long>((left - seconds).count())};
    pollfd entry = {fd, events, 0};
    const int ready = ::ppoll(&entry, 1, &wait, nullptr);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
    if (steady_clock::now() >= limits.deadline) return false;
  }
}

// A connected socket, or -1 and `*error`.
int ConnectTo(const SocketAddress& address, const RedisConnection::Limits& limits,
              RedisError* error) {
  const int family = address.storage.ss_family;
  int fd = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  fd = fd < 0 ? -errno : file_ops::AboveStandard(fd);
  if (fd < 0) {
    *error = SystemError(RemoteFault::kConnect, "no socket", -fd);
    return -1;
  }
  int result = ::connect(fd, reinterpret_cast<const sockaddr*>(&address.storage), address.length);
  int code = result == 0 ? 0 : errno;
  if (code == EINPROGRESS || code == EINTR) {
    socklen_t length = sizeof(code);
    if (!WaitFor(fd, POLLOUT, limits)) {
      code = ETIMEDOUT;
    } else if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &length) != 0) {
      code = errno;
    }
  }
  if (code != 0) {
    *error = SystemError(RemoteFault::kConnect, "cannot connect", code);
    ::close(fd);
    return -1;
  }
  const int on = 1;
  if (family != AF_UNIX) ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return fd;
}

SocketAddress UnixAddress(const std::string& path) {
  SocketAddress address;
  auto* const name = reinterpret_cast<sockaddr_un*>(&address.storage);
  name->sun_family = AF_UNIX;
  std::memcpy(name->sun_path, path.c_str(), path.size() + 1);
  address.length = sizeof(sockaddr_un);
  return address;
}

void* KeepText(const redisReadTask* task, const char* text, size_t length) {
  auto* const reply = static_cast<RedisReply*>(task->privdata);
  reply->type = task->type == REDIS_REPLY_ERROR    ? RedisReply::Type::kError
                : task->type == REDIS_REPLY_STATUS ? RedisReply::Type::kStatus
                                                   : RedisReply::Type::kString;
  reply->text.assign(text, length);
  return reply;
}

}  // namespace

RemoteFault FaultOfErrorReply(std::string_view text) {
  const std::string_view word = text.substr(0, text.find(' '));
  if (word == "NOAUTH" || word == "WRONGPASS" || word == "NOPERM") return RemoteFault::kAuth;
  if (word == "WRONGTYPE") return RemoteFault::kWrongType;
  return RemoteFault::kErrorReply;
}

RedisConnection::RedisConnection(int fd) : fd_(fd) {
  functions_.createString = [](const redisReadTask* task, char* text, size_t length) -> void* {
    return KeepText(task, text, length);
  };
  // No command that is sent here answers with an array, and one that says it has two thousand
  // million elements would be allocated before the first of them comes. So an array is refused like
  // a lack of memory. The type of the count depends on the version of hiredis.
  functions_.createArray = [](const redisReadTask*, auto) -> void* { return nullptr; };
  functions_.createInteger = [](const redisReadTask* task, long long) -> void* {
    auto* const reply = static_cast<RedisReply*>(task->privdata);
    reply->type = RedisReply::Type::kInteger;
    return reply;
  };
  functions_.createNil = [](const redisReadTask* task) -> void* {
    auto* const reply = static_cast<RedisReply*>(task->privdata);
    reply->type = RedisReply::Type::kNil;
    return reply;
  };
  functions_.freeObject = [](void*) {};  // every object is reply_
  reader_.reset(redisReaderCreateWithFunctions(&functions_));
  if (reader_ != nullptr) reader_->privdata = &reply_;
}

RedisConnection::~RedisConnection() { ::close(fd_); }

std::optional<RedisError> RedisConnection::Connect(const RedisAddress& address,
                                                   const Limits& limits,
                                                   std::unique_ptr<RedisConnection>* connection) {
  std::vector<SocketAddress> candidates;
  if (address.host.empty()) {
    candidates.push_back(UnixAddress(address.unix_path));
  } else {
    Resolved resolved = ResolveHost(address.host, address.port, limits.deadline);
    if (resolved.fault.has_value()) {
      return RedisError{*resolved.fault, absl::StrCat("no address of '", address.host, "'")};
    }
    candidates = std::move(resolved.addresses);
  }
  RedisError error{RemoteFault::kConnect, "no address"};
  for (const SocketAddress& candidate : candidates) {
    const int fd = ConnectTo(candidate, limits, &error);
    if (fd < 0) continue;
    std::unique_ptr<RedisConnection> made(new RedisConnection(fd));
    if (made->reader_ == nullptr) return RedisError{RemoteFault::kProtocol, "no memory"};
    if (std::optional<RedisError> failed = made->SignIn(address, limits)) return failed;
    *connection = std::move(made);
    return std::nullopt;
  }
  return error;
}

std::optional<RedisError> RedisConnection::SignIn(const RedisAddress& address,
                                                  const Limits& limits) {
  RedisReply reply;
  if (!address.password.empty()) {
    std::vector<std::string_view> words = {"AUTH"};
    if (!address.user.empty()) words.push_back(address.user);
    words.push_back(address.password);
    if (auto error = Call(words, limits, &reply)) return error;
    if (reply.type != RedisReply::Type::kStatus) {
      // Without the server's words: they may repeat the password.
      return RedisError{RemoteFault::kAuth, "the server refused the password"};
    }
  }
  if (address.database != 0) {
    const std::string database = std::to_string(address.database);
    const std::string_view words[] = {"SELECT", database};
    if (auto error = Call(words, limits, &reply)) return error;
    if (reply.type == RedisReply::Type::kError) {
      return RedisError{FaultOfErrorReply(reply.text), absl::StrCat("SELECT: ", reply.text)};
    }
    if (reply.type != RedisReply::Type::kStatus) {
      return RedisError{RemoteFault::kProtocol, "SELECT: an unexpected reply"};
    }
  }
  return std::nullopt;
}

std::optional<RedisError> RedisConnection::Call(std::span<const std::string_view> words,
                                                const Limits& limits, RedisReply* reply) {
  std::vector<const char*> texts;
  std::vector<size_t> lengths;
  for (const std::string_view word : words) {
    texts.push_back(word.data());
    lengths.push_back(word.size());
  }
  char* command = nullptr;
  const auto length = redisFormatCommandArgv(&command, static_cast<int>(words.size()), texts.data(),
                                             lengths.data());
  if (length < 0) return RedisError{RemoteFault::kProtocol, "the command does not fit in memory"};
  std::optional<RedisError> error = Send({command, static_cast<size_t>(length)}, limits);
  redisFreeCommand(command);
  if (!error.has_value()) error = Receive(limits);
  if (!error.has_value()) *reply = std::exchange(reply_, {});
  return error;
}

std::optional<RedisError> RedisConnection::Send(std::string_view bytes, const Limits& limits) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      bytes.remove_prefix(static_cast<size_t>(n));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!WaitFor(fd_, POLLOUT, limits)) return Late("send the command");
    } else if (errno != EINTR) {
      return SystemError(RemoteFault::kClosed, "cannot send", errno);
    }
  }
  return std::nullopt;
}

std::optional<RedisError> RedisConnection::Receive(const Limits& limits) {
  std::vector<char> chunk(64 << 10);
  size_t received = 0;
  bool is_string = false;
  while (true) {
    const ssize_t n = ::recv(fd_, chunk.data(), chunk.size(), MSG_DONTWAIT);
    if (n == 0) return RedisError{RemoteFault::kClosed, "the server closed the connection"};
    if (n < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) {
        return SystemError(RemoteFault::kClosed, "cannot receive", errno);
      }
      if (!WaitFor(fd_, POLLIN, limits)) return Late("receive the reply");
      continue;
    }
    if (received == 0) is_string = chunk[0] == '$';
    received += static_cast<size_t>(n);
    void* object = nullptr;
    if (redisReaderFeed(reader_.get(), chunk.data(), static_cast<size_t>(n)) != REDIS_OK ||
        redisReaderGetReply(reader_.get(), &object) != REDIS_OK) {
      return RedisError{RemoteFault::kProtocol, reader_->errstr};
    }
    if (object != nullptr) break;
    // Beyond the bound with the digits of the length and the line ends.
    if (is_string && received > limits.max_reply_bytes + 64) {
      return RedisError{RemoteFault::kTooLarge,
                        absl::StrCat("a reply beyond ", limits.max_reply_bytes, " bytes")};
    }
    if (!is_string && received > kMaxLineBytes) {
      return RedisError{RemoteFault::kProtocol, "a line without an end"};
    }
    // A steady trickle never waits, so the clock is also looked at here.
    if (steady_clock::now() >= limits.deadline) return Late("receive the reply");
  }
  if (reader_->pos != reader_->len) {
    return RedisError{RemoteFault::kProtocol, "more than one reply"};
  }
  if (reply_.type == RedisReply::Type::kNone) {
    return RedisError{RemoteFault::kProtocol, "a reply of an unknown type"};
  }
  if (reply_.text.size() > limits.max_reply_bytes) {
    return RedisError{RemoteFault::kTooLarge,
                      absl::StrCat("a reply of ", reply_.text.size(), " bytes, the bound is ",
                                   limits.max_reply_bytes)};
  }
  return std::nullopt;
}

bool RedisConnection::IsQuiet() const {
  char byte;
  const ssize_t n = ::recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

}  // namespace swage::cache
