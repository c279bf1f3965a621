#include "cache/redis_address.h"

#include <sys/un.h>

#include <charconv>
#include <optional>

namespace swage::cache {
namespace {

constexpr std::string_view kForms =
    ", expected redis://[[user]:password@]host:port[/database] or unix:/path/of/socket";

Status Wrong(std::string_view what) {
  return InvalidArgument("[cache] address of the remote cache: ", ToAbsl(what), ToAbsl(kForms));
}

bool HasControl(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) <= ' ' || c == 0x7f) return true;
  }
  return false;
}

std::optional<int> ParseNumber(std::string_view text, int min, int max) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end || value < min || value > max) return {};
  return value;
}

std::optional<std::string> DecodePercent(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
      continue;
    }
    int code = 0;
    const char* end = text.data() + i + 3;
    if (i + 2 >= text.size() || std::from_chars(text.data() + i + 1, end, code, 16).ptr != end ||
        code < 1) {
      return {};
    }
    decoded.push_back(static_cast<char>(code));
    i += 2;
  }
  return decoded;
}

Status ParseCredentials(std::string_view text, RedisAddress* address) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return Wrong("no ':' before the password");
  const std::optional<std::string> user = DecodePercent(text.substr(0, colon));
  const std::optional<std::string> password = DecodePercent(text.substr(colon + 1));
  if (!user.has_value() || !password.has_value()) {
    return Wrong("a '%' in user or password is not followed by two hex digits");
  }
  if (password->empty()) return Wrong("the password is empty");
  address->user = *user;
  address->password = *password;
  return OkStatus();
}

Status ParseHostAndPort(std::string_view text, RedisAddress* address) {
  size_t colon;
  if (text.starts_with('[')) {  // [IPv6]:port
    const size_t close = text.find(']');
    if (close == std::string_view::npos) return Wrong("no ']' after the IPv6 address");
    address->host = text.substr(1, close - 1);
    colon = close + 1;
  } else {
    colon = text.find(':');
    address->host = text.substr(0, colon);
    if (colon != std::string_view::npos && text.find(':', colon + 1) != std::string_view::npos) {
      return Wrong("more than one ':' in the host; an IPv6 address goes into [ ]");
    }
  }
  if (address->host.empty()) return Wrong("no host");
  if (address->host.find_first_of("[]@?#%") != std::string::npos) {
    return Wrong(absl::StrCat("the host '", address->host, "' is none"));
  }
  if (colon >= text.size() || text[colon] != ':') return Wrong("no port");
  const std::string_view digits = text.substr(colon + 1);
  const std::optional<int> port = ParseNumber(digits, 1, 65535);
  if (!port.has_value()) {
    return Wrong(absl::StrCat("the port '", ToAbsl(digits), "' is no number from 1 to 65535"));
  }
  address->port = *port;
  return OkStatus();
}

StatusOr<RedisAddress> ParseUnix(std::string_view path) {
  constexpr size_t kMaxPath = sizeof(sockaddr_un::sun_path) - 1;
  if (path.empty()) return Wrong("no path of a socket");
  if (path.find('\0') != std::string_view::npos) return Wrong("a NUL byte in the path");
  if (path.size() > kMaxPath) {
    return Wrong(absl::StrCat("the path of the socket has ", path.size(),
                              " bytes, the system allows ", kMaxPath));
  }
  RedisAddress address;
  address.unix_path = path;
  return address;
}

}  // namespace

StatusOr<RedisAddress> RedisAddress::Parse(std::string_view text) {
  constexpr std::string_view kUnix = "unix:";
  constexpr std::string_view kTcp = "redis://";
  if (text.starts_with(kUnix)) return ParseUnix(text.substr(kUnix.size()));
  if (text.starts_with("rediss://")) {
    return Unimplemented(
        "[cache] remote cache over TLS (rediss://); use redis:// through a tunnel");
  }
  if (!text.starts_with(kTcp)) return Wrong("it begins with neither redis:// nor unix:");
  text.remove_prefix(kTcp.size());
  if (HasControl(text)) return Wrong("a blank or a control character");
  RedisAddress address;
  // The last '@', so that one inside a password is an error of the password, not of the host.
  if (const size_t at = text.rfind('@'); at != std::string_view::npos) {
    SWAGE_RETURN_IF_ERROR(ParseCredentials(text.substr(0, at), &address));
    text.remove_prefix(at + 1);
  }
  if (const size_t slash = text.find('/'); slash != std::string_view::npos) {
    const std::string_view digits = text.substr(slash + 1);
    const std::optional<int> database = ParseNumber(digits, 0, 1'000'000);
    if (!database.has_value()) {
      return Wrong(absl::StrCat("the database '", ToAbsl(digits), "' is no number"));
    }
    address.database = *database;
    text = text.substr(0, slash);
  }
  SWAGE_RETURN_IF_ERROR(ParseHostAndPort(text, &address));
  return address;
}

std::string RedisAddress::ToString() const {
  if (host.empty()) return absl::StrCat("unix:", unix_path);
  const bool v6 = host.find(':') != std::string::npos;
  std::string text = absl::StrCat("redis://", v6 ? "[" : "", host, v6 ? "]" : "", ":", port);
  if (database != 0) absl::StrAppend(&text, "/", database);
  return text;
}

}  // namespace swage::cache
