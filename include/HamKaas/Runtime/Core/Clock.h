//===- Clock.h - The time ---------------------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_CORE_CLOCK_H
#define HAMKAAS_RUNTIME_CORE_CLOCK_H

#include <cstdint>
#include <ctime>

namespace hamkaas::rt {

/// Nanoseconds, from some moment on.
inline uint64_t readClock() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000 +
         static_cast<uint64_t>(time.tv_nsec);
}

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_CORE_CLOCK_H
