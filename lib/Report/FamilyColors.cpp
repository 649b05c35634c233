//===- FamilyColors.cpp - Colours of kernel families in drawings ----------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FamilyColors.h"

using namespace hamkaas;

llvm::StringRef hamkaas::getFamilyColor(std::optional<KernelFamily> family) {
  if (!family)
    return "#ffffff";
  // Told apart by their brightness, too, for people who see no red or green.
  switch (*family) {
  case KernelFamily::View:
    return "#eeeeee";
  case KernelFamily::Elementwise:
    return "#b7e4c7";
  case KernelFamily::Row:
    return "#ffd97d";
  case KernelFamily::Contraction:
    return "#8ecae6";
  case KernelFamily::Movement:
    return "#d9c8ea";
  case KernelFamily::Reduction:
    return "#f4a582";
  case KernelFamily::Loops:
    return "#c4b08b";
  case KernelFamily::Transform:
    return "#6fc3b2";
  case KernelFamily::Attention:
    return "#ff8fab";
  }
}
