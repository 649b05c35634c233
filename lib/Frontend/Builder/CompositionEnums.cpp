//===- CompositionEnums.cpp - Words of compositions -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/ComposedOperations.h"
#include "llvm/ADT/StringSwitch.h"

#include "HamKaas/Frontend/Builder/CompositionEnums.cpp.inc"
