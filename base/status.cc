#include "base/status.h"

#include <cstdio>
#include <cstdlib>

namespace swage {

Status Annotate(const Status& status, std::string_view suffix) {
  if (status.ok()) return status;
  return Status(status.code(), absl::StrCat(status.message(), ToAbsl(suffix)));
}

void Fatal(const char* file, int line, std::string_view message) {
  std::fprintf(stderr, "[swage internal] %s:%d: %.*s\n", file, line,
               static_cast<int>(message.size()), message.data());
  std::abort();
}

}  // namespace swage
