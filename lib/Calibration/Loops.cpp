//===- Loops.cpp - Loops as fast as the machine -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Calibration/Loops.h"

namespace hamkaas {

// Of LevelLoops.cpp.
extern const Loops loopsV2, loopsV3, loopsV4;

const Loops &getLoops(HamKaasIsaLevel level) {
  switch (level) {
  case HamKaasIsaX86_64_V1:
  case HamKaasIsaX86_64_V2:
    return loopsV2;
  case HamKaasIsaX86_64_V3:
    return loopsV3;
  case HamKaasIsaX86_64_V4:
    break;
  }
  return loopsV4;
}

} // namespace hamkaas
