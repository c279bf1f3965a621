// File: tests/cache/redis_server.h
//
// A real Redis server for one test: a child process on a unix socket or a free TCP port in a
// directory of its own, which ends with the test whatever happens to it.
//
//   RedisServer redis;                      // unix socket
//   RemoteTier remote(Options(redis.url()));
//   redis.Run({"SET", "a", "b"});           // an administrator's connection
#ifndef SWAGE_TESTS_CACHE_REDIS_SERVER_H_
#define SWAGE_TESTS_CACHE_REDIS_SERVER_H_

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "cache/redis_connection.h"
#include "tests/temp_folder.h"

namespace swage::cache {

class RedisServer {
 public:
  enum class Transport { kUnix, kTcp };

  // `password`: what clients must say; empty for none. Fails the test when the server does not
  // start.
  explicit RedisServer(Transport transport = Transport::kUnix, std::string password = "");
  ~RedisServer();

  // Without the password.
  std::string url() const;
  const std::string& directory() const { return folder_.path(); }

  RedisReply Run(const std::vector<std::string_view>& words);
  void Kill();    // SIGKILL
  void Freeze();  // SIGSTOP: the sockets stay open and nothing answers
  void Unfreeze();
  void Start();  // again, at the same place and with no entries

 private:
  bool Launch();
  bool Answers() const;
  RedisAddress Address() const;

  const Transport transport_;
  const std::string password_;
  const TempFolder folder_{"/tmp"};  // short, since the path of a socket has at most 107 bytes
  int port_ = 0;
  pid_t pid_ = -1;
};

}  // namespace swage::cache

#endif  // SWAGE_TESTS_CACHE_REDIS_SERVER_H_
