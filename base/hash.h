// File: base/hash.h
//
// XXH3-128 over bytes: the hash of every key, fingerprint and checksum. It is not cryptographic:
// equal hashes mean equal content only among honest inputs, so a cache also compares the material.
//
//   Hash128 h = HashBytes(text);             of one string
//   std::string name = h.ToHex();            32 lower-case hex digits, high half first
//
//   Hasher hasher;                           of a record, field by field
//   hasher.Field("attend").Field(rank).Field(target_features);
//   Hash128 key = hasher.Finish();
//
// Every field is written as its length and its bytes, so {"ab","c"} and {"a","bc"} differ, and so
// do an absent field and an empty one. The value is the same on every machine and in every process.
#ifndef SWAGE_BASE_HASH_H_
#define SWAGE_BASE_HASH_H_

#include <compare>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace swage {

struct Hash128 {
  uint64_t high = 0;
  uint64_t low = 0;

  std::string ToHex() const;

  friend bool operator==(const Hash128&, const Hash128&) = default;
  friend std::strong_ordering operator<=>(const Hash128&, const Hash128&) = default;
  template <typename H>
  friend H AbslHashValue(H state, const Hash128& hash) {
    return H::combine(std::move(state), hash.high, hash.low);
  }
};

// The hash whose ToHex() is `hex`; InvalidArgument when it is not 32 hex digits.
StatusOr<Hash128> ParseHash128(std::string_view hex);

Hash128 HashBytes(std::string_view bytes);

class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  // Bytes as they are, without a length: for one field that arrives in pieces.
  Hasher& Raw(std::string_view bytes);

  Hasher& Field(std::string_view bytes);
  // Eight little-endian bytes, whatever the integer's type.
  template <std::integral T>
  Hasher& Field(T value) {
    return Number(static_cast<uint64_t>(value));
  }
  // By bit pattern: -0.0 and 0.0 differ, equal NaNs are equal.
  Hasher& Field(double value);
  Hasher& Field(const Hash128& hash);

  // The hash of all that was added so far; more may be added after it.
  Hash128 Finish() const;

 private:
  Hasher& Number(uint64_t value);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace swage

template <>
struct std::hash<swage::Hash128> {
  size_t operator()(const swage::Hash128& hash) const noexcept {
    return static_cast<size_t>(hash.low ^ hash.high);
  }
};

#endif  // SWAGE_BASE_HASH_H_
