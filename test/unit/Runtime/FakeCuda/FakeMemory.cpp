//===- FakeMemory.cpp - Memory of GPUs that are not there -----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeMemory.h"

#include <sys/mman.h>

using namespace hamkaas::test::cuda;

// An allocation is followed by a page that nobody can use.
static constexpr size_t pageSize = 4096;

static size_t mappedBytes(size_t bytes) {
  return (bytes + pageSize - 1) / pageSize * pageSize + pageSize;
}

static bool isOfDevice(FakeMemory::Kind kind) {
  return kind != FakeMemory::Kind::Host && kind != FakeMemory::Kind::Managed;
}

void *FakeMemory::allocate(size_t bytes, Kind kind, int device) {
  if (bytes > SIZE_MAX / 2)
    return nullptr;
  void *memory = mmap(nullptr, mappedBytes(bytes), PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  if (!isOfDevice(kind) || accesses > 0)
    mprotect(memory, mappedBytes(bytes) - pageSize, PROT_READ | PROT_WRITE);
  allocations[reinterpret_cast<uint64_t>(memory)] = {bytes, kind, device};
  return memory;
}

bool FakeMemory::release(void *memory) {
  auto found = allocations.find(reinterpret_cast<uint64_t>(memory));
  if (found == allocations.end())
    return false;
  munmap(memory, mappedBytes(found->second.bytes));
  allocations.erase(found);
  return true;
}

size_t FakeMemory::countBytes(int device) const {
  size_t bytes = 0;
  for (const auto &[address, allocation] : allocations)
    if (allocation.device == device && allocation.kind == Kind::Device)
      bytes += allocation.bytes;
  return bytes;
}

static bool isOfContext(const FakeMemory::Allocation &allocation, int device) {
  return allocation.device == device &&
         allocation.kind != FakeMemory::Kind::OfOthers &&
         allocation.kind != FakeMemory::Kind::Managed;
}

void FakeMemory::releaseAll(int device) {
  for (auto i = allocations.begin(); i != allocations.end();) {
    auto [address, allocation] = *i++;
    if (isOfContext(allocation, device))
      release(reinterpret_cast<void *>(address));
  }
}

std::vector<std::string> FakeMemory::describe(int device) const {
  std::vector<std::string> found;
  for (const auto &[address, allocation] : allocations)
    if (isOfContext(allocation, device) && allocation.kind != Kind::OfModule)
      found.push_back(
          std::to_string(allocation.bytes) + " bytes" +
          (allocation.kind == Kind::Host ? " of pinned memory" : ""));
  return found;
}

FakeMemory::Table::const_iterator
FakeMemory::findEntry(uint64_t address) const {
  auto next = allocations.upper_bound(address);
  if (next == allocations.begin())
    return allocations.end();
  auto found = std::prev(next);
  return address - found->first <= found->second.bytes ? found
                                                       : allocations.end();
}

const FakeMemory::Allocation *FakeMemory::find(uint64_t address) const {
  auto found = findEntry(address);
  return found == allocations.end() ? nullptr : &found->second;
}

bool FakeMemory::contains(uint64_t address, size_t bytes) const {
  auto found = findEntry(address);
  return found != allocations.end() &&
         bytes <= found->second.bytes - (address - found->first);
}

void FakeMemory::protect(bool isProtected) {
  accesses += isProtected ? -1 : 1;
  if (accesses > 1 || (accesses == 1 && isProtected))
    return;
  for (const auto &[address, allocation] : allocations)
    if (isOfDevice(allocation.kind))
      mprotect(reinterpret_cast<void *>(address),
               mappedBytes(allocation.bytes) - pageSize,
               isProtected ? PROT_NONE : PROT_READ | PROT_WRITE);
}
