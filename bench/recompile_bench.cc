// What new shapes cost: streams of shapes, replayed through jit under different policies. A
// benchmark is function/stream/policy; its time is that of all calls of the stream, compiles
// included, from empty caches. scripts/recompile_report makes a table and a plot of it, beside
// other systems.
//
//   exact         every shape compiled by itself: its sizes are baked in and no kernel is shared
//   kernel-reuse  the default: kernels serve every size; nothing on disk
//   disk-warm     empty memory, but another process has left its code on disk
//   symbolic      one program for all shapes; nothing on disk
//   bucketed      one program for the shapes of a bucket (16, 32, 48, 80, ...); nothing on disk
//
// Counters: calls, distinct (shapes); compiles (pass pipeline runs), sizings (programs set up for
// other sizes), loads (programs from disk),
// llvm_runs, kernel_hits, kernel_loads; total_ms of the stream, warm_ms of the same stream again;
// passes_ms, llvm_ms, link_ms and load_ms (parts of the compiles, all but the first summed over
// threads; on a GPU the driver links and loads); p50_us, p99_us, max_us of a call; waste (part of
// the computed elements that is padding); cache_mb of compiled code, rss_mb of the process;
// checksum (of all results: equal for all policies). Streams of up to four calls also have
// first1_us, first2_us, ... of each call.
//
// Flags beside Google Benchmark's:
//   --device=NAME          where the functions run: cpu (default), cuda, cuda:N, evaluator; also
//                          --device NAME
//   --stream_file=PATH     replays a recorded stream too (bench/streams.h); function:PATH. May be
//                          given more than once. bench/streams/uniform.txt is always there.
//   --write_streams=DIR    writes the streams as files, function.name.txt, and ends
#include <benchmark/benchmark.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "bench/streams.h"
#include "bench/workloads.h"
#include "cache/tiers.h"
#include "runtime/compile_options.h"

namespace swage::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kUniformFile[] = "bench/streams/uniform.txt";
constexpr std::string_view kFillFlag = "--fill_disk_cache=";

enum class Policy { kExact, kKernelReuse, kDiskWarm, kSymbolic, kBucketed };

Mode ModeOf(Policy policy) {
  if (policy == Policy::kSymbolic) return Mode::kSymbolic;
  return policy == Policy::kBucketed ? Mode::kBucket : Mode::kExact;
}

// The flags that choose streams, for the process that fills a disk cache.
std::vector<std::string>& StreamFlags() {
  static auto* const flags = new std::vector<std::string>();
  return *flags;
}

struct Replay {
  std::vector<double> microseconds;  // of each call
  double checksum = 0;

  double total_ms() const {
    double sum = 0;
    for (const double us : microseconds) sum += us;
    return sum / 1000;
  }
  // The smallest time that `share` of the calls do not exceed.
  double Percentile(double share) const {
    std::vector<double> sorted = microseconds;
    std::sort(sorted.begin(), sorted.end());
    const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    return sorted[std::max<size_t>(rank, 1) - 1];
  }
};

double SumOfMagnitudes(const Tensor& tensor) {
  const float* values = tensor.data<float>();
  double sum = 0;
  for (int64_t i = 0; i < tensor.size(); ++i) sum += std::abs(values[i]);
  return sum;
}

Replay ReplayStream(const Stream& stream, Workload& workload) {
  Replay replay;
  for (const Entry& entry : stream.entries) {
    const Clock::time_point start = Clock::now();
    // A result of a GPU is there when it is copied.
    const Tensor result = workload.Call(entry).to("cpu");
    const std::chrono::duration<double, std::micro> took = Clock::now() - start;
    replay.microseconds.push_back(took.count());
    replay.checksum += SumOfMagnitudes(result);
  }
  return replay;
}

double ResidentMegabytes() {
  std::ifstream statm("/proc/self/statm");
  double size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

// A folder that is gone afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "swage_bench_XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;  // empty: could not be made
};

// Lets another process replay the stream with its disk cache in `folder`.
bool FillInAnotherProcess(const std::string& stream, const std::string& folder) {
  std::vector<std::string> arguments = {"recompile_bench", absl::StrCat(ToAbsl(kFillFlag), stream)};
  arguments.insert(arguments.end(), StreamFlags().begin(), StreamFlags().end());
  std::vector<std::string> environment = {"SWAGE_CACHE_DIR=" + folder};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    if (!text.starts_with("SWAGE_CACHE_DIR=") && !text.starts_with("SWAGE_CONFIG=")) {
      environment.emplace_back(text);
    }
  }
  const auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (std::string& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
  };
  pid_t child = 0;
  if (posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, pointers(arguments).data(),
                  pointers(environment).data()) != 0) {
    return false;
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string FullName(const Stream& stream) { return stream.function + "/" + stream.name; }

// Puts the policy in force while it lives, from empty caches in memory.
class PolicyScope {
 public:
  PolicyScope(Policy policy, const Stream& stream) {
    if (policy == Policy::kDiskWarm) {
      if (folder_.path().empty() || !FillInAnotherProcess(FullName(stream), folder_.path())) {
        error_ = "no disk cache could be made";
        return;
      }
      tiers_.emplace(cache::Tiers::Options{.disk = {.dir = folder_.path()}, .remote = {}});
    }
    cache::Tiers::ReplaceGlobal(tiers_.has_value() ? &*tiers_ : nullptr);
    runtime::SetBakedDims(policy == Policy::kExact);
    clear_cache();
  }
  ~PolicyScope() {
    cache::Tiers::ReplaceGlobal(nullptr);
    runtime::SetBakedDims(false);
  }
  const char* error() const { return error_; }

 private:
  TemporaryFolder folder_;
  std::optional<cache::Tiers> tiers_;
  const char* error_ = nullptr;
};

void Report(benchmark::State& state, const Stream& stream, const Workload& workload,
            const Replay& cold) {
  const JitStats stats = workload.stats();
  const auto count = [&](const std::string& name, auto value) {
    state.counters[name] = static_cast<double>(value);
  };
  count("calls", stream.entries.size());
  count("distinct", Distinct(stream));
  count("compiles", stats.compiles);
  count("sizings", stats.sizings);
  count("loads", stats.loads);
  count("llvm_runs", stats.llvm_runs);
  count("kernel_hits", stats.kernel_hits);
  count("kernel_loads", stats.kernel_loads);
  count("waste", 0);  // no policy pads
  count("passes_ms", stats.passes_ms);
  count("llvm_ms", stats.llvm_ms);
  count("link_ms", stats.link_ms);
  count("load_ms", stats.load_ms);
  count("total_ms", cold.total_ms());
  count("p50_us", cold.Percentile(0.5));
  count("p99_us", cold.Percentile(0.99));
  count("max_us", cold.Percentile(1));
  count("cache_mb", static_cast<double>(cache_stats().memory_bytes) / (1 << 20));
  count("rss_mb", ResidentMegabytes());
  count("checksum", cold.checksum);
  if (cold.microseconds.size() > 4) return;
  for (size_t i = 0; i < cold.microseconds.size(); ++i) {
    count(absl::StrCat("first", i + 1, "_us"), cold.microseconds[i]);
  }
}

void ReplayUnder(benchmark::State& state, const Stream& stream, Policy policy) {
  for (auto _ : state) {
    const PolicyScope scope(policy, stream);
    if (scope.error() != nullptr) return state.SkipWithError(scope.error());
    try {
      const std::unique_ptr<Workload> workload = MakeWorkload(stream.function, ModeOf(policy));
      for (const Entry& entry : stream.entries) workload->Prepare(entry);
      const Replay cold = ReplayStream(stream, *workload);
      state.SetIterationTime(cold.total_ms() / 1000);
      Report(state, stream, *workload, cold);
      state.counters["warm_ms"] = ReplayStream(stream, *workload).total_ms();
    } catch (const Error& error) {
      return state.SkipWithError(error.what());
    }
  }
}

void Register(const Stream& stream) {
  const auto add = [&](const char* policy, auto run) {
    benchmark::RegisterBenchmark((FullName(stream) + "/" + policy).c_str(), run)
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  };
  const auto replay = [&](Policy policy) {
    return [stream, policy](benchmark::State& state) { ReplayUnder(state, stream, policy); };
  };
  add("exact", replay(Policy::kExact));
  add("kernel-reuse", replay(Policy::kKernelReuse));
  add("disk-warm", replay(Policy::kDiskWarm));
  add("symbolic", replay(Policy::kSymbolic));
  add("bucketed", replay(Policy::kBucketed));
}

// What the other process of FillInAnotherProcess does.
int FillDiskCache(const std::vector<Stream>& streams, std::string_view name) {
  for (const Stream& stream : streams) {
    if (FullName(stream) != name) continue;
    try {
      const std::unique_ptr<Workload> workload = MakeWorkload(stream.function);
      for (const Entry& entry : stream.entries) workload->Prepare(entry);
      ReplayStream(stream, *workload);
    } catch (const Error& error) {
      std::fprintf(stderr, "%s\n", error.what());
      return 1;
    }
    cache::Tiers* const tiers = cache::Tiers::Global();
    return tiers != nullptr && tiers->Flush(std::chrono::minutes(5)) ? 0 : 1;
  }
  return 1;
}

int WriteStreams(const std::vector<Stream>& streams, const std::string& folder) {
  Status status = MakeDirectories(folder);
  for (const Stream& stream : streams) {
    const std::string path = absl::StrCat(folder, "/", stream.function, ".", stream.name, ".txt");
    if (status.ok()) status = WriteFile(path, ToText(stream));
  }
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}

int Main(int argc, char** argv) {
  std::string write_to, fill, device;
  std::vector<std::string> files = {kUniformFile};
  std::vector<char*> others;
  for (int i = 0; i < argc; ++i) {
    const std::string_view flag(argv[i]);
    const auto value = [&](std::string_view name, std::string* out) {
      if (!flag.starts_with(name)) return false;
      *out = flag.substr(name.size());
      return true;
    };
    std::string file;
    if (value("--stream_file=", &file)) {
      files.push_back(file);
      StreamFlags().emplace_back(flag);
    } else if (value("--device=", &device) || (flag == "--device" && i + 1 < argc)) {
      if (flag == "--device") device = argv[++i];
      setenv("SWAGE_DEVICE", device.c_str(), 1);  // of the process that fills a cache, too
    } else if (!value("--write_streams=", &write_to) && !value(kFillFlag, &fill)) {
      others.push_back(argv[i]);
    }
  }
  std::vector<Stream> streams = BuiltInStreams();
  for (const std::string& file : files) {
    StatusOr<Stream> stream = ReadStream(file);
    if (!stream.ok()) {
      std::fprintf(stderr, "%s; run it in the root of the repository\n",
                   stream.status().ToString().c_str());
      return 2;
    }
    streams.push_back(*std::move(stream));
  }
  if (!fill.empty()) return FillDiskCache(streams, fill);
  if (!write_to.empty()) return WriteStreams(streams, write_to);
  for (const Stream& stream : streams) Register(stream);
  int count = static_cast<int>(others.size());
  benchmark::Initialize(&count, others.data());
  if (benchmark::ReportUnrecognizedArguments(count, others.data())) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace
}  // namespace swage::bench

int main(int argc, char** argv) { return swage::bench::Main(argc, argv); }
