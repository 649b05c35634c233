//===- HandleTable.cpp - Checked pointers to objects ----------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Core/HandleTable.h"

#include <cassert>
#include <cstdlib>
#include <new>

using namespace hamkaas::rt;

//===----------------------------------------------------------------------===//
// Numbers of several parts
//===----------------------------------------------------------------------===//

// A handle, from its lowest bit: the slot, the slot's generation, the table's
// mark, and 01, which no address of this machine begins with.
static constexpr int indexBits = 20;
static constexpr int generationBits = 28;
static constexpr int markBits = 14;
static constexpr int generationShift = indexBits;
static constexpr int markShift = generationShift + generationBits;
static_assert(HandleTable::maximumObjects == uint32_t{1} << indexBits);
static_assert(markShift + markBits == 62);

static constexpr uint64_t lowBits(int count) {
  return (uint64_t{1} << count) - 1;
}

// The state of a slot, from its lowest bit: pins, of which the table has one
// until the object is removed; whether it was removed; its kind; the
// generation. A slot is free when there is no pin.
static constexpr int pinBits = 27;
static constexpr uint64_t removedBit = uint64_t{1} << pinBits;
static constexpr int kindShift = pinBits + 1;
static constexpr int kindBits = 8;
static constexpr int stateGenerationShift = kindShift + kindBits;
static_assert(stateGenerationShift + generationBits == 64);

static uint64_t toNumber(const void *handle) {
  return reinterpret_cast<uintptr_t>(handle);
}

static uint32_t indexOf(uint64_t handle) {
  return static_cast<uint32_t>(handle & lowBits(indexBits));
}

static uint64_t generationOf(uint64_t handle) {
  return (handle >> generationShift) & lowBits(generationBits);
}

// The state of a live object of this handle, but for its pins.
static uint64_t liveState(uint64_t handle, HandleKind kind) {
  return (generationOf(handle) << stateGenerationShift) |
         (uint64_t{kind.number} << kindShift);
}

static uint64_t withoutPins(uint64_t state) {
  return state & ~lowBits(pinBits);
}

// Differs between the tables of a process, most likely.
uint64_t HandleTable::mark() const {
  uint64_t hash = reinterpret_cast<uintptr_t>(this) * 0x9E3779B97F4A7C15u;
  return (uint64_t{1} << markBits) | (hash >> (64 - markBits));
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

// The table segment of a slot, counted from the first further one.
static int partOf(uint32_t index, uint32_t firstPart) {
  return __builtin_clz(firstPart) - __builtin_clz(index);
}

HandleTable::Slot &HandleTable::slotAt(uint32_t index) const {
  if (index < firstPart)
    return slots[index];
  int part = partOf(index, firstPart);
  return parts[part].load(
      std::memory_order_acquire)[index - (firstPart << part)];
}

// Null if the number cannot have come from this table.
HandleTable::Slot *HandleTable::findSlot(uint64_t handle) const {
  if (handle >> markShift != mark())
    return nullptr;
  uint32_t index = indexOf(handle);
  if (index >= slotCount.load(std::memory_order_acquire))
    return nullptr;
  return &slotAt(index);
}

bool HandleTable::takeSlot(uint32_t &index) {
  return takeFreeSlot(index) || takeFreshSlot(index);
}

static constexpr uint64_t oneChange = uint64_t{1} << 32;

bool HandleTable::takeFreeSlot(uint32_t &index) {
  uint64_t seen = firstFree.load(std::memory_order_acquire);
  for (;;) {
    uint32_t first = static_cast<uint32_t>(seen);
    if (first == 0)
      return false;
    // Useless if another thread has taken the slot by now; then `seen` is
    // stale.
    uint64_t next = slotAt(first - 1).nextFree.load(std::memory_order_relaxed);
    uint64_t changed = ((seen & ~lowBits(32)) + oneChange) | next;
    if (firstFree.compare_exchange_weak(seen, changed,
                                        std::memory_order_acq_rel,
                                        std::memory_order_acquire)) {
      index = first - 1;
      return true;
    }
  }
}

bool HandleTable::takeFreshSlot(uint32_t &index) {
  index = slotCount.load(std::memory_order_acquire);
  do {
    // NOTE: before the count says that the slot is there.
    if (index == maximumObjects || !createPart(index))
      return false;
  } while (!slotCount.compare_exchange_weak(
      index, index + 1, std::memory_order_acq_rel, std::memory_order_acquire));
  return true;
}

// Makes sure that there is memory for the slot.
bool HandleTable::createPart(uint32_t index) {
  if (index < firstPart)
    return true;
  int number = partOf(index, firstPart);
  if (parts[number].load(std::memory_order_acquire))
    return true;
  size_t count = size_t{firstPart} << number;
  void *memory = nullptr;
  if (posix_memalign(&memory, alignof(Slot), count * sizeof(Slot)) != 0)
    return false;
  Slot *part = static_cast<Slot *>(memory);
  for (size_t i = 0; i < count; ++i)
    new (&part[i]) Slot;
  Slot *others = nullptr;
  if (!parts[number].compare_exchange_strong(others, part))
    free(part);
  return true;
}

void HandleTable::freeSlot(uint32_t index) {
  Slot &slot = slotAt(index);
  uint64_t generation =
      (slot.state.load(std::memory_order_relaxed) >> stateGenerationShift) + 1;
  // A handle must never become valid again: the slot is used up.
  if (generation > lowBits(generationBits))
    return;
  slot.state.store(generation << stateGenerationShift,
                   std::memory_order_relaxed);
  uint64_t seen = firstFree.load(std::memory_order_relaxed), changed;
  do {
    slot.nextFree.store(static_cast<uint32_t>(seen), std::memory_order_relaxed);
    changed = ((seen & ~lowBits(32)) + oneChange) | (index + 1);
  } while (!firstFree.compare_exchange_weak(
      seen, changed, std::memory_order_acq_rel, std::memory_order_relaxed));
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

Error HandleTable::add(HandleKind kind, void *object, Release release,
                       void *&handle) {
  uint32_t index;
  if (!takeSlot(index))
    return Error::format("cannot make %s: out of memory, or there are %u "
                         "objects already",
                         kind.name, maximumObjects);
  Slot &slot = slotAt(index);
  slot.object = object;
  slot.release = release;
  uint64_t generation =
      slot.state.load(std::memory_order_relaxed) >> stateGenerationShift;
  uint64_t number =
      (mark() << markShift) | (generation << generationShift) | index;
  slot.state.store(liveState(number, kind) + 1, std::memory_order_release);
  handle = reinterpret_cast<void *>(number);
  return Error();
}

void *HandleTable::pin(const void *handle, HandleKind kind) {
  uint64_t number = toNumber(handle);
  Slot *slot = findSlot(number);
  if (!slot)
    return nullptr;
  uint64_t expected = liveState(number, kind);
  uint64_t seen = slot->state.load(std::memory_order_relaxed);
  do {
    // A free slot of the same generation has no kind.
    if (withoutPins(seen) != expected)
      return nullptr;
  } while (!slot->state.compare_exchange_weak(
      seen, seen + 1, std::memory_order_acquire, std::memory_order_relaxed));
  return slot->object;
}

void HandleTable::unpin(const void *handle) {
  uint32_t index = indexOf(toNumber(handle));
  Slot &slot = slotAt(index);
  uint64_t before = slot.state.fetch_sub(1, std::memory_order_acq_rel);
  assert((before & lowBits(pinBits)) != 0 && "unpinned more often than pinned");
  assert(generationOf(toNumber(handle)) == before >> stateGenerationShift &&
         "a handle of another object");
  if ((before & lowBits(pinBits)) != 1)
    return;
  slot.release(slot.object);
  freeSlot(index);
}

bool HandleTable::remove(const void *handle, HandleKind kind) {
  uint64_t number = toNumber(handle);
  Slot *slot = findSlot(number);
  if (!slot)
    return false;
  uint64_t expected = liveState(number, kind);
  uint64_t seen = slot->state.load(std::memory_order_relaxed);
  do {
    if (withoutPins(seen) != expected)
      return false;
  } while (!slot->state.compare_exchange_weak(seen, seen | removedBit,
                                              std::memory_order_acquire,
                                              std::memory_order_relaxed));
  unpin(handle);
  return true;
}

Error HandleTable::explain(const void *handle, HandleKind kind) const {
  if (!handle)
    return Error::format("expected %s, got null", kind.name);
  uint64_t number = toNumber(handle);
  const Slot *slot = findSlot(number);
  uint64_t state = slot ? slot->state.load(std::memory_order_relaxed) : 0;
  uint64_t generation = state >> stateGenerationShift;
  bool isOlder = generationOf(number) < generation;
  bool isCurrent = generationOf(number) == generation &&
                   withoutPins(state) != generation << stateGenerationShift;
  if (!slot || !(isOlder || isCurrent))
    return Error::format("expected %s, got an address that is no handle",
                         kind.name);
  if (isOlder || (state & removedBit))
    return Error::format("expected %s, got a handle that was destroyed",
                         kind.name);
  return Error::format("expected %s, got a handle of another kind", kind.name);
}

HandleTable &hamkaas::rt::handleTable() {
  static constinit HandleTable table;
  return table;
}
