// File: base/key_material.h
//
// What a compiled thing depends on, as an ordered list of named fields. Its bytes are the key of
// every cache tier: they are hashed for the lookup, stored in the entry and compared on load, and
// two of them are diffed by field to explain a miss.
//
//   KeyMaterial material;
//   material.Add("build_id", build_id);
//   material.Add("cpu_features", "+avx2,+fma");
//   std::string bytes = material.Serialise();
//
//   for (const KeyDifference& d : DiffKeys(*KeyMaterial::Parse(old_bytes), material)) ...
//
// The bytes are the same on every machine: a magic, the number of fields, then length and bytes of
// each name and value, all lengths as 8 bytes with the lowest first. Nothing is ever concatenated
// without its length, so {"ab","c"} and {"a","bc"} differ, as do an absent and an empty field.
#ifndef SWAGE_BASE_KEY_MATERIAL_H_
#define SWAGE_BASE_KEY_MATERIAL_H_

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/status.h"

namespace swage {

struct KeyField {
  std::string name;
  std::string value;  // any bytes

  friend bool operator==(const KeyField&, const KeyField&) = default;
};

// One field in which two keys differ; nullopt where that side lacks it.
struct KeyDifference {
  std::string name;
  std::optional<std::string> a;
  std::optional<std::string> b;

  friend bool operator==(const KeyDifference&, const KeyDifference&) = default;
};

class KeyMaterial {
 public:
  // Fields keep the order in which they are added. A name may occur more than once.
  void Add(std::string_view name, std::string_view value);
  // As decimal text, so that a difference can be read.
  template <std::integral T>
  void Add(std::string_view name, T value) {
    Add(name, std::string_view(std::to_string(value)));
  }

  const std::vector<KeyField>& fields() const { return fields_; }
  // The value of the first field of that name.
  std::optional<std::string_view> Find(std::string_view name) const;

  // The same with every value of more than 64 bytes replaced by its hash: enough for DiffKeys to
  // tell which fields differ.
  KeyMaterial Shortened() const;

  std::string Serialise() const;
  // Hash of the serialised bytes.
  Hash128 Hash() const;

  // What Serialise wrote. Hostile bytes are safe: every length is checked against what is left, and
  // anything but exactly one serialised list is InvalidArgument. Parse(b)->Serialise() == b.
  static StatusOr<KeyMaterial> Parse(std::string_view bytes);

  friend bool operator==(const KeyMaterial&, const KeyMaterial&) = default;

 private:
  std::vector<KeyField> fields_;
};

// Hash of serialised material, without parsing it.
inline Hash128 HashKeyBytes(std::string_view serialised) { return HashBytes(serialised); }

// The fields in which `a` and `b` differ, in a's order, then those that only b has, in b's order.
// The n-th field of a name is compared with the n-th of that name. Empty when the two hold the same
// fields, whatever their order.
std::vector<KeyDifference> DiffKeys(const KeyMaterial& a, const KeyMaterial& b);

}  // namespace swage

#endif  // SWAGE_BASE_KEY_MATERIAL_H_
