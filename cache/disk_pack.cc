#include "cache/disk_pack.h"

#include <fcntl.h>

#include <algorithm>
#include <new>
#include <string_view>
#include <utility>

#include "base/files.h"

namespace swage::cache {
namespace {

// The last byte is the version of this layout.
constexpr std::string_view kMagic("SWGPACK\1", 8);
constexpr size_t kMaxProblems = 10;
// A size is read from a file, so memory grows with what is really there.
constexpr size_t kPiece = 1 << 20;

std::string Number(uint64_t value) {
  std::string bytes(8, '\0');
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
  return bytes;
}

void Skip(PackResult& result, const std::string& problem) {
  ++result.skipped;
  if (result.problems.size() < kMaxProblems) result.problems.push_back(problem);
}

class PackReader {
 public:
  static StatusOr<PackReader> Open(const std::string& path) {
    PackReader reader(path, Descriptor(file_ops::Open(AT_FDCWD, path, O_RDONLY)));
    if (!reader.file_.ok()) return FileError("read", path, reader.file_.error());
    SWAGE_ASSIGN_OR_RETURN(const std::string magic, reader.Take(kMagic.size()));
    if (magic != kMagic) {
      return InvalidArgument("[cache] '", path, "' is no pack of cache entries of this version");
    }
    return reader;
  }

  StatusOr<std::string> Take(uint64_t size) {
    std::string bytes;
    while (bytes.size() < size) {
      const size_t before = bytes.size();
      try {
        bytes.resize(std::min<uint64_t>(size, before + kPiece));
      } catch (const std::bad_alloc&) {
        return ResourceExhausted("[cache] no memory for an entry of ", size, " bytes");
      }
      const int64_t got =
          file_ops::Read(file_.get(), path_, bytes.data() + before, bytes.size() - before);
      if (got < 0) return FileError("read", path_, static_cast<int>(-got));
      if (got == 0) return InvalidArgument("[cache] the pack '", path_, "' ends early");
      bytes.resize(before + static_cast<size_t>(got));
    }
    return bytes;
  }

  StatusOr<uint64_t> TakeNumber() {
    SWAGE_ASSIGN_OR_RETURN(const std::string bytes, Take(8));
    uint64_t value = 0;
    for (int i = 7; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
  }

 private:
  PackReader(std::string path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  Descriptor file_;
};

Status ImportEntries(PackReader& reader, const std::string& path, DiskTier& disk,
                     PackResult& result) {
  while (true) {
    SWAGE_ASSIGN_OR_RETURN(const uint64_t size, reader.TakeNumber());
    if (size == 0) break;
    if (size > kMaxEntryBytes) {
      return InvalidArgument("[cache] the pack '", path, "' declares an entry of ", size, " bytes");
    }
    SWAGE_ASSIGN_OR_RETURN(const std::string entry, reader.Take(size));
    if (const Status status = disk.PutEntry(entry); !status.ok()) {
      Skip(result, std::string(status.message()));
      continue;
    }
    ++result.entries;
    result.bytes += static_cast<int64_t>(size);
  }
  SWAGE_ASSIGN_OR_RETURN(const uint64_t count, reader.TakeNumber());
  if (count != static_cast<uint64_t>(result.entries + result.skipped)) {
    return InvalidArgument("[cache] the pack '", path, "' declares ", count, " entries and holds ",
                           result.entries + result.skipped);
  }
  return OkStatus();
}

}  // namespace

StatusOr<PackResult> ExportPack(DiskTier& disk, const std::string& path) {
  SWAGE_ASSIGN_OR_RETURN(const std::vector<DiskEntry> entries, disk.List());
  SWAGE_ASSIGN_OR_RETURN(AtomicFile file,
                         AtomicFile::CreateNamed(path, IfSpecial::kWriteThrough, {.sync = true}));
  SWAGE_RETURN_IF_ERROR(file.Append(kMagic));
  PackResult result;
  for (const DiskEntry& entry : entries) {
    const StatusOr<std::string> bytes = disk.ReadEntry(entry.hash, entry.kind);
    if (!bytes.ok()) {
      Skip(result, std::string(bytes.status().message()));
      continue;
    }
    SWAGE_RETURN_IF_ERROR(file.Append(Number(bytes->size())));
    SWAGE_RETURN_IF_ERROR(file.Append(*bytes));
    ++result.entries;
    result.bytes += static_cast<int64_t>(bytes->size());
  }
  SWAGE_RETURN_IF_ERROR(file.Append(Number(0)));
  SWAGE_RETURN_IF_ERROR(file.Append(Number(result.entries)));
  SWAGE_RETURN_IF_ERROR(file.Commit());
  return result;
}

StatusOr<PackResult> ImportPack(const std::string& path, DiskTier& disk) {
  SWAGE_ASSIGN_OR_RETURN(PackReader reader, PackReader::Open(path));
  PackResult result;
  const Status status = ImportEntries(reader, path, disk, result);
  if (status.ok()) return result;
  return Annotate(status, absl::StrCat("; ", result.entries, " entries before it were imported"));
}

}  // namespace swage::cache
