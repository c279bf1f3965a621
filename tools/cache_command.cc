#include "tools/cache_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "base/key_material.h"
#include "base/printable.h"
#include "cache/config.h"
#include "cache/disk_pack.h"
#include "cache/disk_tier.h"
#include "tools/cache_warm.h"
#include "tools/device.h"

namespace swage::tools {
namespace {

using cache::DiskEntry;
using cache::DiskTier;

constexpr size_t kLineLength = 60;

// `must_exist`: a directory that was named and is not there is a slip of the fingers.
StatusOr<std::unique_ptr<DiskTier>> OpenDisk(const CacheOptions& options, bool must_exist = true) {
  SWAGE_ASSIGN_OR_RETURN(const cache::Config config, cache::GlobalConfig());
  cache::DiskOptions disk = cache::DiskOptionsFrom(config.cache);
  if (!options.dir.empty()) {
    std::error_code error;
    if (must_exist && !std::filesystem::is_directory(options.dir, error)) {
      return NotFound("[cache] --dir '", options.dir, "' is no directory");
    }
    disk.dir = options.dir;
  }
  if (disk.dir.empty()) {
    return InvalidArgument("[cache] the disk cache is off; name a directory with --dir");
  }
  return std::make_unique<DiskTier>(std::move(disk));
}

std::string NameOf(const DiskEntry& entry) {
  return absl::StrCat(entry.hash.ToHex(), ".", ToAbsl(cache::EntryKindName(entry.kind)));
}

// What the entry is, in a line: the beginning of the program, which is the last part of its key.
std::string Summary(const DiskEntry& entry) {
  if (!entry.problem.empty()) return "BAD: " + Printable(entry.problem);
  const StatusOr<KeyMaterial> material = KeyMaterial::Parse(entry.material);
  if (!material.ok() || material->fields().empty()) return FirstLine(entry.material, kLineLength);
  if (material->Find("kind") == "cubin") {
    const auto part = [&](std::string_view name) {
      return Printable(material->Find(name).value_or("?").substr(0, kLineLength));
    };
    return absl::StrCat("code for ", part("card"), ", driver ", part("driver"), ", of PTX ",
                        part("ptx"));
  }
  // Canonical text has no names: the shapes of its first lines are what tells programs apart.
  const std::string& text = material->fields().back().value;
  const size_t body = text.find("{\n");
  std::string line;
  for (const char c : std::string_view(text).substr(body == text.npos ? 0 : body + 1)) {
    if (line.size() >= kLineLength) break;
    const bool blank = c == '\n' || c == ' ';
    if (!blank || (!line.empty() && line.back() != ' ')) line += blank ? ' ' : c;
  }
  return Printable(line);
}

// "module"; "kernel", or "cubin" for what a GPU's driver made of one.
std::string KindOf(const DiskEntry& entry) {
  const StatusOr<KeyMaterial> material = KeyMaterial::Parse(entry.material);
  if (material.ok() && material->Find("kind") == "cubin") return "cubin";
  return std::string(cache::EntryKindName(entry.kind));
}

// "1 entry", "2 entries".
std::string Entries(int64_t count) {
  return absl::StrCat(count, count == 1 ? " entry" : " entries");
}

void PrintTotal(const DiskTier& disk, const std::vector<DiskEntry>& entries) {
  int64_t bytes = 0;
  for (const DiskEntry& entry : entries) bytes += entry.bytes;
  std::fprintf(stderr, "%s, %lld bytes in %s\n", Entries(entries.size()).c_str(),
               static_cast<long long>(bytes), disk.dir().c_str());
}

// A part of a key: short ones beside their names, programs below, indented.
void PrintField(const KeyField& field) {
  if (field.value.find('\n') == std::string::npos && field.value.size() <= 4 * kLineLength) {
    std::printf("  %-14s %s\n", Printable(field.name).c_str(), Printable(field.value).c_str());
    return;
  }
  std::printf("  %s\n", Printable(field.name).c_str());
  std::string_view rest = field.value;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::printf("    %s\n", Printable(rest.substr(0, end)).c_str());
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

void PrintEntry(const DiskEntry& entry) {
  std::printf("kind     %s\n", std::string(cache::EntryKindName(entry.kind)).c_str());
  std::printf("hash     %s\n", entry.hash.ToHex().c_str());
  std::printf("file     %lld bytes\n", static_cast<long long>(entry.bytes));
  std::printf("used     %s ago\n", AgeText(entry.used, ::time(nullptr)).c_str());
  if (!entry.problem.empty()) {
    std::printf("BAD      %s\n", Printable(entry.problem).c_str());
    return;
  }
  std::printf("payload  %lld bytes\n", static_cast<long long>(entry.payload_bytes));
  std::printf("key\n");
  const StatusOr<KeyMaterial> material = KeyMaterial::Parse(entry.material);
  if (!material.ok()) {
    PrintField({"bytes", entry.material});
    return;
  }
  for (const KeyField& field : material->fields()) PrintField(field);
}

ExitCode PrintPackResult(const char* verb, const cache::PackResult& result) {
  std::printf("%s %s, %lld bytes\n", verb, Entries(result.entries).c_str(),
              static_cast<long long>(result.bytes));
  if (result.skipped == 0) return kFine;
  for (const std::string& problem : result.problems) {
    std::fprintf(stderr, "skipped: %s\n", problem.c_str());
  }
  std::fprintf(stderr, "%s %s skipped\n", Entries(result.skipped).c_str(),
               result.skipped == 1 ? "was" : "were");
  return kCheckFailed;
}

// A subcommand of `command` that runs `run`.
template <typename Options>
CLI::App* AddPart(CLI::App* command, const std::shared_ptr<Options>& options, Action* chosen,
                  const char* name, const char* doc, StatusOr<ExitCode> (*run)(const Options&)) {
  CLI::App* part = command->add_subcommand(name, doc);
  part->add_option("--dir", options->dir, "Directory of the cache; default as configured");
  part->callback([=] { *chosen = [=] { return run(*options); }; });
  return part;
}

}  // namespace

std::string AgeText(time_t then, time_t now) {
  const int64_t seconds = std::max<int64_t>(0, static_cast<int64_t>(now) - then);
  if (seconds < 120) return absl::StrCat(seconds, " s");
  if (seconds < 2 * 3600) return absl::StrCat(seconds / 60, " min");
  if (seconds < 48 * 3600) return absl::StrCat(seconds / 3600, " h");
  return absl::StrCat(seconds / (24 * 3600), " d");
}

std::string FirstLine(std::string_view text, size_t length) {
  const size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  const size_t end = std::min(text.find('\n', begin), text.size());
  return Printable(text.substr(begin, std::min(end - begin, length)));
}

StatusOr<ExitCode> RunCacheLs(const CacheOptions& options) {
  SWAGE_ASSIGN_OR_RETURN(const std::unique_ptr<DiskTier> disk, OpenDisk(options));
  SWAGE_ASSIGN_OR_RETURN(std::vector<DiskEntry> entries, disk->List());
  std::stable_sort(entries.begin(), entries.end(),
                   [](const DiskEntry& a, const DiskEntry& b) { return a.used > b.used; });
  const time_t now = ::time(nullptr);
  for (const DiskEntry& entry : entries) {
    std::printf("%-6s  %s  %10lld  %7s  %s\n", KindOf(entry).c_str(), entry.hash.ToHex().c_str(),
                static_cast<long long>(entry.bytes), AgeText(entry.used, now).c_str(),
                Summary(entry).c_str());
  }
  PrintTotal(*disk, entries);
  return kFine;
}

StatusOr<ExitCode> RunCacheShow(const CacheOptions& options) {
  SWAGE_ASSIGN_OR_RETURN(const std::unique_ptr<DiskTier> disk, OpenDisk(options));
  SWAGE_ASSIGN_OR_RETURN(const std::vector<DiskEntry> entries, disk->List(/*unpack=*/true));
  std::vector<const DiskEntry*> found;
  for (const DiskEntry& entry : entries) {
    if (NameOf(entry).starts_with(options.key)) found.push_back(&entry);
  }
  if (found.empty()) {
    return NotFound("[cache] no entry '", options.key, "' in '", disk->dir(),
                    "'; swage cache ls lists them");
  }
  if (found.size() > 1) {
    return InvalidArgument("[cache] '", options.key, "' is the beginning of ", found.size(),
                           " entries, ", NameOf(*found[0]), " and ", NameOf(*found[1]),
                           " among them; give more digits");
  }
  PrintEntry(*found[0]);
  return found[0]->problem.empty() ? kFine : kCheckFailed;
}

StatusOr<ExitCode> RunCacheVerify(const CacheOptions& options) {
  SWAGE_ASSIGN_OR_RETURN(const std::unique_ptr<DiskTier> disk, OpenDisk(options));
  SWAGE_ASSIGN_OR_RETURN(const std::vector<DiskEntry> entries, disk->List(/*unpack=*/true));
  int bad = 0;
  for (const DiskEntry& entry : entries) {
    if (entry.problem.empty()) continue;
    ++bad;
    std::printf("%s: %s\n", NameOf(entry).c_str(), Printable(entry.problem).c_str());
  }
  std::printf("%d of %s bad\n", bad,
              entries.size() == 1 ? "1 entry is" : (Entries(entries.size()) + " are").c_str());
  return bad == 0 ? kFine : kCheckFailed;
}

StatusOr<ExitCode> RunCachePrune(const CacheOptions& options) {
  SWAGE_ASSIGN_OR_RETURN(const std::unique_ptr<DiskTier> disk, OpenDisk(options));
  SWAGE_ASSIGN_OR_RETURN(const int64_t gone, disk->Prune(options.bytes));
  std::printf("removed %s\n", Entries(gone).c_str());
  return kFine;
}

StatusOr<ExitCode> RunCachePack(const CacheOptions& options) {
  SWAGE_ASSIGN_OR_RETURN(const std::unique_ptr<DiskTier> disk, OpenDisk(options));
  SWAGE_ASSIGN_OR_RETURN(const cache::PackResult result, cache::ExportPack(*disk, options.file));
  return PrintPackResult("packed", result);
}

StatusOr<ExitCode> RunCacheUnpack(const CacheOptions& options) {
  SWAGE_ASSIGN_OR_RETURN(const std::unique_ptr<DiskTier> disk,
                         OpenDisk(options, /*must_exist=*/false));
  SWAGE_ASSIGN_OR_RETURN(const cache::PackResult result, cache::ImportPack(options.file, *disk));
  return PrintPackResult("unpacked", result);
}

void AddCacheCommand(CLI::App& app, Action* chosen) {
  auto options = std::make_shared<CacheOptions>();
  CLI::App* command = app.add_subcommand("cache", "What the disk cache holds, and its upkeep");
  AddPart(command, options, chosen, "ls", "Lists the entries, the one used last first", RunCacheLs);
  AddPart(command, options, chosen, "show", "One entry: what it depends on, and its sizes",
          RunCacheShow)
      ->add_option("KEY", options->key, "The first digits of its hash")
      ->required();
  AddPart(command, options, chosen, "verify", "Reads every entry; exit code 1 if one is bad",
          RunCacheVerify);
  AddPart(command, options, chosen, "prune", "Drops what was not used for longest", RunCachePrune)
      ->add_option("--bytes", options->bytes, "What may stay, as 1000, 64KB or 2GB")
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/false))
      // Below what fits, so that a negative number, which wraps around, is seen.
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 62))
      ->required();
  AddPart(command, options, chosen, "pack", "Writes all entries into one file, to ship them",
          RunCachePack)
      ->add_option("FILE", options->file, "The pack to write")
      ->required();
  auto warm = std::make_shared<WarmOptions>();
  CLI::App* part =
      AddPart(command, warm, chosen, "warm", "Compiles HLO modules into the cache", RunCacheWarm);
  part->add_option("MODULES", warm->modules, "Files of HLO text")->required();
  part->add_option("--dims", warm->dims, "Sizes of symbolic extents: seq=1:512:8,batch=1,8");
  AddDeviceOption(part, "What the programs are for; it must be there", &warm->device);
  AddPart(command, options, chosen, "unpack",
          "Puts the entries of a pack into the cache; they hold code, so trust the author",
          RunCacheUnpack)
      ->add_option("FILE", options->file, "The pack to read")
      ->required();
  NeedSubcommand(command, chosen);
}

}  // namespace swage::tools
