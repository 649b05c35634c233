//===- CeilingsFile.h - Ceilings that were measured before ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_REPORT_CEILINGSFILE_H
#define HAMKAAS_REPORT_CEILINGSFILE_H

#include "HamKaas/Calibration/Ceilings.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace hamkaas {

/// `hamkaas/ceilings.json` in the user's cache folder ($XDG_CACHE_HOME, else
/// ~/.cache). Empty where there is no such folder.
std::string getDefaultCeilingsPath();

/// Reads what writeCeilings wrote. Nothing where there is no file; the error
/// tells the position of what is wrong with it.
llvm::Expected<std::optional<Ceilings>> readCeilings(llvm::StringRef path);

/// Creates or replaces the file, and the folder where it is missing. Others see
/// either the old file or the new one.
llvm::Error writeCeilings(llvm::StringRef path, const Ceilings &ceilings);

} // namespace hamkaas

#endif // HAMKAAS_REPORT_CEILINGSFILE_H
