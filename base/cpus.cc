// AllowedCpus() of base/parallel_for.h.
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/files.h"
#include "base/parallel_for.h"

namespace swage {
namespace {

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

std::optional<int64_t> ParsePositive(std::string_view text) {
  text = Trim(text);
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || value <= 0) return std::nullopt;
  return value;
}

int CpusOf(std::string_view quota, std::string_view period) {
  const std::optional<int64_t> quota_us = ParsePositive(quota);
  const std::optional<int64_t> period_us = ParsePositive(period);
  if (!quota_us.has_value() || !period_us.has_value()) return 0;
  return static_cast<int>(std::min<int64_t>((*quota_us - 1) / *period_us + 1, 1 << 20));
}

int CpusOfAffinity() {
  // The mask may be wider than cpu_set_t on very large machines; then the call says so.
  for (int cpus = 1024; cpus <= (1 << 20); cpus *= 4) {
    cpu_set_t* set = CPU_ALLOC(cpus);
    const size_t bytes = CPU_ALLOC_SIZE(cpus);
    const int result = ::sched_getaffinity(0, bytes, set);
    const int count = result == 0 ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (count > 0) return count;
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int Tighter(int a, int b) {
  if (a == 0 || b == 0) return std::max(a, b);
  return std::min(a, b);
}

// Every group on the way up to the root may set a limit.
int CpusOfGroup(const std::string& mount, std::string path, bool v2) {
  int cpus = 0;
  while (true) {
    const std::string folder = path == "/" ? mount : mount + path;
    const auto read = [&](const char* name) {
      return ReadFile(folder + "/" + name, 4096).value_or(std::string());
    };
    cpus = Tighter(
        cpus, v2 ? internal::CpusOfCgroupV2(read("cpu.max"))
                 : internal::CpusOfCgroupV1(read("cpu.cfs_quota_us"), read("cpu.cfs_period_us")));
    const size_t slash = path.rfind('/');
    if (path == "/" || slash == std::string::npos) return cpus;
    path = slash == 0 ? "/" : path.substr(0, slash);
  }
}

bool HasController(std::string_view controllers, std::string_view wanted) {
  while (!controllers.empty()) {
    const size_t comma = controllers.find(',');
    if (controllers.substr(0, comma) == wanted) return true;
    if (comma == std::string_view::npos) break;
    controllers.remove_prefix(comma + 1);
  }
  return false;
}

// Lines of /proc/self/cgroup read "hierarchy:controllers:path"; the v2 one is "0::path".
int CpusOfCgroups() {
  const std::string table = ReadFile("/proc/self/cgroup", 1 << 20).value_or(std::string());
  int cpus = 0;
  for (std::string_view rest = table; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const size_t first = line.find(':');
    const size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string path(line.substr(second + 1));
    if (path.empty() || path[0] != '/') continue;
    if (controllers.empty()) {
      cpus = Tighter(cpus, CpusOfGroup("/sys/fs/cgroup", path, /*v2=*/true));
    } else if (HasController(controllers, "cpu")) {
      cpus = Tighter(cpus, CpusOfGroup("/sys/fs/cgroup/cpu", path, /*v2=*/false));
    }
  }
  return cpus;
}

}  // namespace

int AllowedCpus() { return std::max(1, Tighter(CpusOfAffinity(), CpusOfCgroups())); }

namespace internal {

int CpusOfCgroupV2(std::string_view cpu_max) {
  const std::string_view text = Trim(cpu_max);
  const size_t space = text.find(' ');
  if (space == std::string_view::npos) return 0;
  return CpusOf(text.substr(0, space), text.substr(space + 1));
}

int CpusOfCgroupV1(std::string_view quota, std::string_view period) {
  return CpusOf(quota, period);
}

}  // namespace internal

}  // namespace swage
