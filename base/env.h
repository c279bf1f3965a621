// File: base/env.h
//
// The SWAGE_* environment variables. One table names them all; a variable that is not in it cannot
// be read, and one that is set without being in it is reported, since it is most likely misspelt.
//
//   std::optional<std::string> dir = GetEnv("SWAGE_DUMP_TO");
//
// An empty variable counts as unset. A new variable is one row in env.cc.
#ifndef SWAGE_BASE_ENV_H_
#define SWAGE_BASE_ENV_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace swage {

struct EnvVariable {
  std::string_view name;
  std::string_view doc;  // one line
};

// Every variable that Swage reads, sorted by name.
std::span<const EnvVariable> KnownEnvVariables();

// The value, or nullopt when unset or empty. `name` must be in the table.
std::optional<std::string> GetEnv(std::string_view name);

// The value as a whole number in [min, max], nullopt when unset; anything else is InvalidArgument.
StatusOr<std::optional<int64_t>> GetEnvInt(std::string_view name, int64_t min, int64_t max);

struct UnknownEnvVariable {
  std::string name;
  std::vector<std::string> nearest;  // names from the table, best first; may be empty
};

// The set variables that begin with SWAGE_ and that are not in the table, sorted by name.
std::vector<UnknownEnvVariable> UnknownEnvVariables();

}  // namespace swage

#endif  // SWAGE_BASE_ENV_H_
