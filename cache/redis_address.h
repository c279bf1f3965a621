// File: cache/redis_address.h
//
// Where a Redis server is, from the text of a configuration file.
//
//   redis://host:port          redis://:password@host:port/2        redis://user:password@host:port
//   redis://[::1]:6379         unix:/run/redis/redis.sock
//
// Strict: what is not one of these forms is an error that says which part is wrong. '%41' stands
// for the character of that code in user and password. No error and no ToString shows a password.
#ifndef SWAGE_CACHE_REDIS_ADDRESS_H_
#define SWAGE_CACHE_REDIS_ADDRESS_H_

#include <string>
#include <string_view>

#include "base/status.h"

namespace swage::cache {

struct RedisAddress {
  std::string host;  // empty for a unix socket
  int port = 0;
  std::string unix_path;
  std::string user;
  std::string password;
  int database = 0;

  static StatusOr<RedisAddress> Parse(std::string_view text);

  // Without user and password.
  std::string ToString() const;
};

}  // namespace swage::cache

#endif  // SWAGE_CACHE_REDIS_ADDRESS_H_
