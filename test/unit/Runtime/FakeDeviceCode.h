//===- FakeDeviceCode.h - A fake program for a GPU --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_RUNTIME_FAKEDEVICECODE_H
#define HAMKAAS_TEST_UNIT_RUNTIME_FAKEDEVICECODE_H

#include "FakeProgram.h"

namespace hamkaas::test {

/// Gives a FakeProgram code for a GPU that does the same, and registers its
/// kernels with FakeCuda. Outlives the program. Tests change the tables of
/// their copy.
struct FakeDeviceCode {
  /// In the order of `kernels`.
  enum Kernel { Copy, ScaleChecks, Scale, Increment };

  explicit FakeDeviceCode(FakeProgram &fake);
  FakeDeviceCode(const FakeDeviceCode &) = delete;
  FakeDeviceCode &operator=(const FakeDeviceCode &) = delete;

  HamKaasDeviceKernel kernels[4];
  HamKaasDeviceCode code;
};

} // namespace hamkaas::test

#endif // HAMKAAS_TEST_UNIT_RUNTIME_FAKEDEVICECODE_H
