//===- HandleTable.h - Checked pointers to objects --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles, which the C interface returns instead of addresses. A handle is
// looked up, never dereferenced, so that any value is safe to pass.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_CORE_HANDLETABLE_H
#define HAMKAAS_RUNTIME_CORE_HANDLETABLE_H

#include "HamKaas/Runtime/Core/Error.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace hamkaas::rt {

/// The kind of object behind a handle.
struct HandleKind {
  uint8_t number;   // not 0; one for each kind of a table
  const char *name; // "an instance"
};

/// Objects by handle. A handle is a number in the shape of a pointer: the
/// object's slot, how often the slot was used before, and a mark of this table.
/// No handle is valid twice, and none is a valid address.
///
/// All functions may be called from any thread at any time, also by a
/// `Release`. The table is lock-free, so it works in a child that was forked
/// while another thread was in it; what that thread had pinned stays pinned in
/// the child.
///
/// Tables are static: slots are reused, and their memory is never freed.
class HandleTable {
public:
  using Release = void (*)(void *object);

  /// Objects at a time.
  static constexpr uint32_t maximumObjects = uint32_t{1} << 20;

  constexpr HandleTable() = default;
  HandleTable(const HandleTable &) = delete;
  HandleTable &operator=(const HandleTable &) = delete;

  /// `release` is called once, after `remove` and when nobody has the object
  /// pinned. On an error the object stays the caller's.
  Error add(HandleKind kind, void *object, Release release,
            void *&handle /* out */);

  /// The object, which lives until `unpin`; null if the handle, which may be
  /// any value, is not one of that kind or was removed. With its `unpin` it
  /// takes some 20 ns, in a run 7 ns.
  void *pin(const void *handle, HandleKind kind);

  /// Once for each `pin` that was not null.
  void unpin(const void *handle);

  /// Makes the handle invalid. Returns false if it was.
  bool remove(const void *handle, HandleKind kind);

  /// Why `pin` returned null: "expected an instance, got null".
  Error explain(const void *handle, HandleKind kind) const;

private:
  // A line of the cache: who uses one object does not slow down others.
  struct alignas(64) Slot {
    /// Generation, kind, whether the object was removed, and its pins; see
    /// HandleTable.cpp. Says who may read the members below.
    std::atomic<uint64_t> state{0};
    std::atomic<uint32_t> nextFree{0}; // as in `firstFree`
    void *object = nullptr;
    Release release = nullptr;
  };

  /// The first part needs no memory. Each further one doubles the table.
  static constexpr uint32_t firstPart = 64;
  static constexpr int furtherParts = 14;
  static_assert(firstPart << furtherParts == maximumObjects);

  uint64_t mark() const;
  Slot &slotAt(uint32_t index) const;
  Slot *findSlot(uint64_t handle) const;
  bool takeSlot(uint32_t &index);
  bool takeFreeSlot(uint32_t &index);
  bool takeFreshSlot(uint32_t &index);
  bool createPart(uint32_t index);
  void freeSlot(uint32_t index);

  mutable Slot slots[firstPart];
  std::atomic<Slot *> parts[furtherParts] = {};
  std::atomic<uint32_t> slotCount{0};
  /// Of the list of free slots: the index plus 1, 0 for none, in the lower
  /// half. The upper counts changes, so that a compare-and-swap notices them.
  std::atomic<uint64_t> firstFree{0};
};

/// The table of this library.
HandleTable &handleTable();

/// An object that is pinned in the library's table as long as this lives; or
/// none.
template <typename Object> class PinnedObject {
public:
  PinnedObject(const void *handle, HandleKind kind)
      : handle(handle), kind(kind),
        object(static_cast<Object *>(handleTable().pin(handle, kind))) {}
  PinnedObject(const PinnedObject &) = delete;
  PinnedObject &operator=(const PinnedObject &) = delete;
  ~PinnedObject() {
    if (object)
      handleTable().unpin(handle);
  }

  explicit operator bool() const { return object != nullptr; }
  Object &operator*() const { return *object; }
  Object *operator->() const { return object; }

  /// Why there is none.
  Error explain() const { return handleTable().explain(handle, kind); }

private:
  const void *handle;
  HandleKind kind;
  Object *object;
};

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_CORE_HANDLETABLE_H
