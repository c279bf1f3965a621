#include "base/hash.h"

#include <bit>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace swage {
namespace {

Hash128 FromXxh(XXH128_hash_t hash) { return {.high = hash.high64, .low = hash.low64}; }

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void LittleEndian(uint64_t value, char* out) {
  for (int i = 0; i < 8; ++i) out[i] = static_cast<char>(value >> (8 * i));
}

}  // namespace

struct Hasher::State {
  XXH3_state_t xxh;
};

std::string Hash128::ToHex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex(32, '0');
  for (int i = 0; i < 16; ++i) {
    hex[i] = kDigits[(high >> (60 - 4 * i)) & 15];
    hex[16 + i] = kDigits[(low >> (60 - 4 * i)) & 15];
  }
  return hex;
}

StatusOr<Hash128> ParseHash128(std::string_view hex) {
  Hash128 hash;
  bool good = hex.size() == 32;
  for (size_t i = 0; good && i < 32; ++i) {
    const int digit = HexDigit(hex[i]);
    good = digit >= 0;
    uint64_t& half = i < 16 ? hash.high : hash.low;
    half = (half << 4) | static_cast<uint64_t>(digit & 15);
  }
  if (!good) {
    return InvalidArgument("[hash] got '", ToAbsl(hex.substr(0, 64)), "', expected 32 hex digits");
  }
  return hash;
}

Hash128 HashBytes(std::string_view bytes) {
  return FromXxh(XXH3_128bits(bytes.data(), bytes.size()));
}

Hasher::Hasher() : state_(std::make_unique<State>()) {
  XXH3_INITSTATE(&state_->xxh);
  XXH3_128bits_reset(&state_->xxh);
}
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

Hasher& Hasher::Raw(std::string_view bytes) {
  XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size());
  return *this;
}

Hasher& Hasher::Field(std::string_view bytes) {
  char length[8];
  LittleEndian(bytes.size(), length);
  return Raw({length, 8}).Raw(bytes);
}

Hasher& Hasher::Number(uint64_t value) {
  char bytes[8];
  LittleEndian(value, bytes);
  return Field(std::string_view(bytes, 8));
}

Hasher& Hasher::Field(double value) { return Number(std::bit_cast<uint64_t>(value)); }

Hasher& Hasher::Field(const Hash128& hash) {
  char bytes[16];
  LittleEndian(hash.high, bytes);
  LittleEndian(hash.low, bytes + 8);
  return Field(std::string_view(bytes, 16));
}

Hash128 Hasher::Finish() const { return FromXxh(XXH3_128bits_digest(&state_->xxh)); }

}  // namespace swage
