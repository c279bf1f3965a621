#include "compiler/ir/zip_stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace swage::ir {

StatusOr<ZipStream> ZipStream::OfFile(const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos) {
    return InvalidArgument("[file] the path '", path.c_str(), "' is empty or contains a NUL byte");
  }
  // Not to wait for the writer of a pipe.
  Descriptor file(file_ops::Open(AT_FDCWD, path, O_RDONLY | O_NONBLOCK));
  if (!file.ok()) return FileError("read", path, file.error());
  struct stat info;
  if (fstat(file.get(), &info) != 0) return FileError("read", path, errno);
  if (S_ISDIR(info.st_mode)) return FileError("read", path, EISDIR);
  if (!S_ISREG(info.st_mode)) {
    return InvalidArgument("[file] '", path, "' is not a regular file");
  }
  return ZipStream(std::move(file), static_cast<uint64_t>(info.st_size));
}

uint64_t ZipStream::Read(char* to, uint64_t wanted) {
  const uint64_t rest = this->size() - std::min(position_, this->size());
  const uint64_t size = std::min(wanted, rest);
  ended_ = size < wanted;
  if (!file_.ok()) {
    if (size > 0) std::memcpy(to, memory_.data() + position_, size);
    position_ += size;
    return size;
  }
  uint64_t done = 0;
  while (done < size) {
    const ssize_t got =
        ::pread(file_.get(), to + done, size - done, static_cast<off_t>(position_ + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<uint64_t>(got);
  }
  ended_ = done < wanted;
  position_ += done;
  return done;
}

uint64_t ZipStream::Write(const char* from, uint64_t size) {
  if (file_.ok() || position_ > memory_.size()) return 0;
  try {
    if (position_ + size > memory_.size()) memory_.resize(position_ + size);
  } catch (const std::exception&) {  // out of memory, which a C library cannot pass on
    return 0;
  }
  std::memcpy(memory_.data() + position_, from, size);
  position_ += size;
  return size;
}

bool ZipStream::Seek(uint64_t offset, int origin) {
  uint64_t base = 0;
  if (origin == ZLIB_FILEFUNC_SEEK_CUR) base = position_;
  if (origin == ZLIB_FILEFUNC_SEEK_END) base = size();
  // Never beyond what a file can have; reading there gives nothing.
  uint64_t position;
  if (__builtin_add_overflow(base, offset, &position) || position > uint64_t{INT64_MAX}) {
    return false;
  }
  position_ = position;
  return true;
}

bool ZipStream::StartsWith(std::string_view text) {
  std::string start(text.size(), '\0');
  position_ = 0;
  return Read(start.data(), start.size()) == start.size() && start == text;
}

zlib_filefunc64_def ZipStream::Functions() {
  zlib_filefunc64_def functions = {};
  functions.opaque = this;
  functions.zopen64_file = [](voidpf opaque, const void*, int) -> voidpf {
    static_cast<ZipStream*>(opaque)->position_ = 0;
    return opaque;
  };
  functions.zread_file = [](voidpf opaque, voidpf, void* to, uLong size) -> uLong {
    return static_cast<ZipStream*>(opaque)->Read(static_cast<char*>(to), size);
  };
  functions.zwrite_file = [](voidpf opaque, voidpf, const void* from, uLong size) -> uLong {
    return static_cast<ZipStream*>(opaque)->Write(static_cast<const char*>(from), size);
  };
  functions.ztell64_file = [](voidpf opaque, voidpf) -> ZPOS64_T {
    return static_cast<ZipStream*>(opaque)->position_;
  };
  functions.zseek64_file = [](voidpf opaque, voidpf, ZPOS64_T offset, int origin) -> long {
    return static_cast<ZipStream*>(opaque)->Seek(offset, origin) ? 0 : -1;
  };
  functions.zclose_file = [](voidpf, voidpf) { return 0; };
  functions.zerror_file = [](voidpf opaque, voidpf) {
    return static_cast<ZipStream*>(opaque)->ended_ ? 1 : 0;
  };
  return functions;
}

}  // namespace swage::ir
