//===- FamilyColors.h - Colours of kernel families in drawings --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_REPORT_FAMILYCOLORS_H
#define HAMKAAS_LIB_REPORT_FAMILYCOLORS_H

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace hamkaas {

/// The colour of a family in all drawings of all models, as SVG and Graphviz
/// have it; white for what has none. Black text can be read on it.
llvm::StringRef getFamilyColor(std::optional<KernelFamily> family);

} // namespace hamkaas

#endif // HAMKAAS_LIB_REPORT_FAMILYCOLORS_H
