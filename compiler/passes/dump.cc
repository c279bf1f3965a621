#include "compiler/passes/dump.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>

#include "absl/strings/str_format.h"
#include "base/files.h"
#include "base/hash.h"
#include "compiler/ir/parser.h"
#include "compiler/ir/printer.h"
#include "nlohmann/json.hpp"

namespace swage::passes {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kIndexTail = "\n]}\n";
// Constants of more elements go to a side file.
constexpr int64_t kLargeConstant = 64;

// Holds an exclusive lock of the directory, against other processes and other threads.
class DirectoryLock {
 public:
  explicit DirectoryLock(const std::string& path)
      : fd_(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (fd_ >= 0) flock(fd_, LOCK_EX);
  }
  ~DirectoryLock() {
    if (fd_ >= 0) close(fd_);
  }
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  int fd_;
};

std::string EmptyIndex(std::string_view reason) {
  Json text = std::string(reason);
  return absl::StrCat("{\"format\": 1,\n\"nothing_compiled\": ",
                      text.dump(-1, ' ', false, Json::error_handler_t::replace),
                      ",\n\"modules\": [", ToAbsl(kIndexTail));
}

bool IsEmptyIndex(std::string_view text) {
  return text.ends_with(absl::StrCat("\"modules\": [", ToAbsl(kIndexTail)));
}

// One past the highest module number among the files of a directory.
int64_t NextFreeNumber(const std::string& path) {
  int64_t next = 0;
  DIR* directory = opendir(path.c_str());
  if (directory == nullptr) return next;
  while (const dirent* entry = readdir(directory)) {
    std::string_view name = entry->d_name;
    constexpr std::string_view kPrefix = "module_";
    if (!name.starts_with(kPrefix)) continue;
    name.remove_prefix(kPrefix.size());
    int64_t number = 0;
    const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc()) next = std::max(next, number + 1);
  }
  closedir(directory);
  return next;
}

bool Exists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0;
}

std::string Now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc;
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace

std::string SafeFileName(std::string_view name) {
  std::string safe;
  for (char c : name.substr(0, 100)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '_';
    safe.push_back(plain ? c : '_');
  }
  return safe.empty() ? "_" : safe;
}

StatusOr<std::shared_ptr<DumpDirectory>> DumpDirectory::Open(const std::string& path) {
  static std::mutex mutex;
  static auto* opened = new absl::flat_hash_map<std::string, std::shared_ptr<DumpDirectory>>();
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<DumpDirectory>& directory = (*opened)[path];
  if (directory != nullptr && Exists(path)) return directory;
  directory = nullptr;
  SWAGE_RETURN_IF_ERROR(MakeDirectories(path));
  DirectoryLock directory_lock(path);
  const std::string index = absl::StrCat(path, "/index.json");
  if (!Exists(index)) {
    SWAGE_RETURN_IF_ERROR(WriteFileAtomic(index, EmptyIndex("no module has been compiled yet")));
  }
  directory.reset(new DumpDirectory(path));
  return directory;
}

StatusOr<int64_t> DumpDirectory::ClaimModule() {
  std::lock_guard<std::mutex> lock(mutex_);
  DirectoryLock directory_lock(path_);
  const std::string counter = absl::StrCat(path_, "/.next_module");
  int64_t number = 0;
  bool known = false;
  if (Exists(counter)) {
    SWAGE_ASSIGN_OR_RETURN(const std::string text, ReadFile(counter, 64));
    known = std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
  }
  if (!known) number = NextFreeNumber(path_);
  SWAGE_RETURN_IF_ERROR(WriteFileAtomic(counter, absl::StrCat(number + 1)));
  return number;
}

Status DumpDirectory::AppendToIndex(std::string_view entry) {
  std::lock_guard<std::mutex> lock(mutex_);
  DirectoryLock directory_lock(path_);
  const std::string path = absl::StrCat(path_, "/index.json");
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  const off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
  char tail[4096] = {};
  const off_t begin = std::max<off_t>(0, size - static_cast<off_t>(sizeof(tail)));
  const ssize_t got = fd < 0 ? 0 : pread(fd, tail, sizeof(tail), begin);
  const std::string_view end(tail, std::max<ssize_t>(got, 0));
  const std::string item = absl::StrCat(ToAbsl(entry), ToAbsl(kIndexTail));
  Status status;
  if (!end.ends_with(kIndexTail) || IsEmptyIndex(end)) {
    // The first module, or an index that is gone or cut: begin anew.
    status = WriteFileAtomic(path, absl::StrCat("{\"format\": 1,\n\"modules\": [\n", item));
  } else {
    // Appending keeps a long series of compilations linear.
    const std::string more = absl::StrCat(",\n", item);
    const off_t at = size - static_cast<off_t>(kIndexTail.size());
    if (pwrite(fd, more.data(), more.size(), at) != static_cast<ssize_t>(more.size())) {
      status = Internal("[dump] cannot write ", path, ": ", std::strerror(errno));
    }
  }
  if (fd >= 0) close(fd);
  return status;
}

Status DumpDirectory::ExplainEmptiness(std::string_view reason) {
  std::lock_guard<std::mutex> lock(mutex_);
  DirectoryLock directory_lock(path_);
  const std::string path = absl::StrCat(path_, "/index.json");
  SWAGE_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  if (!IsEmptyIndex(text)) return OkStatus();
  return WriteFileAtomic(path, EmptyIndex(reason));
}

StatusOr<std::unique_ptr<ModuleDump>> ModuleDump::Create(PassContext& context,
                                                         const std::string& module_name) {
  SWAGE_ASSIGN_OR_RETURN(std::shared_ptr<DumpDirectory> directory,
                         DumpDirectory::Open(context.options().dump_to));
  SWAGE_ASSIGN_OR_RETURN(const int64_t number, directory->ClaimModule());
  std::string base = absl::StrFormat("module_%04d.%s", number, SafeFileName(module_name));
  return std::unique_ptr<ModuleDump>(
      new ModuleDump(context, std::move(directory), std::move(base), number, module_name));
}

ModuleDump::ModuleDump(PassContext& context, std::shared_ptr<DumpDirectory> directory,
                       std::string base, int64_t number, std::string module_name)
    : context_(context),
      directory_(std::move(directory)),
      base_(std::move(base)),
      number_(number),
      module_name_(std::move(module_name)) {}

ModuleDump::~ModuleDump() {
  const Status status = directory_->AppendToIndex(IndexEntry());
  if (!status.ok()) Fail(status);
}

void ModuleDump::Text(const ir::Module& module, std::string_view pipeline, std::string_view after,
                      std::string_view before) {
  WriteText(module,
            absl::StrCat(ToAbsl(pipeline), ".after_", ToAbsl(after), ".before_", ToAbsl(before)),
            absl::StrCat("the module in ", ToAbsl(pipeline), " after ", ToAbsl(after), ", before ",
                         ToAbsl(before)));
}

void ModuleDump::TextInside(const ir::Module& module, std::string_view pass,
                            std::string_view label) {
  WriteText(module, absl::StrCat(ToAbsl(pass), ".", ToAbsl(label)),
            absl::StrCat("the module inside ", ToAbsl(pass), ": ", ToAbsl(label)));
}

void ModuleDump::WriteText(const ir::Module& module, std::string_view suffix, std::string what) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (failed_) return;
  ir::PrintOptions options;
  options.percent = true;
  options.signatures = true;
  options.inline_elements = kLargeConstant;
  options.elide = [this](const ir::Instruction& constant) {
    return ConstantAside(constant.literal());
  };
  const std::string text = ir::ToText(module, options);
  Write(absl::StrFormat("%s.%04d.%s.txt", base_, next_text_++, SafeFileName(suffix)), text, "hlo",
        std::move(what));
}

void ModuleDump::File(std::string_view suffix, std::string_view bytes, std::string_view what) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (failed_) return;
  while (suffix.starts_with('.')) suffix.remove_prefix(1);
  const std::string safe = SafeFileName(suffix);
  std::string name = absl::StrCat(base_, ".", safe);
  // The second artefact of one name gets a number.
  if (const int again = names_[name]++; again > 0) {
    name = absl::StrCat(base_, ".", again, ".", safe);
  }
  Write(name, bytes, "artefact", std::string(what));
}

void ModuleDump::Write(const std::string& name, std::string_view bytes, std::string kind,
                       std::string what) {
  const Status status = WriteFile(absl::StrCat(directory_->path(), "/", name), bytes);
  if (!status.ok()) return Fail(status);
  files_.push_back({name, std::move(kind), std::move(what)});
}

// The name of the file that holds the text of a large constant.
std::string ModuleDump::ConstantAside(const ir::Literal& literal) {
  std::string file = absl::StrCat("constant_", literal.Hash().ToHex(), ".txt");
  if (!constants_.insert(file).second) return file;
  const std::string path = absl::StrCat(directory_->path(), "/", file);
  const Status status = Exists(path) ? OkStatus() : WriteFileAtomic(path, literal.ToString());
  if (!status.ok()) {
    Fail(status);
  } else {
    files_.push_back({file, "constant", "a large constant of the module texts"});
  }
  return file;
}

std::string ModuleDump::IndexEntry() const {
  const CompilerOptions& options = context_.options();
  Json entry;
  entry["number"] = number_;
  entry["name"] = module_name_;
  entry["process"] = static_cast<int64_t>(getpid());
  entry["ended"] = Now();
  entry["options"] = {{"disable_passes", options.disable_passes},
                      {"only_passes", options.only_passes},
                      {"dump_passes", options.dump_passes},
                      {"fast_math", options.fast_math},
                      {"allow_excess_precision", options.allow_excess_precision},
                      {"fold_budget_microseconds", options.fold_budget_microseconds},
                      {"fold_budget_bytes", options.fold_budget_bytes},
                      {"padding", static_cast<int>(options.padding)},
                      {"padding_fill", static_cast<int>(options.padding_fill)},
                      {"padding_masks", static_cast<int>(options.padding_masks)},
                      {"check_lies", options.check_lies},
                      {"check_padding", options.check_padding},
                      {"check_passes", options.check_passes}};
  entry["passes"] = Json::array();
  for (const PassRun& run : context_.runs()) {
    Json record = {{"step", run.step}, {"path", run.path},       {"name", run.name},
                   {"run", run.run},   {"changed", run.changed}, {"ms", run.milliseconds}};
    if (run.skipped) record["skipped"] = true;
    entry["passes"].push_back(std::move(record));
  }
  entry["phases"] = Json::array();
  for (const Phase& phase : context_.phases()) {
    entry["phases"].push_back({{"name", phase.name}, {"ms", phase.milliseconds}});
  }
  entry["files"] = Json::array();
  for (const FileRecord& file : files_) {
    entry["files"].push_back({{"file", file.name}, {"kind", file.kind}, {"what", file.what}});
  }
  entry["messages"] = Json::array();
  for (const Message& message : context_.messages()) entry["messages"].push_back(message.text);
  return entry.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void ModuleDump::Fail(const Status& status) {
  if (failed_) return;
  failed_ = true;
  context_.Log(Severity::kWarning, absl::StrCat("[dump] the dump of module '", module_name_,
                                                "' stops here: ", status.message()));
}

StatusOr<std::unique_ptr<ir::Module>> LoadDump(const std::string& path) {
  SWAGE_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  const size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash);
  ir::ParseOptions options;
  options.filename = path;
  options.load_constant = [&](std::string_view key,
                              const ir::Shape& shape) -> StatusOr<ir::Literal> {
    if (key != SafeFileName(key)) {
      return InvalidArgument("[dump] ", path, " refers to the constant '", ToAbsl(key),
                             "', expected the name of a file beside it");
    }
    SWAGE_ASSIGN_OR_RETURN(const std::string value,
                           ReadFile(absl::StrCat(directory, "/", ToAbsl(key))));
    size_t end = 0;
    return ir::ParseLiteral(value, &end, shape);
  };
  return ir::ParseHlo(text, options);
}

}  // namespace swage::passes
