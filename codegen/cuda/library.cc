#include "codegen/cuda/library.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file_ops.h"

namespace swage::cuda {
namespace {

// What dlopen says, once; it is forgotten by asking.
std::string LoaderError() {
  const char* const text = dlerror();
  return text != nullptr ? text : "the loader gives no reason";
}

bool ReadAt(int file, void* to, size_t bytes, uint64_t at) {
  return pread(file, to, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes);
}

// Up to which byte the loader maps the file, by its headers; 0: they are for it to refuse.
uint64_t MappedEnd(int file) {
  Elf64_Ehdr header;
  if (!ReadAt(file, &header, sizeof(header), 0) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr)) {
    return 0;
  }
  uint64_t end = header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr);
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  if (!ReadAt(file, segments.data(), segments.size() * sizeof(Elf64_Phdr), header.e_phoff)) {
    return end;
  }
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_LOAD) end = std::max(end, segment.p_offset + segment.p_filesz);
  }
  return end;
}

Status CheckFile(const std::string& path) {
  const auto bad = [&](const auto&... what) {
    return absl::UnavailableError(absl::StrCat("'", path, "' ", what...));
  };
  // Opening a pipe does not wait then, nor does it disturb who writes.
  const Descriptor file(file_ops::Open(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  if (!file.ok()) return bad("cannot be opened: ", std::strerror(file.error()));
  struct stat about = {};
  if (fstat(file.get(), &about) != 0) return bad("cannot be opened: ", std::strerror(errno));
  if (!S_ISREG(about.st_mode)) return bad("is no regular file, expected a shared library");
  const auto size = static_cast<uint64_t>(about.st_size);
  const uint64_t end = MappedEnd(file.get());
  if (size >= end) return OkStatus();
  return bad("is cut off: it has ", size, " bytes, its headers speak of ", end);
}

}  // namespace

StatusOr<void*> OpenLibrary(const std::string& name) {
  const bool is_file = name.find('/') != name.npos;
  if (is_file) SWAGE_RETURN_IF_ERROR(CheckFile(name));
  void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  const std::string why = LoaderError();
  if (is_file || access(name.c_str(), F_OK) != 0) return absl::UnavailableError(why);
  return absl::UnavailableError(
      absl::StrCat(why,
                   "; a name without a slash is looked for where the loader finds libraries, "
                   "the file here is './",
                   name, "'"));
}

}  // namespace swage::cuda
