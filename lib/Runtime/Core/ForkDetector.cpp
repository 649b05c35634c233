//===- ForkDetector.cpp - Whether this is a forked child ------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Core/ForkDetector.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace hamkaas::rt;

// Of a mapping: the kernel counts in whole pages.
static constexpr size_t pageSize = 1;

// Null if the kernel has no such pages.
static volatile char *createPage() {
  void *page = mmap(nullptr, pageSize, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED)
    return nullptr;
  if (madvise(page, pageSize, MADV_WIPEONFORK) != 0) {
    munmap(page, pageSize);
    return nullptr;
  }
  auto *marker = static_cast<volatile char *>(page);
  *marker = 1;
  return marker;
}

void ForkDetector::start(Method method) {
  process = getpid();
  if (method == Method::Page)
    page = createPage();
}

ForkDetector::~ForkDetector() {
  if (page)
    munmap(const_cast<char *>(page), pageSize);
}

bool ForkDetector::isChild() const {
  return page ? *page == 0 : getpid() != process;
}
