#include "compiler/ir/npz.h"

#include <minizip/unzip.h>
#include <minizip/zip.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "base/printable.h"
#include "compiler/ir/zip_stream.h"

namespace swage::ir {
namespace {

constexpr std::string_view kEnding = ".npy";
// Deflate spends at least two bits on 258 bytes; what a member says it unpacks to cannot be more.
constexpr uint64_t kMaxDeflateRatio = 1032;
// What the zip library takes at a time counts in 32 bits.
constexpr uint64_t kPiece = 1 << 30;
constexpr unsigned kEncrypted = 1, kUtf8 = 1 << 11;  // of a member's flags
constexpr unsigned kFirstDay = 0x21;                 // 1 January 1980, as zip has it
constexpr size_t kMaxName = 0xffff;
constexpr std::string_view kEndOfDirectory("PK\x05\x06", 4);
constexpr uint64_t kEndOfDirectorySize = 22;
// Of files without 64-bit counts, which is how the library writes them; all ones in a file say that
// the count is elsewhere, or mean themselves.
constexpr uint64_t kMaxMembers = 0xffff - 1;

bool HasControl(std::string_view name) {
  return std::any_of(name.begin(), name.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

// For errors.
std::string Shown(std::string_view name) {
  const std::string text = Printable(name.substr(0, 80));
  return name.size() > 80 ? text + "..." : text;
}

}  // namespace

// ---- Reading ----

class NpzReader::Archive {
 public:
  static StatusOr<std::unique_ptr<Archive>> Open(ZipStream stream, std::string name,
                                                 int64_t max_bytes) {
    auto archive = std::unique_ptr<Archive>(new Archive(std::move(stream), std::move(name)));
    archive->left_ = max_bytes;
    // The library does not know archives without members.
    if (archive->stream_.size() >= kEndOfDirectorySize &&
        archive->stream_.StartsWith(kEndOfDirectory)) {
      return archive;
    }
    zlib_filefunc64_def functions = archive->stream_.Functions();
    archive->zip_ = unzOpen2_64("", &functions);
    if (archive->zip_ == nullptr) {
      return archive->Error(
          "no zip archive, or a truncated one; an .npz file is one, see np.savez");
    }
    SWAGE_RETURN_IF_ERROR(archive->List());
    return archive;
  }
  ~Archive() {
    if (zip_ != nullptr) unzClose(zip_);
  }

  const std::vector<NpzMember>& members() const { return members_; }

  Status Read(size_t member, const NpyOptions& options, Allocate allocate) {
    SWAGE_RET_CHECK(member < members_.size(), member);
    const std::string name = NameOf(member);
    SWAGE_RETURN_IF_ERROR(CheckReadable(member));
    unz64_file_pos place = entries_[member].place;
    if (unzGoToFilePos64(zip_, &place) != UNZ_OK || unzOpenCurrentFile(zip_) != UNZ_OK) {
      return InvalidArgument("[npz] ", name, ": the header of the member is damaged");
    }
    Status read = ReadOpened(member, name, options, allocate);
    // Compares checksums once all has been read.
    const int closed = unzCloseCurrentFile(zip_);
    if (read.ok() && closed != UNZ_OK) {
      return InvalidArgument("[npz] ", name, ": the checksum does not match, the file is damaged");
    }
    return read;
  }

 private:
  struct Entry {
    unz64_file_pos place;
    uint64_t packed, size;
    unsigned flags, method;
  };

  Archive(ZipStream stream, std::string name)
      : stream_(std::move(stream)), name_(std::move(name)) {}

  template <typename... Args>
  Status Error(const Args&... args) const {
    return InvalidArgument("[npz] ", name_, ": ", args...);
  }
  std::string NameOf(size_t member) const {
    return absl::StrCat(name_, "(", Shown(members_[member].name), ")");
  }

  Status List() {
    unz_global_info64 info;
    if (unzGetGlobalInfo64(zip_, &info) != UNZ_OK) return Error("the directory is damaged");
    absl::flat_hash_set<std::string> names;
    uint64_t packed = 0;
    for (uint64_t i = 0; i < info.number_entry; ++i) {
      if ((i == 0 ? unzGoToFirstFile(zip_) : unzGoToNextFile(zip_)) != UNZ_OK) {
        return Error("the directory is damaged or truncated after ", i, " of ", info.number_entry,
                     " members");
      }
      SWAGE_ASSIGN_OR_RETURN(std::string name, AddEntry());
      // Members that share bytes would unpack to more than their file warrants.
      if (__builtin_add_overflow(packed, entries_.back().packed, &packed) ||
          packed > stream_.size()) {
        return Error("members overlap or reach beyond the file");
      }
      if (!names.insert(name).second) {
        return Error("the member '", Shown(name), "' is there twice");
      }
    }
    if (info.number_entry == kMaxMembers + 1 && unzGoToNextFile(zip_) == UNZ_OK) {
      return Error("more members than it says");
    }
    return OkStatus();
  }

  // Of the current file; its whole name.
  StatusOr<std::string> AddEntry() {
    unz_file_info64 info;
    Entry entry = {};
    const auto damaged = [&] { return Error("member ", entries_.size(), " is damaged"); };
    if (unzGetCurrentFileInfo64(zip_, &info, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK ||
        unzGetFilePos64(zip_, &entry.place) != UNZ_OK || info.size_filename > kMaxName) {
      return damaged();
    }
    std::string name(info.size_filename + 1, '\0');
    if (unzGetCurrentFileInfo64(zip_, &info, name.data(), static_cast<uLong>(name.size()), nullptr,
                                0, nullptr, 0) != UNZ_OK) {
      return damaged();
    }
    name.pop_back();
    if (HasControl(name)) {
      return Error("the name '", Shown(name), "' of member ", entries_.size(),
                   " has control characters");
    }
    entry.packed = info.compressed_size;
    entry.size = info.uncompressed_size;
    entry.flags = static_cast<unsigned>(info.flag);
    entry.method = static_cast<unsigned>(info.compression_method);
    entries_.push_back(entry);
    const bool is_npy = name.size() > kEnding.size() && std::string_view(name).ends_with(kEnding);
    members_.push_back(
        {.name = is_npy ? name.substr(0, name.size() - kEnding.size()) : name, .is_npy = is_npy});
    return name;
  }

  // What the directory says, before anything is unpacked.
  Status CheckReadable(size_t member) const {
    const Entry& entry = entries_[member];
    const std::string name = NameOf(member);
    if (!members_[member].is_npy) {
      return InvalidArgument("[npz] ", name,
                             ": not an array, expected a member whose name ends with .npy; name "
                             "the ones to read");
    }
    if ((entry.flags & kEncrypted) != 0) {
      return Unimplemented("[npz] ", name, ": the member is encrypted, expected a plain one");
    }
    if (entry.method != 0 && entry.method != Z_DEFLATED) {
      return Unimplemented("[npz] ", name, ": packed by method ", entry.method,
                           ", expected stored (0) or deflated (8), as np.savez and "
                           "np.savez_compressed write");
    }
    const uint64_t most =
        entry.method == 0 ? entry.packed : entry.packed * kMaxDeflateRatio + kMaxDeflateRatio;
    if (entry.packed > stream_.size() || entry.size > most ||
        (entry.method == 0 && entry.size != entry.packed)) {
      return InvalidArgument("[npz] ", name, ": ", entry.packed, " bytes cannot unpack to ",
                             entry.size);
    }
    if (entry.size > static_cast<uint64_t>(left_)) {
      return ResourceExhausted("[npz] ", name, ": unpacks to ", entry.size,
                               " bytes, the limit leaves ", left_);
    }
    return OkStatus();
  }

  // Exactly `size` bytes of the open member.
  Status Fill(std::string_view name, void* to, uint64_t size) {
    char* next = static_cast<char*>(to);
    while (size > 0) {
      const int got = unzReadCurrentFile(zip_, next, static_cast<unsigned>(std::min(size, kPiece)));
      if (got <= 0) {
        return InvalidArgument("[npz] ", ToAbsl(name), ": the data is damaged or truncated, ", size,
                               " bytes are missing");
      }
      next += got;
      size -= static_cast<uint64_t>(got);
    }
    return OkStatus();
  }

  Status ReadOpened(size_t member, std::string_view name, const NpyOptions& options,
                    Allocate allocate) {
    const uint64_t size = entries_[member].size;
    std::string header(std::min<uint64_t>(size, kNpyPrefix), '\0');
    const size_t prefix = header.size();
    SWAGE_RETURN_IF_ERROR(Fill(name, header.data(), prefix));
    SWAGE_ASSIGN_OR_RETURN(const size_t start, NpyDataOffset(header, name));
    if (start > size) {
      return InvalidArgument("[npz] ", ToAbsl(name), ": truncated header, needs ", start,
                             " bytes, got ", size);
    }
    // A short header of a small array may be all there is.
    header.resize(std::max(start, prefix));
    SWAGE_RETURN_IF_ERROR(Fill(name, header.data() + prefix, header.size() - prefix));
    SWAGE_ASSIGN_OR_RETURN(
        const Shape shape,
        ParseNpyHeader(std::string_view(header).substr(0, start), size - start, name, options));
    const uint64_t bytes = size - start;
    left_ -= static_cast<int64_t>(size);
    SWAGE_ASSIGN_OR_RETURN(void* const data, allocate(shape));
    const size_t early = header.size() - start;
    if (early > 0) std::memcpy(data, header.data() + start, early);
    SWAGE_RETURN_IF_ERROR(Fill(name, static_cast<char*>(data) + early, bytes - early));
    const Status good = CheckElementBytes(
        shape.dtype(), {static_cast<const uint8_t*>(data), static_cast<size_t>(bytes)});
    if (good.ok()) return good;
    return InvalidArgument("[npz] ", ToAbsl(name), ": ", good.message());
  }

  ZipStream stream_;
  std::string name_;
  unzFile zip_ = nullptr;
  std::vector<NpzMember> members_;
  std::vector<Entry> entries_;  // of members_
  int64_t left_ = 0;            // that may be unpacked
};

NpzReader::NpzReader(std::unique_ptr<Archive> archive) : archive_(std::move(archive)) {}
NpzReader::~NpzReader() = default;
NpzReader::NpzReader(NpzReader&& other) noexcept = default;

StatusOr<NpzReader> NpzReader::Open(const std::string& path, int64_t max_bytes) {
  SWAGE_ASSIGN_OR_RETURN(ZipStream stream, ZipStream::OfFile(path));
  SWAGE_ASSIGN_OR_RETURN(auto archive, Archive::Open(std::move(stream), path, max_bytes));
  return NpzReader(std::move(archive));
}

StatusOr<NpzReader> NpzReader::Over(std::string bytes, std::string_view name, int64_t max_bytes) {
  SWAGE_ASSIGN_OR_RETURN(auto archive, Archive::Open(ZipStream::OfMemory(std::move(bytes)),
                                                     std::string(name), max_bytes));
  return NpzReader(std::move(archive));
}

const std::vector<NpzMember>& NpzReader::members() const { return archive_->members(); }

Status NpzReader::ReadInto(size_t member, const NpyOptions& options, Allocate allocate) {
  return archive_->Read(member, options, allocate);
}

StatusOr<Literal> NpzReader::Read(size_t member, const NpyOptions& options) {
  Literal literal;
  const auto allocate = [&](const Shape& shape) -> StatusOr<void*> {
    SWAGE_ASSIGN_OR_RETURN(literal, Literal::Create(shape));
    return literal.mutable_bytes().data();
  };
  SWAGE_RETURN_IF_ERROR(ReadInto(member, options, allocate));
  return literal;
}

// ---- Writing ----

struct NpzWriter::Archive {
  explicit Archive(const NpzWriterOptions& how) : options(how) {
    zlib_filefunc64_def functions = stream.Functions();
    zip = zipOpen2_64("", APPEND_STATUS_CREATE, nullptr, &functions);
  }
  ~Archive() {
    if (zip != nullptr) zipClose(zip, nullptr);
  }

  NpzWriterOptions options;
  ZipStream stream = ZipStream::OfMemory("");
  zipFile zip;
  absl::flat_hash_set<std::string> names;
};

namespace {

Status CheckName(std::string_view name) {
  const auto bad = [&](std::string_view why) {
    return InvalidArgument("[npz] got the name '", Shown(name), "', which ", ToAbsl(why));
  };
  if (name.empty()) return bad("is empty");
  if (name.size() + kEnding.size() > kMaxName) return bad("is too long for a zip archive");
  if (HasControl(name)) return bad("has control characters");
  bool leaves = name.front() == '/';
  for (size_t at = 0; at <= name.size();) {
    const size_t slash = std::min(name.find('/', at), name.size());
    leaves = leaves || name.substr(at, slash - at) == "..";
    at = slash + 1;
  }
  if (leaves) return bad("would leave the folder that the file is unpacked into");
  return OkStatus();
}

bool Put(zipFile zip, const void* from, uint64_t size) {
  const char* next = static_cast<const char*>(from);
  while (size > 0) {
    const uint64_t piece = std::min(size, kPiece);
    if (zipWriteInFileInZip(zip, next, static_cast<unsigned>(piece)) != ZIP_OK) return false;
    next += piece;
    size -= piece;
  }
  return true;
}

Status NotWritten() { return ResourceExhausted("[npz] the archive does not fit in memory"); }

}  // namespace

NpzWriter::NpzWriter(const NpzWriterOptions& options)
    : archive_(std::make_unique<Archive>(options)) {}
NpzWriter::~NpzWriter() = default;

Status NpzWriter::Add(std::string_view name, const Shape& shape,
                      absl::Span<const uint8_t> elements) {
  SWAGE_RETURN_IF_ERROR(CheckName(name));
  SWAGE_RET_CHECK(shape.is_array());
  const std::string file = absl::StrCat(ToAbsl(name), ToAbsl(kEnding));
  if (!archive_->names.insert(file).second) {
    return InvalidArgument("[npz] got the name '", Shown(name), "' twice");
  }
  if (archive_->names.size() > kMaxMembers) {
    return ResourceExhausted("[npz] got more than ", kMaxMembers, " arrays for one file");
  }
  const std::string header = NpyHeader(shape);
  const uint64_t size = header.size() + elements.size();
  zip_fileinfo info = {};
  info.dosDate = kFirstDay;
  const bool compress = archive_->options.compress;
  // Deflate may grow what does not compress by a little.
  const int zip64 = size + size / 1000 + 1024 >= 0xffffffff ? 1 : 0;
  if (archive_->zip == nullptr ||
      zipOpenNewFileInZip4_64(archive_->zip, file.c_str(), &info, nullptr, 0, nullptr, 0, nullptr,
                              compress ? Z_DEFLATED : 0, Z_DEFAULT_COMPRESSION, /*raw=*/0,
                              -MAX_WBITS, MAX_MEM_LEVEL - 1, Z_DEFAULT_STRATEGY, nullptr, 0,
                              /*versionMadeBy=*/0, kUtf8, zip64) != ZIP_OK) {
    return NotWritten();
  }
  const bool put = Put(archive_->zip, header.data(), header.size()) &&
                   Put(archive_->zip, elements.data(), elements.size());
  if (zipCloseFileInZip(archive_->zip) != ZIP_OK || !put) return NotWritten();
  return OkStatus();
}

StatusOr<std::string> NpzWriter::Finish() && {
  if (archive_->zip == nullptr) return NotWritten();
  const int closed = zipClose(std::exchange(archive_->zip, nullptr), nullptr);
  if (closed != ZIP_OK) return NotWritten();
  return std::move(archive_->stream).TakeMemory();
}

}  // namespace swage::ir
