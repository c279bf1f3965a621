#include "cache/mac.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>

#include "base/file_ops.h"

namespace swage::cache {
namespace {

constexpr std::string_view kMagic = "swageMC1";
constexpr size_t kMacBytes = 32;
static_assert(kMagic.size() + kMacBytes == kSealBytes);

void StartSodium() {
  static const int started = sodium_init();
  SWAGE_CHECK(started >= 0);
}

const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

void ComputeMac(const MacKey& key, std::string_view name, std::string_view bytes,
                unsigned char* mac) {
  StartSodium();
  crypto_generichash_state state;
  crypto_generichash_init(&state, key.data(), MacKey::kBytes, kMacBytes);
  crypto_generichash_update(&state, Bytes(kMagic), kMagic.size());
  // Each part with its length, so that no two pairs of name and bytes give the same text.
  for (const std::string_view part : {name, bytes}) {
    unsigned char length[8];
    for (int i = 0; i < 8; ++i) length[i] = static_cast<uint64_t>(part.size()) >> (8 * i);
    crypto_generichash_update(&state, length, sizeof(length));
    crypto_generichash_update(&state, Bytes(part), part.size());
  }
  crypto_generichash_final(&state, mac, kMacBytes);
  sodium_memzero(&state, sizeof(state));
}

Status KeyFileError(const std::string& path, std::string_view what) {
  return InvalidArgument("[cache] key file '", path, "' ", ToAbsl(what));
}

Status CheckKeyFile(const std::string& path, const struct stat& info) {
  if (!S_ISREG(info.st_mode)) return KeyFileError(path, "is not a regular file");
  if (info.st_uid != ::geteuid()) {
    return KeyFileError(path, absl::StrCat("belongs to user ", info.st_uid, ", expected ",
                                           ::geteuid(), ", the user of this process"));
  }
  if ((info.st_mode & 077) != 0) {
    return KeyFileError(path, "can be read or written by other users; run chmod 600 on it");
  }
  return OkStatus();
}

StatusOr<MacKey> ParseKey(const std::string& path, std::string_view content) {
  if (content.size() == MacKey::kBytes) return MacKey::FromBytes(content);
  constexpr size_t kDigits = 2 * MacKey::kBytes;
  const bool newline = content.size() == kDigits + 1 && content.back() == '\n';
  if (content.size() == kDigits || newline) {
    char bytes[MacKey::kBytes];
    size_t length = 0;
    if (sodium_hex2bin(reinterpret_cast<unsigned char*>(bytes), sizeof(bytes), content.data(),
                       kDigits, nullptr, &length, nullptr) == 0 &&
        length == sizeof(bytes)) {
      StatusOr<MacKey> key = MacKey::FromBytes({bytes, sizeof(bytes)});
      sodium_memzero(bytes, sizeof(bytes));
      return key;
    }
  }
  return KeyFileError(path,
                      "holds no key, expected exactly 32 bytes or 64 hex digits; "
                      "make one with: head -c 32 /dev/urandom > FILE && chmod 600 FILE");
}

}  // namespace

StatusOr<MacKey> MacKey::FromBytes(std::string_view bytes) {
  if (bytes.size() != kBytes) {
    return InvalidArgument("[cache] a MAC key has ", kBytes, " bytes, got ", bytes.size());
  }
  MacKey key;
  std::memcpy(key.bytes_.data(), bytes.data(), kBytes);
  return key;
}

MacKey::~MacKey() { sodium_memzero(bytes_.data(), bytes_.size()); }

StatusOr<MacKey> LoadKeyFile(const std::string& path) {
  // The descriptor is checked, not the name, so nothing can change in between. Non-blocking, since
  // opening a FIFO would wait for its writer.
  const Descriptor file(file_ops::Open(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  const int fd = file.get();
  if (!file.ok()) {
    if (file.error() == ELOOP)
      return KeyFileError(path, "is a symbolic link; name the file itself");
    return KeyFileError(path, "cannot be opened: " + std::generic_category().message(file.error()));
  }
  struct stat info;
  Status status =
      ::fstat(fd, &info) == 0 ? CheckKeyFile(path, info) : KeyFileError(path, "cannot be examined");
  // One byte more than the longest key, to see that there is no more.
  char content[2 * MacKey::kBytes + 2];
  size_t length = 0;
  while (status.ok() && length < sizeof(content)) {
    const ssize_t n = ::read(fd, content + length, sizeof(content) - length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) status = KeyFileError(path, "cannot be read");
    if (n <= 0) break;
    length += static_cast<size_t>(n);
  }
  SWAGE_RETURN_IF_ERROR(status);
  StatusOr<MacKey> key = ParseKey(path, {content, length});
  sodium_memzero(content, sizeof(content));
  return key;
}

std::string Seal(const MacKey& key, std::string_view name, std::string_view bytes) {
  unsigned char mac[kMacBytes];
  ComputeMac(key, name, bytes, mac);
  std::string sealed;
  sealed.reserve(kSealBytes + bytes.size());
  sealed.append(kMagic);
  sealed.append(reinterpret_cast<const char*>(mac), sizeof(mac));
  sealed.append(bytes);
  return sealed;
}

SealCheck Open(const MacKey& key, std::string_view name, std::string_view sealed,
               std::string_view* bytes) {
  if (sealed.size() < kSealBytes || !sealed.starts_with(kMagic)) return SealCheck::kUnsigned;
  const std::string_view content = sealed.substr(kSealBytes);
  unsigned char mac[kMacBytes];
  ComputeMac(key, name, content, mac);
  if (sodium_memcmp(mac, sealed.data() + kMagic.size(), kMacBytes) != 0) {
    return SealCheck::kWrongMac;
  }
  *bytes = content;
  return SealCheck::kGood;
}

}  // namespace swage::cache
