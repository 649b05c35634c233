//===- CompatibilityNames.h - Names of earlier versions ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_OPTIONS_COMPATIBILITYNAMES_H
#define HAMKAAS_OPTIONS_COMPATIBILITYNAMES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace hamkaas {

/// Returns `text`, a pass pipeline or an argument of hamkaas-opt, with the
/// current names of passes in place of their earlier ones.
std::string updatePassNames(llvm::StringRef text);

} // namespace hamkaas

#endif // HAMKAAS_OPTIONS_COMPATIBILITYNAMES_H
