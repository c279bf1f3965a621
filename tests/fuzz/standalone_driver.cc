// Runs a libFuzzer entry without libFuzzer: replays a corpus, then mutations of it that depend only
// on the seed, so that every build and compiler can run the fuzzers as ordinary tests.
//
//   FUZZER [--runs=N] [--seconds=S] [--seed=K] [--ext=.hlo] [FILE or FOLDER ...]
//
// The corpus is always replayed whole; the mutations end at N runs or S seconds. An input that
// crashes is left in crash-<fuzzer>; give that file to the fuzzer to see it again.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// A sanitizer's finding must end in a signal too, or its input would not be saved.
extern "C" const char* __asan_default_options() { return "abort_on_error=1"; }
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }

namespace {

using Input = std::vector<uint8_t>;
constexpr size_t kMaxSize = 1 << 20;

const Input* current = nullptr;
char crash_file[256];

// Only calls that are safe in a signal handler.
void SaveInputAndDie(int signal) {
  int file = open(crash_file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0 && current != nullptr) {
    if (write(file, current->data(), current->size()) < 0) _exit(1);
    close(file);
    constexpr char kNote[] = "fuzz: the input is in ";
    if (write(2, kNote, sizeof(kNote) - 1) < 0 || write(2, crash_file, strlen(crash_file)) < 0 ||
        write(2, "\n", 1) < 0) {
      _exit(1);
    }
  }
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void Run(const Input& input) {
  current = &input;
  LLVMFuzzerTestOneInput(input.data(), input.size());
  current = nullptr;
}

std::vector<Input> ReadCorpus(const std::vector<std::string>& paths, std::string_view ext) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.is_regular_file() && (ext.empty() || entry.path().extension() == ext)) {
        files.push_back(entry.path());
      }
    }
  }
  std::sort(files.begin(), files.end());  // the order of a folder's entries must not matter
  std::vector<Input> inputs;
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    if (!in) {
      fprintf(stderr, "fuzz: cannot read %s\n", file.c_str());
      exit(2);
    }
    inputs.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return inputs;
}

// Bytes and words that parsers trip over.
constexpr std::string_view kTokens[] = {
    "{",     "}",   "(",    ")",   "[",  "]",    ",",    "=",
    "\"",    "\\",  "/*",   "//",  "\n", "0",    "-1",   "9223372036854775808",
    "1e999", "nan", "-inf", "%",   "<=", "\xff", "\x80", std::string_view("\0", 1),
    "()",    "{}",  "[]",   "[-1]"};

class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_(seed) {}

  // One to eight edits of a corpus entry, some of them with pieces of another.
  Input Mutate(const std::vector<Input>& corpus) {
    Input input = corpus.empty() ? Input() : corpus[Below(corpus.size())];
    for (size_t edits = 1 + Below(8); edits > 0; --edits) Edit(input, corpus);
    if (input.size() > kMaxSize) input.resize(kMaxSize);
    return input;
  }

 private:
  size_t Below(size_t n) { return n == 0 ? 0 : random_() % n; }

  void Insert(Input& input, const uint8_t* data, size_t size) {
    input.insert(input.begin() + Below(input.size() + 1), data, data + size);
  }

  void Edit(Input& input, const std::vector<Input>& corpus) {
    const size_t at = Below(input.size());
    const size_t length = std::min(input.size() - at, 1 + Below(1 + Below(64)));
    switch (Below(7)) {
      case 0:
        if (!input.empty()) input[at] ^= 1 << Below(8);
        break;
      case 1:
        if (!input.empty()) input[at] = static_cast<uint8_t>(random_());
        break;
      case 2:
        input.erase(input.begin() + at, input.begin() + at + length);
        break;
      case 3: {
        std::string_view token = kTokens[Below(std::size(kTokens))];
        Insert(input, reinterpret_cast<const uint8_t*>(token.data()), token.size());
        break;
      }
      case 4: {
        Input piece(input.begin() + at, input.begin() + at + length);
        Insert(input, piece.data(), piece.size());
        break;
      }
      case 5:
        input.resize(at);  // a truncated file
        break;
      default: {
        if (corpus.empty()) break;
        const Input& other = corpus[Below(corpus.size())];
        const size_t from = Below(other.size());
        Insert(input, other.data() + from, std::min(other.size() - from, 1 + Below(256)));
      }
    }
  }

  std::mt19937_64 random_;
};

bool Flag(std::string_view arg, std::string_view name, std::string* value) {
  if (arg.substr(0, name.size()) != name) return false;
  *value = arg.substr(name.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::string runs = "20000", seconds = "10", seed = "1", ext;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    if (Flag(argv[i], "--runs=", &runs) || Flag(argv[i], "--seconds=", &seconds) ||
        Flag(argv[i], "--seed=", &seed) || Flag(argv[i], "--ext=", &ext)) {
      continue;
    }
    paths.push_back(argv[i]);
  }
  const std::string name = std::filesystem::path(argv[0]).filename().string();
  snprintf(crash_file, sizeof(crash_file), "crash-%s", name.c_str());
  for (int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS})
    std::signal(signal, SaveInputAndDie);

  const std::vector<Input> corpus = ReadCorpus(paths, ext);
  Run({});
  for (const Input& input : corpus) Run(input);

  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::stoll(seconds));
  Mutator mutator(std::stoull(seed));
  int64_t done = 0;
  for (; done < std::stoll(runs) && std::chrono::steady_clock::now() < end; ++done) {
    Run(mutator.Mutate(corpus));
  }
  printf("fuzz: %zu files, %lld mutations, no crash\n", corpus.size(),
         static_cast<long long>(done));
  return 0;
}
