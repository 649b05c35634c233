//===- Exponential.h - The same exponential everywhere ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_TOKENIZER_EXPONENTIAL_H
#define HAMKAAS_LIB_TOKENIZER_EXPONENTIAL_H

#include <bit>
#include <cstdint>

namespace hamkaas::tok {

/// The exponential of `x`, which is 0 or less, within 5e-16 of it; 0 below
/// -708. The C library's differs between versions and processors in the last
/// bit.
///
/// x = k ln 2 + r with an integer k, |r| <= ln 2 / 2. The exponential of r is
/// its Taylor polynomial of degree 13, whose error is below 5e-18. Has no
/// branches, so that compilers make vectors of it.
inline double computeExponential(double x) {
  // Added to a small number, this leaves an integer in the lowest bits.
  constexpr double shift = 0x1.8p52;
  double bounded = x >= -708 ? x : -708;
  double shifted = bounded * 0x1.71547652b82fep0 + shift;
  double k = shifted - shift;
  // The first part of ln 2 has 32 bits, so that the first product is exact.
  double r = (bounded - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33;
  double sum = 1.0 / 6227020800;
  for (double factorial : {479001600., 39916800., 3628800., 362880., 40320.,
                           5040., 720., 120., 24., 6., 2., 1., 1.})
    sum = sum * r + 1 / factorial;
  double power =
      std::bit_cast<double>((std::bit_cast<uint64_t>(shifted) + 1023) << 52);
  return x >= -708 ? sum * power : 0;
}

} // namespace hamkaas::tok

#endif // HAMKAAS_LIB_TOKENIZER_EXPONENTIAL_H
