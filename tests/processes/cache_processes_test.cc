// The cache below memory as users meet it: separate processes that run a jit function.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/files.h"
#include "cache/disk_tier.h"
#include "cache/policy/shape_trace.h"
#include "tests/cache/redis_server.h"
#include "tests/temp_folder.h"

namespace swage::cache {
namespace {

using Environment = std::map<std::string, std::string>;
using testing::HasSubstr;
using testing::StartsWith;

struct Outcome {
  int exit_code = -1;
  std::vector<std::string> lines;  // of stdout
  std::string errors;              // stderr
};

class CacheProcessTest : public testing::Test {
 protected:
  std::string dir() const { return root_ + "/cache"; }

  pid_t Start(const std::vector<std::string>& args, const Environment& changes,
              const std::string& output) const {
    Environment environment = {{"SWAGE_CACHE_DIR", dir()}, {"HOME", root_}, {"PATH", "/bin"}};
    for (const auto& [name, value] : changes) environment[name] = value;
    std::vector<std::string> texts;
    for (const auto& [name, value] : environment) {
      if (value != kUnset) texts.push_back(absl::StrCat(name, "=", value));
    }
    std::vector<char*> argv = {const_cast<char*>(SWAGE_CACHE_CHILD)}, envp;
    for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
    for (std::string& text : texts) envp.push_back(text.data());
    argv.push_back(nullptr);
    envp.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    if (::freopen((output + ".out").c_str(), "w", stdout) == nullptr) ::_exit(99);
    if (::freopen((output + ".err").c_str(), "w", stderr) == nullptr) ::_exit(99);
    ::execve(SWAGE_CACHE_CHILD, argv.data(), envp.data());
    ::_exit(98);
  }

  Outcome Finish(pid_t pid, const std::string& output) const {
    Outcome outcome;
    int status = 0;
    ::waitpid(pid, &status, 0);
    outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    outcome.lines = absl::StrSplit(*ReadFile(output + ".out"), '\n', absl::SkipEmpty());
    outcome.errors = *ReadFile(output + ".err");
    return outcome;
  }

  // The one line of a run.
  std::string Run(const std::vector<std::string>& args, const Environment& changes = {},
                  std::string* errors = nullptr) const {
    const std::string output = root_ + "/run";
    const Outcome outcome = Finish(Start(args, changes, output), output);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    if (errors != nullptr) *errors = outcome.errors;
    return outcome.lines.size() == 1 ? outcome.lines[0]
                                     : absl::StrCat(outcome.lines.size(), " lines");
  }

  std::vector<DiskEntry> Entries() const { return *DiskTier({.dir = dir()}).List(true); }
  int Count(EntryKind kind) const {
    int count = 0;
    for (const DiskEntry& entry : Entries()) {
      EXPECT_EQ(entry.problem, "");
      count += entry.kind == kind;
    }
    return count;
  }
  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dir())) {
      const std::string path = entry.path();
      if (entry.is_regular_file() && path.find("/locks/") == path.npos) files.push_back(path);
    }
    return files;
  }

  static constexpr char kUnset[] = "<unset>";
  const TempFolder folder_;
  const std::string root_ = folder_.path();
};

TEST_F(CacheProcessTest, TheSecondProcessCompilesNothing) {
  EXPECT_EQ(Run({"2"}), "6 compiles=1 loads=0 llvm_runs=1 kernel_loads=0 stored=");
  EXPECT_EQ(Run({"2"}), "6 compiles=0 loads=1 llvm_runs=0 kernel_loads=1 stored=");
}

TEST_F(CacheProcessTest, NamesLocaleAndAddressesAreNotInTheKey) {
  Run({"7", "first"});
  for (const char* name : {"other", "third", "f", "g"}) {
    EXPECT_EQ(Run({"7", name}, {{"CACHE_CHILD_LOCALE", "german"}}),
              "21 compiles=0 loads=1 llvm_runs=0 kernel_loads=1 stored=");
  }
  EXPECT_EQ(Count(EntryKind::kModule), 2) << "the function, and the input of the test";
}

TEST_F(CacheProcessTest, AnotherLiteralIsAnotherProgram) {
  EXPECT_THAT(Run({"2"}), StartsWith("6 compiles=1"));
  EXPECT_THAT(Run({"3"}), StartsWith("9 compiles=1"));
  EXPECT_THAT(Run({"2"}), StartsWith("6 compiles=0 loads=1"));
}

TEST_F(CacheProcessTest, AnotherBuildNeverHitsAndIsNamed) {
  Run({"7"});
  EXPECT_EQ(Run({"7"}, {{"SWAGE_BUILD_ID", "changed"}}),
            "21 compiles=1 loads=0 llvm_runs=1 kernel_loads=0 stored=build_id");
  EXPECT_EQ(Run({"7"}, {{"SWAGE_BUILD_ID", "changed"}}),
            "21 compiles=0 loads=1 llvm_runs=0 kernel_loads=1 stored=");
}

TEST_F(CacheProcessTest, ABuildThatCannotBeToldApartKeepsNothing) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Run({"7"}, {{"SWAGE_BUILD_ID", "none"}}),
              "21 compiles=1 loads=0 llvm_runs=1 kernel_loads=0 stored=");
  }
  EXPECT_FALSE(std::filesystem::exists(dir()));
}

TEST_F(CacheProcessTest, AnotherCpuOrOptionNeverHitsAndIsNamed) {
  Run({"7"});
  EXPECT_THAT(Run({"7"}, {{"SWAGE_CPU", "x86-64-v3"}}),
              testing::AllOf(StartsWith("21 compiles=1 loads=0 llvm_runs=1"), HasSubstr("cpu")));
  EXPECT_EQ(Run({"7"}, {{"SWAGE_DISABLE_PASSES", "cse"}}),
            "21 compiles=1 loads=0 llvm_runs=0 kernel_loads=1 stored=disable_passes");
  EXPECT_EQ(Run({"7"}, {{"SWAGE_FAST_MATH", "1"}}),
            "21 compiles=1 loads=0 llvm_runs=0 kernel_loads=1 stored=fast_math");
}

TEST_F(CacheProcessTest, ADirectoryThatCannotBeUsedCostsOnlyTime) {
  ASSERT_TRUE(WriteFile(root_ + "/file", "text").ok());
  std::filesystem::create_directory(root_ + "/open");
  ::chmod((root_ + "/open").c_str(), 0777);
  std::filesystem::create_directory_symlink(root_ + "/open", root_ + "/link");
  const std::string unusable[] = {root_ + "/file", "/proc/nowhere/cache",
                                  "/dev/full",     "/" + std::string(5000, 'x'),
                                  root_ + "/open", root_ + "/link"};
  for (const std::string& path : unusable) {
    SCOPED_TRACE(path.substr(0, 60));
    std::string errors;
    EXPECT_EQ(Run({"2", "f", "1"}, {{"SWAGE_CACHE_DIR", path}}, &errors),
              "6 compiles=1 loads=0 llvm_runs=1 kernel_loads=0 stored=");
    EXPECT_LE(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
  }
  EXPECT_THAT(Run({"2"}), StartsWith("6 compiles=1")) << "one that can be used works later";
  EXPECT_THAT(Run({"2"}), StartsWith("6 compiles=0 loads=1"));
}

TEST_F(CacheProcessTest, TheDirectoryComesFromTheXdgVariableAndMayBeOff) {
  const Environment nothing = {{"SWAGE_CACHE_DIR", kUnset}, {"XDG_CACHE_HOME", root_ + "/xdg"}};
  EXPECT_THAT(Run({"2"}, nothing), StartsWith("6 "));
  EXPECT_THAT(Run({"2"}, nothing), StartsWith("6 compiles=0 loads=1"));
  EXPECT_TRUE(std::filesystem::exists(root_ + "/xdg/swage"));
  EXPECT_THAT(Run({"2"}, {{"SWAGE_CACHE_DIR", "off"}, {"HOME", kUnset}}),
              StartsWith("6 compiles=1"));
}

TEST_F(CacheProcessTest, DamagedEntriesAreCompiledAgainAndReplaced) {
  Run({"5"});
  std::mt19937 random(1);
  for (const std::string& path : Files()) {
    const std::string whole = *ReadFile(path);
    std::vector<std::string> damaged;
    for (const size_t size : {size_t{0}, size_t{1}, whole.size() / 2, whole.size() - 1}) {
      damaged.push_back(whole.substr(0, size));
    }
    for (int i = 0; i < 12; ++i) {
      damaged.push_back(whole);
      damaged.back()[random() % whole.size()] ^= static_cast<char>(1 << random() % 8);
    }
    for (const std::string& bytes : damaged) {
      ASSERT_TRUE(WriteFile(path, bytes).ok());
      EXPECT_THAT(Run({"5"}), StartsWith("15 "));
      EXPECT_EQ(*ReadFile(path), whole);
    }
  }
}

TEST_F(CacheProcessTest, AnEntryUnderTheNameOfAnotherIsNotUsed) {
  Run({"5"});
  const std::vector<std::string> of_five = Files();
  Run({"6"});
  std::vector<std::string> of_six;
  for (const std::string& path : Files()) {
    if (std::count(of_five.begin(), of_five.end(), path) == 0) of_six.push_back(path);
  }
  for (const std::string& from : of_five) {
    for (const std::string& to : of_six) {
      std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing);
      EXPECT_THAT(Run({"6"}), StartsWith("18 "));
    }
  }
}

TEST_F(CacheProcessTest, ManyProcessesOverOneEmptyDirectoryCompileEachKeyOnce) {
  constexpr int kProcesses = 16, kKeys = 8;
  std::vector<pid_t> pids;
  for (int i = 0; i < kProcesses; ++i) {
    pids.push_back(Start({"1", "f", absl::StrCat(kKeys)}, {}, absl::StrCat(root_, "/p", i)));
  }
  int compiles = 0;
  for (int i = 0; i < kProcesses; ++i) {
    const Outcome outcome = Finish(pids[i], absl::StrCat(root_, "/p", i));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    ASSERT_EQ(outcome.lines.size(), static_cast<size_t>(kKeys));
    for (int k = 0; k < kKeys; ++k) {
      EXPECT_THAT(outcome.lines[k], StartsWith(absl::StrCat(3 * (k + 1), " ")));
      compiles += outcome.lines[k].find("compiles=1") != std::string::npos;
    }
  }
  EXPECT_EQ(Count(EntryKind::kModule), kKeys + 1) << "and the input of the test";
  // Two keys may share a lock, and then one of them may be made twice.
  EXPECT_LE(compiles, 2 * kKeys);
  for (const std::string& path : Files()) {
    EXPECT_FALSE(IsTemporaryName(std::filesystem::path(path).filename().string())) << path;
  }
}

TEST_F(CacheProcessTest, AProcessThatIsKilledLeavesNothingThatHarms) {
#ifdef SWAGE_LONG_TESTS
  constexpr int kRounds = 200;
#else
  constexpr int kRounds = 15;
#endif
  std::mt19937 random(7);
  for (int round = 0; round < kRounds; ++round) {
    const std::string output = root_ + "/killed";
    const pid_t pid = Start({"1", "f", "8"}, {}, output);
    ::usleep(random() % 120'000);
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  EXPECT_THAT(Run({"4"}), StartsWith("12 "));
  for (const DiskEntry& entry : Entries()) EXPECT_EQ(entry.problem, "");
}

TEST_F(CacheProcessTest, MachinesShareThroughAServer) {
  RedisServer redis;
  ASSERT_TRUE(WriteFileAtomic(root_ + "/key", std::string(32, 'k'), {.mode = 0600}).ok());
  ASSERT_TRUE(
      WriteFile(root_ + "/swage.toml", absl::StrCat("format = 1\n[cache]\nremote = \"", redis.url(),
                                                    "\"\nremote_key_file = \"key\"\n"))
          .ok());
  const auto machine = [&](const std::string& name) {
    return Environment{{"SWAGE_CONFIG", root_ + "/swage.toml"},
                       {"SWAGE_CACHE_DIR", root_ + "/" + name}};
  };
  EXPECT_THAT(Run({"2"}, machine("a")), StartsWith("6 compiles=1"));
  EXPECT_THAT(Run({"2"}, machine("b")),
              StartsWith("6 compiles=0 loads=1 llvm_runs=0 kernel_loads=1"));
  redis.Kill();
  EXPECT_THAT(Run({"2"}, machine("c")), StartsWith("6 compiles=1")) << "without the server";
  EXPECT_THAT(Run({"2"}, machine("b")), StartsWith("6 compiles=0 loads=1")) << "from its own disk";
}

TEST_F(CacheProcessTest, AnErrorInTheConfigurationIsSaidOnceAndNothingIsKept) {
  ASSERT_TRUE(WriteFile(root_ + "/swage.toml", "format = 1\n[cache]\ndisk_byte = 3\n").ok());
  std::string errors;
  EXPECT_THAT(Run({"2"}, {{"SWAGE_CONFIG", root_ + "/swage.toml"}}, &errors),
              StartsWith("6 compiles=1"));
  EXPECT_THAT(errors, HasSubstr("swage.toml:3:1"));
  EXPECT_THAT(errors, HasSubstr("disk_bytes"));
  EXPECT_FALSE(std::filesystem::exists(dir()));
}

TEST_F(CacheProcessTest, ARecordHoldsTheShapesOfAllCalls) {
  const std::string output = root_ + "/run";
  const Outcome outcome = Finish(
      Start({"2", "scale", "3"}, {{"SWAGE_RECORD_SHAPES", root_ + "/%p.trace"}}, output), output);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.errors, "");
  std::string path;
  for (const auto& entry : std::filesystem::directory_iterator(root_)) {
    if (entry.path().extension() == ".trace") path = entry.path();
  }
  EXPECT_NE(std::filesystem::path(path).stem(), "%p");
  const StatusOr<policy::TraceContent> trace = policy::ShapeTrace::Load(path);
  ASSERT_TRUE(trace.ok()) << trace.status();
  ASSERT_EQ(trace->calls.size(), 1);
  EXPECT_EQ(trace->calls[0].function, "scale");
  EXPECT_EQ(trace->calls[0].count, 3);
  EXPECT_GT(trace->calls[0].nanoseconds, 0);
  EXPECT_EQ(trace->calls[0].args, std::vector<std::vector<int64_t>>{{1}});
  ASSERT_EQ(trace->compiles.size(), 1);
  EXPECT_EQ(trace->compiles[0].count, 3);
  EXPECT_EQ(trace->dropped, 0);
}

TEST_F(CacheProcessTest, ARecordStaysWhereTheProcessBegan) {
  ASSERT_TRUE(MakeDirectories(root_ + "/begin").ok());
  ASSERT_EQ(::symlink("../behind.trace", (root_ + "/begin/a.trace").c_str()), 0);
  const std::filesystem::path here = std::filesystem::current_path();
  std::filesystem::current_path(root_ + "/begin");
  const std::string line =
      Run({"2"}, {{"SWAGE_RECORD_SHAPES", "a.trace"}, {"CACHE_CHILD_LEAVES", "1"}});
  std::filesystem::current_path(here);
  EXPECT_THAT(line, StartsWith("6 "));
  EXPECT_TRUE(std::filesystem::is_symlink(root_ + "/begin/a.trace"));
  EXPECT_TRUE(policy::ShapeTrace::Load(root_ + "/behind.trace").ok());
}

TEST_F(CacheProcessTest, ARecordReplacesNoDevice) {
  ASSERT_EQ(::mkfifo((root_ + "/pipe").c_str(), 0600), 0);
  std::string errors;
  Run({"2"}, {{"SWAGE_RECORD_SHAPES", root_ + "/pipe"}}, &errors);
  EXPECT_THAT(errors, HasSubstr("is not a regular file"));
  EXPECT_TRUE(std::filesystem::is_fifo(root_ + "/pipe"));
}

TEST_F(CacheProcessTest, ARecordThatCannotBeWrittenIsAnErrorInTheLogAlone) {
  std::string errors;
  EXPECT_THAT(Run({"2"}, {{"SWAGE_RECORD_SHAPES", root_ + "/nowhere/a.trace"}}, &errors),
              StartsWith("6 "));
  EXPECT_THAT(errors, HasSubstr("shapes are not recorded in SWAGE_RECORD_SHAPES='"));
}

}  // namespace
}  // namespace swage::cache
