#include "base/build_id.h"

#include <elf.h>
#include <link.h>

#include <cstring>
#include <optional>
#include <string_view>

#include "absl/strings/escaping.h"
#include "base/env.h"
#include "base/files.h"
#include "base/hash.h"

namespace swage {
namespace {

struct Search {
  uintptr_t address = 0;  // of code in the object that is looked for
  bool found = false;
  std::string path;  // of the object; empty: the program
  std::string note;  // the build id's bytes
};

constexpr size_t Padded(size_t bytes) { return (bytes + 3) / 4 * 4; }

// The build id among the notes of one segment.
std::string IdInNotes(const char* at, size_t size) {
  constexpr std::string_view kOwner("GNU\0", 4);
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof(note));
    const size_t name = sizeof(note);
    const size_t id = name + Padded(note.n_namesz);
    const size_t end = id + Padded(note.n_descsz);
    if (end > size) break;
    if (note.n_type == NT_GNU_BUILD_ID && std::string_view(at + name, note.n_namesz) == kOwner) {
      return std::string(at + id, note.n_descsz);
    }
    at += end;
    size -= end;
  }
  return "";
}

int Visit(dl_phdr_info* object, size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  const auto segments = [&](auto&& visit) {
    for (int i = 0; i < object->dlpi_phnum; ++i) visit(object->dlpi_phdr[i]);
  };
  segments([&](const ElfW(Phdr) & segment) {
    const uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && search.address - begin < segment.p_memsz) search.found = true;
  });
  if (!search.found) return 0;
  search.path = object->dlpi_name;
  segments([&](const ElfW(Phdr) & segment) {
    if (segment.p_type != PT_NOTE || !search.note.empty()) return;
    search.note = IdInNotes(reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr),
                            segment.p_memsz);
  });
  return 1;
}

std::string& OfLibrary() {
  static auto* const id = new std::string;
  return *id;
}

// Of the file that holds this code.
std::string OfThisFile() {
  Search search;
  search.address = reinterpret_cast<uintptr_t>(&OfThisFile);
  dl_iterate_phdr(&Visit, &search);
  std::string id = absl::BytesToHexString(search.note);
  if (search.found && id.empty()) {
    const StatusOr<std::string> file =
        ReadFile(search.path.empty() ? "/proc/self/exe" : search.path);
    if (file.ok()) id = HashBytes(*file).ToHex();
  }
  return id;
}

std::string Find() {
  const std::optional<std::string> given = GetEnv("SWAGE_BUILD_ID");
  if (given == "none") return "";
  std::string id = OfLibrary().empty() ? OfThisFile() : OfLibrary();
  if (!id.empty() && given.has_value()) id += "-" + *given;
  return id;
}

}  // namespace

void UseBuildIdOf(std::string_view library) { OfLibrary() = library; }

const std::string& BuildId() {
  static const std::string* const id = new std::string(Find());
  return *id;
}

}  // namespace swage
