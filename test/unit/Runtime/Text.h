//===- Text.h - The texts of errors -----------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_RUNTIME_TEXT_H
#define HAMKAAS_TEST_UNIT_RUNTIME_TEXT_H

#include "HamKaas/Runtime/Core/Error.h"
#include "hamkaas-c/Runtime.h"

#include <string>

namespace hamkaas::test {

/// An error's message; empty on success.
inline std::string textOf(const rt::Error &error) {
  return error ? error.message() : "";
}

/// The same, and frees it.
inline std::string takeText(HamKaasError error) {
  std::string text = error ? error : "";
  HamKaasErrorFree(error);
  return text;
}

} // namespace hamkaas::test

#endif // HAMKAAS_TEST_UNIT_RUNTIME_TEXT_H
