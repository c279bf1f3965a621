// File: codegen/entry_store.h
//
// Where code generation keeps what it made, and finds it again in another process: a store of
// opaque bytes under a key of bytes. The tiers of cache/ implement it; code generation knows only
// this interface.
//
//   StatusOr<std::string> object = store.Get(EntryKind::kKernel, material);
//   if (!object.ok()) {
//     object = Compile(...);
//     store.Put(EntryKind::kKernel, material, *object);
//   }
//
// - `material` is KeyMaterial::Serialise() (base/key_material.h): everything that the payload
//   depends on. It is stored with the entry and compared in full, so a payload that comes back was
//   put under exactly these bytes and this kind.
// - A store is an optimisation. Get has one error, NotFound, for everything that keeps an entry
// from
//   being used: absent, damaged, foreign, unreadable, evicted. Put may do nothing. Causes are
//   counted and logged by the store, never reported here, so no call fails because a cache failed.
// - Entries never change: two Puts under one key are meant to hold payloads of the same worth, and
//   either may be seen afterwards.
// - Any thread may call at any time.
#ifndef SWAGE_CODEGEN_ENTRY_STORE_H_
#define SWAGE_CODEGEN_ENTRY_STORE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace swage::codegen {

// Part of the stored format: values never change their meaning.
enum class EntryKind : uint8_t {
  kKernel = 1,  // native code of one kernel
  kModule = 2,  // a compiled module: schedule, constants, keys of its kernels
};

class EntryStore {
 public:
  virtual ~EntryStore() = default;

  // The payload that was put under this key, byte for byte, or NotFound.
  virtual StatusOr<std::string> Get(EntryKind kind, std::string_view material) = 0;

  // Keeps the payload if it can.
  virtual void Put(EntryKind kind, std::string_view material, std::string_view payload) = 0;

  // A right to make an entry, which ends when it is destroyed and what was Put by then is kept.
  class Reservation {
   public:
    virtual ~Reservation() = default;
  };
  // Single flight across processes: waits, for a bounded time, while another process makes this
  // entry. Whoever gets one looks again before work. Null: go on without; there is no such thing
  // here, or the time was over. Taken and destroyed by one thread, one at a time.
  virtual std::unique_ptr<Reservation> Reserve(EntryKind kind, std::string_view material) {
    return nullptr;
  }
};

}  // namespace swage::codegen

#endif  // SWAGE_CODEGEN_ENTRY_STORE_H_
