//===- Limits.cpp - The limits of the machine -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Limits.h"

namespace hamkaas::benchmarks {

// Of LevelLimits.cpp.
extern const Limits limitsV2, limitsV3, limitsV4;

const Limits &getLimits(HamKaasIsaLevel level) {
  switch (level) {
  case HamKaasIsaX86_64_V1:
  case HamKaasIsaX86_64_V2:
    return limitsV2;
  case HamKaasIsaX86_64_V3:
    return limitsV3;
  case HamKaasIsaX86_64_V4:
    break;
  }
  return limitsV4;
}

} // namespace hamkaas::benchmarks
