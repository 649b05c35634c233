//===- Errors.cpp - The runtime's errors as LLVM's --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Support/Errors.h"

llvm::Error hamkaas::toError(rt::Error error) {
  return toError(error.release());
}

llvm::Error hamkaas::toError(HamKaasError error) {
  if (!error)
    return llvm::Error::success();
  llvm::Error result = llvm::createStringError(error);
  HamKaasErrorFree(error);
  return result;
}
