#include "codegen/cpu/object_file.h"

#include "base/hash.h"

namespace swage::cpu {
namespace {

// Layout of the seal: this word, then the 32 hex digits of the hash over length and bytes.
constexpr std::string_view kWord = "\nswage-object-1 ";
constexpr size_t kSealBytes = kWord.size() + 32;

std::string Digest(std::string_view elf) { return Hasher().Field(elf).Finish().ToHex(); }

}  // namespace

std::string SealObject(std::string_view elf) {
  std::string sealed;
  sealed.reserve(elf.size() + kSealBytes);
  sealed.append(elf).append(kWord).append(Digest(elf));
  return sealed;
}

StatusOr<std::string_view> UnsealObject(std::string_view object) {
  if (object.size() < kSealBytes) {
    return absl::DataLossError(absl::StrCat("[kernel object] only ", object.size(), " bytes"));
  }
  const std::string_view elf = object.substr(0, object.size() - kSealBytes);
  const std::string_view seal = object.substr(elf.size());
  if (!seal.starts_with(kWord)) {
    return absl::DataLossError(
        "[kernel object] the seal at the end is missing: truncated or foreign");
  }
  if (seal.substr(kWord.size()) != Digest(elf)) {
    return absl::DataLossError(
        "[kernel object] the checksum does not match: the bytes were changed");
  }
  return elf;
}

}  // namespace swage::cpu
