//===- GuardedBuffer.cpp - Memory for foreign code ------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuardedBuffer.h"
#include "hamkaas-c/Program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace hamkaas;

/// No engine would write it by chance.
static constexpr unsigned char guardPattern = 0xc9;
/// A page or more.
static constexpr uint64_t forbiddenBytes = 65536;
static constexpr uint64_t guardBytes = HAMKAAS_REGION_ALIGNMENT;

/// All buffers, the newest first.
static GuardedBuffer *buffers = nullptr;
static char *accessReport = nullptr;
static size_t accessReportSize = 0;

GuardedBuffer::GuardedBuffer(std::string name, uint64_t bytes, Place place,
                             unsigned char pattern)
    : name(std::move(name)), count(bytes), next(buffers) {
  buffers = this;
  mapped = llvm::alignTo(bytes + 2 * guardBytes, forbiddenBytes) +
           2 * forbiddenBytes;
  void *memory = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return;
  mapping = static_cast<char *>(memory);
  char *end = mapping + mapped - forbiddenBytes;
  first = place == Place::AtEnd ? end - bytes
                                : mapping + forbiddenBytes + guardBytes;
  std::memset(mapping + forbiddenBytes, guardPattern,
              mapped - 2 * forbiddenBytes);
  std::memset(first, pattern, bytes);
  mprotect(mapping, forbiddenBytes, PROT_NONE);
  mprotect(end, forbiddenBytes, PROT_NONE);
}

GuardedBuffer::~GuardedBuffer() {
  GuardedBuffer **link = &buffers;
  while (*link != this)
    link = &(*link)->next;
  *link = next;
  if (mapping)
    munmap(mapping, mapped);
}

static bool isIntact(const char *begin, const char *end) {
  return std::all_of(begin, end, [](char byte) {
    return static_cast<unsigned char>(byte) == guardPattern;
  });
}

std::string GuardedBuffer::findDamage() const {
  if (!isIntact(mapping + forbiddenBytes, first))
    return "wrote before " + name;
  if (!isIntact(first + count, mapping + mapped - forbiddenBytes))
    return "wrote beyond " + name;
  return "";
}

bool GuardedBuffer::guards(const void *address) const {
  return mapping && address >= mapping && address < mapping + mapped;
}

/// In a signal handler, where little may be called.
void GuardedBuffer::report(int signal, void *address) {
  for (GuardedBuffer *buffer = buffers; buffer; buffer = buffer->next) {
    if (!buffer->guards(address))
      continue;
    strncat(accessReport,
            address < buffer->first ? "read or wrote before "
                                    : "read or wrote beyond ",
            accessReportSize - 1);
    strncat(accessReport, buffer->name.c_str(),
            accessReportSize - 1 - strlen(accessReport));
    _exit(1);
  }
  // It happens again, and ends the process.
  std::signal(signal, SIG_DFL);
}

void hamkaas::reportForbiddenAccess(char *report, size_t size) {
  accessReport = report;
  accessReportSize = size;
  *report = '\0';
  struct sigaction action = {};
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = [](int signal, siginfo_t *info, void *) {
    GuardedBuffer::report(signal, info->si_addr);
  };
  sigaction(SIGSEGV, &action, nullptr);
}
