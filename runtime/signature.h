// File: runtime/signature.h
//
// The key of a call: its flattened arguments as 64-bit words. Words are all that the warm path
// compares; this file reads them back for messages.
//
//   tensor     tag | dtype | rank, then one word per extent (symbolic: two)
//   structure  tag | kind, the count or the C++ type
//   static     tag | kind | size in bytes, the C++ type, the bytes
//   object     tag, the value's hash; the value itself is compared apart
#ifndef SWAGE_RUNTIME_SIGNATURE_H_
#define SWAGE_RUNTIME_SIGNATURE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <typeinfo>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "compiler/ir/shape.h"
#include "runtime/tree.h"

namespace swage::runtime {

using Words = absl::InlinedVector<uint64_t, 48>;
using WordSpan = absl::Span<const uint64_t>;

void AppendTensor(Words* words, const ir::Shape& shape);
void AppendStructure(Words* words, internal::ArgumentSink::Structure kind, int64_t value);
void AppendStatic(Words* words, const std::type_info& type, const void* bytes, size_t size,
                  bool arithmetic);
void AppendObject(Words* words, size_t hash);

uint64_t HashWords(WordSpan words);

struct KeyItem {
  enum class Kind : uint8_t { kTensor, kStructure, kStatic, kObject };
  Kind kind;
  bool arithmetic = false;       // a static of a plain number type
  WordSpan words;                // all of the item
  std::string ToString() const;  // "f32[32,64]", "3", "\"mean\""
  // Of a tensor: dtype and rank, and its extents.
  ir::DType dtype() const { return static_cast<ir::DType>(words[0] >> 8 & 0xff); }
  int rank() const { return static_cast<int>(words[0] >> 16 & 0xffff); }
  std::string Extent(int i) const;           // "32", "17<=seq<=32"
  std::optional<int64_t> Size(int i) const;  // nullopt: not a number
  // A number also is the same as an extent that may have this value.
  bool SameExtent(const KeyItem& other, int i) const;

 private:
  bool Symbolic() const;
  ir::Dim Open(int i) const;  // of an extent that is no number
};
std::vector<KeyItem> ReadKey(WordSpan words);

// "(f32[32,64], f32[32,64], 3)"; of the structure only an empty list, "[]", and an optional
// without value are shown.
std::string KeyText(const std::vector<KeyItem>& items);

// How far two keys are apart, for choosing the nearest: dimensions that differ weigh least, a
// structure that differs most. What belongs together is compared, even behind an optional that only
// one of them has.
int64_t KeyDistance(const std::vector<KeyItem>& a, const std::vector<KeyItem>& b);

// The index of the one item in which two keys differ when that is a plain arithmetic static; else
// -1.
int OnlyArithmeticDifference(const std::vector<KeyItem>& a, const std::vector<KeyItem>& b);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_SIGNATURE_H_
