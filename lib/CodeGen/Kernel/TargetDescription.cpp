//===- TargetDescription.cpp - Facts about targets --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/TargetDescription.h"

using namespace hamkaas;

static constexpr TargetDescription targets[] = {
    {"x86-64", /*lanes=*/4, /*registers=*/16, /*fma=*/false, /*scale=*/false},
    {"x86-64-v2", /*lanes=*/4, /*registers=*/16, /*fma=*/false,
     /*scale=*/false},
    {"x86-64-v3", /*lanes=*/8, /*registers=*/16, /*fma=*/true, /*scale=*/false},
    {"x86-64-v4", /*lanes=*/16, /*registers=*/32, /*fma=*/true, /*scale=*/true},
};

const TargetDescription *hamkaas::lookupTarget(llvm::StringRef level) {
  for (const TargetDescription &target : targets)
    if (target.level == level)
      return &target;
  return nullptr;
}
