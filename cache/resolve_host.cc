#include "cache/resolve_host.h"

#include <netdb.h>

#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "base/background_thread.h"

namespace swage::cache {
namespace {

std::vector<SocketAddress> Ask(const std::string& host, int port, int flags) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  std::vector<SocketAddress> addresses;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list) != 0) {
    return addresses;
  }
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    SocketAddress address;
    if (entry->ai_addrlen > sizeof(address.storage)) continue;
    std::memcpy(&address.storage, entry->ai_addr, entry->ai_addrlen);
    address.length = entry->ai_addrlen;
    addresses.push_back(address);
  }
  ::freeaddrinfo(list);
  return addresses;
}

// Shared by the thread that asks and the one that waits; whoever is last frees it.
struct Question {
  std::string host;
  int port;
  std::mutex mutex;
  std::condition_variable answered;
  bool done = false;
  std::vector<SocketAddress> addresses;
};

void Answer(const std::shared_ptr<Question>& question) {
  std::vector<SocketAddress> addresses = Ask(question->host, question->port, AI_ADDRCONFIG);
  // A machine without any network still has itself.
  if (addresses.empty()) addresses = Ask(question->host, question->port, 0);
  const std::lock_guard<std::mutex> lock(question->mutex);
  question->addresses = std::move(addresses);
  question->done = true;
  question->answered.notify_all();
}

}  // namespace

Resolved ResolveHost(const std::string& host, int port,
                     std::chrono::steady_clock::time_point deadline) {
  Resolved resolved;
  resolved.addresses = Ask(host, port, AI_NUMERICHOST);
  if (!resolved.addresses.empty()) return resolved;
  const auto question = std::make_shared<Question>();
  question->host = host;
  question->port = port;
  std::optional<std::thread> thread = StartBackgroundThread([question] { Answer(question); });
  if (!thread.has_value()) {
    resolved.fault = RemoteFault::kNoThread;
    return resolved;
  }
  thread->detach();
  std::unique_lock<std::mutex> lock(question->mutex);
  question->answered.wait_until(lock, deadline, [&] { return question->done; });
  resolved.addresses = question->addresses;
  if (resolved.addresses.empty()) resolved.fault = RemoteFault::kResolve;
  return resolved;
}

}  // namespace swage::cache
