// File: cache/mac.h
//
// Seals: what leaves the machine for a shared store carries a keyed MAC, because it holds native
// code and whoever can write to the store could otherwise run code as its readers.
//
//   SWAGE_ASSIGN_OR_RETURN(MacKey key, LoadKeyFile("/etc/swage/cache.key"));
//   std::string sealed = Seal(key, "swage:v1:kernel:0123...", bytes);
//
//   std::string_view bytes;
//   if (Open(key, "swage:v1:kernel:0123...", sealed, &bytes) == SealCheck::kGood) Parse(bytes);
//
// - The MAC (BLAKE2b of libsodium, 256 bits) covers the name as well as the bytes, so what was
//   sealed under one name does not open under another.
// - Open compares in constant time and looks at nothing but the MAC: no bytes of a stranger are
//   ever parsed.
// - A sealed text is 8 bytes that say what it is, 32 bytes of MAC, then the bytes.
#ifndef SWAGE_CACHE_MAC_H_
#define SWAGE_CACHE_MAC_H_

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.h"

namespace swage::cache {

// A secret of 32 bytes, wiped when it goes.
class MacKey {
 public:
  static constexpr size_t kBytes = 32;

  // Exactly 32 bytes.
  static StatusOr<MacKey> FromBytes(std::string_view bytes);

  MacKey(const MacKey&) = default;
  MacKey& operator=(const MacKey&) = default;
  ~MacKey();

  const unsigned char* data() const { return bytes_.data(); }

 private:
  MacKey() = default;

  std::array<unsigned char, kBytes> bytes_{};
};

// A key from a file of exactly 32 bytes, or of 64 hex digits and perhaps a newline. The file must
// be a regular one, no symlink, owned by this user and closed to all others (mode 0600 or less);
// anything else is an error that says what to do.
StatusOr<MacKey> LoadKeyFile(const std::string& path);

inline constexpr size_t kSealBytes = 8 + 32;

std::string Seal(const MacKey& key, std::string_view name, std::string_view bytes);

enum class SealCheck {
  kGood,
  kUnsigned,  // too short, or no sealed text at all
  kWrongMac,  // another key, another name, or changed on the way
};

// On kGood `*bytes` is the part of `sealed` that was given to Seal; otherwise it is left alone.
SealCheck Open(const MacKey& key, std::string_view name, std::string_view sealed,
               std::string_view* bytes);

}  // namespace swage::cache

#endif  // SWAGE_CACHE_MAC_H_
