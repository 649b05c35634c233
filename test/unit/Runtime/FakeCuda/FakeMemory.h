//===- FakeMemory.h - Memory of GPUs that are not there ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_RUNTIME_FAKECUDA_FAKEMEMORY_H
#define HAMKAAS_TEST_UNIT_RUNTIME_FAKECUDA_FAKEMEMORY_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hamkaas::test::cuda {

/// Allocations in pages of their own. Those of a device cannot be read or
/// written but during an Access.
class FakeMemory {
public:
  enum class Kind {
    Device,
    OfModule, // a global variable, which goes with its module
    OfOthers, // on a device, of another library; outlives contexts here
    Managed,  // of another library, for devices and the process
    Host      // pinned
  };

  struct Allocation {
    size_t bytes;
    Kind kind;
    int device;
  };

  /// Null if there is no memory.
  void *allocate(size_t bytes, Kind kind, int device);
  /// False if it is none.
  bool release(void *memory);
  /// The sum of cuMemAlloc's allocations on the device.
  size_t countBytes(int device) const;
  /// Frees all memory of the device, as the end of its context does.
  void releaseAll(int device);
  std::vector<std::string> describe(int device) const;

  /// The allocation in which the address is, its end included; null if none.
  const Allocation *find(uint64_t address) const;
  bool contains(uint64_t address, size_t bytes) const;

  class Access {
  public:
    explicit Access(FakeMemory &memory) : memory(memory) {
      memory.protect(false);
    }
    Access(const Access &) = delete;
    Access &operator=(const Access &) = delete;
    ~Access() { memory.protect(true); }

  private:
    FakeMemory &memory;
  };

private:
  using Table = std::map<uint64_t, Allocation>; // by the first address

  Table::const_iterator findEntry(uint64_t address) const;
  void protect(bool isProtected);

  Table allocations;
  int accesses = 0;
};

} // namespace hamkaas::test::cuda

#endif // HAMKAAS_TEST_UNIT_RUNTIME_FAKECUDA_FAKEMEMORY_H
