//===- TargetDescription.cpp - What kernels depend on of a target ---------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/TargetDescription.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace hamkaas;

/// Half of the registers of a thread: the rest holds addresses and what is on
/// its way from memory.
static constexpr TargetDescription
makeWarp(llvm::StringLiteral level, Precision precision = Precision::Exact) {
  return {level,
          /*lanes=*/32,
          /*registers=*/96,
          /*fma=*/true,
          /*scale=*/false,
          /*isWarp=*/true,
          precision};
}

static constexpr TargetDescription targets[] = {
    {"x86-64", /*lanes=*/4, /*registers=*/16, /*fma=*/false, /*scale=*/false},
    {"x86-64-v2", /*lanes=*/4, /*registers=*/16, /*fma=*/false,
     /*scale=*/false},
    {"x86-64-v3", /*lanes=*/8, /*registers=*/16, /*fma=*/true, /*scale=*/false},
    {"x86-64-v4", /*lanes=*/16, /*registers=*/32, /*fma=*/true, /*scale=*/true},
    makeWarp("warp"),
    makeWarp("warp-tf32", Precision::TF32),
    makeWarp("warp-3xtf32", Precision::TF32x3),
    makeWarp("warp-bf16", Precision::BF16),
};

const TargetDescription *hamkaas::lookupTarget(llvm::StringRef level) {
  for (const TargetDescription &target : targets)
    if (target.level == level)
      return &target;
  return nullptr;
}

std::string hamkaas::getTargetLevels() {
  return llvm::join(llvm::map_range(targets,
                                    [](const TargetDescription &target) {
                                      return target.level;
                                    }),
                    ", ");
}
