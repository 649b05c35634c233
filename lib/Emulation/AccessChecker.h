//===- AccessChecker.h - Finds wrong accesses to memory ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_EMULATION_ACCESSCHECKER_H
#define HAMKAAS_LIB_EMULATION_ACCESSCHECKER_H

#include "HamKaas/Emulation/EmulatedCode.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace hamkaas::emulation {

/// Memory that a kernel may use.
struct MemoryRange {
  uintptr_t begin, end;
  bool isWritable;
  std::string name; ///< For errors, e.g. "argument 2".
};

/// Knows for all memory that the kernels of one launch use who wrote and read
/// it last, and how the threads are synchronized. Two accesses are in order if
/// they are of one thread, or if both threads were at a barrier, or, of one
/// warp, at a `bar.warp.sync` of the whole warp, in between. Shuffles put no
/// memory in order.
class AccessChecker {
public:
  /// A new launch, of which all that came before is done.
  void beginLaunch(std::vector<MemoryRange> ranges);
  /// A new block, whose shared memory is that of the one before.
  void beginBlock(int64_t block, int64_t threads, const char *shared,
                  size_t bytes);
  void passBarrier() { ++barriers; }
  void passWarpSync(int64_t warp) { ++warpSyncs[warp]; }

  /// Returns an error, or an empty text.
  std::string access(int64_t thread, const void *address, int64_t bytes,
                     int64_t alignment, AccessKind kind, const char *place);

private:
  /// When and by whom. Of readers it is a set: a field is `several` if it
  /// differs between them, the counts are the latest.
  struct Access {
    static constexpr int32_t several = -1, nobody = -2;
    int32_t block = nobody;
    int32_t warp = nobody;
    int32_t thread = nobody;
    uint32_t barriers = 0;
    uint32_t warpSyncs = 0;
    const char *place = nullptr;

    bool isNobody() const { return block == nobody; }
  };
  struct Cell {
    Access read, write;
    bool isAtomic = false; ///< The write.
  };
  /// The cells of a page of memory, of 4 bytes each, or of 1 byte after an
  /// access that needs it.
  struct Page {
    static constexpr uintptr_t bytes = 4096;
    uint64_t launch = 0;
    unsigned shift = 2;
    std::vector<Cell> cells;
  };

  Access getAccess(int64_t thread, const char *place) const;
  bool isOrdered(const Access &before, const Access &now) const;
  static void addReader(Access &readers, const Access &reader, bool replace);
  bool isInside(uintptr_t begin, uintptr_t end, bool isWrite);
  std::string describe(uintptr_t address) const;
  Page &getPage(uintptr_t address, unsigned shift);
  std::string checkCell(Cell &cell, const Access &now, AccessKind kind);
  std::string explainRace(const Access &before, const char *did) const;

  std::vector<MemoryRange> ranges;
  size_t lastRange = 0;
  std::unordered_map<uintptr_t, Page> pages;
  uintptr_t lastPageNumber = 0;
  Page *lastPage = nullptr;
  uint64_t launch = 0;

  int64_t block = 0;
  uintptr_t sharedBegin = 0, sharedEnd = 0;
  uint32_t barriers = 0;
  std::vector<uint32_t> warpSyncs; ///< By warp of the block.
};

} // namespace hamkaas::emulation

#endif // HAMKAAS_LIB_EMULATION_ACCESSCHECKER_H
