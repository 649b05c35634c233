//===- FakeCublasLt.h - A cuBLASLt for tests --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A libcublasLt.so.13 without a GPU: it computes the products that it is asked
// for, on matrices whose columns follow each other as cublasLt.h describes
// them, when the stream of the fake driver comes to them. Whoever breaks a rule
// of the library finds it in FakeCuda's `violations`.
//
// In programs that do not link it, the environment variable
// HAMKAAS_FAKE_CUBLASLT_FAIL=N names the call, counted from 0, that fails.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_RUNTIME_FAKECUDA_FAKECUBLASLT_H
#define HAMKAAS_TEST_UNIT_RUNTIME_FAKECUDA_FAKECUBLASLT_H

#include <cstdint>
#include <string>
#include <vector>

namespace hamkaas::test::cublas {

struct Settings {
  /// The call that fails, counted from 0 since the settings were made; -1 for
  /// none.
  int64_t failingCall = -1;
  /// True if no product has an algorithm.
  bool hasNoAlgorithms = false;
};

/// A product for which an algorithm was chosen, in the library's terms.
struct Product {
  uint64_t rows, columns, depth; // of A * B
  int32_t batches;
  uint32_t epilogue;
  uint32_t alignment; // of A
  uint64_t workspaceBytes;
  int computeType; // a cublasComputeType_t
};

/// Forgets what happened, and sets what comes next.
void configure(const Settings &settings);

int64_t callCount();
std::vector<Product> products();
/// Handles, descriptions, layouts and preferences that were not destroyed.
int64_t held();
/// The function that failed by the settings, or empty.
std::string failedFunction();

} // namespace hamkaas::test::cublas

#endif // HAMKAAS_TEST_UNIT_RUNTIME_FAKECUDA_FAKECUBLASLT_H
