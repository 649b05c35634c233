//===- FakeProgram.h - A compiled model, written by hand --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_RUNTIME_FAKEPROGRAM_H
#define HAMKAAS_TEST_UNIT_RUNTIME_FAKEPROGRAM_H

#include "hamkaas-c/Runtime.h"

#include <cstdint>

namespace hamkaas::test {

/// The program that the compiler would write for
///
///     y[i] = x[i] * scale[i] + bias[0] + runs
///     runs = runs + 1, refused when x[0] is negative
///
/// by hand. Tests change the tables of their copy.
struct FakeProgram {
  static constexpr int64_t elements = 1000;

  FakeProgram();
  FakeProgram(const FakeProgram &) = delete;
  FakeProgram &operator=(const FakeProgram &) = delete;

  int64_t vectorShape[1] = {elements};
  int64_t biasShape[2] = {1, 1};
  int64_t oneShape[1] = {1};
  HamKaasTensorInfo inputs[1];
  HamKaasTensorInfo outputs[2]; // y and runs
  HamKaasTensorInfo parameters[2];
  HamKaasTensorInfo states[1];
  HamKaasCallInfo calls[2];
  HamKaasProgram program;
};

/// An instance and the buffers of its runs.
struct FakeRun {
  explicit FakeRun(HamKaasInstance *instance);

  /// Runs once; the caller frees the error.
  HamKaasError operator()();

  HamKaasInstance *instance;
  float x[FakeProgram::elements];
  float y[FakeProgram::elements];
  int64_t runs = -1;
};

/// Values for the parameters: scale[i] = i, bias = 0.5.
struct FakeParameters {
  FakeParameters();

  float scale[FakeProgram::elements];
  float bias[1] = {0.5f};
  HamKaasNamedData named[2];
};

} // namespace hamkaas::test

#endif // HAMKAAS_TEST_UNIT_RUNTIME_FAKEPROGRAM_H
