//===- FloatingPoint.h - The arithmetic that kernels see --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_CPU_FLOATINGPOINT_H
#define HAMKAAS_RUNTIME_CPU_FLOATINGPOINT_H

#include <xmmintrin.h>

namespace hamkaas::rt {

/// Gives kernels the default rounding and denormal modes, whatever the host
/// program has set for its threads: results must not depend on which thread
/// computes them.
class FloatingPointScope {
public:
  FloatingPointScope() : saved(_mm_getcsr()) {
    if (modesOf(saved) != defaultModes)
      _mm_setcsr(defaultModes);
  }
  FloatingPointScope(const FloatingPointScope &) = delete;
  FloatingPointScope &operator=(const FloatingPointScope &) = delete;
  ~FloatingPointScope() {
    if (modesOf(saved) != defaultModes)
      _mm_setcsr(saved);
  }

private:
  /// Round to nearest, denormals kept, no exception trapped.
  static constexpr unsigned defaultModes = 0x1F80;

  /// Without the flags of what has happened so far.
  static unsigned modesOf(unsigned word) { return word & ~0x3Fu; }

  unsigned saved;
};

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_CPU_FLOATINGPOINT_H
