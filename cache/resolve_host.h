// File: cache/resolve_host.h
//
// The socket addresses of a host, with a bound of time: the system's resolver has none, and may
// wait for a dead name server for half a minute.
#ifndef SWAGE_CACHE_RESOLVE_HOST_H_
#define SWAGE_CACHE_RESOLVE_HOST_H_

#include <sys/socket.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cache/remote_fault.h"

namespace swage::cache {

struct SocketAddress {
  sockaddr_storage storage = {};
  socklen_t length = 0;
};

// At least one address, in the system's order, or why not. A numeric host needs no resolver and no
// thread; for a name a thread asks, which is left behind (and ends by itself) when time is over.
struct Resolved {
  std::vector<SocketAddress> addresses;
  std::optional<RemoteFault> fault;  // kResolve or kNoThread
};
Resolved ResolveHost(const std::string& host, int port,
                     std::chrono::steady_clock::time_point deadline);

}  // namespace swage::cache

#endif  // SWAGE_CACHE_RESOLVE_HOST_H_
