//===- AccessChecker.cpp - Finds wrong accesses to memory -----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessChecker.h"

using namespace hamkaas::emulation;

/// Pages of which the cells are kept from launch to launch: of 16 MiB.
static constexpr size_t mostPages = 4096;

void AccessChecker::beginLaunch(std::vector<MemoryRange> given) {
  ranges = std::move(given);
  lastRange = 0;
  ++launch;
  // Other launches may have used many.
  if (pages.size() > mostPages) {
    pages.clear();
    lastPage = nullptr;
  }
}

void AccessChecker::beginBlock(int64_t index, int64_t threads,
                               const char *shared, size_t bytes) {
  block = index;
  barriers = 0;
  warpSyncs.assign(static_cast<size_t>((threads + warpSize - 1) / warpSize), 0);
  sharedBegin = reinterpret_cast<uintptr_t>(shared);
  sharedEnd = sharedBegin + bytes;
  // NOTE: shared memory has its pages for itself.
  for (uintptr_t page = sharedBegin / Page::bytes;
       page * Page::bytes < sharedEnd; ++page)
    pages.erase(page);
  lastPage = nullptr;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// Returns whether the bytes from `begin` on are memory that the kernel may
/// use.
bool AccessChecker::isInside(uintptr_t begin, uintptr_t end, bool isWrite) {
  if (begin >= sharedBegin && end <= sharedEnd)
    return true;
  auto contains = [&](const MemoryRange &range) {
    return begin >= range.begin && end <= range.end &&
           (range.isWritable || !isWrite);
  };
  // Most accesses are to what the last one was to.
  if (lastRange < ranges.size() && contains(ranges[lastRange]))
    return true;
  for (size_t i = 0; i < ranges.size(); ++i)
    if (contains(ranges[i])) {
      lastRange = i;
      return true;
    }
  return false;
}

/// Names an address by what begins before it.
std::string AccessChecker::describe(uintptr_t address) const {
  MemoryRange nearest = {0, 0, false, ""};
  for (const MemoryRange &range : ranges)
    if (range.begin <= address && nearest.begin < range.begin)
      nearest = range;
  if (sharedBegin <= address && nearest.begin < sharedBegin &&
      sharedBegin < sharedEnd)
    nearest = {sharedBegin, sharedEnd, true, "shared memory"};
  if (nearest.name.empty())
    return "an address that is neither an argument nor shared memory";
  return "offset " + std::to_string(address - nearest.begin) + " of " +
         nearest.name + ", which has " +
         std::to_string(nearest.end - nearest.begin) + " bytes" +
         (nearest.isWritable ? "" : " and is constant");
}

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

AccessChecker::Access AccessChecker::getAccess(int64_t thread,
                                               const char *place) const {
  int64_t warp = thread / warpSize;
  Access access;
  access.block = static_cast<int32_t>(block);
  access.warp = static_cast<int32_t>(warp);
  access.thread = static_cast<int32_t>(thread);
  access.barriers = barriers;
  access.warpSyncs = warpSyncs[static_cast<size_t>(warp)];
  access.place = place;
  return access;
}

bool AccessChecker::isOrdered(const Access &before, const Access &now) const {
  if (before.isNobody())
    return true;
  if (before.block != now.block)
    return false;
  return before.thread == now.thread || before.barriers < now.barriers ||
         (before.warp == now.warp && before.warpSyncs < now.warpSyncs);
}

/// `replace` if what was known comes before `reader` for everybody.
void AccessChecker::addReader(Access &readers, const Access &reader,
                              bool replace) {
  if (readers.isNobody() || replace) {
    readers = reader;
    return;
  }
  auto merge = [](int32_t &known, int32_t other) {
    if (known != other)
      known = Access::several;
  };
  merge(readers.block, reader.block);
  merge(readers.warp, reader.warp);
  merge(readers.thread, reader.thread);
  readers.barriers = reader.barriers;
  readers.warpSyncs = reader.warpSyncs;
  readers.place = reader.place;
}

AccessChecker::Page &AccessChecker::getPage(uintptr_t address, unsigned shift) {
  uintptr_t number = address / Page::bytes;
  if (!lastPage || lastPageNumber != number) {
    lastPage = &pages[number];
    lastPageNumber = number;
  }
  Page &page = *lastPage;
  if (page.launch != launch) {
    page.launch = launch;
    page.shift = shift;
    page.cells.assign(Page::bytes >> shift, Cell());
  } else if (page.shift > shift) {
    std::vector<Cell> cells(Page::bytes >> shift);
    for (size_t i = 0; i < cells.size(); ++i)
      cells[i] = page.cells[i >> (page.shift - shift)];
    page.cells = std::move(cells);
    page.shift = shift;
  }
  return page;
}

std::string AccessChecker::explainRace(const Access &before,
                                       const char *did) const {
  std::string who = before.thread == Access::several
                        ? std::string("several threads")
                        : "thread " + std::to_string(before.thread);
  if (before.block == Access::several)
    who += " of several blocks";
  else if (before.block != block)
    who += " of block " + std::to_string(before.block);
  return "what " + who + " " + did + " at " + before.place +
         ", with no synchronization in between";
}

std::string AccessChecker::checkCell(Cell &cell, const Access &now,
                                     AccessKind kind) {
  bool bothAtomic = kind == AccessAtomic && cell.isAtomic;
  if (!isOrdered(cell.write, now) && !bothAtomic)
    return explainRace(cell.write, "wrote");
  bool isAfterReads = isOrdered(cell.read, now);
  if (kind == AccessRead) {
    // Whatever comes after this read also comes after those that it comes
    // after.
    addReader(cell.read, now, isAfterReads);
    return "";
  }
  if (!isAfterReads)
    return explainRace(cell.read, "read");
  cell.write = now;
  cell.isAtomic = kind == AccessAtomic;
  cell.read = Access();
  return "";
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

std::string AccessChecker::access(int64_t thread, const void *address,
                                  int64_t bytes, int64_t alignment,
                                  AccessKind kind, const char *place) {
  if (bytes <= 0)
    return "";
  auto begin = reinterpret_cast<uintptr_t>(address);
  uintptr_t end = begin + static_cast<uintptr_t>(bytes);
  auto explain = [&](const std::string &text) {
    return std::string(kind == AccessRead ? "reads " : "writes ") +
           std::to_string(bytes) + " bytes at " + place + ": " + text;
  };
  if (!isInside(begin, end, kind != AccessRead))
    return explain(describe(begin));
  if (begin % static_cast<uintptr_t>(alignment) != 0)
    return explain("expected a multiple of " + std::to_string(alignment) +
                   ", got " + describe(begin));
  unsigned shift = (begin | end) % 4 == 0 ? 2 : 0;
  Access now = getAccess(thread, place);
  for (uintptr_t at = begin; at < end;) {
    Page &page = getPage(at, shift);
    std::string race =
        checkCell(page.cells[at % Page::bytes >> page.shift], now, kind);
    if (!race.empty())
      return explain(race);
    at += uintptr_t(1) << page.shift;
  }
  return "";
}
